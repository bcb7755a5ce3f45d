import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { memoize } from '../../shared/memoize.ts'
import type { Members } from '../../events/events.ts'
import type { Draft, Field, Problem, SearchField } from '../defineKind.ts'
import { buildFqn, childFqn, splitFqn } from '../names.ts'

const maxDepth = limits.treeDepth.value

/** The named objects of a list; empty if it is not a list. */
export const nodesOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : []

const nameOf = (node: JsonObject): string => node['name'] as string

const positionOf = (node: JsonObject): Json | undefined => node['ordinalPosition']

/** Positions are counted up to it and by one for each node: beyond 2 ** 53 a number plus one may be the same number. */
const largestCounted = 2 ** 53 - 2 ** 15

/** Finds free positions: what one search has passed, the next ones skip. */
const makePositions = (nodes: readonly JsonObject[]) => {
  /** A later position, for each that is taken. */
  const later = new Map<number, number>()
  const take = (position: number): number => {
    later.set(position, position + 1)
    return position
  }
  for (const node of nodes) take(positionOf(node) as number)
  /** The first one after a position that no node has. */
  const freeAfter = (last: Json | undefined): number => {
    const passed: number[] = []
    let free = Math.min(Number(last), largestCounted) + 1
    for (let next = later.get(free); next !== undefined; next = later.get(free)) {
      passed.push(free)
      free = next
    }
    for (const position of passed) later.set(position, free)
    return free
  }
  return { freeAfter, takeAfter: (last: Json): number => take(freeAfter(last)) }
}

/** The nodes whose position is the one that {@link completeTree} gives them: nobody else need have given it. */
export const countedIn = (nodes: readonly JsonObject[]): ReadonlySet<JsonObject> => {
  const { freeAfter } = makePositions(nodes)
  const positions = nodes.map((node) => Number(positionOf(node)))
  return new Set(
    nodes.filter((_, index) => {
      const [last = 0, own = 0] = [positions[index - 1], positions[index]]
      return last < own && own < freeAfter(last)
    }),
  )
}

interface TreeOptions {
  /** FQN that the names of the tree are appended to; absent: its nodes have none. */
  readonly fqn?: string | undefined
  /** JSON Pointer of the list. */
  readonly path: string
  /** Whether a node without a position gets one: the next after its sibling's that no other has. */
  readonly positions?: boolean
  /** The tree before: a node that gets another name may still have its FQN of then. Absent: any is ignored. */
  readonly former?: readonly JsonObject[] | undefined
}

/** Gives each node its FQN; duplicate names and too deep nesting are problems. */
const completeTree = (
  nodes: readonly JsonObject[],
  options: TreeOptions,
  problems: Problem[],
  depth = 1,
): JsonObject[] => {
  const { fqn, path, positions = false, former } = options
  if (depth > maxDepth) {
    problems.push({ path, message: `is nested more than ${maxDepth} levels deep` })
    return []
  }
  reportDuplicates(nodes, path, problems)
  const numbers = positions ? makePositions(nodes) : undefined
  let last: Json = 0
  return nodes.map((node, index) => {
    const { children, fullyQualifiedName: given, ...complete } = node
    const own = fqn === undefined ? undefined : childFqn(fqn, nameOf(node))
    if (own !== undefined) complete['fullyQualifiedName'] = own
    if (own !== undefined && given !== undefined && given !== own && former && !fqnsIn(former).has(given))
      problems.push({ path: `${path}/${index}/fullyQualifiedName`, message: 'is read-only: it follows from the names' })
    if (numbers !== undefined) {
      last = positionOf(node) ?? numbers.takeAfter(last)
      complete['ordinalPosition'] = last
    }
    if (children !== undefined) {
      const below = { ...options, fqn: own, path: `${path}/${index}/children` }
      complete['children'] = completeTree(nodesOf(children), below, problems, depth + 1)
    }
    return complete
  })
}

const reportDuplicates = (nodes: readonly JsonObject[], path: string, problems: Problem[]): void => {
  const seen = new Set<string>()
  for (const [index, node] of nodes.entries()) {
    const name = nameOf(node)
    if (seen.has(name)) problems.push({ path: `${path}/${index}/name`, message: `${name} comes twice on this level` })
    seen.add(name)
  }
}

/** Each node of a tree with the names of its path, and after it those in it. */
export const pathsIn = <T extends { readonly name?: unknown; readonly children?: unknown }>(
  nodes: readonly T[],
  above: readonly string[] = [],
): { readonly path: readonly string[]; readonly node: T }[] =>
  nodes.flatMap((node) => {
    const path = [...above, node.name as string]
    return [{ path, node }, ...pathsIn((node.children ?? []) as readonly T[], path)]
  })

/** Nodes by name; the first one of duplicates. */
export const nodesByName = (nodes: readonly JsonObject[]): ReadonlyMap<string, JsonObject> => {
  const named = new Map<string, JsonObject>()
  for (const node of nodes) if (!named.has(nameOf(node))) named.set(nameOf(node), node)
  return named
}

