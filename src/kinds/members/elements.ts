import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { countedIn, nodesByName, nodesOf, valueAt } from './fieldTree.ts'
import { words } from '../../shared/wordLists.ts'

/** Paths (see {@link pathOf}) of lists and of element members that a request clears. */
export type MemberPaths = ReadonlySet<string>

/** @param path names of the entity's member (alone for its list), of elements from the outermost on, of the element's member */
const pathOf = (path: readonly string[]): string => JSON.stringify(path)

const isNone = (value: Json | undefined): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Collects what a value clears: its list by `null`, members of elements also by an empty list. @param value as it was sent */
export const collectCleared = (
  value: Json,
  at: readonly string[],
  path: readonly string[],
  into: Set<string>,
): void => {
  const list = valueAt(value, at)
  if (list === null) into.add(pathOf(path))
  for (const element of Array.isArray(list) ? list : []) {
    if (!isObject(element) || typeof element['name'] !== 'string') continue
    const here = [...path, element['name']]
    for (const [name, each] of Object.entries(element)) if (isNone(each)) into.add(pathOf([...here, name]))
    if (Array.isArray(element['children'])) collectCleared(element['children'], [], here, into)
  }
}

const derived: ReadonlySet<string> = new Set(['fullyQualifiedName'])

/** Members that describe a type: they do not outlive it. */
const ofType = new Set(words('arrayDataType dataLength dataTypeDisplay jsonSchema precision scale'))

const nestingTypes = new Set(words('ARRAY JSON MAP RECORD STRUCT SUPER TUPLE UNION VARIANT UNKNOWN'))

const fitsType = (member: string, type: Json | undefined): boolean =>
  member === 'children' ? nestingTypes.has(String(type)) : !ofType.has(member)

interface Merging {
  /** Name of the entity's member. */
  readonly member: string
  readonly cleared: MemberPaths
  /** See {@link Field.numbered}. */
  readonly numbered?: true | undefined
}

const mergeElement = (
  before: JsonObject,
  node: JsonObject,
  path: readonly string[],
  merging: Merging & { readonly isCounted: boolean },
): JsonObject => {
  const { cleared, isCounted } = merging
  const merged: JsonObject = { ...node }
  const isRetyped = node['dataType'] !== before['dataType']
  for (const [name, value] of Object.entries(before)) {
    if (derived.has(name) || (cleared.size > 0 && cleared.has(pathOf([...path, name])))) continue
    if (name === 'ordinalPosition' && isCounted) continue
    if (node[name] === undefined && isRetyped && !fitsType(name, node['dataType'])) continue
    if (node[name] === undefined) merged[name] = value
    else if (name === 'children') merged[name] = mergeList(nodesOf(value), nodesOf(node[name]), path, merging)
  }
  return merged
}

const mergeList = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  path: readonly string[],
  merging: Merging,
): JsonObject[] => {
  const known = nodesByName(before)
  // With duplicate names the list is one value.
  if (known.size < before.length || nodesByName(after).size < after.length) return [...after]
  const counted = merging.numbered && countedIn(before)
  return after.map((node) => {
    const old = known.get(node['name'] as string)
    if (old === undefined) return node
    const isCounted = counted?.has(old) === true
    return mergeElement(old, node, [...path, node['name'] as string], { ...merging, isCounted })
  })
}

/**
 * Merges elements by name: each keeps its former members that the new value lacks, but of another type only those that
 * do not describe the former one; absent elements are removed.
 * @param at path of the list of elements in the value
 */
export const mergeElements = (before: Json, after: Json, at: readonly string[], merging: Merging): Json => {
  const [first, ...rest] = at
  if (first === undefined) return mergeList(nodesOf(before), nodesOf(after), [merging.member], merging)
  if (!isObject(before) || !isObject(after) || before[first] === undefined) return after
  const inner = after[first]
  if (inner !== undefined) return { ...after, [first]: mergeElements(before[first], inner, rest, merging) }
  // An absent list stays, unless it is cleared, or the text of its schema is gone.
  const isOfText = before['schemaText'] !== undefined && after['schemaText'] === undefined
  const isCleared = merging.cleared.has(pathOf([merging.member]))
  return isOfText || isCleared ? after : { ...after, [first]: before[first] }
}

/**
 * A patched value without the positions of elements that were counted before it and stayed, so that they are counted
 * again. @param at path of the list of elements in the value
 */
export const withoutCounted = (
  before: Json | undefined,
  after: Json | undefined,
  [first, ...rest]: readonly string[] = [],
): Json | undefined => {
  if (first !== undefined)
    return isObject(before) && isObject(after) && after[first] !== undefined
      ? { ...after, [first]: withoutCounted(before[first], after[first], rest) as Json }
      : after
  if (!Array.isArray(after)) return after
  const [known, counted] = [nodesByName(nodesOf(before)), countedIn(nodesOf(before))]
  return after.map((node) => {
    const old = isObject(node) ? known.get(node['name'] as string) : undefined
    if (!isObject(node) || old === undefined) return node
    const { ordinalPosition, children, ...result } = node
    const isGiven = ordinalPosition !== old['ordinalPosition'] || !counted.has(old)
    if (ordinalPosition !== undefined && isGiven) result['ordinalPosition'] = ordinalPosition
    if (children !== undefined) result['children'] = withoutCounted(old['children'], children) as Json
    return result
  })
}
