import type { Schemas } from './generated/schemas.ts'
import type { Http } from './http.ts'
import type { KindName } from './kind.ts'

/** One change of one entity, as a CloudEvent. */
export type CatalogEvent = Schemas['CloudEvent']

/** Where a consumer remembers how far it has come. */
export interface Checkpoint {
  /** What was saved last; `undefined`: nothing yet. */
  load(): Promise<string | undefined>
  save(place: string): Promise<void>
}

export interface FeedOptions {
  /** Only of these kinds. */
  readonly kinds?: readonly KindName[]
  /** Only of these event types, e.g. `Created`. */
  readonly types?: readonly string[]
  /** Only of this entity. */
  readonly entity?: { readonly id: string }
  /** Only of entities with one of these domains, by fully qualified name, just before or just after. */
  readonly domains?: readonly string[]
  /** Where to begin: a place of an earlier event, `'latest'`, or left out for the beginning. A checkpoint that has something wins. */
  readonly after?: string
  /** Saved after what the loop has dealt with: after a crash at most one page comes again, and nothing is left out. */
  readonly checkpoint?: Checkpoint
  /** `false`: ends when the end of the log is reached, in place of waiting for more. Default true. */
  readonly follow?: boolean
  /** Events per request, 1 to 1,000. Default 100. */
  readonly pageSize?: number
  readonly signal?: AbortSignal
  /** Told of each failed request before it is repeated: a `CatalogProblem`, or what `fetch` threw. */
  readonly onRetry?: (failure: unknown) => void
}

/** Seconds that the catalog holds a request for which there is nothing yet. */
const patience = 25

/** A fully qualified name with each of its names in double quotes, so that a comma in one separates nothing. */
const quoted = (fullyQualifiedName: string): string =>
  fullyQualifiedName.replaceAll(/"(?:[^"]|"")*"|[^.]+/g, (name) => (name.startsWith('"') ? name : `"${name}"`))

/**
 * The events in the order of the log, without a gap, waiting for more at its end; leave the loop, or abort the signal,
 * to stop. Once the first page has come, an outage ends nothing, however long it is: its requests are repeated.
 * @throws CatalogProblem BAD_REQUEST when the place is not of this log (a restored backup, for instance)
 */
export async function* follow(http: Http, options: FeedOptions): AsyncGenerator<CatalogEvent, void, undefined> {
  const { checkpoint, signal, onRetry } = options
  const filter = {
    kind: options.kinds?.join(','),
    type: options.types?.join(','),
    entityId: options.entity?.id,
    domain: options.domains?.map(quoted).join(','),
    limit: options.pageSize ?? 100,
  }
  const waits = options.follow === false ? 0 : patience
  let after = (await checkpoint?.load()) ?? options.after
  let retries: number | undefined
  for (;;) {
    const query = { ...filter, after, wait: after === 'latest' ? 0 : waits }
    const request = { query, signal, onRetry, retries }
    const { data, paging } = (await http<Schemas['EventPage']>('GET', '/v1/events', request)).body
    if (waits > 0) retries = Infinity
    if (data.length === 0 && paging.mark === after) {
      if (waits === 0) return
      continue
    }
    let done: string | undefined
    let whole = false
    try {
      for (const event of data) {
        yield event
        done = event.position
      }
      whole = true
    } finally {
      const place = whole ? paging.mark : done
      if (place !== undefined) await checkpoint?.save(place)
    }
    after = paging.mark
  }
}
