import type { SQLInputValue } from 'node:sqlite'
import type { SqliteFile } from '../sqlite/file.ts'
import { historyBatching, type SqliteProjection } from '../sqlite/sqliteProjection.ts'
import {
  openEnd,
  partsOf,
  type BatchWrite,
  type Documents,
  type DocumentMatch,
  type DocumentWrite,
  type DocumentProjection,
  type MemberType,
  type MemberLayout,
  type Query,
  type TableLayout,
  type TotalChanges,
  type Value,
} from './port.ts'
import { memoize } from '../../shared/memoize.ts'
import { jsonOf, selectOf, whereOf } from './sqliteQueries.ts'
import {
  column,
  columnList,
  isListMember,
  hasEntryNumbers,
  keyColumn,
  entryColumn,
  listTableName,
  listsOf,
  membersOf,
  orderOf,
  tablesFor,
} from './sqliteTables.ts'

type Members = Readonly<Record<string, Value | readonly string[]>>

/** The columns of some members, and a function that makes a document of a row with them. */
export const columnReader = (layout: MemberLayout, members: readonly string[]) => {
  const read = members.map((member) => ({ member, restore: parsers[layout.members[member] as MemberType] }))
  const documentOf = (row: unknown): object => {
    const document: Record<string, unknown> = {}
    for (let at = 0; at < read.length; at++) {
      const value = (row as never[])[at] as unknown
      const { member, restore } = read[at] as (typeof read)[number]
      if (value !== null) document[member] = restore === undefined ? value : restore(value as never)
    }
    return document
  }
  // Without its table, the key can also be read from the table of a list member.
  const isKey = read.length === 1 && members[0] === layout.key[0] && !hasEntryNumbers(layout)
  const text = isKey ? keyColumn(layout) : members.map((member) => `${layout.name}.${column(member)}`).join(', ')
  return { text, documentOf }
}

const allReader = memoize((layout: MemberLayout) => columnReader(layout, membersOf(layout)))

const parsers: Readonly<Partial<Record<MemberType, (value: never) => unknown>>> = {
  number: Number,
  bytes: (value: Uint8Array) => Buffer.from(value),
  list: (value: string) => (value === '[]' ? [] : JSON.parse(value)),
}

/** With a limit up to this, all documents are read at once, which is faster than one by one. */
const maxReadAtOnce = 16

export const documentsIn = <D>(of: TableLayout<D>, current: () => SqliteFile): Documents<D> => {
  const layout: MemberLayout = of
  const key = keyColumn(layout)
  const readerOf = memoize((members: readonly string[]) => columnReader(layout, members))
  const readerFor = (members?: readonly string[]) => (members === undefined ? allReader(layout) : readerOf(members))
  const others = memoize((table: TableLayout<never>) => documentsIn(table, current))
  const documents: Documents<D> = {
    embedded: true,
    in: <E>(table: TableLayout<E>) => others(table as TableLayout<never>) as unknown as Documents<E>,
    together: (work) => work(documents),
    count: async (query) => {
      const { text, values } = selectOf(layout, query as Query<object>, '1')
      const found = current()
        .statement(`SELECT count(*) FROM (${text})`)
        .get(...values)
      return (found as [number])[0]
    },
    find: async (query) => {
      const { text: columnsRead, documentOf } = readerFor(query.members)
      const { text, values } = selectOf(layout, query as Query<object>, columnsRead)
      const statement = current().wide(text)
      if (query.while === undefined) return statement.all(...values).map(documentOf) as D[]
      const found: D[] = []
      const isFew = (query.limit ?? Infinity) <= maxReadAtOnce
      for (const row of isFew ? statement.all(...values) : statement.iterate(...values)) {
        const document = documentOf(row) as D
        if (!query.while(document)) break
        found.push(document)
      }
      return found
    },
    get: async (keys, members) => {
      const { text, documentOf } = readerFor(members)
      const [condition, value] =
        keys.length === 1 ? ['= ?', keys[0]] : ['IN (SELECT value FROM json_each(?))', jsonOf(keys)]
      const found = current().wide(`SELECT ${text} FROM ${layout.name} WHERE ${key} ${condition}`)
      return found.all(value as SQLInputValue).map(documentOf) as D[]
    },
  }
  return documents
}

