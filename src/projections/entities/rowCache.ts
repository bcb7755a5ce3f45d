import { headOf, type EntityRow, type HeadRow, type ReferenceRow } from './row.ts'
import type { Related } from './port.ts'
import { bytesOfReference, bytesOfRow, makeMemoryCache } from './memoryCache.ts'

type Read<T> = (missing: readonly string[]) => Promise<T[]>

/**
 * Read-through cache of rows, for the process that writes them and reports `applied` ones. Absent rows are not cached,
 * but absent relations are.
 */
export interface ReadCache {
  rows(ids: readonly string[], read: Read<EntityRow>): Promise<Map<string, EntityRow>>
  heads(ids: readonly string[], read: Read<HeadRow>): Promise<Map<string, HeadRow>>
  references(ids: readonly string[], read: Read<ReferenceRow>): Promise<Map<string, ReferenceRow>>
  /** Caches the absence of relations, which is the usual case; others are read each time. */
  related(ids: readonly string[], rel: string, read: Read<Related>): Promise<Related[]>
  /** Updates or drops entries after these rows were written. */
  applied(rows: readonly EntityRow[]): void
}

const edgeKey = (rel: string, target: string): string => `${rel}\0${target}`

/** @param room bytes; 0 disables the cache */
export const makeReadCache = (room: number): ReadCache => {
  const rows = makeMemoryCache<EntityRow>((room * 5) / 8)
  const references = makeMemoryCache<ReferenceRow>(room / 4)
  const withoutRelations = makeMemoryCache<true>(room / 8)
  const cacheRow = (row: EntityRow): void => rows.set(row.id, row, bytesOfRow(row))
  let changes = 0

  /** Caches what it reads unless rows were applied meanwhile. */
  const readAndCache = async <T>(ids: readonly string[], read: Read<T>, cacheAll: (found: readonly T[]) => void) => {
    const before = changes
    const found = await read(ids)
    if (room > 0 && changes === before) cacheAll(found)
    return found
  }
  const readThrough = async <T extends { readonly id: string }>(
    wanted: readonly string[],
    cached: (id: string) => T | undefined,
    read: Read<T>,
    cacheOne: (value: T) => void,
  ): Promise<Map<string, T>> => {
    const found = new Map<string, T>()
    const missing: string[] = []
    for (const id of wanted) {
      const known = cached(id)
      if (known === undefined) missing.push(id)
      else found.set(id, known)
    }
    if (missing.length > 0)
      for (const each of await readAndCache(missing, read, (all) => all.forEach(cacheOne))) found.set(each.id, each)
    return found
  }
  const headIn = (id: string): HeadRow | undefined => {
    const row = rows.get(id)
    return row && headOf(row)
  }
  return {
    rows: (wanted, read) => readThrough(wanted, rows.get, read, cacheRow),
    heads: (wanted, read) => readThrough(wanted, headIn, read, () => undefined),
    references: (wanted, read) =>
      readThrough(wanted, references.get, read, (each) => references.set(each.id, each, bytesOfReference(each))),
    related: async (wanted, rel, read) => {
      const unread = wanted.filter((id) => withoutRelations.get(edgeKey(rel, id)) === undefined)
      if (unread.length === 0) return []
      return readAndCache(unread, read, (related) => {
        const some = new Set(related.map(({ of }) => of))
        for (const id of unread) if (!some.has(id)) withoutRelations.set(edgeKey(rel, id), true, rel.length + id.length)
      })
    },
    applied: (applied) => {
      changes++
      for (const row of applied) {
        const known = rows.get(row.id)
        if (known !== undefined && known.revision < row.revision) cacheRow(row)
        references.delete(row.id)
        for (const { rel, target } of row.edges) withoutRelations.delete(edgeKey(rel, target))
      }
    },
  }
}
