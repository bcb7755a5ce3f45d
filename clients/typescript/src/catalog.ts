import { follow, type CatalogEvent, type FeedOptions } from './feed.ts'
import type { Schemas } from './generated/schemas.ts'
import { makeHttp, type Answer, type Http, type HttpOptions, type RequestOptions } from './http.ts'
import { Kind, type KindName } from './kind.ts'

/** A catalog, as the user of a token. */
export class Catalog {
  readonly #http: Http

  constructor(options: HttpOptions) {
    this.#http = makeHttp(options)
  }

  /** The entities of one kind: `catalog.kind('table').get('shop.sales.public.orders')`. */
  kind<K extends KindName>(name: K): Kind<K> {
    return new Kind(this.#http, name)
  }

  /** The changes as they happen: `for await (const event of catalog.events())`. */
  events(options: FeedOptions = {}): AsyncGenerator<CatalogEvent, void, undefined> {
    return follow(this.#http, options)
  }

  /** Entities of all kinds by words, or by the query language. */
  async search(q: string, filter: Omit<Schemas['SearchFilter'], 'q'> = {}): Promise<Schemas['SearchResult']> {
    return (await this.request<Schemas['SearchResult']>('GET', '/v1/search/query', { query: { ...filter, q } })).body
  }

  /** Names that begin like this. */
  async suggest(q: string, filter: Omit<Schemas['SuggestFilter'], 'q'> = {}): Promise<Schemas['Suggestions']> {
    return (await this.request<Schemas['Suggestions']>('GET', '/v1/search/suggest', { query: { ...filter, q } })).body
  }

  /** Any other call of the API, with the same token, retries and problems. @param path e.g. `/v1/me` */
  request<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
    return this.#http<T>(method, path, options)
  }
}