const columnValue = (document: Members, member: string): SQLInputValue => {
  const value = document[member]
  if (value === undefined) return null
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue)
}

const valuesIn = (document: Members, members: readonly string[]): SQLInputValue[] =>
  members.map((member) => columnValue(document, member))

const setting = (members: readonly string[]): string => members.map((member) => `${column(member)} = ?`).join(', ')

/** Maintains the tables of list members. */
const makeListIndex = (layout: MemberLayout, { statement }: SqliteFile) => {
  const lists = listsOf(layout).map((list) => {
    const order = orderOf(layout, list)
    const sought = ['value', ...order.map(column)]
    const [table, marks] = [listTableName(layout, list), [...sought, entryColumn(layout)].map(() => '?').join(', ')]
    return {
      list,
      order,
      add: statement(`INSERT OR IGNORE INTO ${table} (${sought.join(', ')}, ${entryColumn(layout)}) VALUES (${marks})`),
      drop: statement(`DELETE FROM ${table} WHERE ${sought.map((each) => `${each} = ?`).join(' AND ')}`),
    }
  })
  return {
    add: (document: Members, lead: number | bigint): void => {
      for (const { list, order, add } of lists)
        for (const text of document[list] as readonly string[]) add.run(text, ...valuesIn(document, order), lead)
    },
    drop: (document: Members): void => {
      for (const { list, order, drop } of lists)
        for (const text of document[list] as readonly string[]) drop.run(text, ...valuesIn(document, order))
    },
  }
}

const keyCondition = ({ key }: MemberLayout): string => key.map((member) => `${column(member)} = ?`).join(' AND ')

/** Replaces a document. Indexes whose members have not changed are not written. */
const makeChange = (layout: MemberLayout, file: SqliteFile, lister: ReturnType<typeof makeListIndex>) => {
  const { name, key, indexes } = layout
  const others = membersOf(layout).filter((member) => !key.includes(member))
  const indexed = [...new Set(Object.entries(indexes).flatMap(([first, more = []]) => [first, ...more]))]
  const contents = others.filter((member) => !indexed.includes(member) || isListMember(layout, member))
  const changing = (members: readonly string[]) => ({
    members,
    text: `UPDATE ${name} SET ${setting(members)} WHERE ${keyCondition(layout)}`,
  })
  const [changingAll, changingContents] = [changing(others), changing(contents)]
  const leadText = `SELECT ${entryColumn(layout)} FROM ${name} WHERE ${keyCondition(layout)}`
  return (document: Members, from: Members): void => {
    const moved = indexed.filter((member) => columnValue(document, member) !== columnValue(from, member))
    const isInPlace = moved.every((member) => isListMember(layout, member))
    const { members, text } = isInPlace ? changingContents : changingAll
    const stored = valuesIn(document, key)
    file.statement(text).run(...valuesIn(document, members), ...stored)
    if (moved.length === 0) return
    lister.drop(from)
    lister.add(document, (file.wide(leadText).get(...stored) as [bigint])[0])
  }
}

