import { makeYielder } from '../../../shared/yieldToEventLoop.ts'
import { chunksOf, makePageBudget } from '../../../shared/bounds.ts'
import type { SqliteFile } from '../../sqlite/file.ts'
import type { EntityLists, EntityReads, ListQuery, PendingNames } from '../port.ts'
import { shownLength, type EntityRow, statusNumber } from '../row.ts'
import { readCounter, readList } from './lists.ts'
import { readChildren, readHeadsBelow, readOwnDeletions, readRelated } from './relations.ts'
import type { ReadCache } from './rowCache.ts'
import { headColumns, referenceColumns, rowColumns, toEntityRow, toHeadRow, toReferenceRow } from './rows.ts'

export interface CachedFile {
  readonly file: SqliteFile
  readonly cache: ReadCache
}

/** Number of rows read at a time, as some are very large. */
const rowsAtOnce = 16

const scanPage = 500

const readOne = (file: SqliteFile, id: string): EntityRow | undefined => {
  const found = file.wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.id = ?`).get(id)
  return found && toEntityRow(found)
}

const idOf = (file: SqliteFile, kind: string, fqn: string): string | undefined => {
  const statement = file.statement(
    `SELECT id FROM entities INDEXED BY entities_in_order
    WHERE kind = ? AND status = ? AND fqn = ? ORDER BY id LIMIT 1`,
  )
  const found = statement.get(kind, statusNumber.live, fqn) ?? statement.get(kind, statusNumber.deleted, fqn)
  return (found as [string] | undefined)?.[0]
}

const readScanPage = (file: SqliteFile, after: string): EntityRow[] =>
  file
    .wide(`SELECT ${rowColumns} FROM entities AS e WHERE e.id > ? AND +e.status < 2 ORDER BY e.id LIMIT ${scanPage}`)
    .all(after)
    .map(toEntityRow)

const byIds = (columns: string): string =>
  `SELECT ${columns} FROM json_each(?) AS wanted CROSS JOIN entities AS e ON e.id = wanted.value`

/** Reads at one moment, unless that takes long: then it yields in between. */
const readMany = async (current: () => CachedFile, ids: readonly string[]): Promise<Map<string, EntityRow>> => {
  const yieldWhenDue = makeYielder()
  const hasRoom = makePageBudget()
  let isTooMuch = false
  const read = (missing: readonly string[]): EntityRow[] =>
    current().file.wide(byIds(rowColumns)).all(JSON.stringify(missing)).map(toEntityRow)
  const found = new Map<string, EntityRow>()
  for (const some of chunksOf(ids, rowsAtOnce)) {
    for (const [id, row] of current().cache.rows(some, read)) {
      found.set(id, row)
      isTooMuch = !hasRoom(shownLength(row)) || isTooMuch
    }
    if (isTooMuch) await yieldWhenDue()
  }
  return found
}

export const entityReads = (current: () => CachedFile): EntityReads & EntityLists => ({
  get: async (id) => {
    const { file, cache } = current()
    return cache.row(id, () => readOne(file, id))
  },
  getByFqn: async (kind, fqn) => {
    const file = current().file
    const id = idOf(file, kind, fqn)
    return id === undefined ? undefined : current().cache.row(id, () => readOne(file, id))
  },
  getMany: (ids) => readMany(current, ids),
  getHeads: async (ids) => {
    const { file, cache } = current()
    return cache.heads(ids, (missing) => file.wide(byIds(headColumns)).all(JSON.stringify(missing)).map(toHeadRow))
  },
  getReferences: async (ids) => {
    const { file, cache } = current()
    return cache.references(ids, (missing) =>
      file.statement(byIds(referenceColumns)).all(JSON.stringify(missing)).map(toReferenceRow),
    )
  },
  list: async (query) => readList(current().file, query),
  countSettled: async (query, unfollowed) => {
    const file = current().file
    const count = (asked: ListQuery): number => readList(file, asked).total
    return settledTotal(count, query, unfollowed)
  },
  relatedTo: async (ids, rel, limit) => {
    const file = current().file
    return current().cache.related(ids, rel, (some) => readRelated(file, some, rel, limit))
  },
  childrenOf: async (ids, kind, limit) => readChildren(current().file, ids, kind, limit),
  countBelow: async (kind, scope) => readCounter(current().file, { kind, scope, status: statusNumber.live }),
  headsBelow: async (query, limit) => readHeadsBelow(current().file, query, limit),
  ownDeletions: async (fqn, kinds) => readOwnDeletions(current().file, fqn, kinds),
})

export async function* scanEntities(current: () => CachedFile): AsyncGenerator<EntityRow, void, undefined> {
  for (let after = ''; ;) {
    const page = readScanPage(current().file, after)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < scanPage) return
    after = last.id
  }
}

type Count = (query: ListQuery) => number

/** {@link EntityLists.countSettled} for stores with totals by name that can be read together. */
const settledTotal = (count: Count, query: ListQuery, { hidden, gone, restored }: PendingNames): number => {
  const whole = { ...query, limit: 0, after: undefined, before: undefined }
  const within = (asked: Partial<ListQuery>, names: readonly string[]): number =>
    names.reduce((total, name) => total + count({ ...whole, ...asked, scopes: [...query.scopes, name] }), 0)
  const followed = (names: readonly string[]): number =>
    within({ include: 'deleted' }, names) - within({ include: 'deleted', own: true }, names)
  const all = (): number => count({ ...whole, include: 'all' }) - within({ include: 'all' }, gone)
  const inside = hidden.filter((name) => restored.some((above) => name.startsWith(`${above}.`)))
  const live = (): number =>
    count({ ...whole, include: 'non-deleted' }) -
    within({ include: 'non-deleted' }, hidden) +
    followed(restored) -
    followed(inside)
  if (query.include === 'all') return all()
  return query.include === 'non-deleted' ? live() : all() - live()
}
