import { sameJson } from '../shared/json.ts'
import { toColumns } from './map/columnMapping.ts'
import type { ContractColumn } from './model/contract.ts'
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
  ...byName(before['schema'], after['schema'], 'name', 'the schema object', (name, old, now) =>
    columnChanges(name, toColumns(old['properties']), toColumns(now['properties'])),
  ),
  ...byName(before['slaProperties'], after['slaProperties'], 'property', 'the service level', (name, old, now) =>
    sameJson([old['value'], old['unit']], [now['value'], now['unit']])
      ? []
      : [changed(true, name, `was ${shown(old)} and is ${shown(now)}`)],
  ),
  ...['status', 'version', 'domain', 'description', 'team', 'roles', 'servers'].flatMap((member) =>
    sameJson(before[member], after[member]) ? [] : [changed(false, member, 'is another one')],
  ),
]

const changed = (breaking: boolean, subject: string, message: string): DocumentChange => ({
  breaking,
  subject,
  message,
})

const shown = ({ value = null, unit }: JsonObject): string =>
  `${toJson(value)}${textOf(unit) === undefined ? '' : ` ${textOf(unit)}`}`

type Compare = (name: string, old: JsonObject, now: JsonObject) => DocumentChange[]

const byName = (
  before: Json | undefined,
  after: Json | undefined,
  key: string,
  what: string,
  compare: Compare,
): DocumentChange[] => {
  const named = (list: Json | undefined) => new Map(objectsIn(list).map((one) => [textOf(one[key]) ?? '', one]))
  const [old, now] = [named(before), named(after)]
  return [
    ...[...old].flatMap(([name, one]) => {
      const other = now.get(name)
      return other === undefined ? [changed(true, name, `${what} is gone`)] : compare(name, one, other)
    }),
    ...[...now.keys()].flatMap((name) => (old.has(name) ? [] : [changed(false, name, `${what} is new`)])),
  ]
}

const truths = [
  ['required', 'may be null now'],
  ['unique', 'need not be unique any more'],
  ['primaryKey', 'is not in the primary key any more'],
] as const

const columnChanges = (
  prefix: string,
  before: readonly ContractColumn[],
  after: readonly ContractColumn[],
): DocumentChange[] => {
  const now = new Map(after.map((column) => [column.name, column]))
  const old = new Set(before.map(({ name }) => name))
  return [
    ...before.flatMap((column) => {
      const name = `${prefix}.${column.name}`
      const other = now.get(column.name)
      if (other === undefined) return [changed(true, name, 'the property is gone')]
      return [
        ...(other.dataType === column.dataType
          ? []
          : [changed(true, name, `was ${column.dataType} and is ${other.dataType}`)]),
        ...truths.flatMap(([truth, message]) =>
          column[truth] === true && other[truth] !== true ? [changed(true, name, message)] : [],
        ),
        ...columnChanges(name, column.children ?? [], other.children ?? []),
      ]
    }),
    ...after.flatMap(({ name }) => (old.has(name) ? [] : [changed(false, `${prefix}.${name}`, 'the property is new')])),
  ]
}
