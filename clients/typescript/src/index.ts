export { Catalog } from './catalog.ts'
export type { CatalogEvent, Checkpoint, FeedOptions } from './feed.ts'
export type { Schemas } from './generated/schemas.ts'
export type { Answer, HttpOptions, RequestOptions, Token } from './http.ts'
export {
  Kind,
  type BulkItem,
  type Create,
  type DeleteOptions,
  type Entity,
  type Filter,
  type JsonPatch,
  type Key,
  type KindName,
  type ListOptions,
  type MergePatch,
  type Moment,
  type ReadOptions,
  type WriteOptions,
} from './kind.ts'
export { Listing, type Page } from './listing.ts'
export { CatalogProblem } from './problem.ts'
