import { StoreUnavailable, type Append, type AppendOutcome } from '../eventStore.ts'
import {
  encodeAppends,
  makeWriter,
  type Committed,
  type EncodedAppend,
  type Encoding,
  type Written,
} from './appends.ts'

interface Pending {
  readonly appends: readonly EncodedAppend[]
  readonly events: number
  readonly resolve: (outcomes: AppendOutcome[]) => void
  readonly reject: (error: unknown) => void
}

/** The one writer of a log. */
export interface GroupCommit {
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
}

export interface GroupCommitOptions extends Encoding, Written {
  /** Resolves when everything that was committed before is on the disk. */
  readonly sync: () => Promise<void>
  /** Called when what was committed is on the disk, before the appends resolve. */
  readonly committed: (group: Committed) => void
}

/** A group takes no further caller once it has so many events, so that one commit does not hold up everything else. */
const groupEvents = 20_000

interface Group {
  readonly callers: readonly Pending[]
  readonly outcomes: readonly AppendOutcome[][]
  readonly committed: Committed
}

const lost = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable(
    'What was written last may not be on the disk, which refuses to say so. ' +
      'Nothing more is written until the service is started again.',
    { cause },
  )

/** One sync of the disk at a time, for one group. */
const makeSyncing = (synchronise: () => Promise<void>) => {
  let syncing: Group | undefined
  let ending: Promise<void> | undefined
  let failure: StoreUnavailable | undefined
  return {
    /** When it fails, what it was about stays unseen. @returns why that is so */
    sync: async (group: Group): Promise<StoreUnavailable | undefined> => {
      syncing = group
      const synced = synchronise()
      ending = synced.catch(() => {})
      try {
        await synced
        syncing = undefined
      } catch (error) {
        failure = lost(error)
      }
      return failure
    },
    shown: () => Number(syncing?.committed.events[0]?.position ?? Infinity) - 1,
    settled: async () => ending,
    failure: () => failure,
  }
}

/** Takes callers from the front of a queue, until they have enough events. */
const takeGroup = (queue: Pending[]): Pending[] => {
  let count = 0
  for (let events = 0; count < queue.length && events < groupEvents; count++) events += (queue[count] as Pending).events
  return queue.splice(0, count)
}

/**
 * Gathers all appends that come while others are synchronised, or in one turn, and commits them together: one
 * transaction, one sync. They are answered, and seen, after that. One that fails its expectation leaves the others
 * alone. When the transaction fails every append is rejected; when the sync fails nobody knows what is on the disk:
 * nothing is written or shown any more.
 */
export const makeGroupCommit = (options: GroupCommitOptions): GroupCommit => {
  const queue: Pending[] = []
  let going: Promise<void> | undefined
  let refusal: unknown
  const { sync, ...syncing } = makeSyncing(options.sync)

  const commit = (callers: readonly Pending[]): Group | undefined => {
    try {
      const group = options.log.transaction(() => {
        const { write, committed } = makeWriter(options)
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
      await options.log.due()
      const group = commit(takeGroup(queue))
      if (group === undefined) continue
      if (group.committed.events.length > 0) {
        const failure = await sync(group)
        if (failure !== undefined) {
          for (const { reject } of [...group.callers, ...queue.splice(0)]) reject(failure)
          continue
        }
        options.committed(group.committed)
      }
      for (const [at, { resolve }] of group.callers.entries()) resolve(group.outcomes[at] as AppendOutcome[])
    }
    going = undefined
  }
  const schedule = (): Promise<void> => (going ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeAll))

  return {
    ...syncing,
    append: (appends) =>
      new Promise((resolve, reject) => {
        const failure = syncing.failure()
        if (failure !== undefined) throw failure
        const encoded = encodeAppends(appends, options)
        let events = 0
        for (const append of encoded) events += append.encoded.length
        queue.push({ appends: encoded, events, resolve, reject })
        void schedule()
      }),
    drain: async () => going,
    refusal: () => refusal,
  }
}
