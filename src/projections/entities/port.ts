import type { Edge, EntityRow, HeadRow, ListRow, ReferenceRow, Status } from './row.ts'

/** A place in a list: lists are ordered by FQN, then by id (code point order). */
export interface ListKey {
  readonly fullyQualifiedName: string
  readonly id: string
}

export interface ChildCondition {
  readonly kind: string
  readonly some: boolean
  /** Whether children count too that were deleted with the entity: it is live, so their restores are pending. */
  readonly inherited?: boolean
}

export interface ListQuery {
  readonly kind: string
  readonly include: 'non-deleted' | 'deleted' | 'all'
  readonly scopes: readonly string[]
  readonly parent?: string | undefined
  readonly edges: readonly Edge[]
  readonly lacking?: readonly Edge[] | undefined
  readonly entityStatus?: string | undefined
  /** Kinds of which the entity must have, or must not have, a live child. */
  readonly children?: readonly ChildCondition[] | undefined
  /** Restricts the list to these ids, at most 10,000. */
  readonly ids?: readonly string[] | undefined
  /** Only entities deleted by themselves (`include` is `deleted` then), or only others. */
  readonly own?: boolean | undefined
  /** 0 … 1,000,000; 0 asks for the total only: no rows, and `hasBefore` and `hasAfter` are false. */
  readonly limit: number
  /** Exclusive; at most one of the two is given. `before` asks for the page that ends there. */
  readonly after?: ListKey | undefined
  readonly before?: ListKey | undefined
  /** Whether members on request are needed. Otherwise `shownOnRequest` of the rows is `{}`. Default false. */
  readonly withRequested?: boolean | undefined
  /** The total, if an earlier page had it: then it is not counted again. */
  readonly total?: number | undefined
  /** Whether to recount the total: rows may be newer than the checkpoint of cached totals. */
  readonly countAnew?: boolean | undefined
}

/** At most `limit` rows, fewer if their texts are too long: see `limits.pageText`. */
export interface ListPage {
  /** In list order, also with `before`. */
  readonly rows: readonly ListRow[]
  /** Number of matches regardless of `limit`, `after` and `before`, from counters or an index, never from a scan. */
  readonly total: number
  /** Whether there are rows before the first and after the last one. */
  readonly hasBefore: boolean
  readonly hasAfter: boolean
}

export interface Related {
  readonly of: string
  readonly row: ReferenceRow
}

export interface ChildHeads {
  readonly parents: readonly string[]
  readonly status: Status
  /** Only those that were deleted with their parent. */
  readonly inherited?: boolean
  /** Only those of an earlier incarnation of their parent. */
  readonly bornBefore?: bigint
}

/**
 * Reads of present entities; `gone` ones only by `get`, `getMany` and `getHeads`. A row is replaced only by one with a
 * higher revision, so that a repeated batch changes nothing.
 */
export interface EntityReads {
  get(id: string): Promise<EntityRow | undefined>
  /** By kind and FQN; of several with the same FQN (contracts) a live one, then the one with the lowest id. */
  getByFqn(kind: string, fqn: string): Promise<EntityRow | undefined>
  getMany(ids: readonly string[]): Promise<Map<string, EntityRow>>
  /** Heads of any number of entities, including `gone` ones, for decisions about references. */
  getHeads(ids: readonly string[]): Promise<Map<string, HeadRow>>
  /** What is needed to show references; cheaper than `getMany`. */
  getReferences(ids: readonly string[]): Promise<Map<string, ReferenceRow>>
}

/** Names with pending events of descendants. No name in a list is below another one in it. */
export interface PendingNames {
  /** Names below which nothing is live. */
  readonly hidden: readonly string[]
  /** Names, equal to or below those, below which everything is gone. */
  readonly gone: readonly string[]
  /** Names below which, apart from hidden parts, only entities deleted by themselves are deleted. */
  readonly restored: readonly string[]
}

/** Lists and relations: keyset reads over an index, so that the last page costs as much as the first. */
export interface EntityLists {
  list(query: ListQuery): Promise<ListPage>
  /** The total of a list with pending changes applied: it stays the same while their events are written. */
  countSettled(query: ListQuery, names: PendingNames): Promise<number>
  /** Entities of these kinds below this FQN that were deleted by themselves. */
  ownDeletions(fqn: string, kinds: readonly string[]): Promise<(ListKey & { readonly kind: string })[]>
  /**
   * Live or deleted entities with an edge `rel` to one of these targets, ordered by FQN, at most `limit` per target.
   */
  relatedTo(targets: readonly string[], rel: string, limit: number): Promise<Related[]>
  /** Direct children of this kind of each id, ordered by FQN, at most `limit` per id. */
  childrenOf(ids: readonly string[], kind: string, limit: number): Promise<Related[]>
  countBelow(kind: string, scope: string): Promise<number>
  /** Heads of direct children of these, in any order. */
  headsBelow(query: ChildHeads, limit: number): Promise<HeadRow[]>
}
