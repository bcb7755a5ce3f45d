import type { Schemas } from './generated/schemas.ts'
import { paths } from './generated/kinds.ts'
import type { Http, RequestOptions } from './http.ts'
import { Listing } from './listing.ts'

/** e.g. `table`. */
export type KindName = keyof typeof paths

type Schema<Name extends string> = Name extends keyof Schemas ? Schemas[Name] : never

/** An entity of a kind as the catalog answers it. */
export type Entity<K extends KindName> = Schema<Capitalize<K>>
/** What a new entity is made of. */
export type Create<K extends KindName> = Schema<`Create${Capitalize<K>}`>
/** A JSON Merge Patch: what is named is replaced, `null` clears. */
export type MergePatch<K extends KindName> = Schema<`${Capitalize<K>}Patch`>
/** What a list can be narrowed by, with `fields`, `include` and the size of its pages. */
export type Filter<K extends KindName> = Schema<`${Capitalize<K>}Filter`>
export type ListOptions<K extends KindName> = Omit<Filter<K>, 'asOf'> & {
  /** The list as it was then. */
  readonly asOf?: Instant | undefined
  readonly signal?: AbortSignal
}
export type JsonPatch = Schemas['JsonPatch']

/** An entity by its fully qualified name, or by its id: an entity itself will do. */
export type Key = string | { readonly id: string }

/** A moment: a date, a version (`'v1.2'` or `1.2`), a position in the log (`'@1200'`), or an instant as text. */
export type Moment = Date | number | string

/** A moment of more than one entity: a date, a position in the log (`'@1200'`), or an instant as text. */
export type Instant = Date | string

/** An ETag, or an entity that this client read: the change is made only when it still is as it was then. */
export type Unchanged = string | { readonly id: string }

export interface ReadOptions {
  /** Optional members, comma-separated, or `*`. */
  readonly fields?: string
  readonly include?: Schemas['Include']
  /** The entity as it was then. */
  readonly asOf?: Moment
  readonly signal?: AbortSignal
}

export interface WriteOptions {
  readonly ifMatch?: Unchanged
  readonly signal?: AbortSignal
}

/** An entity of a bulk request, which may have a condition: only what still is as it was, or is not there, is written. */
export type BulkItem<K extends KindName> = Create<K> & {
  readonly ifMatch?: Unchanged
  readonly ifNoneMatch?: '*'
}

export interface DeleteOptions extends WriteOptions {
  /** With everything below it. */
  readonly recursive?: boolean
  /** For good: its name begins anew. */
  readonly hardDelete?: boolean
}

const momentText = (moment: Moment): string =>
  moment instanceof Date ? moment.toISOString() : typeof moment === 'number' ? `v${moment.toFixed(1)}` : moment

const versionText = (version: number | string): string => (typeof version === 'number' ? version.toFixed(1) : version)

/** A part of a path. What URLs swallow becomes a stray quote, by which nothing is found. */
const segment = (text: string): string => encodeURIComponent(/^\.{0,2}$/.test(text) ? `"${text}` : text)

/** ETags of what was read, for as long as somebody holds it. */
const tags = new WeakMap<object, string>()

const tagOf = (unchanged: Unchanged | undefined): string | undefined => {
  if (unchanged === undefined || typeof unchanged === 'string') return unchanged
  const tag = tags.get(unchanged)
  if (tag === undefined)
    throw new TypeError('ifMatch takes an entity as get, create, upsert or patch answered it, or an ETag as text.')
  return tag
}

const mergePatch = 'application/merge-patch+json'
const jsonPatch = 'application/json-patch+json'

/** The entities of one kind. */
export class Kind<K extends KindName> {
  readonly name: K
  readonly #http: Http
  readonly #path: string

  constructor(http: Http, name: K) {
    this.name = name
    this.#http = http
    this.#path = `/v1/${paths[name]}`
  }