/** Roots of a schema by the names they have now: where it has one record before and after, that is the same one. */
export const rootsAsNow = (before: readonly JsonObject[], after: readonly JsonObject[]): readonly JsonObject[] => {
  const [was, is] = [before, after].map(
    (roots) => roots.length === 1 && roots[0]?.['dataType'] === 'RECORD' && roots[0],
  )
  return was && is ? [{ ...was, name: nameOf(is) }] : before
}

/** Makes a function that tells whether a text names a node: a top-level name or a dotted path. */
export const makeNameMatcher = (nodes: readonly JsonObject[]): ((text: string) => boolean) => {
  const paths = new Set(pathsIn(nodes).map(({ path }) => buildFqn(path)))
  return (text) => paths.has(buildFqn([text])) || paths.has(buildFqn(splitFqn(text) ?? []))
}

type Visit = Parameters<NonNullable<Field['nested']>>[1]

const hasTags = (node: JsonObject): boolean =>
  node['tags'] !== undefined || nodesOf(node['children']).some(hasTags) || nodesOf(node['featureSources']).some(hasTags)

/** Maps the tags of each node, as {@link Field.nested} does. Returns the same list if none has tags. */
export const visitTreeTags = (value: Json, visit: Visit, path = ''): Json => {
  const nodes = nodesOf(value)
  if (!nodes.some(hasTags)) return value
  return nodes.map((node, index) => {
    const at = `${path}/${index}`
    const visited: JsonObject = { ...node }
    const tags = visitTags(nodesOf(node['tags']), visit, `${at}/tags`)
    if (tags.length > 0) visited['tags'] = tags
    else delete visited['tags']
    for (const name of ['children', 'featureSources'])
      if (node[name] !== undefined) visited[name] = visitTreeTags(node[name], visit, `${at}/${name}`)
    return visited
  })
}

/** A tag that is none, such as a bare name, was stored before tags of its element were checked. */
const isReference = (tag: Json): tag is JsonObject =>
  isObject(tag) && (tag['id'] !== undefined || tag['fullyQualifiedName'] !== undefined)

/** Tags that have become one stand once. In answers each is another one: a tag and a term can have one name. */
const visitTags = (tags: readonly Json[], visit: Visit, path: string): Json[] => {
  const found = new Map<Json, Json>()
  for (const [index, tag] of tags.entries()) {
    const result = isReference(tag) ? visit(tag, `${path}/${index}`) : tag
    if (result !== undefined) found.set((isObject(result) ? result['id'] : undefined) ?? index, result)
  }
  return [...found.values()]
}

export interface Tree {
  /** Its path, such as `['dataModel', 'columns']`. */
  readonly at: readonly string[]
  /** Names between the entity's FQN and those of the tree. */
  readonly below?: readonly string[]
  readonly positions?: boolean
}

/** The value at a path of member names. */
export const valueAt = (value: Json | undefined, at: readonly string[]): Json | undefined =>
  at.reduce((found, name) => (isObject(found) ? found[name] : undefined), value)

const withValue = (members: JsonObject, [first, ...rest]: readonly string[], value: Json): JsonObject => {
  const name = first as string
  return { ...members, [name]: rest.length === 0 ? value : withValue(members[name] as JsonObject, rest, value) }
}

const fqnsIn = memoize(
  (nodes: readonly JsonObject[]) => new Set(pathsIn(nodes).map(({ node }) => node['fullyQualifiedName'])),
)

/** Completes the trees of an entity. @param draft its name, which those of its nodes follow if it is given, and what it had */
export const completeTrees = (
  members: Members,
  trees: readonly Tree[],
  { fullyQualifiedName: fqn, before }: Partial<Pick<Draft, 'fullyQualifiedName' | 'before'>>,
  problems: Problem[],
): Members => {
  let result = members
  for (const { at, below = [], positions = false } of trees) {
    const value = valueAt(result, at)
    if (value === undefined) continue
    const base = fqn && below.reduce((path, part) => childFqn(path, part), fqn)
    const path = at.map((part) => `/${part}`).join('')
    const nodes = pathsIn(nodesOf(value)).length
    if (nodes > limits.columns.value) {
      problems.push({ path, message: `must have at most ${limits.columns.value} columns and has ${nodes}` })
      continue
    }
    const former = before && nodesOf(valueAt(before, at))
    result = withValue(result, at, completeTree(nodesOf(value), { fqn: base, path, positions, former }, problems))
  }
  return result
}

export const namesInTrees = (members: Members, trees: readonly Tree[]): SearchField[] =>
  trees.flatMap(({ at }) =>
    pathsIn(nodesOf(valueAt(members, at)), at).map(({ path, node: { name, displayName } }) => ({
      path: buildFqn(path),
      names: [name, displayName].filter((each) => typeof each === 'string'),
    })),
  )
