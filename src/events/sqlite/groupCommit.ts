import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { violationsOf, makeEventIndex, type AppendCondition } from '../appendCondition.ts'
import { codec as defaultCodec, type Codec, type EncodedEvent } from '../codec.ts'
import { AppendTooLarge, StoreUnavailable, type Append, type AppendOutcome } from '../eventStore.ts'
import type { NewEvent, RecordedEvent } from '../events.ts'
import { noEnd, type SqliteLog } from './eventTable.ts'
import { newDurablePosition, type DurablePosition, type EventSize } from './reads.ts'

export interface WriteOptions {
  /** The file, e.g. `data/log.db`. It is created unless `readOnly`; its folder must exist. */
  readonly path: string
  readonly codec?: Codec
  /** Largest append to one stream, in characters of its JSON texts (default 64 Mi). */
  readonly maxAppendSize?: number
  /** The durable position, shared between threads: the writer sets it, readers in other threads stop there. */
  readonly durable?: DurablePosition
  /** Synchronises commits to disk (default: `fdatasync`). For tests. */
  readonly sync?: () => Promise<void>
}

/** The log to write, and the callback for durable events. */
interface Writing {
  readonly log: SqliteLog
  /** Committed events after a position. */
  readonly since: (position: bigint | undefined) => Iterable<RecordedEvent>
  /** Called with events that have become durable, before their appends resolve. */
  readonly committed: (events: readonly EventSize[]) => void
}

export const readOnlyWriter = (durable: DurablePosition | undefined): ReturnType<typeof startWriter> => ({
  append: () => Promise.reject(new Error('This event store is open for reading only.')),
  drain: async () => {},
  settled: async () => {},
  mustBeWritable: async () => {},
  durable: durable === undefined ? () => noEnd : () => Number(Atomics.load(durable, 0)),
  close: () => {},
})

interface EncodedAppend extends Append {
  readonly encoded: readonly EncodedEvent[]
  readonly tooLarge?: AppendTooLarge
}

/** @throws RangeError, TypeError for invalid arguments */
const encodeAppends = (appends: readonly Append[], codec: Codec, maxSize: number): EncodedAppend[] => {
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new RangeError('One call appends to the same stream twice.')
  return appends.map((append) => {
    if (append.events.length === 0) throw new RangeError(`There is no event to append to ${append.stream}.`)
    const encoded = append.events.map(codec.encode)
    const size = encoded.reduce((sum, each) => sum + sizeOf(each), 0)
    return size > maxSize ? { ...append, encoded: [], tooLarge: new AppendTooLarge(maxSize) } : { ...append, encoded }
  })
}

const sizeOf = ({ data, metadata }: EncodedEvent): number => data.length + metadata.length

const makeConditions = (since: Writing['since']) => {
  const index = makeEventIndex()
  /** The index holds all committed events after this position; `undefined`: none yet. */
  let from: bigint | undefined
  const extendBackTo = (after: bigint): void => {
    if (from !== undefined && from <= after) return
    for (const event of since(after)) {
      if (from !== undefined && event.position > from) break
      index.add(event)
    }
    from = after
  }
  return {
    written: index.add,
    /** The first event that breaks the condition, if any. */
    broken: (condition: AppendCondition): RecordedEvent | undefined => {
      extendBackTo(condition.after ?? 0n)
      const [broken] = violationsOf(condition, index)
      return broken
    },
  }
}

const makeTransaction = ({ log, since }: Writing) => {
  const conditions = makeConditions(since)
  const revisions = new Map<string, number>()
  const committed: EventSize[] = []
  let position = log.head()

  /** The outcome of a repeated append: its event ids already follow the expected revision. */
  const repeated = ({ stream, encoded }: EncodedAppend, expected: number): AppendOutcome | undefined => {
    const last = expected + encoded.length
    const found = log.identities(stream, expected + 1, last)
    if (found.length < encoded.length || found.some(({ id }, index) => id !== encoded[index]?.id)) return undefined
    return { ok: true, revision: BigInt(last), position: BigInt(found.at(-1)?.position as number) }
  }

  const write = (append: EncodedAppend): AppendOutcome => {
    const { stream, tooLarge } = append
    if (tooLarge !== undefined) return { ok: false, tooLarge }
    const expected = append.expected === 'no_stream' ? -1 : Number(append.expected)
    let revision = revisions.get(stream) ?? log.revision(stream)
    revisions.set(stream, revision)
    if (revision !== expected) {
      const actual = revision < 0 ? 'no_stream' : BigInt(revision)
      return (revision > expected && repeated(append, expected)) || { ok: false, actual }
    }
    const broken = append.condition && conditions.broken(append.condition)
    if (broken !== undefined) return { ok: false, brokenAt: broken.position }
    for (const [index, encoded] of append.encoded.entries()) {
      position++
      revision++
      log.insert(position, stream, revision, encoded)
      const place = { stream, revision: BigInt(revision), position: BigInt(position) }
      const event = { ...(append.events[index] as NewEvent), ...place }
      conditions.written(event)
      committed.push({ event, size: sizeOf(encoded) })
    }
    revisions.set(stream, revision)
    return { ok: true, revision: BigInt(revision), position: BigInt(position) }
  }
  return { write, committed }
}

/** The appends of several callers in one transaction. */
interface Group {
  readonly callers: readonly Pending[]
  readonly outcomes: readonly AppendOutcome[][]
  readonly committed: readonly EventSize[]
}

interface Pending {
  readonly appends: readonly EncodedAppend[]
  readonly resolve: (outcomes: AppendOutcome[]) => void
  readonly reject: (error: unknown) => void
}