  #at(key: Key): string {
    return typeof key === 'string' ? `${this.#path}/name/${segment(key)}` : `${this.#path}/${segment(key.id)}`
  }

  async #entity(method: string, path: string, options: RequestOptions): Promise<Entity<K>> {
    const { body, headers } = await this.#http<Entity<K>>(method, path, options)
    const tag = headers.get('etag')
    if (tag !== null && typeof body === 'object') tags.set(body, tag)
    return body
  }

  #list<T>(
    path: string,
    { signal, ...query }: { readonly signal?: AbortSignal; readonly asOf?: string | undefined } = {},
  ): Listing<T> {
    return new Listing(async (after) => {
      const request = { query: { limit: 100, ...query, after }, signal }
      const { data, paging } = (await this.#http<{ data: T[]; paging: Schemas['Paging'] }>('GET', path, request)).body
      return { items: data, total: paging.total, after: paging.after }
    })
  }

  /** Makes a new entity. @throws CatalogProblem ENTITY_ALREADY_EXISTS */
  create(entity: Create<K>, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Entity<K>> {
    return this.#entity('POST', this.#path, { body: entity, signal })
  }

  /** Makes an entity, or brings it to these values. */
  upsert(entity: Create<K>, { ifMatch, signal }: WriteOptions = {}): Promise<Entity<K>> {
    return this.#entity('PUT', this.#path, { body: entity, signal, headers: { 'if-match': tagOf(ifMatch) } })
  }

  /** Upserts many; each succeeds or fails alone, and the result tells of each: 412 where a condition does not hold. */
  async bulk(
    entities: readonly BulkItem<K>[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Schemas['BulkResult']> {
    const body = entities.map(({ ifMatch, ...entity }) => ({ ...entity, ifMatch: tagOf(ifMatch) }))
    const once = entities.some(({ ifMatch, ifNoneMatch }) => (ifMatch ?? ifNoneMatch) !== undefined)
    return (await this.#http<Schemas['BulkResult']>('PUT', `${this.#path}/bulk`, { body, once, signal })).body
  }

  /** One entity. @throws CatalogProblem NOT_FOUND */
  get(key: Key, { asOf, signal, ...query }: ReadOptions = {}): Promise<Entity<K>> {
    const at = asOf === undefined ? undefined : momentText(asOf)
    return this.#entity('GET', this.#at(key), { query: { ...query, asOf: at }, signal })
  }

  /** All that fit the filter, or did at a moment, page by page as they are walked. */
  list(filter: ListOptions<K> = {} as ListOptions<K>): Listing<Entity<K>> {
    const asOf = filter.asOf === undefined ? undefined : momentText(filter.asOf)
    return this.#list(this.#path, { ...filter, asOf })
  }

  /** Changes an entity: by a merge patch, or by a list of JSON Patch operations. */
  patch(key: Key, change: MergePatch<K> | JsonPatch, { ifMatch, signal }: WriteOptions = {}): Promise<Entity<K>> {
    const headers = { 'content-type': Array.isArray(change) ? jsonPatch : mergePatch, 'if-match': tagOf(ifMatch) }
    return this.#entity('PATCH', this.#at(key), { body: change, headers, signal })
  }

  /** Deletes an entity, so that it can be restored, or for good. */
  async delete(key: Key, { ifMatch, signal, ...query }: DeleteOptions = {}): Promise<void> {
    await this.#http('DELETE', this.#at(key), { query, headers: { 'if-match': tagOf(ifMatch) }, signal })
  }

  /** Brings a deleted entity back, with all that went with it. */
  restore({ id }: { readonly id: string }, { ifMatch, signal }: WriteOptions = {}): Promise<Entity<K>> {
    const headers = { 'if-match': tagOf(ifMatch) }
    return this.#entity('PUT', `${this.#path}/restore`, { body: { id }, headers, signal })
  }

  /** Its versions, newest first. */
  versions(key: Key): Listing<Entity<K>> {
    const path = `${this.#at(key)}/versions`
    return new Listing(async (after) => {
      const request = { query: { limit: 100, after } }
      const { body } = await this.#http<{ versions: Entity<K>[]; paging: Schemas['Paging'] }>('GET', path, request)
      return { items: body.versions, total: body.paging.total, after: body.paging.after }
    })
  }

  version(key: Key, version: number | string): Promise<Entity<K>> {
    return this.#entity('GET', `${this.#at(key)}/versions/${segment(versionText(version))}`, {})
  }

  /** Everything that happened to it, oldest first: when, by whom, and by which request. */
  history(key: Key): Listing<Schemas['HistoryEvent']> {
    return this.#list(`${this.#at(key)}/history`)
  }

  /** What somebody has changed between how it was and how it was later, or is now, as a JSON Patch. */
  async diff(key: Key, from: Moment, to?: Moment): Promise<JsonPatch> {
    const query = { from: momentText(from), to: to === undefined ? undefined : momentText(to) }
    return (await this.#http<JsonPatch>('GET', `${this.#at(key)}/diff`, { query })).body
  }

  /** Makes it what it was at a version; that is a new version. */
  revert(key: Key, version: number | string, { ifMatch, signal }: WriteOptions = {}): Promise<Entity<K>> {
    const headers = { 'if-match': tagOf(ifMatch) }
    return this.#entity('POST', `${this.#at(key)}/revert`, { body: { version }, headers, signal })
  }

  /** Votes for or against it, as the user of the token. Kinds of data assets take votes. */
  async vote({ id }: { readonly id: string }, vote: Schemas['VoteRequest']['updatedVoteType']): Promise<void> {
    await this.#http('PUT', `${this.#path}/${segment(id)}/vote`, { body: { updatedVoteType: vote } })
  }
}
