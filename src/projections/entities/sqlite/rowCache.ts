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

const makeCaches = (room: number) => ({
  rows: makeRecent<EntityRow>(room / 2),
  ids: makeRecent<string>(room / 8),
  heads: makeRecent<HeadRow>(room / 16),
  references: makeRecent<ReferenceRow>(room / 4),
  unrelated: makeRecent<true>(room / 16),
  totals: makeRecent<number>(room / 16),
})

const forgetting =
  ({ rows, ids, heads, references, unrelated, totals }: ReturnType<typeof makeCaches>): ReadCache['applied'] =>
  (applied) => {
    if (applied.length > 0) totals.clear()
    for (const row of applied) {
      const known = rows.get(row.id)
      if (known !== undefined && known.revision < row.revision) rows.set(row.id, row, bytesOfRow(row))
      heads.delete(row.id)
      ids.delete(nameKey(row.kind, row.fullyQualifiedName))
      references.delete(row.id)
      for (const { rel, target } of row.edges) unrelated.delete(edgeKey(rel, target))
    }
  }

/** @param room bytes; 0 keeps nothing */
export const makeReadCache = (room: number): ReadCache => {
  const caches = makeCaches(room)
  const { rows, ids, heads, references, unrelated, totals } = caches
  const kept = (row: EntityRow | undefined): EntityRow | undefined => {
    if (row !== undefined) rows.set(row.id, row, bytesOfRow(row))
    return row
  }
  const row: ReadCache['row'] = (id, read) => rows.get(id) ?? kept(read())
  return {
    row,
    rows: (wanted, read) => gather(rows, bytesOfRow, wanted, read),
    rowNamed: (kind, fqn, read, readById) => {
      const key = nameKey(kind, fqn)
      const id = ids.get(key)
      const known = id === undefined ? undefined : row(id, () => readById(id))
      if (known?.kind === kind && known.fullyQualifiedName === fqn) return known
      const found = kept(read())
      if (found !== undefined) ids.set(key, found.id, key.length)
      return found
    },
    heads: (wanted, read) => {
      for (const id of wanted) {
        const whole = heads.get(id) === undefined ? rows.get(id) : undefined
        if (whole !== undefined) heads.set(id, headOf(whole), headSize)
      }
      return gather(heads, () => headSize, wanted, read)
    },
    references: (wanted, read) => gather(references, bytesOfReference, wanted, read),
    related: (wanted, rel, read) => {
      const asked = wanted.filter((id) => unrelated.get(edgeKey(rel, id)) === undefined)
      if (asked.length === 0) return []
      const related = read(asked)
      const some = new Set(related.map(({ of }) => of))
      for (const id of asked) if (!some.has(id)) unrelated.set(edgeKey(rel, id), true, rel.length + id.length)
      return related
    },
    total: (key, read) => {
      const known = totals.get(key)
      if (known !== undefined) return known
      const total = read()
      totals.set(key, total, key.length)
      return total
    },
    keep: (read) => read.forEach(kept),
    applied: forgetting(caches),
    clear: () => Object.values(caches).forEach(({ clear }) => clear()),
  }
}