const makeWriter = (layout: MemberLayout, file: SqliteFile): ((write: DocumentWrite<object>) => void) => {
  const all = membersOf(layout)
  const { name, key } = layout
  const insert = `${name} (${columnList(all)}) VALUES (${all.map(() => '?').join(', ')})`
  const adding = file.statement(`INSERT OR IGNORE INTO ${insert}`)
  const lister = makeListIndex(layout, file)
  const change = makeChange(layout, file, lister)
  const isLed = hasEntryNumbers(layout)
  const replaced = all.map((member) => `${column(member)} = excluded.${column(member)}`).join(', ')
  const counting = `INSERT INTO ${insert} ON CONFLICT DO UPDATE SET n = n + excluded.n`
  const dropping = `DELETE FROM ${name} WHERE ${keyCondition(layout)} AND n = 0`
  const add = (document: Members): void => {
    const { changes, lastInsertRowid } = adding.run(...valuesIn(document, all))
    if (Number(changes) > 0) lister.add(document, isLed ? lastInsertRowid : (document[key[0] as string] as bigint))
  }
  const put = (document: Members, over: DocumentMatch<object>): void => {
    const { text, values } = whereOf(layout, over)
    const conflict = `ON CONFLICT (${columnList(key)}) DO UPDATE SET ${replaced} WHERE ${text}`
    file.statement(`INSERT INTO ${insert} ${conflict}`).run(...valuesIn(document, all), ...values)
  }
  const set = (document: Members, where: DocumentMatch<object>): void => {
    const { text, values } = whereOf(layout, where)
    const members = Object.keys(document)
    file
      .statement(`UPDATE ${name} SET ${setting(members)} WHERE ${text}`)
      .run(...valuesIn(document, members), ...values)
  }
  const count = (document: Members): void => {
    file.statement(counting).run(...valuesIn(document, all))
    if ((document['n'] as number) < 0) file.statement(dropping).run(...valuesIn(document, key))
  }
  return (write) => {
    if ('add' in write) add(write.add as Members)
    else if ('addAll' in write) write.addAll.forEach((document) => add(document as Members))
    else if ('put' in write) put(write.put as Members, write.over)
    else if ('change' in write) change(write.change as Members, write.from as Members)
    else if ('count' in write) count(write.count as Members)
    else if ('set' in write) {
      set(write.set as Members, write.where)
      if (write.unlisted !== undefined) lister.drop(write.unlisted as Members)
    } else if ('total' in write) addToTotal(file, name, write.total)
    else throw new Error('Only documents on a server are removed so.')
  }
}

export const writersOf = memoize((file: SqliteFile) => memoize((layout: MemberLayout) => makeWriter(layout, file)))

/** Adds changes in the order of positions. One before the newest stored position changes all stored totals after it. */
const addToTotal = (file: SqliteFile, table: string, { key, changes }: TotalChanges): void => {
  const newest = `SELECT "position", n FROM ${table} WHERE "key" = ? AND "position" <= ? ORDER BY "position" DESC LIMIT 1`
  const add = file.statement(`INSERT OR IGNORE INTO ${table} ("key", "position", n) VALUES (?, ?, ?)`)
  const totalAt = (position: bigint) => file.wide(newest).get(key, position) as [bigint, bigint] | undefined
  let [last, total] = totalAt(openEnd) ?? [-1n, 0n]
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
const writeAll = (layout: MemberLayout, file: SqliteFile, writes: Iterable<BatchWrite<object>>): void => {
  const writerOf = writersOf(file)
  for (const each of writes) {
    const [table, write]: [MemberLayout, DocumentWrite<object>] =
      'into' in each ? [each.into, each.write] : [layout, each]
    writerOf(table)(write)
  }
}

/** A projection whose documents are rows of tables, in the transactions of a file. */
export const documentsInSqlite = <D, M, R>(
  of: DocumentProjection<D, M, R>,
): SqliteProjection & { readonly reads: (current: () => SqliteFile) => R } => {
  const { layout } = of
  const openedOf = memoize((file: SqliteFile) => ({ cache: of.cache(), documents: documentsIn(layout, () => file) }))
  return {
    tables: tablesFor(layout),
    ...(!layout.isAwaited && { batching: historyBatching }),
    changes: async function* (batch, file) {
      const { documents, cache } = openedOf(file)
      for await (const [writes, isLast] of partsOf(of.writes(batch, documents, cache)))
        yield { write: () => writeAll(layout, file, writes as Iterable<BatchWrite<object>>), isLast }
    },
    dropCache: openedOf.forget,
    reads: (current) => of.reads(documentsIn(layout, current), () => openedOf(current()).cache),
  }
}
