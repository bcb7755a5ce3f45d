import { hash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { memoize } from '../../shared/memoize.ts'
import { numberText, type Stored } from '../mongo/generations.ts'
import type { DocumentLayout, MemberLayout } from './port.ts'

/** A table in a collection, where one letter stands for each table and member. */
export interface CollectionTable extends MemberLayout {
  readonly letter: string
  readonly fields: ReadonlyMap<string, string>
  /** Whether the key is one member, which is stored only as `_id`. */
  readonly isIdAlone: boolean
  readonly other: (table: MemberLayout) => CollectionTable
}

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']

const lettersOf = (names: readonly string[]): ReadonlyMap<string, string> =>
  new Map([...new Set(names)].map((name, at) => [name, letters[at] as string]))

export const tablesOfLayout = <D>({
  otherTables = [],
  serverTables = [],
  ...layout
}: DocumentLayout<D>): MemberLayout[] => [layout as MemberLayout, ...otherTables, ...serverTables]

/** The tables of a collection. */
export const tablesIn = <D>(of: DocumentLayout<D>): CollectionTable['other'] => {
  const all = tablesOfLayout(of)
  const names = lettersOf(all.flatMap(({ members }) => Object.keys(members)))
  const tables = lettersOf(all.map(({ name }) => name))
  const other = memoize((table: MemberLayout): CollectionTable => {
    const { key, members, elements } = table
    const isIdAlone = key.length === 1 && members[key[0] as string] !== 'number' && elements === undefined
    const fields = new Map([...names, ...(isIdAlone ? [[key[0] as string, '_id'] as const] : [])])
    return { ...table, letter: tables.get(table.name) as string, fields, isIdAlone, other }
  })
  return other
}

/** Texts from this length on are compressed, since a document holds at most 16 MiB. */
const longText = 65_536

const compressed = (text: string): string | Uint8Array =>
  text.length < longText ? text : deflateRawSync(text, { level: 1 })

const restored = (text: string | Uint8Array): string =>
  typeof text === 'string' ? text : inflateRawSync(text).toString()

/** A server refuses more than 100,000 index keys of a document: of a longer list only different texts are indexed. */
const longList = 90_000

/** The field of a long list as it is. */
const wholeField = (list: string): string => `${list}, whole`

/** Whether the key is a position, which is then the whole `_id`. */
const hasPositionKey = ({ key, members }: MemberLayout): boolean =>
  key.length === 1 && members[key[0] as string] === 'position'

export const isElement = ({ elements = [] }: MemberLayout, member: string): boolean => elements.includes(member)

export const storedField = ({ fields }: CollectionTable, member: string): string => fields.get(member) as string

/** The field of the elements of a document. */
export const elementsField = 'each'

export const pathTo = (layout: CollectionTable, member: string): string =>
  isElement(layout, member) ? `${elementsField}.${storedField(layout, member)}` : storedField(layout, member)

/**
 * The `_id` of a key: a position as a text in the same order; otherwise the letter of its table (the collection also has
 * the checkpoint), then the text of a single member, or else a hash, since the members are stored anyway.
 */
export const idOf = (layout: CollectionTable, values: readonly unknown[]): string => {
  const texts = values.map((value) => (typeof value === 'bigint' ? numberText(value) : String(value)))
  if (hasPositionKey(layout)) return texts.join()
  const text = texts.join(' ')
  return layout.letter + (layout.isIdAlone ? text : hash('sha1', text, 'buffer').toString('base64url', 0, idBytes))
}

/** Whether it is an id of this table, if a position is the key of one table at most. */
export const isIdIn = (layout: CollectionTable, id: string): boolean =>
  hasPositionKey(layout) ? /^\d/.test(id) : id.startsWith(layout.letter)

/** Two of 10^9 documents have the same id with a probability of 10^-18. */
const idBytes = 15

export type Fields = Record<string, unknown>

/** Adds a member to the fields of a document. An empty list is stored as `null`. */
const setField = (layout: CollectionTable, fields: Fields, member: string, value: unknown): void => {
  const [sort, name] = [layout.members[member], storedField(layout, member)]
  if (name === '_id' || value === undefined) return
  if (sort === 'long') fields[name] = compressed(value as string)
  else if (!Array.isArray(value)) fields[name] = value
  else if (value.length <= longList) fields[name] = value.length === 0 ? null : value
  else {
    fields[name] = [...new Set(value)].slice(0, longList)
    fields[wholeField(name)] = compressed(JSON.stringify(value))
  }
}

/** Adds members to the fields of a document, without those of elements. */
export const setFields = (layout: CollectionTable, fields: Fields, members: object): Fields => {
  for (const member in members)
    if (!isElement(layout, member)) setField(layout, fields, member, (members as Fields)[member])
  return fields
}

/** Documents that differ in elements alone, or one, as it is stored. */
export const toStored = (layout: CollectionTable, documents: readonly object[]): Stored => {
  const { key, elements } = layout
  const [first] = documents as readonly [Fields]
  const stored: Fields = {
    _id: idOf(
      layout,
      key.map((member) => first[member]),
    ),
  }
  for (const document of documents) setFields(layout, stored, document)
  if (elements !== undefined)
    stored[elementsField] = (documents as readonly Fields[]).map((document) => {
      const element: Fields = {}
      for (const member of elements) setField(layout, element, member, document[member])
      return element
    })
  return stored as object as Stored
}

const valueOf = (layout: CollectionTable, member: string, all: Readonly<Record<string, never>>): unknown => {
  const [sort, name] = [layout.members[member], storedField(layout, member)]
  if (name === '_id' && !hasPositionKey(layout)) return String(all[name]).slice(1)
  const value = all[name]
  if (sort === 'list' && value !== undefined) {
    const whole = all[wholeField(name)]
    return whole === undefined ? (value ?? []) : JSON.parse(restored(whole))
  }
  if (value === undefined || value === null) return undefined
  // What is beyond 2^53 is an object of the driver.
  if (sort === 'position') return BigInt(value)
  return sort === 'long' ? restored(value) : value
}

export const membersIn = (layout: CollectionTable, fields: object, members: readonly string[]): object => {
  const document: Fields = {}
  for (const member of members) {
    const value = valueOf(layout, member, fields as Readonly<Record<string, never>>)
    if (value !== undefined) document[member] = value
  }
  return document
}

/** The documents of a stored one: one for each element, if members of elements are read. */
export const documentsOf = (
  layout: CollectionTable,
  stored: Stored,
  members = Object.keys(layout.members),
): object[] => {
  const own = members.filter((member) => !isElement(layout, member))
  const document = membersIn(layout, stored, own)
  if (own.length === members.length) return [document]
  const { [elementsField]: each = [] } = stored as Stored & { [elementsField]?: readonly object[] }
  return each.map((element) => ({ ...document, ...membersIn(layout, element, layout.elements ?? []) }))
}

/** The fields that members are read from. */
export const fieldsOf = (
  layout: CollectionTable,
  members: readonly string[] | undefined,
): Record<string, 1> | undefined =>
  members &&
  Object.fromEntries(
    members
      .flatMap((member) => {
        if (isElement(layout, member)) return [elementsField]
        const name = storedField(layout, member)
        return layout.members[member] === 'list' ? [name, wholeField(name)] : [name]
      })
      .map((name) => [name, 1 as const]),
  )
