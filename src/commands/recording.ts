import {
  type EventMetadata,
  type NewEvent,
  type ProposalOrigin,
  type RecordedCondition,
  type RecordedEvent,
  schemaVersion,
  streamName,
} from '../events/events.ts'
import { eventHash } from '../events/codec.ts'
import { nameUuid } from '../shared/uuids.ts'
import type { Decision } from './decide.ts'
import { evolve, type Entity } from './evolve.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import { LogAhead } from './errors.ts'

/** The time of an event and the time of the machine, which may be behind the log. Both in epoch milliseconds. */
export interface EventTime {
  readonly time: number
  readonly machine: number
}

/** Tolerated clock difference in milliseconds, between machines or after a correction. */
export const maxClockSkew = 10 * 60_000

/**
 * Gives the time of events: the machine's time, but never earlier than any time that it has given or seen before. So
 * the time of events never goes back along the log.
 * @param acceptAhead also write when the log is far ahead of the machine
 */
export const makeClock = (machine: () => number = Date.now, acceptAhead = false) => {
  let latest = 0
  const observe = (time: number): void => {
    if (time > latest) latest = time
  }
  const skew = (): number => Math.max(0, latest - machine())
  const refusalAt = (now: number): LogAhead | undefined =>
    acceptAhead || latest - now <= maxClockSkew ? undefined : new LogAhead(latest, now)
  return {
    /**
     * The present in epoch milliseconds, to compare with times of events or to store in them. Unlike `appendTime` it does
     * not advance the clock, so reading a machine's clock that is ahead for a moment has no effect. It stands still while
     * the machine is behind, so it makes nothing new and is no calendar.
     */
    time: (): number => Math.max(latest, machine()),
    /**
     * Called right before an append, so that times have the order of the log.
     * @throws LogAhead when the log is far ahead of the machine, unless the settings accept that
     */
    appendTime: (): EventTime => {
      const now = machine()
      const refusal = refusalAt(now)
      if (refusal !== undefined) throw refusal
      observe(now)
      return { time: latest, machine: now }
    },
    /** The machine's time in epoch milliseconds, for what is due on a day. */
    machine,
    /** Milliseconds by which the newest event seen is ahead of the machine, or 0. */
    skew,
    /** Why nothing is written, where the log is too far ahead for it. */
    refusal: (): LogAhead | undefined => refusalAt(machine()),
    /** Advances to the time of an event, in epoch milliseconds. */
    observe,
  }
}

export type Clock = ReturnType<typeof makeClock>

/** Advances the clock to the times of a batch of events: the clocks of other processes may be ahead. */
export const observeBatch = (clock: Clock, { events }: EventBatch): void => {
  for (const { metadata } of events) clock.observe(Date.parse(metadata.time))
}

/** Advances the clock to the newest event in the log, which may have been written with a clock that was ahead. */
export const syncClockWithLog = async (clock: Clock, log: Pick<EventStore, 'head' | 'eventAt'>): Promise<void> => {
  const head = await log.head()
  const last = head === undefined ? undefined : await log.eventAt(head)
  if (last !== undefined) clock.observe(Date.parse(last.metadata.time))
}

export interface Cause {
  /** Name of the requesting user. */
  readonly user: string
  readonly correlationId: string
  readonly clientCorrelationId?: string | undefined
  /** The same command id on the same state at the same time makes the same event ids. */
  readonly commandId: string
  /** Default: the command id. A cascade names the event that it follows. */
  readonly causationId?: string
  /** The proposal that this accepts. */
  readonly proposal?: ProposalOrigin | undefined
  readonly traceparent?: string | undefined
}

/** The request that an event belongs to, for events that follow from it. */
export const originOf = ({ metadata }: Pick<RecordedEvent, 'metadata'>): Omit<Cause, 'commandId' | 'causationId'> => {
  const { user, correlationId, clientCorrelationId, traceparent } = metadata
  return { user, correlationId, clientCorrelationId, traceparent }
}

export type EventSubject = Pick<Entity, 'kind' | 'id' | 'fullyQualifiedName'>

/**
 * The id of the event that a command appends at a revision. The log acknowledges a known id as it did the first time, so
 * the same command at another time must have another id. @param place with the time as RFC 3339
 */
const eventId = (commandId: string, place: { stream: string; revision: bigint; time: string }): string =>
  nameUuid(`event:${commandId}:${place.stream}:${place.revision}:${place.time}`)

/** Whether the id of an event derives from its cause, unlike in a cascade or in the first part of a split consequence. */
export const isDerivedFromCause = ({ id, stream, revision, metadata: { causationId, time } }: RecordedEvent): boolean =>
  id === eventId(causationId, { stream, revision, time })

/** Difference between log and machine, in milliseconds, from which on the metadata has both times. */
const minRecordedSkew = 1000

/** What was decided about an entity. */
interface Recordable {
  readonly subject: EventSubject
  readonly before: Entity | undefined
  readonly decisions: readonly Decision[]
  readonly cause: Cause
}

/**
 * Turns decisions into events with ids, metadata and hashes, and folds them.
 * @param when absent: the resulting state is *provisional*, without position and hash
 */
export const record = (
  { subject, before, decisions, cause }: Recordable,
  when?: EventTime & { readonly condition?: RecordedCondition },
): { events: NewEvent[]; entity: Entity | undefined } => {
  const { kind, id: entityId, fullyQualifiedName } = subject
  const { user, correlationId, clientCorrelationId, commandId, causationId = commandId, proposal, traceparent } = cause
  const stream = streamName(kind, entityId)
  const known = before?.updatedAt ?? 0
  const { time, machine, condition } = when ?? { time: known, machine: known }
  const instant = new Date(time).toISOString()
  let entity = before
  const events = decisions.map(({ event, version, written = event }) => {
    const revision = (entity?.revision ?? -1n) + 1n
    const id = when === undefined ? '' : eventId(commandId, { stream, revision, time: instant })
    const unhashed: Omit<EventMetadata, 'hash'> = {
      kind,
      fullyQualifiedName,
      version,
      user,
      time: instant,
      correlationId,
      ...(clientCorrelationId !== undefined && { clientCorrelationId }),
      causationId,
      ...(proposal !== undefined && { proposal }),
      ...(traceparent !== undefined && { traceparent }),
      schemaVersion,
      ...(entity !== undefined && { previousHash: entity.hash }),
      ...(time - machine >= minRecordedSkew && { machineTime: new Date(machine).toISOString() }),
      ...(condition !== undefined && { condition }),
    }
    const hash = when === undefined ? '' : eventHash({ ...written, id, stream, revision, metadata: unhashed })
    const metadata = { ...unhashed, hash }
    entity = evolve(entityId, entity, { ...event, metadata, revision, position: 0n })
    return { ...written, id, metadata } as NewEvent
  })
  return { events, entity }
}

/** The entity after its recorded events were appended up to a position. */
export const asAppended = (made: Entity, position: bigint): Entity => ({
  ...made,
  position,
  since: made.since === 0n ? position : made.since,
})

/** Whether the events that lead to the state are not appended yet. */
export const isProvisional = (entity: Pick<Entity, 'hash'> | undefined): boolean => entity?.hash === ''
