import { ownMember, sameJson } from '../../shared/json.ts'
import { namesByWord } from '../../shared/wordLists.ts'
import type { ContractSla } from '../model/contract.ts'
import { readCustom, setCustom } from '../model/customProperties.ts'
import {
  isObject,
  itemsIn,
  objectsIn,
  toPlainJson,
  scalarText,
  textOf,
  toJson,
  type Json,
  type JsonObject,
} from '../model/types.ts'

const NAMES = { refreshFrequency: 'frequency', latency: 'latency', availability: 'availability' } as const
type Level = keyof typeof NAMES
const LEVELS = Object.keys(NAMES) as Level[]

/** Synonyms of the standard, and other names in use, in lower case. */
const SYNONYMS = namesByWord({
  frequency: 'fy freshness refreshfrequency',
  retention: 're retentionperiod retentiontime',
  availability: 'av',
  latency: 'ly',
  throughput: 'th',
  errorrate: 'er',
  generalavailability: 'ga',
  endofsupport: 'es',
  endoflife: 'el',
  timetodetect: 'td',
  timetonotify: 'tn',
  timetorepair: 'tr',
})

/** The name of a service level in lower case, the same for all synonyms. */
const levelName = (property: Json | undefined): string => {
  const name = scalarText(property)?.toLowerCase() ?? ''
  return ownMember(SYNONYMS, name) ?? name
}

/** The same for SLA properties that say the same thing, whichever synonym they use. */
export const levelIdentity = ({ property, element, driver }: JsonObject): string =>
  toJson([levelName(property), ...[element, driver].map((part) => textOf(part)?.toLowerCase() ?? '')])

const day = 86_400_000

/**
 * A unit of time: its ISO 8601 form, its names in documents, the written name, its length, its group in DURATION. Months and
 * years have lengths in months, all others in milliseconds.
 */
const UNITS = [
  { form: 'P#D', named: /^(d|day|days)$/, unit: 'd', length: day, group: 7 },
  { form: 'P#W', named: /^(w|wk|week|weeks)$/, unit: 'w', length: 7 * day, group: 5 },
  // Bare `m` is a minute; months are `mo`.
  { form: 'P#M', named: /^(mo|mos|month|months)$/, unit: 'mo', length: 1, group: 3 },
  { form: 'P#Y', named: /^(y|yr|yrs|year|years)$/, unit: 'y', length: 12, group: 1 },
  { form: 'PT#H', named: /^(h|hr|hrs|hour|hours)$/, unit: 'h', length: 3_600_000, group: 10 },
  { form: 'PT#M', named: /^(m|min|mins|minute|minutes)$/, unit: 'min', length: 60_000, group: 12 },
  { form: 'PT#S', named: /^(s|sec|secs|second|seconds)$/, unit: 's', length: 1000, group: 14 },
] as const
const DURATION =
  /^P(?=\d|T\d)(\d+(\.\d+)?Y)?(\d+(\.\d+)?M)?(\d+(\.\d+)?W)?(\d+(\.\d+)?D)?(T(?=\d)(\d+(\.\d+)?H)?(\d+(\.\d+)?M)?(\d+(\.\d+)?S)?)?$/

/** Months and milliseconds of an ISO 8601 duration, which compare with none of the other; `undefined` if it is none. */
const amountOf = (value: string | undefined): string | undefined => {
  const parts = value === undefined ? null : DURATION.exec(value)
  if (parts === null) return undefined
  let [months, milliseconds] = [0, 0]
  for (const { group, length } of UNITS) {
    const amount = length * Number.parseFloat(parts[group] ?? '0')
    if (group <= 3) months += amount
    else milliseconds += amount
  }
  return `${months.toFixed(3)} ${milliseconds.toFixed(3)}`
}

const unitOf = ({ unit }: JsonObject): string => textOf(unit)?.trim().toLowerCase() ?? ''

