import { sameJson } from '../shared/json.ts'
import { customList } from './map/columnMapping.ts'
import { arrayItems, dataTypeOf, logicalTypeFor, sizeOf } from './model/logicalTypes.ts'
import { levelAmount, levelIdentity } from './map/sla.ts'
import { isObject, objectsIn, textOf, toJson, type Json, type JsonObject } from './model/types.ts'

/** A change that breaks consumers of the earlier version of a contract. */
export type BreakingChange = {
  /** The changed part: a schema object, `object.property`, a service level, or a member. */
  readonly subject: string
  readonly message: string
}

/** Compares the promises of two v3.1.0 documents. */
export const compareDocuments = (before: JsonObject, after: JsonObject): BreakingChange[] => [
  ...listChanges([before['schema'], after['schema']], 'the schema object', nameOf, listsChanges),
  ...listChanges([before, after].map(levelsOf), 'the service level', levelOf, levelChanges, levelIdentity),
]

const changed = (subject: string, message: string): BreakingChange => ({ subject, message })

/** Those of the members that break consumers by another value; what is new breaks nothing. */
const memberChanges = (
  subject: string,
  old: JsonObject,
  now: JsonObject,
  breaks: (member: string) => boolean,
): BreakingChange[] =>
  Object.entries(old).flatMap(([member, was]) => {
    const is = now[member]
    if (was === undefined || sameJson(was, is) || !breaks(member)) return []
    return changed(
      subject,
      `${member} ${is === undefined ? 'is gone' : `was ${valueText(was)} and is ${valueText(is)}`}`,
    )
  })

const valueText = (value: Json): string => textOf(value) ?? toJson(value)

type Compare = (subject: string, old: JsonObject, now: JsonObject) => BreakingChange[]
type NameOf = (one: JsonObject) => string

/** Compares what has the same identity; what is new breaks nothing. */
const listChanges = (
  both: readonly (Json | undefined)[],
  what: string,
  subjectOf: NameOf,
  compare: Compare,
  identity = subjectOf,
): BreakingChange[] => {
  const grouped = (list: Json | undefined) => Map.groupBy(objectsIn(list), identity)
  const [old, now] = [grouped(both[0]), grouped(both[1])]
  return [...old].flatMap(([key, list]) => {
    const others = paired(list, now.get(key) ?? [], compare)
    return list.flatMap((one) => {
      const other = others.get(one)
      const subject = subjectOf(one)
      return other === undefined ? changed(subject, `${what} is gone`) : compare(subject, one, other)
    })
  })
}

/** Of several with one identity, equal ones belong together, then those without a breaking change, then the rest in order. */
const paired = (
  old: readonly JsonObject[],
  now: readonly JsonObject[],
  compare: Compare,
): ReadonlyMap<JsonObject, JsonObject> => {
  const left = [...now]
  const others = new Map<JsonObject, JsonObject>()
  const fits: readonly ((one: JsonObject, other: JsonObject) => boolean)[] = [
    sameJson,
    (one, other) => compare('', one, other).length === 0,
    () => true,
  ]
  for (const fit of old.length > 1 || now.length > 1 ? fits : fits.slice(-1))
    for (const one of old) {
      const at = others.has(one) ? -1 : left.findIndex((other) => fit(one, other))
      for (const other of at === -1 ? [] : left.splice(at, 1)) others.set(one, other)
    }
  return others
}

const levelsOf = ({ slaProperties, slaDefaultElement = null }: JsonObject): JsonObject[] =>
  objectsIn(slaProperties).map((level) => ({ element: slaDefaultElement, ...level }))

const levelOf: NameOf = ({ property, element, driver }) =>
  [property, element, driver].flatMap((part) => textOf(part) ?? []).join(', ')

const levelChanges: Compare = (subject, old, now) =>
  shown(old) === shown(now) || saysTheSame(old, now) ? [] : [changed(subject, `was ${shown(old)} and is ${shown(now)}`)]

/** Whether two service levels are the same duration, such as 4 h and 240 min, or the same percentage. */
const saysTheSame = (old: JsonObject, now: JsonObject): boolean => {
  const [was, is] = [levelAmount(old), levelAmount(now)]
  return was !== undefined && was === is && sameJson(old['valueExt'], now['valueExt'])
}

const shown = ({ value, valueExt, unit }: JsonObject): string =>
  [value, valueExt, unit].flatMap((part) => (part === undefined ? [] : valueText(part))).join(' ')

const nameOf: NameOf = ({ name }) => textOf(name) ?? ''

const listsChanges: Compare = (subject, ...both) => [
  ...listChanges(
    both.map((element) => element['quality']),
    'the quality rule',
    (rule) => `${subject}, ${ruleName(rule)}`,
    ruleChanges,
    ruleIdentity,
  ),
  ...listChanges(
    both.map((element) => element['properties'] ?? customList(element)),
    'the property',
    (property) => `${subject}.${nameOf(property)}`,
    propertyChanges,
  ),
]

const ruleIdentity: NameOf = ({ name, metric, rule, query, id }) =>
  [name, metric, rule, query, id].map(textOf).find((text) => text !== undefined) ?? ''

const ruleName: NameOf = (rule) => ruleIdentity(rule) || (textOf(rule['description']) ?? '')

/** The members of a quality rule that say what it demands; one in words does in its description. */
const DEMAND = /^(must.*|type|metric|rule|arguments|unit|query|engine|implementation)$/

const ruleChanges: Compare = (subject, old, now) =>
  memberChanges(
    subject,
    old,
    now,
    (member) => DEMAND.test(member) || (member === 'description' && old['type'] === 'text'),
  )

const flags = [
  ['required', 'may be null now'],
  ['unique', 'need not be unique any more'],
  ['primaryKey', 'is not in the primary key any more'],
] as const

const propertyChanges: Compare = (subject, old, now) => {
  const [was, is] = [dataTypeOf(old), dataTypeOf(now)]
  const isRefined = old['physicalType'] === undefined && logicalTypeFor(was) === logicalTypeFor(is)
  const isKept = was === is || isRefined
  const items = arrayItems(old)
  const breaks = (member: string): boolean =>
    (isKept && member === 'logicalType') ||
    (isKept && member === 'physicalType' && sizeOf(old) !== '' && sizeOf(old) !== sizeOf(now)) ||
    (member === 'primaryKeyPosition' && old['primaryKey'] === true)
  return [
    ...(isKept ? [] : [changed(subject, `was ${was} and is ${is}`)]),
    ...flags.flatMap(([flag, lost]) => (old[flag] === true && now[flag] !== true ? changed(subject, lost) : [])),
    ...(now['primaryKey'] === true && old['primaryKey'] !== true
      ? [changed(subject, 'is in the primary key now')]
      : []),
    ...memberChanges(subject, old, now, breaks),
    ...memberChanges(subject, optionsOf(old), optionsOf(now), () => true),
    ...listsChanges(subject, old, now),
    ...(items === undefined ? [] : propertyChanges(`${subject}[]`, items, arrayItems(now) ?? {})),
  ]
}

const optionsOf = ({ logicalTypeOptions }: JsonObject): JsonObject =>
  isObject(logicalTypeOptions) ? logicalTypeOptions : {}
