import { passes } from './check.ts'
import { chooseObject } from './objects.ts'
import { fit } from './fit.ts'
import { parkOn } from './park.ts'
import { EXPORT_VERSION, isList, isObject, type Json, type JsonObject, type Warning } from './types.ts'
import { upgradeV2 } from './upgradeV2.ts'
import { upgradeV30 } from './upgradeV30.ts'
import { detectVersion } from './version.ts'

/** Which schema object a contract is about: by name when given, else by the name of its entity. */
export interface ObjectChoice {
  objectName?: string | undefined
  entityName?: string | undefined
}

/** A v3.1.0 document that passes the official schema, and what was moved to get there. */
export interface Upgraded {
  document: JsonObject
  warnings: Warning[]
}

/**
 * Brings a document of any supported version to v3.1.0 without losing a value: renamed members move, everything that v3.1.0
 * has no place for is parked in customProperties. The order of members stays. A valid v3.1.0 document comes back unchanged.
 *
 * A top-level `quality` list becomes rules of the chosen object, or is parked when there is none to choose.
 */
export function upgrade(document: JsonObject, choice: ObjectChoice = {}): Upgraded {
  const detected = detectVersion(document)
  if (detected.ok && detected.shape === 'v2') return named(fit(upgradeV2(document)), document, 'v2')
  const current: JsonObject = document['apiVersion'] === EXPORT_VERSION ? document : { ...document, apiVersion: EXPORT_VERSION }
  const placed = placeQuality(current, choice)
  if (passes(EXPORT_VERSION, placed)) return { document: placed, warnings: [] }
  return named(fit(upgradeV30(placed)), document, 'v3.0')
}

function named(fitted: Upgraded, original: JsonObject, shape: string): Upgraded {
  const had = new Set(Object.keys(original))
  const parked = isList(fitted.document['customProperties']) ? fitted.document['customProperties'] : []
  const names = parked.flatMap((item) => (isObject(item) && had.has(String(item['property'])) ? [String(item['property'])] : []))
  const fresh = names.filter((name) => !fitted.warnings.some(({ path }) => path === `/${name}`))
  const told = fresh.map((name) => ({ path: `/${name}`, message: `${EXPORT_VERSION} has no such member; it is kept as the custom property "${name}"` }))
  return { document: fitted.document, warnings: shape === 'v2' ? [...told, ...fitted.warnings] : fitted.warnings }
}

/** No version of the standard has a top-level `quality`, but the list is accepted as rules of the chosen object. */
function placeQuality(document: JsonObject, choice: ObjectChoice): JsonObject {
  const { quality, ...rest } = document
  if (quality === undefined) return document
  if (quality === null) return rest
  const chosen = isList(quality) ? chooseObject(rest, choice) : undefined
  const schema = rest['schema']
  if (!chosen?.ok || chosen.index === undefined || !isList(schema) || !isList(quality)) {
    const parked: JsonObject = { ...rest, ...(isList(rest['customProperties']) ? { customProperties: [...rest['customProperties']] } : {}) }
    parkOn(parked, 'quality', quality)
    return parked
  }
  return { ...rest, schema: schema.map((item, index) => (index === chosen.index && isObject(item) ? withRules(item, quality) : item)) }
}

function withRules(object: JsonObject, rules: Json[]): JsonObject {
  const own = isList(object['quality']) ? object['quality'] : []
  return { ...object, quality: [...own, ...rules] }
}