/** The value of an SLA property as an ISO 8601 duration, if it is one. */
const levelDuration = (level: JsonObject): string | undefined =>
  durationOf(scalarText(level['value']) ?? '', unitOf(level))

/** The amount of an SLA property: its percentage if it is about availability, else its duration. */
export const levelAmount = (level: JsonObject): number | string | undefined => {
  const percentage = read('availability', level)
  return typeof percentage === 'number' ? percentage : amountOf(levelDuration(level))
}

/** Names of the service levels of an object of a v3.1.0 document without a member of the contract. */
export const otherLevels = (document: JsonObject, objectName: string | undefined): string[] => {
  const shown = mappedSla(document, objectName)
  const levels = levelsOf(document, objectName).toSorted((one, other) => one.index - other.index)
  return levels.flatMap(({ index, level }) =>
    shown.has(index) ? [] : (textOf(level['property']) ?? `level ${index + 1}`),
  )
}

/**
 * The service levels of an object of a v3.1.0 document, and its other SLA properties. What the custom property `sla` says
 * more exactly holds as long as the SLA property says what it was given by it.
 */
export const toSla = (document: JsonObject, objectName: string | undefined): ContractSla | undefined => {
  const levels = levelsOf(document, objectName)
  const kept = readCustom(document, 'sla')
  const sla: ContractSla = isObject(kept) ? { ...(toPlainJson(kept) as JsonObject) } : {}
  for (const name of LEVELS) {
    const level = find(levels, name)?.level
    const value = read(name, level)
    if (level !== undefined && !sameJson(value, read(name, writeLevel(level, name, sla[name])))) sla[name] = value
  }
  return Object.keys(sla).length > 0 ? sla : undefined
}

interface PlacedLevel {
  readonly index: number
  readonly level: JsonObject
}

/** The SLA properties of an object: those about it, then those about no object. Those of other objects are none of its. */
const levelsOf = (document: JsonObject, objectName: string | undefined): PlacedLevel[] => {
  const objects = objectNamesIn(document)
  const levels = itemsIn(document['slaProperties']).flatMap((level, index) => {
    if (!isObject(level)) return []
    const about = elementsOf(document, level).flatMap((element) => objectOf(element, objects) ?? [])
    return [{ index, level, about }]
  })
  const own = objectName === undefined ? [] : levels.filter(({ about }) => about.includes(objectName))
  return [...own, ...levels.filter(({ about }) => about.length === 0)]
}

/** The name of each object by its names in lower case; another's physical name never hides a name. */
const objectNamesIn = (document: JsonObject): ReadonlyMap<string, string> => {
  const objects = objectsIn(document['schema'])
  const names = ['physicalName', 'name'].flatMap((member) =>
    objects.flatMap((object) => {
      const called = textOf(object[member])?.toLowerCase()
      return called === undefined ? [] : [[called, String(object['name'])] as const]
    }),
  )
  return new Map(names)
}

const elementsOf = (document: JsonObject, { element }: JsonObject): string[] =>
  (textOf(element) ?? textOf(document['slaDefaultElement']) ?? '').split(',').map((each) => each.trim().toLowerCase())

/** The object of an element: `object` or `object.property`, where both may have dots. */
const objectOf = (element: string, objects: ReadonlyMap<string, string>): string | undefined =>
  objects.get(element) ??
  objects.get(element.slice(0, element.lastIndexOf('.'))) ??
  objects.get(element.split('.', 1)[0] ?? '')

const find = (levels: readonly PlacedLevel[], name: Level): PlacedLevel | undefined =>
  levels.find(({ level }) => read(name, level) !== undefined)

/** @returns indexes of the SLA properties that members of the contract show */
export const mappedSla = (document: JsonObject, objectName: string | undefined): Set<number> => {
  const levels = levelsOf(document, objectName)
  return new Set(LEVELS.flatMap((name) => find(levels, name)?.index ?? []))
}

