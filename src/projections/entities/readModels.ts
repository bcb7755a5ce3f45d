import type { ProjectionStore } from '../projection.ts'

/** Where an entity stands in its life. `gone`: hard-deleted; the row is a tombstone that only guards its revision. */
export type Status = 'live' | 'deleted' | 'gone'

/** A relation that lists filter by and that answers are computed from: `owners`, `tags`, `assets` … → id of the target. */
export interface Edge {
  readonly rel: string
  readonly target: string
}

/** Words of an entity by where they stand, for the search index. Plain text, not yet normalised. */
export interface SearchText {
  /** Name, display name and the parts of the FQN. */
  readonly name: string
  /** Column and field names, synonyms. */
  readonly fields: string
  /** FQNs and names of tags and owners. */
  readonly labels: string
  readonly description: string
}

/**
 * The read model of one entity. `projections/entities/entityRow.ts` makes it from the folded entity and reads it back;
 * adapters store it and never look inside the texts.
 */
export interface EntityRow {
  /** UUID; primary key over all kinds. */
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  readonly status: Status
  /** Revision of the stream that the row shows: a row is only replaced by one with a higher revision. */
  readonly revision: bigint
  /** Log position of that event. */
  readonly position: bigint
  /** Epoch milliseconds of the newest version: a search can be sorted by it. */
  readonly updatedAt: number
  /** Id of the entity whose life this one shares (it is deleted and restored with it). */
  readonly parent: string | undefined
  /** `ancestorFqns` of the FQN: everything above by name, nearest last. A list can be narrowed to any of them. */
  readonly scopes: readonly string[]
  readonly entityStatus: string
  /** Id of the deletion that took it, while `status` is not `live`. */
  readonly deletion: string | undefined
  /** Id of the deletion that was last taken back. */
  readonly restored: string | undefined
  readonly edges: readonly Edge[]
  /** Hash of the last event: the chain goes on from here. */
  readonly hash: string
  /** JSON text of the reference object that others show for this entity, without `deleted`. */
  readonly reference: string
  /** JSON text of the tag label that others show, for kinds that label. */
  readonly label: string | undefined
  /** JSON text of the members that everything below shows too (a service's `serviceType`). */
  readonly lends: string | undefined
  /** JSON text of the members that every answer has. */
  readonly basic: string
  /** JSON text of the members that a list gives only on request. */
  readonly more: string
  /** JSON text of the reference members: name → list of {@link Reference}s. */
  readonly references: string
  readonly search: SearchText
}

/** The part of a row that resolves a reference to it. */
export type ReferenceRow = Pick<EntityRow, 'id' | 'kind' | 'status' | 'reference' | 'label' | 'lends'>

/** The part of a row that a list shows. */
export type ListedRow = Pick<EntityRow, 'id' | 'kind' | 'fullyQualifiedName' | 'basic' | 'more' | 'references'>

/** Place in a list: lists are ordered by FQN, and by id where two FQNs are equal (code point order). */
export interface ListKey {
  readonly fullyQualifiedName: string
  readonly id: string
}

export interface ListQuery {
  readonly kind: string
  readonly include: 'non-deleted' | 'deleted' | 'all'
  /** Only what lies below all of these FQNs. */
  readonly scopes: readonly string[]
  /** Only direct children of this id. */
  readonly parent?: string | undefined
  /** Only what has all of these. */
  readonly edges: readonly Edge[]
  readonly entityStatus?: string | undefined
  /** 0 … 1,000,000; 0 asks for the total alone: no rows, and nothing is said to be before or after. */
  readonly limit: number
  /** Exclusive; at most one of the two is given. With `before` the page that ends there. */
  readonly after?: ListKey | undefined
  readonly before?: ListKey | undefined
  /** Are members wanted that a list gives only on request? Otherwise `more` of its rows is `{}`. Default false. */
  readonly more?: boolean | undefined
}

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
  /** The id that was asked for. */
  readonly of: string
  readonly rel: string
  /** The entity at the other end. Never `gone`. */
  readonly row: ReferenceRow
}

