import { sameJson } from '../shared/json.ts'
import { customList } from './map/columnMapping.ts'
import { arrayItems, dataTypeOf } from './map/logicalTypes.ts'
import { lengthOf, levelDuration, levelIdentity } from './map/sla.ts'
import { objectsIn, textOf, toJson, type Json, type JsonObject } from './model/types.ts'

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
  ...listChanges([before['schema'], after['schema']], 'the schema object', nameOf, propertiesChanges),
  ...listChanges([before, after].map(levelsOf), 'the service level', levelOf, levelChanges, levelIdentity),
  ...['status', 'version', 'domain', 'description', 'team', 'roles', 'servers'].flatMap((member) =>
    sameJson(before[member], after[member]) ? [] : [changed(false, member, 'is another one')],
  ),
]

const changed = (breaking: boolean, subject: string, message: string): DocumentChange => ({
  breaking,
  subject,
  message,
})

type Compare = (subject: string, old: JsonObject, now: JsonObject) => DocumentChange[]
type NameOf = (one: JsonObject) => string

/** Compares what has the same identity; several of one identity in their order. */
const listChanges = (
  both: readonly (Json | undefined)[],
  what: string,
  subjectOf: NameOf,
  compare: Compare,
  identity = subjectOf,
): DocumentChange[] => {
  const grouped = (list: Json | undefined) => Map.groupBy(objectsIn(list), identity)
  const [old, now] = [grouped(both[0]), grouped(both[1])]
  return [
    ...[...old].flatMap(([key, list]) =>
      list.flatMap((one, index) => {
        const other = now.get(key)?.[index]
        const subject = subjectOf(one)
        return other === undefined ? [changed(true, subject, `${what} is gone`)] : compare(subject, one, other)
      }),
    ),
    ...[...now].flatMap(([key, list]) =>
      list.slice(old.get(key)?.length ?? 0).map((one) => changed(false, subjectOf(one), `${what} is new`)),
    ),
  ]
}

const levelsOf = ({ slaProperties, slaDefaultElement = null }: JsonObject): JsonObject[] =>
  objectsIn(slaProperties).map((level) => ({ element: slaDefaultElement, ...level }))

const levelOf: NameOf = ({ property, element, driver }) =>
  [property, element, driver].flatMap((part) => textOf(part) ?? []).join(', ')

const levelChanges: Compare = (subject, old, now) =>
  shown(old) === shown(now) || lastsAsLong(old, now)
    ? []
    : [changed(true, subject, `was ${shown(old)} and is ${shown(now)}`)]

/** Whether two service levels are the same duration in other units, such as 4 h and 240 min. */
const lastsAsLong = (old: JsonObject, now: JsonObject): boolean => {
  const [was, is] = [old, now].map((level) => lengthOf(levelDuration(level)))
  return was !== undefined && was === is && sameJson(old['valueExt'], now['valueExt'])
}

const shown = ({ value, valueExt, unit }: JsonObject): string =>
  [value, valueExt, unit].flatMap((part) => (part === undefined ? [] : (textOf(part) ?? toJson(part)))).join(' ')

const nameOf: NameOf = ({ name }) => textOf(name) ?? ''

const propertiesChanges: Compare = (subject, ...both) => {
  const lists = both.map((element) => element['properties'] ?? customList(element))
  return listChanges(lists, 'the property', (property) => `${subject}.${nameOf(property)}`, propertyChanges)
}

const truths = [
  ['required', 'may be null now'],
  ['unique', 'need not be unique any more'],
  ['primaryKey', 'is not in the primary key any more'],
] as const

const propertyChanges: Compare = (subject, old, now) => {
  const [was, is] = [dataTypeOf(old), dataTypeOf(now)]
  const items = arrayItems(old)
  return [
    ...(was === is ? [] : [changed(true, subject, `was ${was} and is ${is}`)]),
    ...truths.flatMap(([truth, message]) =>
      old[truth] === true && now[truth] !== true ? [changed(true, subject, message)] : [],
    ),
    ...propertiesChanges(subject, old, now),
    ...(items === undefined ? [] : propertyChanges(`${subject}[]`, items, arrayItems(now) ?? {})),
  ]
}
