import type { SQLInputValue } from 'node:sqlite'
import type { SqliteFile, SqliteTables } from '../sqlite/file.ts'
import { historyBatching, keptInSqlite, rememberingOf, type KeptInSqlite } from '../sqlite/sqliteProjection.ts'
import {
  conditionsIn,
  isRange,
  isValuesOf,
  notEnded,
  type Condition,
  type DocumentLayout,
  type Documents,
  type KeptDocuments,
  type MemberSort,
  type Query,
  type NamedLayout,
  type TableLayout,
  type TableWrite,
  type TotalChanges,
  type Value,
  type ValuesOf,
  type DocumentMatch,
  type DocumentWrite,
} from './keptDocuments.ts'

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
const indexOn = ({ name }: NamedLayout, member: string): string => `${name}_by_${member}`
/** Where each text of a list leads to the documents that have it. */
const listOf = ({ name }: NamedLayout, member: string): string => `${name}_${member}`

const membersOf = ({ members }: NamedLayout): string[] => Object.keys(members)
const isList = ({ members }: NamedLayout, member: string | undefined): member is string =>
  members[member ?? ''] === 'list'
const listsOf = (layout: NamedLayout): string[] =>
  Object.keys(layout.indexes).filter((member) => isList(layout, member))

const listTable = (layout: NamedLayout, member: string): string => {
  const [key] = layout.key as [string]
  return `CREATE TABLE ${listOf(layout, member)} (value TEXT NOT NULL, ${column(key)} INTEGER NOT NULL,
    PRIMARY KEY (value, ${column(key)})) STRICT, WITHOUT ROWID;`
}

const mainTable = ({ name, members, key }: NamedLayout): string => {
  const defined = Object.entries(members).map(([member, sort]) => `${column(member)} ${types[sort]}`)
  const isRowId = key.length === 1 && types[members[key[0] as string] as MemberSort] === 'INTEGER'
  return `CREATE TABLE ${name} (${defined.join(', ')}, PRIMARY KEY (${columns(key)}))
    STRICT${isRowId ? '' : ', WITHOUT ROWID'};`
}

const indexesOf = (layout: NamedLayout): string[] => {
  const { name, key } = layout
  const plain = Object.entries(layout.indexes).filter(([first]) => !isList(layout, first))
  return plain.flatMap(([first, more = []]) => {
    // What begins as the key does is found by that.
    if ([first, ...more].every((member, at) => at >= key.length || member === key[at])) return []
    // The key of a table that has one member stands in every index anyway.
    const indexed = [first, ...more.filter((member) => key.length > 1 || member !== key[0])]
    return `CREATE INDEX ${indexOn(layout, first)} ON ${name} (${columns(indexed)})
      WHERE ${column(first)} IS NOT NULL;`
  })
}

const tablesOf = <D>({ name, version, handles, further = [], ...of }: DocumentLayout<D>): SqliteTables => {
  const all: readonly NamedLayout[] = [{ name, ...of }, ...further]
  return {
    name,
    version,
    handles,
    tables: all.flatMap((layout) => [layout.name, ...listsOf(layout).map((member) => listOf(layout, member))]),
    create: all
      .flatMap((layout) => [
        mainTable(layout),
        ...listsOf(layout).map((member) => listTable(layout, member)),
        ...indexesOf(layout),
      ])
      .join('\n'),
  }
}

const operators: Readonly<Record<string, string>> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

const jsonOf = (values: readonly Value[]): string =>
  `[${values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join()}]`

const both = (conditions: readonly Sql[], joint = ' AND '): Sql => ({
  text: conditions.map(({ text }) => text).join(joint) || 'true',
  values: conditions.flatMap(({ values }) => values),
})

