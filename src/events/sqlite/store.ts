import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { codec as defaultCodec, type Codec } from '../codec.ts'
import { StoreUnavailable, type EventStore } from '../eventStore.ts'
import { makeNotifier } from '../logTail.ts'
import { provenCodec, provenExactCodec } from '../provenCodec.ts'
import { asLogError, openSqliteLog, pageBytes, type TableReads } from './eventTable.ts'
import { startWriter, readOnlyWriter, type WriteOptions } from './groupCommit.ts'
import {
  asNumber,
  eventsSince,
  followTable,
  makeTail,
  readsOf,
  type SubscriptionSources,
  type EventSize,
} from './reads.ts'

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** @param settled resolves when the commits in the copy are durable */
const copyLog = async (path: string, file: string, settled: () => Promise<void>): Promise<void> => {
  const unfinished = `${file}.unfinished`
  await rm(unfinished, { force: true })
  try {
    const source = openReadOnly(path, 2000)
    try {
      // All pages in one step: a copy in several steps starts over at each commit.
      await backup(source, unfinished, { rate: 2 ** 31 - 1 })
    } finally {
      source.close()
    }
    await syncPath(unfinished)
    await settled()
    await rename(unfinished, file)
    await syncPath(dirname(file))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw asLogError(error)
  }
}

export interface SqliteEventStoreOptions extends WriteOptions {
  /** Opens the log of a running service; subscriptions poll a few times a second. */
  readonly readOnly?: boolean
  /** Number of newest events cached for subscriptions (default 20,000). */
  readonly tailEvents?: number
  /** Largest number of characters of their JSON texts (default 8 Mi). */
  readonly tailSize?: number
  /** Size of the page cache in bytes (default 16 MiB). */
  readonly cacheBytes?: number
}

export interface SqliteEventStore extends EventStore {
  /** Writes a consistent copy of all acknowledged events; it replaces the file once it is complete. */
  backupTo(file: string): Promise<void>
  /** Makes subscriptions check for events of another writer at once. */
  pollNow(): void
}

/** Milliseconds between two checks of a read-only subscription. */
const pollInterval = 200

const provenReads = (open: (codec: Codec) => TableReads, followed: SubscriptionSources): EventStore['proven'] => {
  const [proven, exact] = [open(provenCodec), open(provenExactCodec)]
  return {
    ...readsOf(proven),
    exactAt: async (position) => exact.eventAt(asNumber(position)),
    subscribe: (subscription) => followTable({ ...followed, pageAfter: proven.pageAfter }, subscription),
  }
}

/**
 * Opens an event store in one SQLite file, for one writing process. Events are shown once they are durable.
 * @throws StoreUnavailable if the file cannot be opened, DamagedLog if it is damaged
 */
export const openSqliteEventStore = (options: SqliteEventStoreOptions): SqliteEventStore => {
  const { path, readOnly = false, codec = defaultCodec } = options
  const log = openSqliteLog(path, readOnly, codec, options.cacheBytes)
  const tail = makeTail(log.head(), options.tailEvents ?? 20_000, options.tailSize ?? 8 * 2 ** 20)
  const notifier = makeNotifier()
  const committed = (events: readonly EventSize[]): void => {
    tail.push(events)
    notifier.notify()
  }
  const inMemory = (position: number, limit: number) => tail.after(position, limit, pageBytes)
  const since = (position: bigint | undefined) => eventsSince(inMemory, log.pageAfter, position)
  const writer = readOnly ? readOnlyWriter(options.durable) : startWriter({ log, since, committed }, options)
  let closing: Promise<void> | undefined
  let isClosed = false

  const closed = (): StoreUnavailable => new StoreUnavailable('The event store is closed.')
  const durable = (): number => {
    if (isClosed) throw closed()
    return writer.durable()
  }
  const openAs = (other: Codec) => log.readWith(other, durable)
  const open = openAs(codec)
  // Another process writes a read-only log, so the cache does not have its events.
  const followed: SubscriptionSources = {
    recent: (position, limit) => (readOnly || isClosed ? undefined : inMemory(position, limit)),
    pageAfter: open.pageAfter,
    notifier,
    ...(readOnly && { pollInterval }),
  }

  return {
    conditional: true,
    dense: true,
    ...readsOf(open),
    proven: provenReads(openAs, followed),
    append: async (appends) => {
      if (closing) throw closed()
      return writer.append(appends)
    },
    subscribe: (subscription) => followTable(followed, subscription),
    ping: async () => {
      open.head()
      await writer.mustBeWritable()
    },
    backupTo: async (file) => {
      open.head()
      await copyLog(path, file, writer.settled)
    },
    pollNow: () => notifier.notify(),
    close: () =>
      (closing ??= writer.drain().then(async () => {
        await log.stopCheckpoints()
        isClosed = true
        writer.close()
        log.close()
        notifier.notify()
      })),
  }
}
