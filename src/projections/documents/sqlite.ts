import type { SQLInputValue } from 'node:sqlite'
import { completed, type SqliteFile, type SqliteTables } from '../sqlite/file.ts'
import { historyBatching, keptInSqlite, rememberingOf, type KeptInSqlite } from '../sqlite/sqliteProjection.ts'
import {
  conditionsIn,
  isRange,
  type Condition,
  type DocumentLayout,
  type Documents,
  type KeptDocuments,
  type MemberSort,
  type Query,
  type Value,
  type DocumentMatch,
  type DocumentWrite,
} from './keptDocuments.ts'

/** A layout by the names of its members. */
interface Layout extends Pick<DocumentLayout<object>, 'name'> {
  readonly members: Readonly<Record<string, MemberSort>>
  readonly key: readonly string[]
  readonly indexes: Readonly<Record<string, readonly string[] | undefined>>
}

type Members = Readonly<Record<string, Value | readonly string[]>>

interface Sql {
  readonly text: string
  readonly values: readonly SQLInputValue[]
}

const types: Readonly<Record<MemberSort, string>> = {
  text: 'TEXT',
  number: 'INTEGER',
  position: 'INTEGER',
  bytes: 'BLOB',
  list: 'TEXT',
}

const column = (member: string): string => `"${member}"`
const columns = (members: readonly string[]): string => members.map(column).join(', ')
const indexOn = ({ name }: Layout, member: string): string => `${name}_by_${member}`
/** Where each text of a list leads to the documents that have it. */
const listOf = ({ name }: Layout, member: string): string => `${name}_${member}`

const membersOf = ({ members }: Layout): string[] => Object.keys(members)
const isList = ({ members }: Layout, member: string | undefined): member is string => members[member ?? ''] === 'list'
const listsOf = (layout: Layout): string[] => Object.keys(layout.indexes).filter((member) => isList(layout, member))

const listTable = (layout: Layout, member: string): string => {
  const [key] = layout.key as [string]
  return `CREATE TABLE ${listOf(layout, member)} (value TEXT NOT NULL, ${column(key)} INTEGER NOT NULL,
    PRIMARY KEY (value, ${column(key)})) STRICT, WITHOUT ROWID;`
}

const mainTable = ({ name, members, key }: Layout): string => {
  const defined = Object.entries(members).map(([member, sort]) => `${column(member)} ${types[sort]}`)
  const isAlone = key.length === 1
  return `CREATE TABLE ${name} (${defined.join(', ')}, PRIMARY KEY (${columns(key)}))
    STRICT${isAlone ? '' : ', WITHOUT ROWID'};`
}

const tablesOf = <D>(of: DocumentLayout<D>): SqliteTables => {
  const layout: Layout = of
  const { name, key } = layout
  const lists = listsOf(layout)
  const plain = Object.entries(layout.indexes).filter(([first]) => !isList(layout, first))
  return {
    name,
    version: of.version,
    handles: of.handles,
    tables: [name, ...lists.map((member) => listOf(layout, member))],
    create: [mainTable(layout), ...lists.map((member) => listTable(layout, member))].join('\n'),
    indexes: plain.map(([first, more = []]) => {
      // The key of a table that has one member stands in every index anyway.
      const indexed = [first, ...more.filter((member) => key.length > 1 || member !== key[0])]
      return `CREATE INDEX ${indexOn(layout, first)} ON ${name} (${columns(indexed)})
        WHERE ${column(first)} IS NOT NULL`
    }),
  }
}

const operators: Readonly<Record<string, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

const jsonOf = (values: readonly Value[]): string =>
  JSON.stringify(values.map((value) => (typeof value === 'bigint' ? Number(value) : value)))

const both = (conditions: readonly Sql[], joint = ' AND '): Sql => ({
  text: conditions.map(({ text }) => text).join(joint) || 'true',
  values: conditions.flatMap(({ values }) => values),
})

const compared = (what: string, condition: Condition): Sql => {
  if (!isRange(condition)) return { text: `${what} = ?`, values: [condition as SQLInputValue] }
  const comparisons = Object.entries(condition).map(([operator, value]): Sql => {
    const comparison = operators[operator]
    if (comparison !== undefined) return { text: `${what} ${comparison} ?`, values: [value as SQLInputValue] }
    const isIn = operator === '$in' ? 'IN' : 'NOT IN'
    return { text: `${what} ${isIn} (SELECT value FROM json_each(?))`, values: [jsonOf(value as readonly Value[])] }
  })
  return both(comparisons)
}

const conditionOf = (layout: Layout, [member, condition]: [string, Condition]): Sql => {
  if (!isList(layout, member)) return compared(column(member), condition)
  const { text, values } = compared('value', condition)
  return { text: `EXISTS (SELECT 1 FROM json_each(${column(member)}) WHERE ${text})`, values }
}

const whereOf = (layout: Layout, where: DocumentMatch<object>): Sql => {
  const alternatives = where.$or?.map((each) => whereOf(layout, each)) ?? []
  const { text, values } = both(alternatives, ' OR ')
  return both([
    ...conditionsIn(where).map((condition) => conditionOf(layout, condition)),
    ...(alternatives.length === 0 ? [] : [{ text: `(${text})`, values }]),
  ])
}

/** What is found along a list, with the part of its condition that is about the key. */
const alongList = (layout: Layout, where: DocumentMatch<object>, member: string) => {
  const [key] = layout.key as [string]
  const all = conditionsIn(where)
  const inList = all.flatMap(([name, condition]) =>
    name === member || name === key ? compared(name === key ? column(key) : 'value', condition) : [],
  )
  const { [member as keyof typeof where]: _, ...others } = where
  const { text, values } = both(inList)
  const isAll = all.every(([name]) => name === member || name === key) && where.$or === undefined
  return { from: `${listOf(layout, member)} WHERE ${text}`, values, others, isAll }
}

