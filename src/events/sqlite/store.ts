import { backup } from 'node:sqlite'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeNotifier, type Notifier } from '../notifier.ts'
import { codec as defaultCodec, type Codec } from '../codec.ts'
import {
  StoreUnavailable,
  type EventBatch,
  type EventStore,
  type ReadStreamOptions,
  type SubscribeOptions,
} from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'
import type { Committed } from './appends.ts'
import { makeGroupCommit, type GroupCommit, type GroupCommitOptions } from './groupCommit.ts'
import { openReadOnly } from '../../stores/sqlite/openReadOnly.ts'
import { asPortError, openSqliteLog, pageBytes, type SqliteLog } from './eventTable.ts'
import { upTo } from './shown.ts'
import { makeTail } from './tail.ts'
import { openWalSync, type WalSync } from './walSync.ts'

export interface SqliteEventStoreOptions {
  /** The file, e.g. `data/log.db`. Created when it does not exist, unless `readOnly`; its folder must exist. */
  readonly path: string
  /** Opens the log of a running service beside it. Subscriptions look for new events a few times a second. */
  readonly readOnly?: boolean
  /** Default: the codec of the present schema version. */
  readonly codec?: Codec
  /** Largest append to one stream, in characters of its JSON texts (default 64 Mi). */
  readonly maxAppendSize?: number
  /** How many of the newest events stay in memory for subscriptions (default 20,000). */
  readonly tailEvents?: number
  /** And at most so many characters of their JSON texts (default 8 Mi). */
  readonly tailSize?: number
  /** Bytes of memory for pages of the file (default 16 MiB). */
  readonly cacheBytes?: number
  /** Called after each commit with how many events it wrote. */
  readonly onCommit?: (events: number) => void
  /**
   * How far the log is on the disk, for other threads, which must not see more: the store that writes tells it here,
   * and those that read in other threads heed it. See {@link newShown}.
   */
  readonly shown?: Shown
  /** Brings what was committed onto the disk. Default: the system's call. For tests. */
  readonly sync?: () => Promise<void>
}

/** A position of the log that threads share. */
export type Shown = BigInt64Array<SharedArrayBuffer>

export const newShown = (): Shown => new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

/** An {@link EventStore} in one SQLite file. */
export interface SqliteEventStore extends EventStore {
  /**
   * Writes a consistent copy of the log, with everything that was acknowledged before the call, while appends go on.
   * The copy appears under its name when it is complete; a file that is there is replaced.
   */
  backupTo(file: string): Promise<void>
  /** Subscriptions look at once for what somebody else wrote, who need not be waited for then. */
  look(): void
}

/** Events of one page of a read that has no smaller limit. */
const pageEvents = 500

/** How often a read-only subscription looks for events that another process wrote, in milliseconds. */
const pollInterval = 200

/** A position or revision as SQLite takes it; what lies beyond every possible one stays beyond. */
const asNumber = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)

/** Other work gets its turn between two pages. */
async function* pages<E extends RecordedEvent>(
  next: (last: E | undefined, limit: number) => E[],
  limit: number,
): AsyncGenerator<E[], void, undefined> {
  let last: E | undefined
  for (let left = limit; left > 0;) {
    const page = next(last, Math.min(left, pageEvents))
    if (page.length === 0) return
    yield page
    last = page.at(-1)
    left -= page.length
    if (left > 0) await nextTurn()
  }
}

async function* paged(
  next: (last: RecordedEvent | undefined, limit: number) => RecordedEvent[],
  limit: number,
): AsyncGenerator<RecordedEvent, void, undefined> {
  for await (const page of pages(next, limit)) for (const event of page) yield event
}

/**
 * Whoever may read much of a stream often leaves after a few events: the first page is small, and each further one
 * larger. Whoever asks for few wants them.
 */
const firstPageEvents = 16
const pageGrowth = 8
const fewEvents = 128

/** Other work gets its turn between two pages. */
async function* readStreamPages(
  page: SqliteLog['streamPage'],
  stream: string,
  { backwards = false, ...options }: ReadStreamOptions,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let from = options.from === undefined ? (backwards ? Number.MAX_SAFE_INTEGER : 0) : asNumber(options.from)
  const upTo = options.upTo === undefined ? undefined : asNumber(options.upTo)
  let left = options.limit ?? Infinity
  for (let size = left > fewEvents ? firstPageEvents : left; left > 0; size = Math.min(size * pageGrowth, pageEvents)) {
    const { events, goesOn } = page(stream, { from, backwards, upTo }, Math.min(left, size))
    for (const event of events) yield event
    left -= events.length
    const last = events.at(-1)
    if (last === undefined || !goesOn || left <= 0) return
    from = Number(last.revision) + (backwards ? -1 : 1)
    await nextTurn()
  }
}

/** What a subscription reads from and is woken by. */
interface Followed {
  /** The newest events in memory, if the position is among them. */
  readonly recent: (position: number, limit: number) => readonly RecordedEvent[] | undefined
  readonly pageAfter: (position: number, limit: number) => readonly RecordedEvent[]
  readonly notifier: Notifier
  /** Milliseconds after which to look again unasked. */
  readonly pollInterval: number | undefined
}

async function* follow(
  { recent, pageAfter, notifier, pollInterval: interval }: Followed,
  { after, signal, batchSize = 1000 }: SubscribeOptions,
): AsyncGenerator<EventBatch, void, undefined> {
  let position = asNumber(after ?? 0n)
  while (!signal.aborted) {
    const events = recent(position, batchSize) ?? pageAfter(position, batchSize)
    const last = events.at(-1)
    if (last) {
      position = Number(last.position)
      yield { events, position: last.position }
      await nextTurn()
    } else {
      await notifier.wait(signal, interval)
    }
  }
}

