import { headOf, type EntityRow, type HeadRow, type ReferenceRow } from '../row.ts'
import type { Related } from '../port.ts'
import { bytesOfReference, bytesOfRow, headSize, makeRecent, type Recent } from '../recent.ts'

/**
 * Rows that are read again and again, for the process that writes the file, which tells what it `applied`. What is
 * absent from the file is not kept, but for relations.
 */
export interface ReadCache {
  /** @param read what to do when the row is not kept; so with the others */
  row(id: string, read: () => EntityRow | undefined): EntityRow | undefined
  rows(ids: readonly string[], read: (missing: readonly string[]) => EntityRow[]): Map<string, EntityRow>
  rowNamed(
    kind: string,
    fqn: string,
    read: () => EntityRow | undefined,
    readById: (id: string) => EntityRow | undefined,
  ): EntityRow | undefined
  heads(ids: readonly string[], read: (missing: readonly string[]) => HeadRow[]): Map<string, HeadRow>
  references(ids: readonly string[], read: (missing: readonly string[]) => ReferenceRow[]): Map<string, ReferenceRow>
  /** Remembers that nothing is related, which is so of most entities; what is related is read each time. */
  related(ids: readonly string[], rel: string, read: (ids: readonly string[]) => Related[]): Related[]
  /** Numbers that any applied row may change. */
  total(key: string, read: () => number): number
  /** Keeps rows that were just read and are about to be changed. */
  keep(rows: readonly EntityRow[]): void
  /** Replaces or forgets what the file says otherwise once these rows are in it. */
  applied(rows: readonly EntityRow[]): void
  clear(): void
}

const nameKey = (kind: string, fqn: string): string => `${kind}\0${fqn}`
const edgeKey = (rel: string, target: string): string => `${rel}\0${target}`

/** What is there already, and the rest as it is read. */
const gather = <T extends { readonly id: string }>(
  recent: Recent<T>,
  bytesOf: (value: T) => number,
  wanted: readonly string[],
  read: (missing: readonly string[]) => T[],
): Map<string, T> => {
  const found = new Map<string, T>()
  const missing: string[] = []
  for (const id of wanted) {
    const known = recent.get(id)
    if (known === undefined) missing.push(id)
    else found.set(id, known)
  }
  for (const each of missing.length === 0 ? [] : read(missing)) {
    recent.set(each.id, each, bytesOf(each))
    found.set(each.id, each)
  }
  return found
}

/** A part of the cache, which is told of what was applied. */
type Part<K extends keyof ReadCache> = Pick<ReadCache, K> & {
  forget(applied: EntityRow): void
  clear(): void
}

const cacheRows = (room: number): Part<'row' | 'rows' | 'rowNamed' | 'keep' | 'heads'> => {
  const rows = makeRecent<EntityRow>(room)
  const ids = makeRecent<string>(room / 4)
  const heads = makeRecent<HeadRow>(room / 8)
  const kept = (row: EntityRow | undefined): EntityRow | undefined => {
    if (row !== undefined) rows.set(row.id, row, bytesOfRow(row))
    return row
  }
  const row: ReadCache['row'] = (id, read) => rows.get(id) ?? kept(read())
  return {
    row,
    rows: (wanted, read) => gather(rows, bytesOfRow, wanted, read),
    heads: (wanted, read) => {
      for (const id of wanted) {
        const whole = heads.get(id) === undefined ? rows.get(id) : undefined
        if (whole !== undefined) heads.set(id, headOf(whole), headSize)
      }
      return gather(heads, () => headSize, wanted, read)
    },
    rowNamed: (kind, fqn, read, readById) => {
      const key = nameKey(kind, fqn)
      const id = ids.get(key)
      const known = id === undefined ? undefined : row(id, () => readById(id))
      if (known?.kind === kind && known.fullyQualifiedName === fqn) return known
      const found = kept(read())
      if (found !== undefined) ids.set(key, found.id, key.length)
      return found
    },
    keep: (read) => read.forEach(kept),
    forget: (applied) => {
      const known = rows.get(applied.id)
      if (known !== undefined && known.revision < applied.revision) kept(applied)
      heads.delete(applied.id)
      ids.delete(nameKey(applied.kind, applied.fullyQualifiedName))
    },
    clear: () => {
      rows.clear()
      heads.clear()
      ids.clear()
    },
  }
}

const cacheReferences = (room: number): Part<'references'> => {
  const references = makeRecent<ReferenceRow>(room)
  return {
    references: (wanted, read) => gather(references, bytesOfReference, wanted, read),
    forget: ({ id }) => references.delete(id),
    clear: references.clear,
  }
}

const cacheUnrelated = (room: number): Part<'related'> => {
  const unrelated = makeRecent<true>(room)
  return {
    related: (wanted, rel, read) => {
      const asked = wanted.filter((id) => unrelated.get(edgeKey(rel, id)) === undefined)
      if (asked.length === 0) return []
      const related = read(asked)
      const some = new Set(related.map(({ of }) => of))
      for (const id of asked) if (!some.has(id)) unrelated.set(edgeKey(rel, id), true, rel.length + id.length)
      return related
    },
    forget: ({ edges }) => {
      for (const { rel, target } of edges) unrelated.delete(edgeKey(rel, target))
    },
    clear: unrelated.clear,
  }
}

/** @param room bytes; 0 keeps nothing */
export const makeReadCache = (room: number): ReadCache => {
  const rows = cacheRows(room / 2)
  const references = cacheReferences(room / 4)
  const unrelated = cacheUnrelated(room / 16)
  const totals = makeRecent<number>(room / 16)
  const parts = [rows, references, unrelated]
  return {
    ...rows,
    ...references,
    ...unrelated,
    total: (key, read) => {
      const known = totals.get(key)
      if (known !== undefined) return known
      const total = read()
      totals.set(key, total, key.length)
      return total
    },
    applied: (applied) => {
      for (const each of applied) for (const part of parts) part.forget(each)
      if (applied.length > 0) totals.clear()
    },
    clear: () => {
      for (const each of [...parts, totals]) each.clear()
    },
  }
}
