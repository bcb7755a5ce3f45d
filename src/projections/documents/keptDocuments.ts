import type { Batch, Projection } from '../projection.ts'

/**
 * How a member of documents is kept. `list`: texts, each of which can be found where an index begins with it. Of `bytes`
 * nothing is looked for.
 */
export type MemberSort = 'text' | 'number' | 'position' | 'bytes' | 'list'

export type Value = string | number | bigint | Buffer | undefined

/** What a member must be; of a list one must be so. */
export interface ValueRange {
  readonly $in?: readonly Value[]
  readonly $nin?: readonly Value[]
  readonly $gt?: Value
  readonly $gte?: Value
  readonly $lt?: Value
  readonly $lte?: Value
}

export type DocumentMatch<D> = { readonly [M in keyof D]?: Value | ValueRange } & {
  readonly $or?: readonly DocumentMatch<D>[]
}

export type MemberOf<D> = keyof D & string

export interface Query<D> {
  readonly where: DocumentMatch<D>
  /** By these members, the first one first. */
  readonly sort?: { readonly [M in MemberOf<D>]?: 1 | -1 }
  readonly limit?: number
  readonly skip?: number
  /** The member with which the index begins that is followed, or the key. Default: as the engine chooses. */
  readonly along?: MemberOf<D> | undefined
}

/** The documents of one projection, in whichever engine. */
export interface Documents<D> {
  find(query: Query<D>): Promise<D[]>
  /** The same of the key alone, where that is a position. */
  keys(query: Query<D>): Promise<bigint[]>
}

export type DocumentWrite<D> =
  /** Stores a document that never changes, where there is none of its key. */
  | { readonly add: D }
  /** Stores a document where there is none of its key, or one like this. */
  | { readonly put: D; readonly over: DocumentMatch<D> }

export interface DocumentLayout<D> extends Pick<Projection, 'name' | 'version' | 'handles'> {
  readonly members: { readonly [M in MemberOf<D>]-?: MemberSort }
  /** What tells documents apart. Where lists are indexed it is a position alone. */
  readonly key: readonly [MemberOf<D>, ...MemberOf<D>[]]
  /** Members by which documents are found beside their key, each with those that order what has the same. */
  readonly indexes: { readonly [M in MemberOf<D>]?: readonly MemberOf<D>[] }
}

/** A projection that keeps documents: what it makes of events, and what is asked of it. Both engines keep it. */
export interface KeptDocuments<D, M, R> {
  readonly layout: DocumentLayout<D>
  /** What is remembered from batch to batch; made anew when what was written is undone, or others may have written. */
  readonly memory: () => M
  /** In order. A put that comes last is stored last. What comes again changes nothing. */
  readonly writes: (batch: Batch, documents: Documents<D>, memory: M) => Promise<readonly DocumentWrite<D>[]>
  readonly reads: (documents: Documents<D>) => R
}

/** Lets the types of a projection be inferred. */
export const keptDocuments = <D, M, R>(kept: KeptDocuments<D, M, R>): KeptDocuments<D, M, R> => kept

export type Condition = Value | ValueRange

export const isRange = (condition: Condition): condition is ValueRange =>
  typeof condition === 'object' && !Buffer.isBuffer(condition)

const isEmpty = (condition: Condition): boolean =>
  condition === undefined || (isRange(condition) && Object.keys(condition).length === 0)

/** The conditions on members. An absent condition and an empty range match everything. */
export const conditionsIn = <D>(match: DocumentMatch<D>): [member: string, condition: Condition][] =>
  Object.entries<Condition>(match as Record<string, Condition>).filter(
    ([member, condition]) => member !== '$or' && !isEmpty(condition),
  )
