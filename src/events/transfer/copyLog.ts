import { createHash } from 'node:crypto'
import { backoff, retrying, type Backoff } from '../../shared/backOff.ts'
import type { NewEvent, RecordedEvent } from '../events.ts'
import { DamagedLog, StoreUnavailable, type Append, type AppendOutcome, type EventStore } from '../eventStore.ts'
import { isIntact } from '../provenCodec.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'

/** The target is not a copy of the source or of its beginning. */
export class OtherEvents extends CatalogError {
  override readonly name = 'OtherEvents'
}

/** Limits of a batch: events of an append, appends, and approximate bytes of an append. */
const eventsPerAppend = 100
const appendsPerBatch = 200
const bytesPerAppend = 256 * 1024

/** All of an event except its position, which differs between engines. */
const textOf = (event: RecordedEvent): string =>
  JSON.stringify([event.stream, String(event.revision), event.id, event.type, event.data, event.metadata])

async function* eventsUpTo(
  log: EventStore,
  head: bigint | undefined,
  after?: bigint,
): AsyncGenerator<RecordedEvent, void, undefined> {
  if (head === undefined) return
  for await (const event of log.readAll({ after })) {
    if (event.position > head) return
    if (!isIntact(event))
      throw new DamagedLog(
        `The event at position ${event.position} of the log is not what was written. To find what is wrong: catalog audit verify`,
        event.position,
      )
    yield event
  }
}

/** The events of a copy, each with its original; without one where the copy goes on beyond it. */
async function* pairs(originals: AsyncIterable<RecordedEvent>, copies: AsyncIterable<RecordedEvent>) {
  const left = originals[Symbol.asyncIterator]()
  try {
    for await (const copied of copies) {
      const { value: original } = (await left.next()) as IteratorResult<RecordedEvent, undefined>
      yield { original, copied }
    }
  } finally {
    await left.return?.()
  }
}

/**
 * Compares the target with the beginning of the source. @returns the number of events and the last one's position
 * @throws OtherEvents
 */
const compareBeginning = async (
  source: EventStore,
  target: EventStore,
  head: bigint | undefined,
  reached: (position: bigint) => void,
) => {
  let count = 0
  let last: bigint | undefined
  for await (const { original, copied } of pairs(eventsUpTo(source, head), target.readAll())) {
    if (original === undefined || textOf(original) !== textOf(copied))
      throw new OtherEvents(
        `The target has other events: its event ${count + 1} (${copied.type} ${copied.id} in ${copied.stream}) ` +
          'is not that of the source.',
      )
    count++
    last = original.position
    reached(last)
  }
  return { count, last }
}

/** @throws Error if the target would judge events by positions of the source */
const mustNotJudgeCopies = async (source: EventStore, target: EventStore, head: bigint | undefined): Promise<void> => {
  if (target.conditional) return
  for await (const { metadata, position } of eventsUpTo(source, head))
    if (metadata.condition !== undefined)
      throw new Error(
        `The event at position ${position} was written to an EventStoreDB, with a condition that names positions of ` +
          'the log that it was written to. It can be copied to a data folder. To move it to another EventStoreDB use ' +
          'the backup and restore of EventStoreDB, which keep the positions.',
      )
}

const newEvent = ({ id, type, data, metadata }: RecordedEvent): NewEvent => ({ id, type, data, metadata }) as NewEvent

/** Collects events into appends that can be sent together without changing the order of events. */
const makeWindow = () => {
  let appends: { append: Append; events: NewEvent[]; bytes: number }[] = []
  const streams = new Set<string>()
  return {
    /** @returns false if the collected appends must be sent first */
    add: (event: RecordedEvent): boolean => {
      const bytes = textOf(event).length
      const last = appends.at(-1)
      if (
        last?.append.stream === event.stream &&
        last.events.length < eventsPerAppend &&
        last.bytes + bytes <= bytesPerAppend
      ) {
        last.events.push(newEvent(event))
        last.bytes += bytes
        return true
      }
      if (appends.length >= appendsPerBatch || streams.has(event.stream)) return false
      const events = [newEvent(event)]
      const expected = event.revision === 0n ? 'no_stream' : event.revision - 1n
      appends.push({ append: { stream: event.stream, expected, events }, events, bytes })
      streams.add(event.stream)
      return true
    },
    take: (): Append[] => {
      const taken = appends.map(({ append }) => append)
      appends = []
      streams.clear()
      return taken
    },
  }
}

