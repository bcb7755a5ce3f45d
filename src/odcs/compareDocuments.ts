import { sameJson } from '../shared/json.ts'
import { customList } from './map/columnMapping.ts'
import { arrayItems, dataTypeOf, logicalTypeFor, sizeOf } from './model/logicalTypes.ts'
import { levelAmount, levelIdentity } from './map/sla.ts'
import { isObject, objectsIn, textOf, toJson, type Json, type JsonObject } from './model/types.ts'

/** One difference between two versions of a contract. */
export type DocumentChange = {
  /** Whether the change breaks consumers of the earlier version. */
  readonly breaking: boolean
  /** The changed part: a schema object, `object.property`, a service level, or a member. */
  readonly subject: string
  readonly message: string
}

/** Compares the promises of two v3.1.0 documents. */
export const compareDocuments = (before: JsonObject, after: JsonObject): DocumentChange[] => [
  ...listChanges([before['schema'], after['schema']], 'the schema object', nameOf, objectChanges),
  ...listChanges([before, after].map(levelsOf), 'the service level', levelOf, levelChanges, levelIdentity),
  ...differing(before, after, ['schema', 'slaProperties', 'slaDefaultElement']).map((member) =>
    changed(false, member, 'is another one'),
  ),
]

const changed = (breaking: boolean, subject: string, message: string): DocumentChange => ({
  breaking,
  subject,
  message,
})

/** The members that are not the same in both, but for those compared by rules of their own. */
const differing = (old: JsonObject, now: JsonObject, apart: readonly string[]): string[] =>
  Object.keys({ ...old, ...now }).filter((member) => !apart.includes(member) && !sameJson(old[member], now[member]))

/** What is new breaks nothing. */
const memberChanges = (
  subject: string,
  old: JsonObject,
  now: JsonObject,
  breaks: (member: string) => boolean,
  apart: readonly string[] = [],
): DocumentChange[] =>
  differing(old, now, apart).map((member) => {
    const [was, is] = [old[member], now[member]]
    if (was === undefined) return changed(false, subject, `${member} is new`)
    const breaking = breaks(member)
    if (is === undefined) return changed(breaking, subject, `${member} is gone`)
    const message = breaking ? `was ${valueText(was)} and is ${valueText(is)}` : 'is another one'
    return changed(breaking, subject, `${member} ${message}`)
  })

const valueText = (value: Json): string => textOf(value) ?? toJson(value)

type Compare = (subject: string, old: JsonObject, now: JsonObject) => DocumentChange[]
type NameOf = (one: JsonObject) => string

/** Compares what has the same identity. */
const listChanges = (
  both: readonly (Json | undefined)[],
  what: string,
  subjectOf: NameOf,
  compare: Compare,
  identity = subjectOf,
): DocumentChange[] => {
  const grouped = (list: Json | undefined) => Map.groupBy(objectsIn(list), identity)
  const [old, now] = [grouped(both[0]), grouped(both[1])]
  const groups = [...old].map(([key, list]) => ({ list, ...paired(list, now.get(key) ?? [], compare) }))
  const added = [...now].flatMap(([key, list]) => (old.has(key) ? [] : list))
  return [
    ...groups.flatMap(({ list, others }) =>
      list.flatMap((one) => {
        const other = others.get(one)
        const subject = subjectOf(one)
        return other === undefined ? [changed(true, subject, `${what} is gone`)] : compare(subject, one, other)
      }),
    ),
    ...[...groups.flatMap(({ left }) => left), ...added].map((one) => changed(false, subjectOf(one), `${what} is new`)),
  ]
}

/** Of several with one identity, equal ones belong together, then those without a breaking change, then the rest in order. */
const paired = (old: readonly JsonObject[], now: readonly JsonObject[], compare: Compare) => {
  const left = [...now]
  const others = new Map<JsonObject, JsonObject>()
  const fits: readonly ((one: JsonObject, other: JsonObject) => boolean)[] = [
    sameJson,
    (one, other) => compare('', one, other).every(({ breaking }) => !breaking),
    () => true,
  ]
  for (const fit of old.length > 1 || now.length > 1 ? fits : fits.slice(-1))
    for (const one of old) {
      const at = others.has(one) ? -1 : left.findIndex((other) => fit(one, other))
      for (const other of at === -1 ? [] : left.splice(at, 1)) others.set(one, other)
    }
  return { others, left }
}

const levelsOf = ({ slaProperties, slaDefaultElement = null }: JsonObject): JsonObject[] =>
  objectsIn(slaProperties).map((level) => ({ element: slaDefaultElement, ...level }))

const levelOf: NameOf = ({ property, element, driver }) =>
  [property, element, driver].flatMap((part) => textOf(part) ?? []).join(', ')

const LEVEL = ['property', 'element', 'driver', 'value', 'valueExt', 'unit']

const levelChanges: Compare = (subject, old, now) => [
  ...(shown(old) === shown(now) || saysTheSame(old, now)
    ? []
    : [changed(true, subject, `was ${shown(old)} and is ${shown(now)}`)]),
  ...memberChanges(subject, old, now, () => false, LEVEL),
]

/** Whether two service levels are the same duration, such as 4 h and 240 min, or the same percentage. */
const saysTheSame = (old: JsonObject, now: JsonObject): boolean => {
  const [was, is] = [levelAmount(old), levelAmount(now)]
  return was !== undefined && was === is && sameJson(old['valueExt'], now['valueExt'])
}

const shown = ({ value, valueExt, unit }: JsonObject): string =>
  [value, valueExt, unit].flatMap((part) => (part === undefined ? [] : valueText(part))).join(' ')

const nameOf: NameOf = ({ name }) => textOf(name) ?? ''

const objectChanges: Compare = (subject, old, now) => [
  ...memberChanges(subject, old, now, () => false, ['properties', 'quality']),
  ...listsChanges(subject, old, now),
]

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
  ['required', 'may be null now', 'may not be null now'],
  ['unique', 'need not be unique any more', 'must be unique now'],
  ['primaryKey', 'is not in the primary key any more', 'is in the primary key now'],
] as const

const APART = ['properties', 'quality', 'items', 'logicalTypeOptions', ...flags.map(([flag]) => flag)]

const propertyChanges: Compare = (subject, old, now) => {
  const [was, is] = [dataTypeOf(old), dataTypeOf(now)]
  const isRefined = old['physicalType'] === undefined && logicalTypeFor(was) === logicalTypeFor(is)
  const isKept = was === is || isRefined
  const items = arrayItems(old)
  const breaks = (member: string): boolean =>
    member === 'logicalType' ||
    (member === 'primaryKeyPosition' && old['primaryKey'] === true) ||
    (member === 'physicalType' && sizeOf(old) !== '' && sizeOf(old) !== sizeOf(now))
  return [
    ...(isKept ? [] : [changed(true, subject, `was ${was} and is ${is}`)]),
    ...flags.flatMap(([flag, lost, won]) => {
      const before = old[flag] === true
      if (before === (now[flag] === true)) return []
      return [changed(before || flag === 'primaryKey', subject, before ? lost : won)]
    }),
    ...memberChanges(subject, old, now, breaks, isKept ? APART : [...APART, 'logicalType', 'physicalType']),
    ...memberChanges(subject, optionsOf(old), optionsOf(now), () => true),
    ...listsChanges(subject, old, now),
    ...(items === undefined ? [] : propertyChanges(`${subject}[]`, items, arrayItems(now) ?? {})),
  ]
}

const optionsOf = ({ logicalTypeOptions }: JsonObject): JsonObject =>
  isObject(logicalTypeOptions) ? logicalTypeOptions : {}
