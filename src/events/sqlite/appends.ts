import type { EncodedEvent } from '../codec.ts'
import { breakersOf, makeEventIndex, type AppendCondition } from '../appendCondition.ts'
import { AppendTooLarge, type Append, type AppendOutcome, type ExpectedRevision } from '../eventStore.ts'
import type { NewEvent, RecordedEvent } from '../events.ts'
import type { SqliteLog } from './eventTable.ts'

export interface EncodedAppend extends Append {
  readonly encoded: readonly EncodedEvent[]
  readonly tooLarge?: AppendTooLarge
}

export interface Committed {
  readonly events: readonly RecordedEvent[]
  /** Size of each event in UTF-16 code units of its texts. */
  readonly sizes: readonly number[]
}

export interface Encoding {
  readonly encode: (event: NewEvent) => EncodedEvent
  /** Largest append to one stream, in UTF-16 code units of its texts. */
  readonly maxAppendSize: number
}

export interface Written {
  readonly log: SqliteLog
  /** What is committed after a position. */
  readonly since: (position: bigint | undefined) => Iterable<RecordedEvent>
}

const revisionOf = (number: number): ExpectedRevision => (number < 0 ? 'no_stream' : BigInt(number))

/** @throws RangeError, TypeError when the call makes no sense */
export const encodeAppends = (appends: readonly Append[], options: Encoding): EncodedAppend[] => {
  const all = new Map<string, EncodedAppend>()
  for (const append of appends) {
    if (append.events.length === 0) throw new RangeError(`There is no event to append to ${append.stream}.`)
    const encoded = append.events.map(options.encode)
    let size = 0
    for (const { data, metadata } of encoded) size += data.length + metadata.length
    const isTooLarge = size > options.maxAppendSize
    const tooLarge = isTooLarge && { tooLarge: new AppendTooLarge(options.maxAppendSize) }
    all.set(append.stream, { ...append, encoded: isTooLarge ? [] : encoded, ...tooLarge })
  }
  if (all.size < appends.length) throw new RangeError('One call appends to the same stream twice.')
  return [...all.values()]
}

/** Checks conditions against what was committed since, and what this transaction wrote. */
const makeConditions = (since: Written['since']) => {
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
export const makeWriter = ({ log, since }: Written) => {
  const conditions = makeConditions(since)
  const revisions = new Map<string, number>()
  const events: RecordedEvent[] = []
  const sizes: number[] = []
  let position = log.head()

  const current = (stream: string): number => revisions.get(stream) ?? log.revision(stream)

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
    let revision = current(stream)
    if (revision !== expected) {
      revisions.set(stream, revision)
      return (revision > expected && repeated(append, expected)) || { ok: false, actual: revisionOf(revision) }
    }
    const broken = append.condition && conditions.broken(append.condition)
    if (broken !== undefined) return { ok: false, brokenAt: broken.position }
    for (const [index, event] of append.encoded.entries()) {
      position++
      revision++
      log.insert(position, stream, revision, event)
      const place = { stream, revision: BigInt(revision), position: BigInt(position) }
      const recorded = { ...(append.events[index] as NewEvent), ...place }
      events.push(recorded)
      conditions.written(recorded)
      sizes.push(event.data.length + event.metadata.length)
    }
    revisions.set(stream, revision)
    return { ok: true, revision: BigInt(revision), position: BigInt(position) }
  }
  return { write, committed: { events, sizes } as Committed }
}
