import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { nodesByName, nodesOf, valueAt } from './fieldTree.ts'
import { words } from '../../shared/wordLists.ts'

/** Paths (see {@link pathOf}) of element members that a request clears. */
export type MemberPaths = ReadonlySet<string>

/** @param path name of the entity's member, names of elements from the outermost on, name of the element's member */
const pathOf = (path: readonly string[]): string => JSON.stringify(path)

const isNone = (value: Json | undefined): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Collects element members that a value sets to `null` or to an empty list. @param value as it was sent */
export const collectCleared = (
  value: Json,
  at: readonly string[],
  path: readonly string[],
  into: Set<string>,
): void => {
  const list = valueAt(value, at)
  for (const element of Array.isArray(list) ? list : []) {
    if (!isObject(element) || typeof element['name'] !== 'string') continue
    const here = [...path, element['name']]
    for (const [name, each] of Object.entries(element)) if (isNone(each)) into.add(pathOf([...here, name]))
    if (Array.isArray(element['children'])) collectCleared(element['children'], [], here, into)
  }
}

const derived: ReadonlySet<string> = new Set(['fullyQualifiedName'])

/** Members that describe a type: they do not outlive it. */
const ofType: ReadonlySet<string> = new Set(
  words('arrayDataType children dataLength dataTypeDisplay jsonSchema precision scale'),
)

const mergeElement = (
  { node: before, index }: { readonly node: JsonObject; readonly index: number },
  node: JsonObject,
  path: readonly string[],
  cleared: MemberPaths,
): JsonObject => {
  const merged: JsonObject = { ...node }
  const isRetyped = node['dataType'] !== before['dataType']
  for (const [name, value] of Object.entries(before)) {
    if (derived.has(name) || (cleared.size > 0 && cleared.has(pathOf([...path, name])))) continue
    // An explicit position is kept; a counted one is counted again.
    if (name === 'ordinalPosition' && value === index + 1) continue
    if (node[name] === undefined && isRetyped && ofType.has(name)) continue
    if (node[name] === undefined) merged[name] = value
    else if (name === 'children') merged[name] = mergeList(nodesOf(value), nodesOf(node[name]), path, cleared)
  }
  return merged
}

const mergeList = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  path: readonly string[],
  cleared: MemberPaths,
): JsonObject[] => {
  const known = nodesByName(before)
  // With duplicate names the list is one value.
  if (known.size < before.length || nodesByName(after).size < after.length) return [...after]
  const places = new Map(before.map((node, index) => [node, index]))
  return after.map((node) => {
    const old = known.get(node['name'] as string)
    if (old === undefined) return node
    const place = { node: old, index: places.get(old) ?? 0 }
    return mergeElement(place, node, [...path, node['name'] as string], cleared)
  })
}

/**
 * Merges elements by name: each keeps its former members that the new value lacks, but of another type only those that
 * do not describe the former one; absent elements are removed.
 * @param at path of the list of elements in the value
 */
export const mergeElements = (
  before: Json,
  after: Json,
  at: readonly string[],
  { member, cleared }: { readonly member: string; readonly cleared: MemberPaths },
): Json => {
  const [first, ...rest] = at
  if (first === undefined) return mergeList(nodesOf(before), nodesOf(after), [member], cleared)
  if (!isObject(before) || !isObject(after) || before[first] === undefined) return after
  const inner = after[first]
  if (inner !== undefined) return { ...after, [first]: mergeElements(before[first], inner, rest, { member, cleared }) }
  // An absent list stays, unless the member lost something else: the text of a schema.
  const isWhole = Object.keys(before).every((name) => name === first || after[name] !== undefined)
  return isWhole ? { ...after, [first]: before[first] } : after
}