/** Everything after a position, from memory as far as that reaches. */
function* eventsSince(
  recent: Followed['recent'],
  pageAfter: Followed['pageAfter'],
  position: bigint | undefined,
): Generator<RecordedEvent, void, undefined> {
  for (let at = asNumber(position ?? 0n); ;) {
    const page = recent(at, pageEvents) ?? pageAfter(at, pageEvents)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    at = Number(last.position)
  }
}

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

/** How a log is written, and how far it may be read. */
interface Writing extends GroupCommit {
  close(): void
}

const onlyReading = (shown: Shown | undefined): Writing => ({
  append: () => Promise.reject(new Error('This event store is open for reading only.')),
  drain: async () => {},
  settled: async () => {},
  failure: () => undefined,
  shown: shown === undefined ? () => Infinity : () => Number(Atomics.load(shown, 0)),
  close: () => {},
})

const openWal = (path: string): WalSync => {
  try {
    return openWalSync(path)
  } catch (error) {
    throw new StoreUnavailable(`${path}-wal cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * What a process that ended before had not synchronised may be in no other place than its memory: it comes into the
 * file first.
 */
const beginWriting = (
  log: SqliteLog,
  options: SqliteEventStoreOptions,
  heard: Pick<GroupCommitOptions, 'since' | 'committed'>,
): Writing => {
  const { path, codec = defaultCodec, maxAppendSize = 64 * 2 ** 20, shown = newShown() } = options
  const wal = openWal(path)
  const { sync = wal.sync } = options
  try {
    log.checkpoint()
  } catch {
    // A full disk has no room for it there: then it is enough that it is on the disk, and that is asked for.
    wal.syncNow()
  }
  Atomics.store(shown, 0, BigInt(log.head()))
  const committed: GroupCommitOptions['committed'] = (group) => {
    Atomics.store(shown, 0, group.events.at(-1)?.position ?? 0n)
    heard.committed(group)
  }
  const writer = makeGroupCommit({ log, encode: codec.encode, maxAppendSize, sync, since: heard.since, committed })
  return { ...writer, close: wal.close }
}

/**
 * Opens an event store in one SQLite file: write-ahead log, appends of one turn committed together, synchronised to the
 * disk before anybody sees them. One process at a time may write; the lock on the data folder sees to that.
 * Throws {@link StoreUnavailable} when the file cannot be opened, {@link DamagedLog} when it is damaged.
 */
export const openSqliteEventStore = (options: SqliteEventStoreOptions): SqliteEventStore => {
  const { path, readOnly = false, codec = defaultCodec, onCommit = () => {} } = options
  const log = openSqliteLog(path, readOnly, codec, options.cacheBytes)
  const tail = makeTail(log.head(), options.tailEvents ?? 20_000, options.tailSize ?? 8 * 2 ** 20)
  const notifier = makeNotifier()
  const committed = ({ events, sizes }: Committed): void => {
    tail.push(events, sizes)
    onCommit(events.length)
    notifier.notify()
  }
  const inMemory = (position: number, limit: number) => tail.after(position, limit, pageBytes)
  const since = (position: bigint | undefined) => eventsSince(inMemory, log.pageAfter, position)
  const writer = readOnly ? onlyReading(options.shown) : beginWriting(log, options, { since, committed })
  const shown = upTo(log, writer.shown)
  let closing: Promise<void> | undefined
  let closed = false

  /** Wraps a function of the log so that it refuses after closing. */
  const whileOpen =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      if (closed) throw new StoreUnavailable('The event store is closed.')
      return work(...args)
    }
  const head = whileOpen(shown.head)
  const eventAt = whileOpen(shown.eventAt)
  const pageAfter = whileOpen(shown.pageAfter)
  const textsAfter = whileOpen(shown.textsAfter)
  const streamPage = whileOpen(shown.streamPage)
  const revision = whileOpen(shown.revision)
  // Beside a running service the tail knows nothing of what that writes.
  const recent = whileOpen(readOnly ? () => undefined : inMemory)

  return {
    conditional: true,
    dense: true,
    append: async (appends) => {
      if (closing) throw new StoreUnavailable('The event store is closed.')
      return writer.append(appends)
    },
    readStream: (stream, readOptions = {}) => readStreamPages(streamPage, stream, readOptions),
    revisionOf: async (stream) => {
      const newest = revision(stream)
      return newest < 0 ? undefined : BigInt(newest)
    },
    readAll: ({ after, limit = Infinity } = {}) =>
      paged((last, size) => pageAfter(asNumber(last?.position ?? after ?? 0n), size), limit),
    eventAt: async (position) => eventAt(asNumber(position)),
    readTextPages: ({ after, limit = Infinity }) =>
      pages((last, size) => textsAfter(asNumber(last?.position ?? after ?? 0n), size), limit),
    subscribe: (subscription) =>
      follow({ recent, pageAfter, notifier, pollInterval: readOnly ? pollInterval : undefined }, subscription),
    head: async () => {
      const newest = head()
      return newest === 0 ? undefined : BigInt(newest)
    },
    ping: async () => {
      head()
      const failure = writer.failure()
      if (failure !== undefined) throw failure
    },
    backupTo: async (file) => {
      head()
      await copyLog(path, file, writer.settled)
    },
    look: () => notifier.notify(),
    close: () =>
      (closing ??= writer.drain().then(async () => {
        await log.quieten()
        closed = true
        writer.close()
        log.close()
        notifier.notify()
      })),
  }
}
