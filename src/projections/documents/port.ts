import { hash } from 'node:crypto'
import type { Batch, Projection } from '../projection.ts'

/**
 * How a member of documents is stored. `list`: texts; an index that begins with it has an entry for each. `bytes` and `long`
 * texts have no index.
 */
export type MemberType = 'text' | 'long' | 'number' | 'position' | 'bytes' | 'list'

/** The end of a current span: after all positions. */
export const openEnd = 2n ** 63n - 1n

/** A 63-bit hash of a text. Of ten million texts two have the same one with a probability of 1 : 180,000. */
export const hashNumber = (text: string): bigint => hash('sha1', text, 'buffer').readBigUInt64BE() >> 1n

export type Value = string | number | bigint | Buffer | undefined

/** The values of a member in matching documents of a table: a subquery. */
export interface ValuesOf {
  readonly of: TableLayout<never>
  readonly member: string
  readonly where: DocumentMatch<object>
}

/** A condition on a member; of a list, on one of its texts. */
export interface ValueRange {
  readonly $in?: readonly Value[] | ValuesOf
  readonly $nin?: readonly Value[] | ValuesOf
  readonly $gt?: Value
  readonly $gte?: Value
  readonly $lt?: Value
  readonly $lte?: Value
}

export type DocumentMatch<D> = { readonly [M in keyof D]?: Value | ValueRange } & {
  readonly $or?: readonly DocumentMatch<D>[]
  readonly $and?: readonly DocumentMatch<D>[]
  readonly $nor?: readonly DocumentMatch<D>[]
}

type MemberOf<D> = keyof D & string

export interface Query<D> {
  readonly where: DocumentMatch<D>
  /** By these members, the first one first. */
  readonly sort?: { readonly [M in MemberOf<D>]?: 1 | -1 }
  readonly limit?: number
  readonly skip?: number
  /** The first member of the index to use, or that of the key. Default: as the engine chooses. */
  readonly index?: MemberOf<D> | undefined
  /** A member with several allowed values (`$in`), each of which is a range in the order of an index: they are merged. */
  readonly merged?: MemberOf<D>
  /** Only these members are read. Default: all. */
  readonly members?: readonly MemberOf<D>[]
  /** Reading stops at the first document of which this is false. */
  readonly while?: (document: D) => boolean
}

/** The documents of one table of a projection, in whichever engine. */
export interface Documents<D> {
  find(query: Query<D>): Promise<D[]>
  /** Documents by their key, which has one member, in any order. */
  get(keys: readonly Value[], members: readonly MemberOf<D>[]): Promise<D[]>
  /** Number of documents, counted up to a limit. */
  count(query: Pick<Query<D>, 'where' | 'limit' | 'index'>): Promise<number>
  in<E>(table: TableLayout<E>): Documents<E>
  /** Several reads under one checkpoint. */
  together<T>(work: (documents: this) => Promise<T>): Promise<T>
  /** Whether a batch is written as one, and reads occupy this thread. */
  readonly embedded: boolean
}

/** Further reads of a server. */
export interface ServerDocuments<D> extends Documents<D> {
  /** @param query `only`: documents of which this is true */
  find(query: Query<D> & { readonly only?: ((document: D) => boolean) | undefined }): Promise<D[]>
  /** Number of documents by text of a list. */
  countBy(list: MemberOf<D>, where: DocumentMatch<D>): Promise<(readonly [text: string, count: number])[]>
}

export type DocumentWrite<D> =
  /** Stores a document that never changes, where there is none of its key. */
  | { readonly add: D }
  /** The same for documents that differ only in the `elements` of their table. */
  | { readonly addAll: readonly D[] }
  /** Stores a document if there is none of its key, or it matches `over`. */
  | { readonly put: D; readonly over: DocumentMatch<D> }
  /** Changes members of all matching documents. `unlisted`: texts of lists whose index entries are removed. */
  | { readonly set: Partial<D>; readonly where: DocumentMatch<D>; readonly unlisted?: Partial<D> }
  /** Removes all matching documents, before what is put. Only where not `embedded`. */
  | { readonly remove: DocumentMatch<D> }
  /** Replaces the document of its key, which has the members `from`. Only where `embedded`. */
  | { readonly change: D; readonly from: Partial<D> }
  /** Adds its `n` to that of the document of its key, which is removed at 0. Only where `embedded`. */
  | { readonly count: D }
  /** Adds to a running total from positions on. Only where `embedded`, in a table of {@link RunningTotal}s. */
  | { readonly total: TotalChanges }

/** A number from a position on, until the next position of the same key. */
export interface RunningTotal {
  readonly key: bigint
  readonly position: bigint
  readonly n: number
}

export interface TotalChanges {
  readonly key: bigint
  /** What is added, by position in order. */
  readonly changes: Iterable<readonly [position: bigint, n: number]>
}