/** While the target is unavailable. */
const retries = 9
const pauses: Backoff = { shortest: 200, longest: 10_000 }

/** Retries appends while the target is unavailable. They are idempotent. */
const appendWithRetries = (target: EventStore, appends: readonly Append[]): Promise<AppendOutcome[]> =>
  retrying(
    () => target.append(appends),
    (error, failures) => {
      if (!(error instanceof StoreUnavailable) || failures === retries) throw error
      return backoff(failures, pauses)
    },
  )

/** Appends, and checks by the positions that the target kept the order. */
const sendInOrder = async (target: EventStore, appends: readonly Append[]): Promise<void> => {
  let last: bigint | undefined
  for (const [index, outcome] of (await appendWithRetries(target, appends)).entries()) {
    if (!outcome.ok && 'tooLarge' in outcome) throw outcome.tooLarge
    if (!outcome.ok) {
      throw new OtherEvents(`The target has other events: somebody else wrote to ${appends[index]?.stream} meanwhile.`)
    }
    if (last !== undefined && outcome.position < last) {
      throw new Error(
        'The target has written events in another order, as happens when its connection breaks: copy to an empty one.',
      )
    }
    last = outcome.position
  }
}

/** SHA-256, in hex, of all events up to a position, without their positions. */
export const digestOfLog = async (
  log: EventStore,
  head: bigint | undefined,
  reached: (position: bigint) => void = () => {},
): Promise<{ digest: string; events: number }> => {
  const hash = createHash('sha256')
  let events = 0
  for await (const event of eventsUpTo(log, head)) {
    hash.update(textOf(event)).update('\n')
    events++
    reached(event.position)
  }
  return { digest: hash.digest('hex'), events }
}

/** Where a position of a log is in its copy. */
export interface EventPosition {
  /** Position of the newest copied event up to there; `undefined` if there is none. */
  readonly upTo: bigint | undefined
  /** Position of the event that is there; `undefined` if there is none, or it was not copied. */
  readonly event: bigint | undefined
}

/**
 * Finds positions of a log in its copy; one may be a copy of the beginning of the other. Reads both up to the last of the
 * positions.
 */
export const findInCopy = async (
  source: Pick<EventStore, 'readAll'>,
  target: Pick<EventStore, 'readAll'>,
  positions: Iterable<bigint>,
): Promise<ReadonlyMap<bigint, EventPosition>> => {
  const found = new Map<bigint, EventPosition>()
  const events = pairs(source.readAll(), target.readAll())
  let [original, copied]: (bigint | undefined)[] = []
  let next = await events.next()
  for (const position of [...new Set(positions)].toSorted((a, b) => (a < b ? -1 : 1))) {
    for (; next.value?.original && next.value.original.position <= position; next = await events.next())
      [original, copied] = [next.value.original.position, next.value.copied.position]
    found.set(position, { upTo: copied, event: original === position ? copied : undefined })
  }
  await events.return()
  return found
}

/**
 * Copies a log, up to a position, into a target that is empty or holds its beginning. Events and order stay the same.
 * Both are opened with `exactCodec`. An interrupted copy is resumed by the next call. Events that were written with
 * conditions are copied only to a log that checks conditions itself, and so does not judge them.
 * @param reached called with the position in the source up to which the target is identical
 * @throws OtherEvents
 */
export const copyLog = async (
  source: EventStore,
  target: EventStore,
  head: bigint | undefined,
  reached: (position: bigint) => void,
): Promise<{ found: number; copied: number }> => {
  await mustNotJudgeCopies(source, target, head)
  const { count, last } = await compareBeginning(source, target, head, reached)
  const window = makeWindow()
  let copied = 0
  let sent = last
  const send = async (): Promise<void> => {
    const appends = window.take()
    if (appends.length > 0) await sendInOrder(target, appends)
    if (sent !== undefined) reached(sent)
  }
  for await (const event of eventsUpTo(source, head, last)) {
    if (!window.add(event)) {
      await send()
      window.add(event)
    }
    sent = event.position
    copied++
  }
  await send()
  return { found: count, copied }
}
