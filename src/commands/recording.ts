import type { EventMetadata, NewEvent } from '../events/events.ts'
import { schemaVersion } from '../events/events.ts'
import { eventHash } from '../events/hashChain.ts'
import { streamName } from '../events/streamName.ts'
import { nameUuid } from '../kinds/names.ts'
import type { Decision } from './decide.ts'
import { evolve, type Entity } from './evolve.ts'

/** Who and what causes a command. */
export interface Cause {
  /** Name of the user whose request it is. */
  readonly user: string
  readonly time: Date
  readonly correlationId: string
  /** Identity of the command: repeated with the same id it makes the same events. */
  readonly commandId: string
  /** Default: the command. A cascade names the event that it follows. */
  readonly causationId?: string
}

export interface Subject {
  readonly kind: string
  readonly id: string
  readonly fullyQualifiedName: string
}

/** The id of the n-th event of a command. */
export const eventId = (commandId: string, index: number): string => nameUuid(`event:${commandId}:${index}`)

/** Turns decisions into events with ids, metadata and hashes, and folds them onto the state. */
export const record = (
  subject: Subject,
  before: Entity | undefined,
  decisions: readonly Decision[],
  cause: Cause,
): { events: NewEvent[]; entity: Entity | undefined } => {
  const stream = streamName(subject.kind, subject.id)
  let entity = before
  const events = decisions.map(({ event, version }, index) => {
    const revision = (entity?.revision ?? -1n) + 1n
    const id = eventId(cause.commandId, index)
    const unhashed = metadataOf(subject, version, cause, entity?.hash)
    const hash = eventHash({ ...event, id, stream, revision, metadata: unhashed })
    const recorded = { ...event, id, metadata: { ...unhashed, hash } } as NewEvent
    entity = evolve(subject.id, entity, { ...recorded, revision, position: 0n })
    return recorded
  })
  return { events, entity }
}

const metadataOf = (
  subject: Subject,
  version: number,
  cause: Cause,
  previousHash: string | undefined,
): Omit<EventMetadata, 'hash'> => ({
  kind: subject.kind,
  fullyQualifiedName: subject.fullyQualifiedName,
  version,
  user: cause.user,
  time: cause.time.toISOString(),
  correlationId: cause.correlationId,
  causationId: cause.causationId ?? cause.commandId,
  schemaVersion,
  ...(previousHash !== undefined && { previousHash }),
})