/** A write to a table other than the projection's main one. */
export interface TableWrite {
  readonly into: TableLayout<never>
  readonly write: DocumentWrite<object>
}

export type BatchWrite<D> = DocumentWrite<D> | TableWrite

/**
 * The writes of a batch, at once or yielded in parts. Each part is stored before the next is computed. The returned
 * writes are stored together with the checkpoint; if the process ends earlier, the batch is repeated.
 */
type BatchWrites<D> =
  Promise<Iterable<BatchWrite<D>>> | AsyncGenerator<Iterable<BatchWrite<D>>, Iterable<BatchWrite<D>>, void>

export const into = <E>(table: TableLayout<E>, write: DocumentWrite<E>): TableWrite => ({
  into: table as TableLayout<never>,
  write: write as DocumentWrite<object>,
})

/** The parts of writes, each with whether it is the last. */
export async function* partsOf<D>(writes: BatchWrites<D>): AsyncGenerator<[Iterable<BatchWrite<D>>, isLast: boolean]> {
  if (writes instanceof Promise) return yield [await writes, true]
  for (let isLast = false; !isLast;) {
    const { value, done = false } = await writes.next()
    yield [value, (isLast = done)]
  }
}

/** Adds up the `n` of documents with the same other members, to be written as `count`. */
export const makeCounts = <E extends { readonly n: number }>(table: TableLayout<E>) => {
  const counts = new Map<string, E>()
  return {
    add: (counted: E): void => {
      const key = JSON.stringify({ ...counted, n: 0 })
      counts.set(key, { ...counted, n: (counts.get(key)?.n ?? 0) + counted.n })
    },
    *writes(): Generator<TableWrite> {
      for (const count of counts.values()) if (count.n !== 0) yield into(table, { count })
    },
  }
}

export const valuesOf = <E>(table: TableLayout<E>, member: MemberOf<E>, where: DocumentMatch<E>): ValuesOf => ({
  of: table as TableLayout<never>,
  member,
  where: where as DocumentMatch<object>,
})

export interface TableLayout<D> {
  readonly name: string
  readonly members: { readonly [M in MemberOf<D>]-?: MemberType }
  /** The primary key. It is one position if there is an index of a list without other members. */
  readonly key: readonly [MemberOf<D>, ...MemberOf<D>[]]
  /** Further indexes: the first member, and those after it. */
  readonly indexes: { readonly [M in MemberOf<D>]?: readonly MemberOf<D>[] }
  /** Members in which documents that are added together may differ: a server stores them as elements of one document. */
  readonly elements?: readonly MemberOf<D>[]
  /** Whether documents may remain on a server that a rebuild would not make. */
  readonly remains?: true
}

/** A layout by the names of its members. */
export type MemberLayout = TableLayout<Record<string, unknown>>

export interface DocumentLayout<D> extends TableLayout<D>, Pick<Projection, 'name' | 'version' | 'uses'> {
  /** Writes wait for it: no events are collected before they are applied. */
  readonly isAwaited?: true
  /** The indexes on a server, where they are not those of the embedded engine. */
  readonly serverIndexes?: Readonly<Record<string, Readonly<Record<string, 1>>>>
  readonly otherTables?: readonly TableLayout<never>[]
  /** Tables on a server alone. */
  readonly serverTables?: readonly TableLayout<never>[]
}

/** A projection to documents, in either engine: how events are written, and how documents are read. */
export interface DocumentProjection<D, C, R> {
  readonly layout: DocumentLayout<D>
  /** Makes a cache of stored values; made anew after a rollback, or when other processes may have written. */
  readonly cache: () => C
  /** Applied in order; a put at the end is stored last. A repeated batch changes nothing. */
  readonly writes: (batch: Batch, documents: Documents<D>, cache: C) => BatchWrites<D>
  readonly reads: (documents: Documents<D>, cache: () => C) => R
}

/** Lets the types of a projection be inferred. */
export const documentProjection = <D, C, R>(projection: DocumentProjection<D, C, R>): DocumentProjection<D, C, R> =>
  projection

export type Condition = Value | ValueRange

export const isValuesOf = (values: unknown): values is ValuesOf =>
  typeof values === 'object' && values !== null && 'member' in values

export const isRange = (condition: Condition): condition is ValueRange =>
  typeof condition === 'object' && !Buffer.isBuffer(condition)

const isEmpty = (condition: Condition): boolean =>
  condition === undefined || (isRange(condition) && Object.keys(condition).length === 0)

const combining: ReadonlySet<string> = new Set(['$or', '$and', '$nor'])

/** The conditions on members. An absent condition and an empty range match everything. */
export const conditionsIn = <D>(match: DocumentMatch<D>): [member: string, condition: Condition][] =>
  Object.entries<Condition>(match as Record<string, Condition>).filter(
    ([member, condition]) => !combining.has(member) && !isEmpty(condition),
  )