/** Number of events from which a group takes no further caller: a longer commit would delay all others. */
const groupEvents = 20_000

const takeGroup = (queue: Pending[]): Pending[] => {
  let count = 0
  for (let events = 0; count < queue.length && events < groupEvents; count++)
    for (const { encoded } of (queue[count] as Pending).appends) events += encoded.length
  return queue.splice(0, count)
}

const syncFailure = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable(
    'The disk did not confirm the last write, so it may be lost. ' +
      'Nothing more is written until the service is restarted.',
    { cause },
  )

const syncData = promisify(fdatasync)

/**
 * Synchronises the write-ahead log of a database in the background; does nothing for a database in memory.
 * @param path of the database, which must stay open until this is closed: else SQLite may remove the write-ahead log
 */
const openWal = (path: string) => {
  if (path === ':memory:') return { sync: async () => {}, syncNow: () => {}, close: () => {} }
  try {
    const file = openSync(`${path}-wal`, 'r+')
    return { sync: () => syncData(file), syncNow: () => fdatasyncSync(file), close: () => closeSync(file) }
  } catch (error) {
    throw new StoreUnavailable(`${path}-wal cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** Makes durable what an earlier process committed but did not synchronise. */
const syncEarlierCommits = (log: SqliteLog, wal: ReturnType<typeof openWal>): void => {
  try {
    log.checkpoint()
  } catch {
    // On a full disk there is no room to move pages: synchronising the write-ahead log is enough.
    wal.syncNow()
  }
}

const makeSyncing = (sync: () => Promise<void>, synced: Writing['committed']) => {
  let first: bigint | undefined
  let syncing: Promise<void> | undefined
  let failure: StoreUnavailable | undefined
  return {
    /** After a failure the events of the group are never shown. */
    synchronise: async (events: readonly EventSize[]): Promise<void> => {
      first = events[0]?.event.position
      const done = sync()
      syncing = done.catch(() => {})
      try {
        await done
      } catch (error) {
        failure = syncFailure(error)
        return
      }
      first = undefined
      synced(events)
    },
    /** The durable position: later events are committed but not yet synchronised, and must not be read. */
    durable: (): number => (first === undefined ? noEnd : Number(first) - 1),
    /** Resolves when everything committed so far is durable, or its synchronisation has failed. */
    settled: async (): Promise<void> => syncing,
    failure: () => failure,
  }
}

const makeCommits = (writing: Writing) => {
  const { log } = writing
  /** Streams of the appends that failed last. */
  let failed: readonly string[] = []
  return {
    /** @returns nothing if it fails: its callers are told */
    commit: (callers: readonly Pending[]): Group | undefined => {
      try {
        const group = log.transaction(() => {
          const { write, committed } = makeTransaction(writing)
          return { callers, outcomes: callers.map(({ appends }) => appends.map(write)), committed }
        })
        failed = []
        return group
      } catch (error) {
        failed = callers.flatMap(({ appends }) => appends.map(({ stream }) => stream))
        for (const { reject } of callers) reject(error)
        return undefined
      }
    },
    /** After a failure it writes, and reads what was needed. @throws StoreUnavailable, DamagedLog */
    tryFailed: (): void => {
      if (failed.length === 0) return
      log.tryWrite()
      for (const stream of failed) log.revision(stream)
      failed = []
    },
  }
}

/**
 * Starts the group commit: appends that arrive in one turn of the event loop, or during a sync, share one transaction and
 * one sync. They are answered and become readable after it. A refused append does not affect the others. A failed
 * transaction rejects all its appends; after a failed sync nothing is written or shown any more. At the start, commits
 * that an earlier process did not synchronise are made durable.
 */
export const startWriter = (writing: Writing, options: WriteOptions) => {
  const { log } = writing
  const { path, codec = defaultCodec, maxAppendSize = 64 * 2 ** 20, durable = newDurablePosition() } = options
  const wal = openWal(path)
  syncEarlierCommits(log, wal)
  Atomics.store(durable, 0, BigInt(log.head()))
  const { synchronise, failure, ...syncing } = makeSyncing(options.sync ?? wal.sync, (events) => {
    Atomics.store(durable, 0, events.at(-1)?.event.position ?? 0n)
    writing.committed(events)
  })
  const { commit, tryFailed } = makeCommits(writing)
  const queue: Pending[] = []
  let running: Promise<void> | undefined
  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      await log.beforeTransaction()
      const group = commit(takeGroup(queue))
      if (group === undefined) continue
      if (group.committed.length > 0) await synchronise(group.committed)
      const failed = failure()
      if (failed !== undefined) for (const { reject } of [...group.callers, ...queue.splice(0)]) reject(failed)
      else for (const [at, { resolve }] of group.callers.entries()) resolve(group.outcomes[at] as AppendOutcome[])
    }
    running = undefined
  }
  return {
    ...syncing,
    append: (appends: readonly Append[]) =>
      new Promise<AppendOutcome[]>((resolve, reject) => {
        const failed = failure()
        if (failed !== undefined) throw failed
        queue.push({ appends: encodeAppends(appends, codec, maxAppendSize), resolve, reject })
        running ??= new Promise<void>((begin) => setImmediate(begin)).then(writeAll)
      }),
    /** Resolves when all pending appends are durable or refused. */
    drain: async (): Promise<void> => running,
    /**
     * Resolves when the disk has confirmed what was committed so far. After a transaction that failed, it writes, and
     * reads what that transaction needed. @throws StoreUnavailable, DamagedLog if something of this fails
     */
    mustBeWritable: async (): Promise<void> => {
      await syncing.settled()
      const failed = failure()
      if (failed !== undefined) throw failed
      tryFailed()
    },
    close: wal.close,
  }
}
