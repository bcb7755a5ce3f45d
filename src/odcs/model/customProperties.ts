import { z } from 'zod'
import { columnDataTypes } from '../../shared/columnTypes.ts'
import { nameProblem } from '../../shared/entityName.ts'
import { ownMember, safeParse } from '../../shared/json.ts'
import { documentValueAt, isObject, toPlainJson, type Json, type JsonObject, type Path } from './types.ts'

// The members whose objects may carry customProperties in v3.1.0: lists of such objects, and single objects.
const LISTS = new Set('servers schema properties quality support members team roles relationships'.split(' '))

const allowed: Record<string, ReadonlySet<string>> = {
  root: new Set(['servers', 'schema', 'support', 'team', 'roles', 'description']),
  servers: new Set(['roles']),
  schema: new Set(['properties', 'quality', 'relationships']),
  properties: new Set(['properties', 'quality', 'relationships', 'items']),
  items: new Set(['properties', 'quality', 'relationships', 'items']),
  team: new Set(['members']),
}

/** @returns the longest prefix of a path to an element that may have customProperties */
export const carrierOf = (document: JsonObject, path: Path): Path => {
  let kind = 'root'
  let end = 0
  for (let at = 0; at < path.length; at += 1) {
    const member = String(path[at])
    if (!allowed[kind]?.has(member)) break
    const indexed = at + 1 < path.length && LISTS.has(member) && /^\d+$/.test(String(path[at + 1]))
    if (indexed) at += 1
    else if (member !== 'description' && member !== 'items' && member !== 'team') break
    if (!isObject(documentValueAt(document, path.slice(0, at + 1)))) break
    kind = member
    end = at + 1
  }
  return path.slice(0, end)
}

/** @returns the name of a custom property: the member's name, or its path below the carrying element */
export const customNameOf = (path: Path): string =>
  path.map((step, index) => (/^\d+$/.test(String(step)) ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`)).join('')

/** The path that {@link customNameOf} has made a name of. */
export const pathOfName = (name: string): string[] => name.replaceAll(/\[(\d+)\]/g, '.$1').split('.')

/** Adds a custom property to an element. */
export const addCustom = (element: JsonObject, name: string, value: Json): void => {
  const items = customItems(element)
  items.push({ property: name, value })
  element['customProperties'] = items
}

/** An element whose customProperties can be added to: a copy, with a list of its own. */
export const withOwnCustom = (element: JsonObject): JsonObject => {
  const items = element['customProperties']
  return Array.isArray(items) ? { ...element, customProperties: [...items] } : { ...element }
}

/** The customProperties of an element as a list; v2 has them as an object. */
export const customItems = (element: JsonObject): Json[] => {
  const kept = element['customProperties']
  if (Array.isArray(kept)) return kept
  if (isObject(kept)) return Object.entries(kept).map(([property, value]) => ({ property, value }))
  return kept === undefined || kept === null ? [] : [{ property: 'customProperties', value: kept }]
}

const text = z.string()
const count = z.int().min(0)
const moment = z.union([text, z.number()])

const semantic = z.strictObject({
  name: text.refine((name) => nameProblem(name) === undefined),
  description: text.optional(),
  rule: text.optional(),
  enabled: z.boolean().optional(),
})

const columnTag = z.strictObject({
  id: z.guid().optional(),
  type: text.optional(),
  fullyQualifiedName: text.min(1),
  life: count.optional(),
})

/**
 * What the catalog writes into custom properties of these names. One that only happens to have such a name, and holds
 * something else, is none of the catalog's: it is neither read nor changed.
 */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  semantics: z.array(semantic).min(1),
  sla: z.looseObject({ refreshFrequency: text, latency: moment, availability: z.number() }).partial(),
  termsOfUse: text,
  effectiveFrom: moment,
  effectiveUntil: moment,
  sourceUrl: text.regex(/^\S{1,8192}$/),
  extension: z.looseObject({}),
  arrayDataType: z.enum(columnDataTypes),
  dataLength: count,
  precision: count,
  scale: z.int(),
  jsonSchema: text,
  columnTags: z.array(columnTag).min(1),
}

const isOwn = (item: Json | undefined, name: string): item is JsonObject =>
  isObject(item) &&
  item['property'] === name &&
  safeParse(ownMember(SHAPES, name) ?? z.unknown(), toPlainJson(item['value'] ?? null)).success

/** @returns the value of a custom property; of one with the name of a member only if the catalog may have written it */
export const readCustom = (element: JsonObject, name: string): Json | undefined => {
  const items = element['customProperties']
  return Array.isArray(items) ? items.find((item) => isOwn(item, name))?.['value'] : undefined
}

/** @returns index of the item of {@link customItems} that {@link readCustom} reads, or -1 */
export const customIndex = (element: JsonObject, name: string): number =>
  customItems(element).findIndex((item) => isOwn(item, name))

/** Sets, replaces or (with undefined) removes a custom property that {@link readCustom} reads. */
export const setCustom = (element: JsonObject, name: string, value: Json | undefined): void => {
  const items = customItems(element)
  const at = customIndex(element, name)
  const old = items[at]
  if (value === undefined) {
    if (at === -1) return
    items.splice(at, 1)
  } else if (isObject(old)) items[at] = { ...old, value }
  else items.push({ property: name, value })
  if (items.length > 0) element['customProperties'] = items
  else delete element['customProperties']
}

/** Renames a member in its place, unless there is one of the new name; the order of the others stays. */
export const renamed = (element: JsonObject, from: string, to: string): JsonObject =>
  element[from] === undefined || element[to] !== undefined
    ? element
    : Object.fromEntries(Object.entries(element).map(([member, value]) => [member === from ? to : member, value]))
