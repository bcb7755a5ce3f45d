import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import type { Budget } from './node.ts'

/** The schemas of one JSON Schema document. Each is resolved, named and merged only once. */
export const makeJsonSchemas = (root: JsonObject, budget: Budget) => {
  const anchors = anchorsOf(root)
  /** Follows a reference inside the document: a JSON Pointer or an anchor. */
  const resolve = memoizeByKey(($ref: string) => follow($ref, root, anchors))
  const trimmed = memoizeByKey((title: string) => title.trim())
  const lastPart = memoizeByKey(lastPartOf)
  /** The title, or the last part of its reference or id. */
  const nameOf = ({ title, $ref, $id, id }: JsonObject): string | undefined => {
    if (typeof title === 'string' && trimmed(title) !== '') return trimmed(title)
    for (const address of [$ref, $id, id]) {
      const name = typeof address === 'string' ? lastPart(address) : undefined
      if (name) return name
    }
    return undefined
  }
  return { resolve, nameOf, withAllOf: makeWithAllOf(resolve, budget) }
}

export type JsonSchemas = ReturnType<typeof makeJsonSchemas>

const lastPartOf = (address: string): string | undefined =>
  address
    .split(/[/#]/)
    .findLast((part) => part !== '')
    ?.replace(/(\.schema)?\.json$/, '')

const follow = ($ref: string, root: JsonObject, anchors: ReadonlyMap<string, JsonObject>): JsonObject | undefined => {
  const own =
    typeof root['$id'] === 'string' && $ref.startsWith(`${root['$id']}#`) ? $ref.slice(root['$id'].length) : $ref
  if (own === '#') return root
  if (!own.startsWith('#/')) return own.startsWith('#') ? anchors.get(own) : undefined
  let value: Json | undefined = root
  for (const part of own.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined
    else value = Array.isArray(value) ? value[Number(key)] : undefined
  }
  return isObject(value) ? value : undefined
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Schemas by anchor (with `#`) of the root and its definitions; the first one wins. */
const anchorsOf = (root: JsonObject): ReadonlyMap<string, JsonObject> => {
  const places = [
    root,
    ...['$defs', 'definitions'].flatMap((name) =>
      isObject(root[name]) ? Object.values(root[name]).filter(isObject) : [],
    ),
  ]
  const named = places.flatMap((schema): [string, JsonObject][] => {
    const { $anchor, $id } = schema
    const names = [
      typeof $anchor === 'string' ? `#${$anchor}` : '',
      typeof $id === 'string' && $id.startsWith('#') ? $id : '',
    ]
    return names.filter((name) => name !== '').map((name) => [name, schema])
  })
  return new Map(named.toReversed())
}

/** Largest depth of nested `allOf`. */
const deepestMerge = 40

/** Merges `allOf`: the properties of all, other keywords from the first that has them. */
const makeWithAllOf = (
  resolve: ($ref: string) => JsonObject | undefined,
  budget: Budget,
): ((schema: JsonObject, depth?: number) => JsonObject) => {
  const merged = new Map<JsonObject, JsonObject>()
  const withAllOf = (schema: JsonObject, depth = 0): JsonObject => {
    const known = merged.get(schema)
    if (known !== undefined) return known
    // A recursive schema adds nothing to itself.
    merged.set(schema, {})
    const parts = depth > deepestMerge ? [] : schemasIn(schema['allOf'], budget)
    const wholes = parts.map((part) =>
      withAllOf(typeof part['$ref'] === 'string' ? (resolve(part['$ref']) ?? {}) : part, depth + 1),
    )
    const whole = parts.length === 0 ? schema : mergedWith(schema, wholes, budget)
    merged.set(schema, whole)
    return whole
  }
  return withAllOf
}

const mergedWith = (schema: JsonObject, wholes: readonly JsonObject[], budget: Budget): JsonObject => {
  const members = new Map<string, Json>()
  const properties = new Map<string, Json>()
  for (const whole of [...wholes.toReversed(), schema]) {
    const entries = Object.entries(whole)
    const own = isObject(whole['properties']) ? Object.entries(whole['properties']) : []
    budget.spend(entries.length + own.length)
    for (const [name, value] of entries) {
      if (whole === schema || (name !== 'title' && name !== 'description')) members.set(name, value)
    }
    for (const [name, value] of own) properties.set(name, value)
  }
  if (properties.size > 0) members.set('properties', Object.fromEntries(properties))
  return Object.fromEntries(members)
}

export const schemasIn = (value: Json | undefined, budget: Budget): JsonObject[] => {
  if (!Array.isArray(value)) return []
  budget.spend(value.length)
  return value.filter(isObject)
}
