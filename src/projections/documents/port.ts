import { hash } from 'node:crypto'
import type { Batch, Projection } from '../projection.ts'

/**
 * How a member of documents is kept. `list`: texts, each of which can be found where an index begins with it. Of `bytes`
 * and `long` texts nothing is looked for.
 */
export type MemberSort = 'text' | 'long' | 'number' | 'position' | 'bytes' | 'list'

/** The end of a span that has not ended: after all positions. */
export const openEnd = 2n ** 63n - 1n

/** A number that stands for a text. Of ten million texts two have the same with a probability of 1 : 180,000. */
export const hashNumber = (text: string): bigint => hash('sha1', text, 'buffer').readBigUInt64BE() >> 1n

export type Value = string | number | bigint | Buffer | undefined

/** The values that a member has in the documents of a table that match. */
export interface ValuesOf {
  readonly of: TableLayout<never>
  readonly member: string
  readonly where: DocumentMatch<object>
}

/** What a member must be; of a list one must be so. */
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
  /** The member with which the index begins that is followed, or the key. Default: as the engine chooses. */
  readonly along?: MemberOf<D> | undefined
  /** A member with several allowed values. One index has each value in order; the ranges are merged. */
  readonly merged?: MemberOf<D>
  /** Only these members are read. Default: all. */
  readonly members?: readonly MemberOf<D>[]
  /** Documents are read as long as this is true of them. */
  readonly while?: (document: D) => boolean
}

/** The documents of one table of a projection, in whichever engine. */
export interface Documents<D> {
  find(query: Query<D>): Promise<D[]>
  /** Documents by the one member of their key, in any order, with these members. */
  get(keys: readonly Value[], members: readonly MemberOf<D>[]): Promise<D[]>
  /** Number of documents, counted up to a limit. */
  count(query: Pick<Query<D>, 'where' | 'limit' | 'along'>): Promise<number>
  in<E>(table: TableLayout<E>): Documents<E>
  /** Several reads of what is stored under one checkpoint. */
  together<T>(work: (documents: this) => Promise<T>): Promise<T>
  /** Whether a batch is written as one, and reads occupy this thread. */
  readonly embedded: boolean
}

/** What a server can do beyond that. */
export interface ServerDocuments<D> extends Documents<D> {
  /** @param query `only`: documents of which this is true */
  find(query: Query<D> & { readonly only?: ((document: D) => boolean) | undefined }): Promise<D[]>
  /** Number of documents by text of a list. */
  countBy(list: MemberOf<D>, where: DocumentMatch<D>): Promise<(readonly [text: string, count: number])[]>
}

export type DocumentWrite<D> =
  /** Stores a document that never changes, where there is none of its key. */
  | { readonly add: D }
  /** The same of documents that differ in the elements of their table alone. */
  | { readonly addAll: readonly D[] }
  /** Stores a document where there is none of its key, or one like this. */
  | { readonly put: D; readonly over: DocumentMatch<D> }
  /** Changes these members of all documents that match. Texts of lists in `unlisted` lead to them no more. */
  | { readonly set: Partial<D>; readonly where: DocumentMatch<D>; readonly unlisted?: Partial<D> }
  /** Stores a document over the one of its key, of which these members are known. Only where `embedded`. */
  | { readonly change: D; readonly from: Partial<D> }
  /** Adds the number `n` to that of the document of this key, which is dropped at 0. Only where `embedded`. */
  | { readonly count: D }
  /** Adds to a running total from positions on. Only where `embedded`, in a table of {@link RunningTotal}s. */
  | { readonly total: TotalChanges }

/** A number as of a position, until the next position of the same key. */
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

/** A write to another table than the one that the projection is named by. */
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

/** Adds up numbers of documents that are the same but for these, to be written as `count`. */
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
  readonly members: { readonly [M in MemberOf<D>]-?: MemberSort }
  /** What tells documents apart. Where the index of a list has it alone it is a position. */
  readonly key: readonly [MemberOf<D>, ...MemberOf<D>[]]
  /** Members by which documents are found beside their key, each with those that order what has the same. */
  readonly indexes: { readonly [M in MemberOf<D>]?: readonly MemberOf<D>[] }
  /** Members in which documents that are added together may differ: a server keeps such documents as one. */
  readonly elements?: readonly MemberOf<D>[]
  /** Documents that nothing needs any more are not a difference; see {@link StoredTable.mayKeep}. */
  readonly mayKeep?: true
}

/** A layout by the names of its members. */
export type MemberLayout = TableLayout<Record<string, unknown>>

export interface DocumentLayout<D> extends TableLayout<D>, Pick<Projection, 'name' | 'version' | 'handles' | 'uses'> {
  /** Writes wait for it: no events are collected before they are applied. */
  readonly isAwaited?: true
  /** Indexes on a server, where those of the embedded engine do not serve it. */
  readonly serverIndexes?: Readonly<Record<string, Readonly<Record<string, 1>>>>
  readonly further?: readonly TableLayout<never>[]
  /** Tables on a server alone. */
  readonly serverTables?: readonly TableLayout<never>[]
}

/** A projection that keeps documents: what it makes of events, and what is asked of it. Both engines keep it. */
export interface DocumentProjection<D, M, R> {
  readonly layout: DocumentLayout<D>
  /** What is remembered of what is stored; made anew when that is undone, or others may have written. */
  readonly memory: () => M
  /** In order. A put that comes last is stored last. What comes again changes nothing. */
  readonly writes: (batch: Batch, documents: Documents<D>, memory: M) => BatchWrites<D>
  readonly reads: (documents: Documents<D>, memory: () => M) => R
}

/** Lets the types of a projection be inferred. */
export const documentProjection = <D, M, R>(projection: DocumentProjection<D, M, R>): DocumentProjection<D, M, R> =>
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