/** What is read, from where and on what condition. */
const sourceOf = (layout: Layout, { where, along }: Query<object>, keysAlone: boolean): Sql => {
  const { name, key } = layout
  if (!isList(layout, along)) {
    const index = along === undefined ? '' : along === key[0] ? 'NOT INDEXED' : `INDEXED BY ${indexOn(layout, along)}`
    const { text, values } = whereOf(layout, where)
    return { text: `${name} ${index} WHERE ${text}`, values }
  }
  const { from, values, others, isAll } = alongList(layout, where, along)
  if (keysAlone && isAll) return { text: from, values }
  const rest = whereOf(layout, others)
  const found = `${column(key[0] as string)} IN (SELECT ${column(key[0] as string)} FROM ${from})`
  return { text: `${name} NOT INDEXED WHERE ${found} AND ${rest.text}`, values: [...values, ...rest.values] }
}

const selectOf = (layout: Layout, query: Query<object>, read: string, keysAlone = false): Sql => {
  const { text, values } = sourceOf(layout, query, keysAlone)
  const sort = Object.entries(query.sort ?? {}).map(
    ([member, sign]) => `${column(member)}${sign === -1 ? ' DESC' : ''}`,
  )
  const order = sort.length === 0 ? '' : `ORDER BY ${sort.join(', ')}`
  return {
    text: `SELECT ${read} FROM ${text} ${order} LIMIT ? OFFSET ?`,
    values: [...values, query.limit ?? -1, query.skip ?? 0],
  }
}

const restored: Readonly<Partial<Record<MemberSort, (value: never) => unknown>>> = {
  number: Number,
  bytes: (value: Uint8Array) => Buffer.from(value),
  list: (value: string) => (value === '[]' ? [] : JSON.parse(value)),
}

const reading = (layout: Layout) => {
  const members = Object.entries(layout.members).map(([member, sort]) => ({ member, restore: restored[sort] }))
  return (row: unknown): object => {
    const document: Record<string, unknown> = {}
    for (let at = 0; at < members.length; at++) {
      const [value, { member, restore }] = [(row as never[])[at], members[at] as (typeof members)[number]]
      if (value !== null) document[member] = restore === undefined ? value : restore(value as never)
    }
    return document
  }
}

export const documentsIn = <D>(of: DocumentLayout<D>, current: () => SqliteFile): Documents<D> => {
  const layout: Layout = of
  const documentOf = reading(layout)
  const read = columns(membersOf(layout))
  return {
    find: async (query) => {
      const { text, values } = selectOf(layout, query as Query<object>, read)
      return current()
        .wide(text)
        .all(...values)
        .map(documentOf) as D[]
    },
    keys: async (query) => {
      const { text, values } = selectOf(layout, query as Query<object>, column(layout.key[0] as string), true)
      return (
        current()
          .wide(text)
          .all(...values) as [bigint][]
      ).flat()
    },
  }
}

/** Writes within a transaction. */
const makeWriter = (layout: Layout, file: SqliteFile) => {
  const kept = (document: Members, member: string): SQLInputValue => {
    const value = document[member]
    if (value === undefined) return null
    if (Array.isArray(value)) return JSON.stringify(value)
    return value as SQLInputValue
  }
  const all = membersOf(layout)
  const [key] = layout.key as [string]
  const insert = `${layout.name} (${columns(all)}) VALUES (${all.map(() => '?').join(', ')})`
  const adding = file.statement(`INSERT OR IGNORE INTO ${insert}`)
  const lists = listsOf(layout).map((member) => ({
    member,
    adding: file.statement(`INSERT OR IGNORE INTO ${listOf(layout, member)} (value, ${column(key)}) VALUES (?, ?)`),
  }))
  const replaced = all.map((member) => `${column(member)} = excluded.${column(member)}`).join(', ')
  const add = (document: Members): void => {
    const { changes } = adding.run(...all.map((member) => kept(document, member)))
    if (Number(changes) === 0) return
    for (const { member, adding: addingTo } of lists)
      for (const value of document[member] as readonly string[]) addingTo.run(value, document[key] as bigint)
  }
  const put = (document: Members, over: DocumentMatch<object>): void => {
    const { text, values } = whereOf(layout, over)
    const conflict = `ON CONFLICT (${columns(layout.key)}) DO UPDATE SET ${replaced} WHERE ${text}`
    file.statement(`INSERT INTO ${insert} ${conflict}`).run(...all.map((member) => kept(document, member)), ...values)
  }
  return (write: DocumentWrite<Members>): void => {
    if ('add' in write) add(write.add)
    else put(write.put, write.over as DocumentMatch<object>)
  }
}

type Opened = { readonly file: SqliteFile }

/** Documents as rows of a table, written together with what else the file has. */
export const documentsInSqlite = <D, M, R>(of: KeptDocuments<D, M, R>): KeptInSqlite<Opened, R> => {
  const { layout } = of
  const remembered = rememberingOf(of.memory)
  return keptInSqlite({
    tables: tablesOf(layout),
    batching: historyBatching,
    changes: async (batch, { file }: Opened) => {
      const writes = await of.writes(
        batch,
        documentsIn(layout, () => file),
        remembered.of(file),
      )
      return () => (writes as readonly DocumentWrite<Members>[]).forEach(makeWriter(layout, file))
    },
    forget: remembered.forget,
    reads: (current) => of.reads(documentsIn(layout, () => completed(current().file))),
  })
}
