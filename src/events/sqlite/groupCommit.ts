import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { breakersOf, makeEventIndex, type AppendCondition } from '../appendCondition.ts'
import { codec as defaultCodec, type Codec, type EncodedEvent } from '../codec.ts'
import { AppendTooLarge, StoreUnavailable, type Append, type AppendOutcome } from '../eventStore.ts'
import type { NewEvent, RecordedEvent } from '../events.ts'
import type { SqliteLog } from './eventTable.ts'
import { newShown, type Shown, type EventSize } from './reads.ts'

export interface WriteOptions {
  /** The file, e.g. `data/log.db`. Created when it does not exist, unless `readOnly`; its folder must exist. */
  readonly path: string
  readonly codec?: Codec
  /** Largest append to one stream, in characters of its JSON texts (default 64 Mi). */
  readonly maxAppendSize?: number
  /**
   * How far the log is on the disk, made by {@link newShown}: told by the store that writes, heeded by those in other
   * threads.
   */
  readonly shown?: Shown
  /** Brings what was committed onto the disk. Default: the system's call. For tests. */
  readonly sync?: () => Promise<void>
}

/** What is written, and who is told of it. */
interface Writing {
  readonly log: SqliteLog
  /** What is committed after a position. */
  readonly since: (position: bigint | undefined) => Iterable<RecordedEvent>
  /** Called when what was committed is on the disk, before the appends resolve. */
  readonly committed: (events: readonly EventSize[]) => void
}

/** The one writer of a log, and how far that may be read. */
export interface Writer {
  append(appends: readonly Append[]): Promise<AppendOutcome[]>
  /** Up to which position events may be seen: those behind it are committed, and may not be on the disk. */
  shown(): number
  /** Resolves when everything that was appended before is on the disk or refused, and nothing else is appended. */
  drain(): Promise<void>
  /** Resolves when everything that was committed before is on the disk, or will never be known to be. */
  settled(): Promise<void>
  /** Why nothing is written any more. */
  failure(): StoreUnavailable | undefined
  /** Why the newest transaction was not written; `undefined` when it was. */
  refusal(): unknown
  close(): void
}

export const onlyReading = (shown: Shown | undefined): Writer => ({
  append: () => Promise.reject(new Error('This event store is open for reading only.')),
  drain: async () => {},
  settled: async () => {},
  failure: () => undefined,
  refusal: () => undefined,
  shown: shown === undefined ? () => Infinity : () => Number(Atomics.load(shown, 0)),
  close: () => {},
})

interface EncodedAppend extends Append {
  readonly encoded: readonly EncodedEvent[]
  readonly tooLarge?: AppendTooLarge
}

/** @throws RangeError, TypeError when the call makes no sense */
const encodeAppends = (appends: readonly Append[], codec: Codec, most: number): EncodedAppend[] => {
  if (new Set(appends.map(({ stream }) => stream)).size < appends.length)
    throw new RangeError('One call appends to the same stream twice.')
  return appends.map((append) => {
    if (append.events.length === 0) throw new RangeError(`There is no event to append to ${append.stream}.`)
    const encoded = append.events.map(codec.encode)
    const size = encoded.reduce((sum, each) => sum + sizeOf(each), 0)
    return size > most ? { ...append, encoded: [], tooLarge: new AppendTooLarge(most) } : { ...append, encoded }
  })
}

const sizeOf = ({ data, metadata }: EncodedEvent): number => data.length + metadata.length

/** Checks conditions against what was committed since, and what this transaction wrote. */
const makeConditions = (since: Writing['since']) => {
  const index = makeEventIndex()
  /** Everything after this position is in the index; `undefined`: nothing of what is committed yet. */
  let from: bigint | undefined
  const reachBackTo = (after: bigint): void => {
    if (from !== undefined && from <= after) return
    for (const event of since(after)) {
      if (from !== undefined && event.position > from) break
      index.add(event)
    }
    from = after
  }
  return {
    written: index.add,
    /** @returns an event that breaks the condition */
    broken: (condition: AppendCondition): RecordedEvent | undefined => {
      reachBackTo(condition.after ?? 0n)
      const [broken] = breakersOf(condition, index)
      return broken
    },
  }
}