/** A child whose state contradicts its parent's: see `commands/cascade.ts`. */
export interface Unsettled {
  readonly row: EntityRow
  readonly parent: EntityRow
}

export interface SearchQuery {
  /** From `parseSearchQuery`; `undefined` matches all. */
  readonly expression: import('../search/language/query.ts').SearchExpression | undefined
  readonly kinds: readonly string[]
  readonly deleted: boolean
  readonly from: number
  readonly size: number
  /** Ties are ordered by FQN, then by id. `name`: as `sortName` in `searchText.ts` gives it. */
  readonly sort: 'relevance' | 'fullyQualifiedName' | 'name' | 'updatedAt'
  /** Reverses the whole order. Relevance is always best first. */
  readonly descending: boolean
}

export interface SearchHits {
  readonly total: number
  /** True when counting stopped at a bound: there are at least `total`. */
  readonly atLeast: boolean
  readonly hits: readonly { readonly row: EntityRow; readonly score: number }[]
}

/**
 * The documents that reads are answered from. They exist only because an event said so and can be thrown away at any time.
 *
 * Every adapter promises, and `test/projections/readModelsContract.ts` proves:
 * - a row is replaced only by one with a higher revision, so that a batch that comes twice, or that two processes
 *   apply at once, changes nothing; the checkpoint is saved with or after the rows, never before;
 * - lists are keyset reads over an index: the last page costs what the first one costs;
 * - `gone` rows are seen by `get` and `getMany` alone.
 */
export interface ReadModels extends ProjectionStore {
  get(id: string): Promise<EntityRow | undefined>
  /** By kind and FQN; of several with the same FQN (contracts) a live one first, then the lowest id. */
  getByFqn(kind: string, fqn: string): Promise<EntityRow | undefined>
  /** The rows that exist, by id. Any number of ids. */
  getMany(ids: readonly string[]): Promise<Map<string, EntityRow>>
  /** Cheaper than `getMany`: what is needed to show a reference. */
  getReferences(ids: readonly string[]): Promise<Map<string, ReferenceRow>>
  list(query: ListQuery): Promise<ListPage>
  /** Live or deleted entities with an edge `rel` to one of the ids, ordered by FQN. At most `limit` for each id. */
  relatedTo(ids: readonly string[], rel: string, limit: number): Promise<Related[]>
  /** Direct children of this kind of each id, ordered by FQN. At most `limit` for each id. */
  childrenOf(ids: readonly string[], kind: string, limit: number): Promise<Related[]>
  /** Number of live entities of this kind below the FQN. */
  countBelow(kind: string, scope: string): Promise<number>
  /**
   * Children that a recursive operation has not reached: below a deleted parent and live; below a gone parent and not gone;
   * below a live parent and still in the deletion that the parent was restored from. Only among `ids` (as child or as
   * parent) when given. At most `limit`.
   */
  unsettled(limit: number, ids?: readonly string[]): Promise<Unsettled[]>
  /** What matches, ordered as `searchRank.ts` says. Finds everything that was applied before the call. */
  search(query: SearchQuery): Promise<SearchHits>
  /**
   * Live entities of these kinds whose names begin so, for type-ahead; case, diacritics, spaces and punctuation do not
   * matter. Ordered by name, then by FQN. A prefix of nothing finds nothing.
   */
  suggest(prefix: string, kinds: readonly string[], limit: number): Promise<ReferenceRow[]>
  /** All rows that are not gone, in id order, for digests and exports. */
  scan(): AsyncIterable<EntityRow>
  /** Fresh, empty read models beside these; `swap` puts them in place of these at once, `discard` drops them. */
  startRebuild(): Promise<{ fresh: ReadModels; swap(): Promise<void>; discard(): Promise<void> }>
  ping(): Promise<void>
  close(): Promise<void>
}
