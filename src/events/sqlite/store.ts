import { open, rename, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup } from 'node:sqlite'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { codec as defaultCodec, type Codec } from '../codec.ts'
import { StoreUnavailable, type EventStore } from '../eventStore.ts'
import { makeNotifier } from '../logTail.ts'
import { provenCodec, provenExactCodec } from '../provenCodec.ts'
import { asPortError, openSqliteLog, pageBytes, type TableReads } from './eventTable.ts'
import { startWriter, onlyReading, type WriteOptions, type Writer } from './groupCommit.ts'
import {
  asNumber,
  eventsSince,
  follow,
  makeTail,
  readsOf,
  upTo,
  type Followed,
  type ShownLog,
  type EventSize,
} from './reads.ts'

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** @param settled resolves when what is committed is also on the disk: nothing else is backed up */
const copyLog = async (path: string, file: string, settled: () => Promise<void>): Promise<void> => {
  const unfinished = `${file}.unfinished`
  await rm(unfinished, { force: true })
  try {
    const source = openReadOnly(path, 2000)
    try {
      // All pages in one step: a copy in several would begin anew with every commit in between.
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
    throw asPortError(error)
  }
}

export interface SqliteEventStoreOptions extends WriteOptions {
  /** Opens the log of a running service beside it. Subscriptions look for new events a few times a second. */
  readonly readOnly?: boolean
  /** How many of the newest events stay in memory for subscriptions (default 20,000). */
  readonly tailEvents?: number
  /** And at most so many characters of their JSON texts (default 8 Mi). */
  readonly tailSize?: number
  /** Bytes of memory for pages of the file (default 16 MiB). */
  readonly cacheBytes?: number
  /** Bytes that are free on the disk. Default: as the system tells. For tests. */
  readonly freeBytes?: () => Promise<number>
}

export interface SqliteEventStore extends EventStore {
  /** Writes a consistent copy of all that was acknowledged before, which replaces a file when it is complete. */
  backupTo(file: string): Promise<void>
  /** Subscriptions look at once for what somebody else wrote, who need not be waited for then. */
  look(): void
}

/** Below so many free bytes a disk on which a write has just failed counts as full. */
const roomForWrites = 16 * 2 ** 20

const freeBytesBeside = (path: string) => async (): Promise<number> => {
  const { bavail, bsize } = await statfs(dirname(path))
  return bavail * bsize
}

/** @throws StoreUnavailable when the newest write failed and the disk is still full */
const mustTakeWrites = async (
  { failure, refusal }: Pick<Writer, 'failure' | 'refusal'>,
  { path, freeBytes = freeBytesBeside(path) }: SqliteEventStoreOptions,
): Promise<void> => {
  const broken = failure()
  if (broken !== undefined) throw broken
  const failed = refusal()
  if (failed !== undefined && (await freeBytes()) < roomForWrites) throw failed
}

/** How often a read-only subscription looks for events that another process wrote, in milliseconds. */
const pollInterval = 200

const provenReads = (open: (codec: Codec) => ShownLog, followed: Followed): EventStore['proven'] => {
  const [proven, exact] = [open(provenCodec), open(provenExactCodec)]
  return {
    ...readsOf(proven),
    exactAt: async (position) => exact.eventAt(asNumber(position)),
    subscribe: (subscription) => follow({ ...followed, pageAfter: proven.pageAfter }, subscription),
  }
}

/**
 * Opens an event store in one SQLite file, for one process that writes: appends are seen when they are on the disk.
 * @throws StoreUnavailable when the file cannot be opened, DamagedLog when it is damaged
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
  const writer = readOnly ? onlyReading(options.shown) : startWriter({ log, since, committed }, options)
  let closing: Promise<void> | undefined
  let isClosed = false

  const closed = (): StoreUnavailable => new StoreUnavailable('The event store is closed.')
  const shown = (): number => {
    if (isClosed) throw closed()
    return writer.shown()
  }
  const openAs = (as: TableReads) => upTo({ ...log, ...as }, shown)
  const open = openAs(log)
  // Beside a running service the tail knows nothing of what that writes.
  const followed: Followed = {
    recent: (position, limit) => (readOnly || isClosed ? undefined : inMemory(position, limit)),
    pageAfter: open.pageAfter,
    notifier,
    ...(readOnly && { pollInterval }),
  }

  return {
    conditional: true,
    dense: true,
    ...readsOf(open),
    proven: provenReads((other) => openAs(log.readWith(other)), followed),
    append: async (appends) => {
      if (closing) throw closed()
      return writer.append(appends)
    },
    subscribe: (subscription) => follow(followed, subscription),
    ping: async () => {
      open.head()
      await mustTakeWrites(writer, options)
    },
    backupTo: async (file) => {
      open.head()
      await copyLog(path, file, writer.settled)
    },
    look: () => notifier.notify(),
    close: () =>
      (closing ??= writer.drain().then(async () => {
        await log.quieten()
        isClosed = true
        writer.close()
        log.close()
        notifier.notify()
      })),
  }
}
