import type { Edge, EntityRow, HeadRow, ListedRow, ReferenceRow } from './row.ts'

/** Place in a list: lists are ordered by FQN, and by id where two FQNs are equal (code point order). */
export interface ListKey {
  readonly fullyQualifiedName: string
  readonly id: string
}

export interface ChildCondition {
  readonly kind: string
  readonly some: boolean
}

export interface ListQuery {
  readonly kind: string
  readonly include: 'non-deleted' | 'deleted' | 'all'
  readonly scopes: readonly string[]
  readonly parent?: string | undefined
  /** Only what has all of these. */
  readonly edges: readonly Edge[]
  /** Only what has none of these. */
  readonly lacking?: readonly Edge[] | undefined
  readonly entityStatus?: string | undefined
  /** Only what has a live child of each of these kinds, or has none. */
  readonly children?: readonly ChildCondition[] | undefined
  /** Only some of these, at most 10,000. */
  readonly ids?: readonly string[] | undefined
  /** Only what is in a deletion of its own; `include` is `deleted` then. */
  readonly own?: boolean | undefined
  /** 0 … 1,000,000; 0 asks for the total alone: no rows, and nothing is said to be before or after. */
  readonly limit: number
  /** Exclusive; at most one of the two is given. With `before` the page that ends there. */
  readonly after?: ListKey | undefined
  readonly before?: ListKey | undefined
  /** Are members wanted that a list gives only on request? Otherwise `shownOnRequest` of its rows is `{}`. Default false. */
  readonly withRequested?: boolean | undefined
  /** Is the total counted anew? Rows may be written before the checkpoint that kept totals are for. */
  readonly countAnew?: boolean | undefined
}

/** At most `limit` rows, and fewer where their texts would be too much: see `limits.pageText`. */
export interface ListPage {
  /** In list order, also with `before`. */
  readonly rows: readonly ListedRow[]
  /** How many match without `limit`, `after` and `before`. From counters or an index, never a scan of documents. */
  readonly total: number
  /** Is there anything before the first row, after the last row? */
  readonly hasBefore: boolean
  readonly hasAfter: boolean
}

export interface Related {
  readonly of: string
  readonly rel: string
  readonly row: ReferenceRow
}

/** A child whose state contradicts its parent's: see `processes/cascade.ts`. */
export interface Unsettled {
  readonly row: EntityRow
  readonly parent: EntityRow
}

/**
 * Entities as they are; `gone` ones only by `get`, `getMany` and `getHeads`. A row is replaced only by one with a higher revision,
 * so that a batch that comes twice changes nothing.
 */
export interface EntityReads {
  get(id: string): Promise<EntityRow | undefined>
  /** By kind and FQN; of several with the same FQN (contracts) a live one first, then the lowest id. */
  getByFqn(kind: string, fqn: string): Promise<EntityRow | undefined>
  getMany(ids: readonly string[]): Promise<Map<string, EntityRow>>
  /** Of any number of entities, also of large ones: what is decided on that others refer to; `gone` ones too. */
  getHeads(ids: readonly string[]): Promise<Map<string, HeadRow>>
  /** Cheaper than `getMany`: what is needed to show a reference. */
  getReferences(ids: readonly string[]): Promise<Map<string, ReferenceRow>>
}

/** Names below which children have not got their events yet. Of each list none stands below another one of it. */
export interface PendingNames {
  /** Names below which nothing is live any more. */
  readonly hidden: readonly string[]
  /** Those of them, or below them, below which nothing is left. */
  readonly gone: readonly string[]
  /** Names below which, beside what is hidden there, only what is in a deletion of its own is deleted. */
  readonly restored: readonly string[]
}

/** Lists and relations: keyset reads over an index, so that the last page costs what the first one costs. */
export interface EntityLists {
  list(query: ListQuery): Promise<ListPage>
  /** The total of a list by definition, the same until all have their events: nothing is counted twice or left out. */
  countSettled(query: ListQuery, names: PendingNames): Promise<number>
  /** What is in a deletion of its own below this FQN, of these kinds. */
  ownDeletions(fqn: string, kinds: readonly string[]): Promise<(ListKey & { readonly kind: string })[]>
  /** Live or deleted entities with an edge `rel` to one of these targets, ordered by FQN. At most `limit` for each. */
  relatedTo(targets: readonly string[], rel: string, limit: number): Promise<Related[]>
  /** Direct children of this kind of each id, ordered by FQN. At most `limit` for each id. */
  childrenOf(ids: readonly string[], kind: string, limit: number): Promise<Related[]>
  /** Number of live entities of this kind below the FQN. */
  countBelow(kind: string, scope: string): Promise<number>
  /**
   * Children that contradict their parent: live below a deleted one; not gone below a gone one, or below one in a later
   * life than theirs; below a live one and deleted with it. Only among `ids`, as child or as parent. At most `limit`, and
   * fewer, but one, where their texts would be too much: see `limits.pageText`.
   */
  unsettled(limit: number, ids: readonly string[]): Promise<Unsettled[]>
}
