import { MAX_DEPTH } from '../model/text.ts'
import { exportErrors } from '../read/check.ts'
import { chooseObject, type ObjectSelection } from '../model/objects.ts'
import { fitToSchema, type RepairResult } from './fitToSchema.ts'
import { addCustom, pathOfName, withOwnCustom } from '../model/customProperties.ts'
import {
  depthOf,
  documentValueAt,
  EXPORT_VERSION,
  isObject,
  itemsIn,
  pointer,
  scalarText,
  toJson,
  type Json,
  type JsonObject,
  type Path,
  type Problem,
  type Warning,
} from '../model/types.ts'
import { upgradeV2 } from './upgradeV2.ts'
import { upgradeV30 } from './upgradeV30.ts'
import { detectVersion } from '../read/detectVersion.ts'

interface UpgradeOptions extends ObjectSelection {
  /** The id given to a document without one. */
  id?: string | undefined
}

/** A valid v3.1.0 document, unless it is `unfit`, and what was moved for that. */
export interface Upgrade extends RepairResult {
  /** True when the document had no id of its own. */
  identified: boolean
}

/**
 * Upgrades a document of any supported version to v3.1.0 without losing a value: members are renamed, and everything
 * without a place in v3.1.0 is kept in customProperties. The order of members stays. A valid v3.1.0 document is
 * returned unchanged.
 * A top-level `quality` list becomes rules of the chosen object, or a custom property if there is none. A document
 * without an id is given one.
 */
export const upgrade = (document: JsonObject, options: UpgradeOptions = {}): Upgrade => {
  const detected = detectVersion(document)
  if (detected.ok && detected.shape === 'v2') {
    const { named, ...identity } = identify(upgradeV2(document), options)
    return { ...identity, ...withMoveWarnings(fitToSchema(named), document, identity.warnings) }
  }
  const { named, ...identity } = identify(document, options)
  const current: JsonObject = named['apiVersion'] === EXPORT_VERSION ? named : { ...named, apiVersion: EXPORT_VERSION }
  const placed = placeQuality(current, options)
  const fits = exportErrors(placed).length === 0
  if (fits && placed === current) return { document: placed, ...identity }
  const fitted = fits ? { document: placed, warnings: [] } : fitToSchema(upgradeV30(placed))
  return { ...identity, ...withMoveWarnings(fitted, document, identity.warnings) }
}

const identify = (document: JsonObject, { id }: UpgradeOptions): Omit<Upgrade, 'document'> & { named: JsonObject } => {
  if (document['id'] !== undefined) return { named: document, identified: false, warnings: [] }
  const message = 'was missing; the document is given the id of its contract'
  return {
    named: { ...document, id: id ?? 'unnamed' },
    identified: true,
    warnings: [{ path: '/id', message }],
  }
}

// Warns about custom properties once per kind of place: a thousand columns with one member make one warning.
const withMoveWarnings = (
  { document, warnings, unfit = tooDeep(document) }: RepairResult,
  original: JsonObject,
  before: readonly Warning[],
): RepairResult => {
  const own = new Map<string, number>()
  for (const { item } of customItems(original, [])) own.set(toJson(item), (own.get(toJson(item)) ?? 0) + 1)
  const places = new Map<string, { path: string; name: string; count: number }>()
  for (const { path, item } of customItems(document, [])) {
    const left = own.get(toJson(item)) ?? 0
    own.set(toJson(item), left - 1)
    if (left > 0) continue
    const name = scalarText(item['property']) ?? ''
    const kind = `${path.filter((step) => typeof step === 'string').join('/')} ${name.replaceAll(/\d+/g, '')}`
    const steps = documentValueAt(original, [...path, name]) === undefined ? pathOfName(name) : [name]
    const place = places.get(kind) ?? { path: pointer([...path, ...steps]), name, count: 0 }
    places.set(kind, { ...place, count: place.count + 1 })
  }
  const kept = [...places.values()].map(({ path, name, count }) => ({
    path,
    message: `"${name}" does not fit ${EXPORT_VERSION} as it is and is kept as a custom property${count > 1 ? `, here and in ${count - 1} more places` : ''}`,
  }))
  return { document, warnings: [...before, ...kept, ...warnings], ...(unfit !== undefined && { unfit }) }
}

const tooDeep = (document: JsonObject): Problem | undefined => {
  const message = `is nested deeper than ${MAX_DEPTH} levels where ${EXPORT_VERSION} keeps its values`
  return depthOf(document) > MAX_DEPTH ? { path: '', message } : undefined
}

function* customItems(value: Json, path: Path): Generator<{ path: Path; item: JsonObject }> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* customItems(item, [...path, index])
  if (!isObject(value)) return
  for (const [member, inner] of Object.entries(value)) {
    if (member !== 'customProperties') yield* customItems(inner, [...path, member])
    else if (Array.isArray(inner)) for (const item of inner) if (isObject(item)) yield { path, item }
  }
}

/** No version of the standard has a top-level `quality`, but it is accepted as rules of the chosen object. */
const placeQuality = (document: JsonObject, choice: ObjectSelection): JsonObject => {
  const { quality, ...rest } = document
  if (quality === undefined) return document
  if (quality === null) return rest
  const chosen = chooseObject(rest, choice)
  if (Array.isArray(quality) && chosen.ok && chosen.index !== undefined) {
    const object = { ...chosen.object, quality: [...itemsIn(chosen.object?.['quality']), ...quality] }
    return { ...rest, schema: itemsIn(rest['schema']).with(chosen.index, object) }
  }
  const kept = withOwnCustom(rest)
  addCustom(kept, 'quality', quality)
  return kept
}
