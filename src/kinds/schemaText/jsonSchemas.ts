import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { memoizeByKey } from '../../shared/memoize.ts'
import { words } from '../../shared/wordLists.ts'
import type { Budget } from './node.ts'

/** The schemas of one JSON Schema document. Each is resolved, named and merged only once. */
export const makeJsonSchemas = (root: JsonObject, { targets, baseOf }: JsonSchemaIndex, budget: Budget) => {
  /** The schema that this one refers to inside the document; in case of doubt, the root is what it starts from. */
  const targetOf = memoizeByKey((schema: JsonObject): JsonObject | undefined => {
    const { $ref } = schema
    if (typeof $ref !== 'string') return undefined
    for (const base of [baseOf(schema), baseOf(root)]) {
      const [address, part] = addressOf($ref, base)
      const found = part.startsWith('/') ? follow(part, targets.get(`${address}#`)) : targets.get(`${address}#${part}`)
      if (found !== undefined) return found
    }
    return undefined
  })
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
  return { targetOf, nameOf, merged: makeMerged(targetOf, budget) }
}

export type JsonSchemas = ReturnType<typeof makeJsonSchemas>

const lastPartOf = (address: string): string | undefined =>
  address
    .split(/[/#]/)
    .findLast((part) => part !== '')
    ?.replace(/(\.schema)?\.json$/, '')

/** Where references of a document without an id start from. */
const nowhere = 'schema:/'

/** A reference as the full address of a document and what stands behind its `#`. Too long ones stay as they are. */
const addressOf = (reference: string, base: string): [address: string, part: string] => {
  const end = reference.indexOf('#')
  const [address, part] = end < 0 ? [reference, ''] : [reference.slice(0, end), reference.slice(end + 1)]
  if (address === '') return [base, part]
  const isShort = address.length + base.length <= limits.schemaWord.value
  return [(isShort && URL.parse(address, base)?.href) || address, part]
}

/** Keywords whose values are no schemas. */
const data = new Set(words('const default enum example examples'))

/** Keywords whose values have schemas by names. */
const named = new Set(words('properties patternProperties definitions $defs dependentSchemas'))

/** The schemas that have an id or an anchor, by full address; the first of each wins. And the address of each place. */
export const indexOf = (root: JsonObject) => {
  const targets = new Map<string, JsonObject>()
  const bases = new Map<JsonObject, string>()
  const add = (address: string, schema: JsonObject): unknown => targets.has(address) || targets.set(address, schema)
  const baseWith = (schema: JsonObject, above: string): string => {
    const { $id, id, $anchor } = schema
    const own = typeof $id === 'string' ? $id : id
    const [address, part] = typeof own === 'string' ? addressOf(own, above) : [above, '']
    const base = address.length > limits.schemaWord.value ? above : address
    if (typeof own === 'string') add(`${base}#${part}`, schema)
    if (typeof $anchor === 'string') add(`${base}#${$anchor}`, schema)
    bases.set(schema, base)
    return base
  }
  const open: [Json, string, boolean][] = [[root, nowhere, false]]
  for (const [value, above, hasNames] of open) {
    if (typeof value !== 'object' || value === null) continue
    const base = isObject(value) && !hasNames ? baseWith(value, above) : above
    for (const [key, each] of Object.entries(value))
      if (hasNames || !data.has(key)) open.push([each, base, !hasNames && named.has(key)])
  }
  const baseOf = (schema: JsonObject): string => bases.get(schema) ?? nowhere
  add(`${baseOf(root)}#`, root)
  return { targets, baseOf }
}

export type JsonSchemaIndex = ReturnType<typeof indexOf>

/** Follows a JSON Pointer. */
const follow = (pointer: string, from: JsonObject | undefined): JsonObject | undefined => {
  let value: Json | undefined = from
  for (const part of pointer.slice(1).split('/')) {
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

/** Whether a schema is only a reference: what else stands beside it adds no fields. */
export const isReference = ({ $ref, properties, allOf, oneOf, anyOf }: JsonObject): boolean =>
  typeof $ref === 'string' && [properties, allOf, oneOf, anyOf].every((each) => each === undefined)

/** Largest depth of nested `allOf`. */
const deepestMerge = 40

/** Merges `$ref` and `allOf`: the properties and choices of all, other keywords from the first that has them. */
const makeMerged = (
  targetOf: (schema: JsonObject) => JsonObject | undefined,
  budget: Budget,
): ((schema: JsonObject, depth?: number) => JsonObject) => {
  const known = new Map<JsonObject, JsonObject>()
  const merged = (schema: JsonObject, depth = 0): JsonObject => {
    const before = known.get(schema)
    if (before !== undefined) return before
    // A recursive schema adds nothing to itself.
    known.set(schema, {})
    const parts = depth > deepestMerge ? [] : [targetOf(schema) ?? [], schemasIn(schema['allOf'], budget)].flat()
    const wholes = parts.map((part) => merged(part, depth + 1))
    const [target = schema] = wholes
    const whole = isReference(schema) || parts.length === 0 ? target : mergedWith(schema, wholes, budget)
    known.set(schema, whole)
    return whole
  }
  return merged
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
  for (const name of ['oneOf', 'anyOf']) {
    const all = new Set([schema, ...wholes].flatMap((whole) => schemasIn(whole[name], budget)))
    if (all.size > 0) members.set(name, [...all])
  }
  if (properties.size > 0) members.set('properties', Object.fromEntries(properties))
  return Object.fromEntries(members)
}

export const schemasIn = (value: Json | undefined, budget: Budget): JsonObject[] => {
  if (!Array.isArray(value)) return []
  budget.spend(value.length)
  return value.filter(isObject)
}
