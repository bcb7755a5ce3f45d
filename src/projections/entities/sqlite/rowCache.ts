import { headOf, type EntityRow, type HeadRow, type ReferenceRow } from '../row.ts'
import type { Related } from '../port.ts'
import { bytesOfReference, bytesOfRow, makeRecent, type Recent } from '../recent.ts'

/**
 * Read-through cache of rows, for the process that writes the file and reports `applied` rows. Absent rows are not
 * cached, but absent relations are.
 */
export interface ReadCache {
  /** @param read reads a row that is not cached */
  row(id: string, read: () => EntityRow | undefined): EntityRow | undefined
  rows(ids: readonly string[], read: (missing: readonly string[]) => EntityRow[]): Map<string, EntityRow>
  /** Heads of cached rows; others are read. */
  heads(ids: readonly string[], read: (missing: readonly string[]) => HeadRow[]): Map<string, HeadRow>
  references(ids: readonly string[], read: (missing: readonly string[]) => ReferenceRow[]): Map<string, ReferenceRow>
  /** Caches the absence of relations, which is the usual case; others are read each time. */
  related(ids: readonly string[], rel: string, read: (ids: readonly string[]) => Related[]): Related[]
  /** Updates or drops entries after these rows were written. */
  applied(rows: readonly EntityRow[]): void
  clear(): void
}

const edgeKey = (rel: string, target: string): string => `${rel}\0${target}`

/** Cached entries, and the rest as read. */
const gather = <T extends { readonly id: string }>(
  kept: (id: string) => T | undefined,
  keep: (value: T) => void,
  wanted: readonly string[],
  read: (missing: readonly string[]) => T[],
): Map<string, T> => {
  const found = new Map<string, T>()
  const missing: string[] = []
  for (const id of wanted) {
    const known = kept(id)
    if (known === undefined) missing.push(id)
    else found.set(id, known)
  }
  for (const each of missing.length === 0 ? [] : read(missing)) {
    keep(each)
    found.set(each.id, each)
  }
  return found
}

/** @param room bytes; 0 disables the cache */
export const makeReadCache = (room: number): ReadCache => {
  const rows: Recent<EntityRow> = makeRecent((room * 5) / 8)
  const references: Recent<ReferenceRow> = makeRecent(room / 4)
  const unrelated: Recent<true> = makeRecent(room / 8)
  const keep = (row: EntityRow): void => rows.set(row.id, row, bytesOfRow(row))
  const headIn = (id: string): HeadRow | undefined => {
    const row = rows.get(id)
    return row && headOf(row)
  }
  return {
    row: (id, read) => {
      const known = rows.get(id)
      if (known !== undefined) return known
      const row = read()
      if (row !== undefined) keep(row)
      return row
    },
    rows: (wanted, read) => gather(rows.get, keep, wanted, read),
    heads: (wanted, read) => gather(headIn, () => undefined, wanted, read),
    references: (wanted, read) =>
      gather(references.get, (each) => references.set(each.id, each, bytesOfReference(each)), wanted, read),
    related: (wanted, rel, read) => {
      const asked = wanted.filter((id) => unrelated.get(edgeKey(rel, id)) === undefined)
      if (asked.length === 0) return []
      const related = read(asked)
      const some = new Set(related.map(({ of }) => of))
      for (const id of asked) if (!some.has(id)) unrelated.set(edgeKey(rel, id), true, rel.length + id.length)
      return related
    },
    applied: (applied) => {
      for (const row of applied) {
        const known = rows.get(row.id)
        if (known !== undefined && known.revision < row.revision) keep(row)
        references.delete(row.id)
        for (const { rel, target } of row.edges) unrelated.delete(edgeKey(rel, target))
      }
    },
    clear: () => [rows, references, unrelated].forEach(({ clear }) => clear()),
  }
}