/** @returns members of the contract that SLA properties of the object name, whether or not their values can be read */
export const namedLevels = (document: JsonObject, objectName: string | undefined): string[] => {
  const names = new Set(levelsOf(document, objectName).map(({ level }) => levelName(level['property'])))
  return LEVELS.filter((level) => names.has(NAMES[level]))
}

const read = (level: Level, item: JsonObject | undefined): string | number | undefined => {
  if (item === undefined || levelName(item['property']) !== NAMES[level]) return undefined
  const value = typeof item['value'] === 'bigint' ? Number(item['value']) : item['value']
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const unit = unitOf(item)
  if (level === 'availability') return ['', '%', 'percent'].includes(unit) ? percent(value) : undefined
  const duration = durationOf(value, unit)
  return duration ?? (level === 'latency' && unit === '' ? value : undefined)
}

const percent = (value: string | number): number | undefined => {
  const text = String(value).replace('%', '').trim()
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

const durationOf = (value: string | number, unit: string): string | undefined => {
  const text = String(value).trim()
  if (DURATION.test(text)) return text
  const both = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text)
  const named = unit || (both?.[2] ?? '').toLowerCase()
  if (!both?.[1] || (unit !== '' && both[2])) return undefined
  return UNITS.find((each) => each.named.test(named))?.form.replace('#', both[1])
}

/** Applies changed service levels of an object to a document; other SLA properties stay. */
export const applySla = (
  document: JsonObject,
  objectName: string | undefined,
  base: ContractSla,
  now: ContractSla,
): void => {
  if (sameJson(base, now)) return
  const kept = readCustom(document, 'sla')
  const exact = isObject(kept) ? kept : {}
  const isSaid = (level: Level): boolean =>
    sameJson(base[level], now[level])
      ? exact[level] === undefined || !sameJson(exact[level], now[level])
      : applyLevel(document, objectName, level, now[level])
  const said = new Set<string>(LEVELS.filter(isSaid))
  const rest = Object.entries(now).filter(([member, value]) => value !== undefined && !said.has(member))
  setCustom(document, 'sla', rest.length > 0 ? (Object.fromEntries(rest) as JsonObject) : undefined)
}

// Whether the level can be read back exactly from the written SLA property.
const applyLevel = (document: JsonObject, objectName: string | undefined, level: Level, value: unknown): boolean => {
  const found = find(levelsOf(document, objectName), level)
  const written = writeLevel(found?.level ?? { property: NAMES[level], value: '' }, level, value)
  const back = read(level, written)
  const list = [...itemsIn(document['slaProperties'])]
  const now = { ...written, ...(found === undefined && ownElement(document, objectName)) }
  list.splice(found?.index ?? list.length, 1, ...(back === undefined ? [] : [now]))
  if (list.length > 0) document['slaProperties'] = list
  else delete document['slaProperties']
  return back === undefined ? (value ?? null) === null : sameJson(back, value)
}

/** What makes a new level one of this object, where the document has several. */
const ownElement = (document: JsonObject, objectName: string | undefined): JsonObject =>
  objectName !== undefined && objectsIn(document['schema']).length > 1 ? { element: objectName } : {}

const writeLevel = (old: JsonObject, level: Level, value: unknown): JsonObject | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  const asBefore = (number: number): Json => (typeof old['value'] === 'string' ? String(number) : number)
  if (level === 'availability') {
    const percentage = typeof value === 'number' ? asBefore(value) : value
    return { ...old, value: percentage, ...(old['unit'] === undefined ? { unit: 'percent' } : {}) }
  }
  for (const { form, unit } of UNITS) {
    const count = new RegExp(`^${form.replace('#', '(\\d+)')}$`).exec(String(value))?.[1]
    if (count !== undefined && Number.isSafeInteger(Number(count)) && String(Number(count)) === count)
      return { ...old, value: asBefore(Number(count)), unit }
  }
  const { unit: _unit, ...rest } = old
  return { ...rest, value: typeof value === 'number' ? asBefore(value) : value }
}