/** Whether there is such a document. Where the member is part of its key, each is looked for when it is needed. */
const isAmong = (what: string, { of, member, where }: ValuesOf, not: string, outer: string): Sql => {
  const alias = `other_${outer}`
  const [{ text, values }, value] = [whereOf(of, where, alias), `${alias}.${column(member)}`]
  const from = `FROM ${of.name} AS ${alias}`
  if ((of as NamedLayout).key.includes(member))
    return { text: `${not}EXISTS (SELECT 1 ${from} WHERE ${value} = ${what} AND ${text})`, values }
  return { text: `${what} ${not}IN (SELECT ${value} ${from} WHERE ${value} IS NOT NULL AND ${text})`, values }
}

/** So many values stand in the statement, the last one again up to a power of two: reading them from JSON is dearer. */
const fewValues = 64

const inList = (what: string, values: readonly Value[]): Sql => {
  if (values.length === 0 || values.length > fewValues)
    return { text: `${what} (SELECT value FROM json_each(?))`, values: [jsonOf(values)] }
  const places = 2 ** Math.ceil(Math.log2(values.length))
  const repeated = Array.from({ length: places - values.length }, () => values.at(-1))
  return { text: `${what} (${'?, '.repeat(places - 1)}?)`, values: [...values, ...repeated] as SQLInputValue[] }
}

/** @param outer the table of what is compared */
const compared = (what: string, condition: Condition, outer: string): Sql => {
  if (!isRange(condition)) return { text: `${what} = ?`, values: [condition as SQLInputValue] }
  const comparisons = Object.entries(condition).map(([operator, value]): Sql => {
    const comparison = operators[operator]
    if (comparison !== undefined) return { text: `${what} ${comparison} ?`, values: [value as SQLInputValue] }
    const not = operator === '$in' ? '' : 'NOT '
    if (isValuesOf(value)) return isAmong(what, value, not, outer)
    return inList(`${what} ${not}IN`, value as readonly Value[])
  })
  return both(comparisons)
}

const conditionOf = (layout: NamedLayout, [member, condition]: [string, Condition], alias: string): Sql => {
  if (!isList(layout, member)) return compared(`${alias}.${column(member)}`, condition, alias)
  const { text, values } = compared('value', condition, alias)
  return { text: `EXISTS (SELECT 1 FROM json_each(${column(member)}) WHERE ${text})`, values }
}

const whereOf = (
  layout: NamedLayout,
  { $and = [], $or, ...where }: DocumentMatch<object>,
  alias = layout.name,
): Sql => {
  const among = (matches: readonly DocumentMatch<object>[]) => matches.map((each) => whereOf(layout, each, alias))
  const alternatives = $or && both(among($or), ' OR ')
  return both([
    ...conditionsIn(where).map((condition) => conditionOf(layout, condition, alias)),
    ...among($and),
    ...(alternatives ? [{ text: `(${alternatives.text})`, values: alternatives.values }] : []),
  ])
}

/** What is found along a list, with the part of its condition that is about the key. */
const alongList = (layout: NamedLayout, where: DocumentMatch<object>, member: string) => {
  const [key] = layout.key as [string]
  const all = conditionsIn(where)
  const inList = all.flatMap(([name, condition]) =>
    name === member || name === key ? compared(name === key ? column(key) : 'value', condition, layout.name) : [],
  )
  const { [member as keyof typeof where]: _, ...others } = where
  const { text, values } = both(inList)
  const isAll = all.every(([name]) => name === member || name === key) && where.$or === undefined
  return { from: `${listOf(layout, member)} WHERE ${text}`, values, others, isAll }
}

