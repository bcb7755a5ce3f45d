import type { Logger } from 'pino'
import { codec as defaultCodec, type Codec } from '../codec.ts'
import { StoreUnavailable, type EventReads, type EventStore } from '../eventStore.ts'
import { provenCodec, provenExactCodec } from '../provenCodec.ts'
import { makeAppender } from './append.ts'
import { makeBatch } from './batchAppend.ts'
import { connectEventStore } from './connection.ts'
import { followLog, readAll, type SubscriptionOptions } from './subscription.ts'
import { batchReads } from '../../shared/batchReads.ts'
import { makeStreamNames } from './prefixedNames.ts'
import { makeReader, type Reader } from './read.ts'

export interface EventStoreDbOptions {
  /** Connection string: `esdb://`, `esdb+discover://`, or the same with `kurrentdb`. */
  readonly url: string
  /** Prefix of every stream name, so that several catalogs can share a server (default: none). */
  readonly prefix?: string
  /** Kinds of this catalog's streams; default: every stream with a matching name. */
  readonly kinds?: readonly string[]
  /** Largest append in bytes of event data that the server accepts (default 1,048,576). */
  readonly maxAppendBytes?: number
  /** Timeout of an append in milliseconds (default 5,000). */
  readonly appendTimeout?: number
  /** Longest silence of a read in milliseconds (default 5,000). */
  readonly readTimeout?: number
  /** Milliseconds of silence after which a subscription is checked (default 3,000). */
  readonly quietCheck?: number
  readonly codec?: Codec
  readonly logger: Pick<Logger, 'debug'>
}

/** Tracks the newest event of this catalog: it is at `newest`, and there is no later one up to `upTo`. */
const makeHeadTracker = (searchBack: Reader['searchBack']) => {
  let newest: bigint | undefined
  let upTo: bigint | undefined
  const found = (position: bigint): void => {
    if (upTo !== undefined && position <= upTo) return
    newest = position
    upTo = position
  }
  /** From `from` (default: the beginning) to `to`, which is included, there is no other than this event, if any. */
  const passed = (from: bigint | undefined, to: bigint, event?: bigint): void => {
    if (event !== undefined) return found(event)
    const joins = from === undefined || (upTo !== undefined && from <= upTo)
    if (joins && (upTo === undefined || to > upTo)) upTo = to
  }
  return {
    found,
    passed,
    /**
     * Position of the newest event of this catalog, or a later one that every subscription reports, since events of
     * others may follow.
     */
    read: async (): Promise<bigint | undefined> => {
      const floor = upTo
      const last = await searchBack(floor)
      if (last.newest !== undefined) found(last.newest)
      if (last.end !== undefined) passed(last.newest ?? floor, last.end)
      return newest
    },
  }
}

const readsOf = (options: SubscriptionOptions): EventReads => {
  const reader = makeReader(options)
  return {
    readStream: reader.readStream,
    readAll: (readOptions) => readAll({ ...options, reader }, readOptions),
    eventAt: reader.eventAt,
    subscribe: (subscription) => followLog({ ...options, reader }, subscription),
  }
}

/**
 * Opens an event store in EventStoreDB. Streams are named `<prefix><kind>-<id>`; positions are commit positions, as
 * appends return them. It connects with the first call, and again after a broken connection. @throws Error for an
 * invalid URL, prefix or kind
 */
export const openEventStoreDb = (options: EventStoreDbOptions): EventStore => {
  const { url, prefix = '', logger, codec = defaultCodec, readTimeout = 5000, quietCheck = 3000 } = options
  const names = makeStreamNames(prefix, options.kinds)
  const connection = connectEventStore(url, logger)
  const readerOptions = { connection, codec, names, readTimeout }
  const reader = makeReader(readerOptions)
  const { found, passed, read } = makeHeadTracker(reader.searchBack)
  const append = makeAppender({
    batch: makeBatch(connection),
    codec,
    names,
    maxAppendBytes: options.maxAppendBytes ?? 2 ** 20,
    appendTimeout: options.appendTimeout ?? 5000,
    readStream: reader.readStream,
    onWritten: found,
  })
  // Whoever asks during a read shares the next one, which starts after they asked.
  const heads = batchReads(async () => new Map([['head', await read()]]), readTimeout)
  const head = async (): Promise<bigint | undefined> => (await heads(['head'])).get('head')
  const feedOptions = { ...readerOptions, reader, head, quietCheck, passed }
  const pendingAppends = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined
  const reads = readsOf(feedOptions)

  return {
    conditional: false,
    dense: false,
    revisionOf: reader.revisionOf,
    ...reads,
    first: async () => (await Array.fromAsync(reads.readAll({ limit: 1 })))[0],
    proven: {
      ...readsOf({ ...feedOptions, codec: provenCodec }),
      exactAt: makeReader({ ...readerOptions, codec: provenExactCodec }).eventAt,
    },
    append: async (appends) => {
      if (closing) throw new StoreUnavailable('The event store is closed.')
      const appended = append(appends)
      pendingAppends.add(appended)
      return appended.finally(() => pendingAppends.delete(appended))
    },
    head,
    ping: reader.ping,
    close: () => (closing ??= Promise.allSettled(pendingAppends).then(connection.close)),
  }
}