/** Writes appends within one transaction; knows the revisions of the streams that it has seen. */
const makeTransaction = ({ log, since }: Writing) => {
  const conditions = makeConditions(since)
  const revisions = new Map<string, number>()
  const committed: EventSize[] = []
  let position = log.head()

  /** The outcome of the same append when it was written before: its ids stand right after the revision it expected. */
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

/** What several callers append in one transaction. */
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

/** A group takes no further caller once it has so many events, so that one commit does not hold up everything else. */
const groupEvents = 20_000

/** Takes callers from the front of a queue, until they have enough events. */
const takeGroup = (queue: Pending[]): Pending[] => {
  let count = 0
  for (let events = 0; count < queue.length && events < groupEvents; count++)
    for (const { encoded } of (queue[count] as Pending).appends) events += encoded.length
  return queue.splice(0, count)
}

const lost = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable(
    'What was written last may not be on the disk, which refuses to say so. ' +
      'Nothing more is written until the service is started again.',
    { cause },
  )

const syncData = promisify(fdatasync)

/**
 * The write-ahead log of a database, to be brought onto the disk while others go on; what is in memory is on no disk.
 * @param path of the database, open in this process until this is closed: else SQLite may remove the write-ahead log
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

/** One sync of the disk at a time, for one group. */
const makeSyncing = (sync: () => Promise<void>, synced: Writing['committed']) => {
  let first: bigint | undefined
  let syncing: Promise<void> | undefined
  let failure: StoreUnavailable | undefined
  return {
    /** When it fails, what it was about stays unseen. */
    synchronise: async (events: readonly EventSize[]): Promise<void> => {
      first = events[0]?.event.position
      const done = sync()
      syncing = done.catch(() => {})
      try {
        await done
      } catch (error) {
        failure = lost(error)
        return
      }
      first = undefined
      synced(events)
    },
    shown: () => Number(first ?? Infinity) - 1,
    settled: async () => syncing,
    failure: () => failure,
  }
}

/**
 * Gathers all appends that come while others are synchronised, or in one turn, and commits them together: one
 * transaction, one sync. They are answered, and seen, after that. One that fails its expectation leaves the others
 * alone. When the transaction fails every append is rejected; when the sync fails nobody knows what is on the disk:
 * nothing is written or shown any more. What a process that ended had not synchronised comes into the file first.
 */
export const startWriter = (writing: Writing, options: WriteOptions): Writer => {
  const { log } = writing
  const { path, codec = defaultCodec, maxAppendSize = 64 * 2 ** 20, shown = newShown() } = options
  const wal = openWal(path)
  try {
    log.checkpoint()
  } catch {
    // A full disk has no room for it there: then it is enough that it is on the disk, and that is asked for.
    wal.syncNow()
  }
  Atomics.store(shown, 0, BigInt(log.head()))
  const { synchronise, ...syncing } = makeSyncing(options.sync ?? wal.sync, (events) => {
    Atomics.store(shown, 0, events.at(-1)?.event.position ?? 0n)
    writing.committed(events)
  })
  const queue: Pending[] = []
  let going: Promise<void> | undefined
  let refusal: unknown

  const commit = (callers: readonly Pending[]): Group | undefined => {
    try {
      const group = log.transaction(() => {
        const { write, committed } = makeTransaction(writing)
        return { callers, outcomes: callers.map(({ appends }) => appends.map(write)), committed }
      })
      refusal = undefined
      return group
    } catch (error) {
      refusal = error
      for (const { reject } of callers) reject(error)
      return undefined
    }
  }
  const writeAll = async (): Promise<void> => {
    while (queue.length > 0) {
      await log.due()
      const group = commit(takeGroup(queue))
      if (group === undefined) continue
      if (group.committed.length > 0) await synchronise(group.committed)
      const failure = syncing.failure()
      if (failure !== undefined) for (const { reject } of [...group.callers, ...queue.splice(0)]) reject(failure)
      else for (const [at, { resolve }] of group.callers.entries()) resolve(group.outcomes[at] as AppendOutcome[])
    }
    going = undefined
  }
  return {
    ...syncing,
    append: (appends) =>
      new Promise((resolve, reject) => {
        const failure = syncing.failure()
        if (failure !== undefined) throw failure
        queue.push({ appends: encodeAppends(appends, codec, maxAppendSize), resolve, reject })
        going ??= new Promise<void>((begin) => setImmediate(begin)).then(writeAll)
      }),
    drain: async () => going,
    refusal: () => refusal,
    close: wal.close,
  }
}