/** What is read, from where and on what condition. */
const sourceOf = (layout: NamedLayout, { where, along, among, sort }: Query<object>, keysAlone = false): Sql => {
  const { name, key } = layout
  if (among !== undefined) {
    const first = selectOf(layout, { ...among, sort: sort ?? {} }, '*')
    const { text, values } = whereOf(layout, where)
    return { text: `(${first.text}) AS ${name} WHERE ${text}`, values: [...first.values, ...values] }
  }
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

const selectOf = (layout: NamedLayout, query: Query<object>, read: string, keysAlone = false): Sql => {
  const { text, values } = sourceOf(layout, query, keysAlone)
  const sort = Object.entries(query.sort ?? {}).map(
    ([member, sign]) => `${column(member)}${sign === -1 ? ' DESC' : ''}`,
  )
  // The first that match something come in order, and no more of them are read than are found.
  const order = sort.length === 0 || query.among !== undefined ? '' : `ORDER BY ${sort.join(', ')}`
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

const reading = (layout: NamedLayout) => {
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

export const documentsIn = <D>(of: TableLayout<D>, current: () => SqliteFile): Documents<D> => {
  const layout: NamedLayout = of
  const documentOf = reading(layout)
  const read = columns(membersOf(layout))
  const documents: Documents<D> = {
    embedded: true,
    in: (table) => documentsIn(table, current),
    together: (work) => work(documents),
    count: async (query) => {
      const { text, values } = sourceOf(layout, query as Query<object>)
      const found = current()
        .statement(`SELECT count(*) FROM (SELECT 1 FROM ${text} LIMIT ?)`)
        .get(...values, query.limit ?? -1)
      return (found as [number])[0]
    },
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
  return documents
}

/** Writes within a transaction. */
const makeWriter = (layout: NamedLayout, file: SqliteFile) => {
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
  const set = (members: Members, where: DocumentMatch<object>): void => {
    const { text, values } = whereOf(layout, where)
    const names = Object.keys(members)
    file
      .statement(`UPDATE ${layout.name} SET ${names.map((name) => `${column(name)} = ?`).join(', ')} WHERE ${text}`)
      .run(...names.map((name) => kept(members, name)), ...values)
  }
  return (write: DocumentWrite<object>): void => {
    if ('add' in write) add(write.add as Members)
    else if ('put' in write) put(write.put as Members, write.over)
    else if ('set' in write) set(write.set as Members, write.where)
    else addToTotal(file, layout.name, write.total)
  }
}

/** Positions come in order. What is before the newest one that is stored changes all that is stored from there on. */
const addToTotal = (file: SqliteFile, table: string, { key, changes }: TotalChanges): void => {
  const newest = `SELECT "position", n FROM ${table} WHERE "key" = ? AND "position" <= ? ORDER BY "position" DESC LIMIT 1`
  const add = file.statement(`INSERT OR IGNORE INTO ${table} ("key", "position", n) VALUES (?, ?, ?)`)
  const totalAt = (position: bigint) => file.wide(newest).get(key, position) as [bigint, bigint] | undefined
  let [last, total] = totalAt(notEnded) ?? [-1n, 0n]
  for (const [position, change] of changes) {
    const n = BigInt(change)
    total += n
    if (position <= last) {
      add.run(key, position, totalAt(position)?.[1] ?? 0n)
      file.statement(`UPDATE ${table} SET n = n + ? WHERE "key" = ? AND "position" >= ?`).run(n, key, position)
    } else add.run(key, (last = position), total)
  }
}

/** Writes to all tables of a projection, within a transaction. */
const writeAll = (
  layout: NamedLayout,
  file: SqliteFile,
  writes: Iterable<DocumentWrite<object> | TableWrite>,
): void => {
  const writers = new Map<NamedLayout, (write: DocumentWrite<object>) => void>()
  for (const each of writes) {
    const [table, write]: [NamedLayout, DocumentWrite<object>] =
      'into' in each ? [each.into, each.write] : [layout, each]
    const writer = writers.get(table) ?? makeWriter(table, file)
    writers.set(table, writer)
    writer(write)
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
      return () => writeAll(layout, file, writes as Iterable<DocumentWrite<object> | TableWrite>)
    },
    forget: remembered.forget,
    reads: (current) => of.reads(documentsIn(layout, () => current().file)),
  })
}
