import type { RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import { evolve, type Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import type { Target } from './request.ts'

/** Revision of the newest event of a stream. */
export const newestRevision = async ({ log }: Ports, stream: string): Promise<bigint | undefined> => {
  if (log.revisionOf !== undefined) return log.revisionOf(stream)
  for await (const { revision } of log.readStream(stream, { backwards: true, limit: 1 })) return revision
  return undefined
}

/** Folds what came after a state. @param see is given each event, and the entity after it */
export const readOn = async (
  { log, clock }: Ports,
  { kind, id }: Target,
  before: Entity | undefined,
  see: (event: RecordedEvent, entity: Entity) => void,
): Promise<Entity | undefined> => {
  let entity = before
  for await (const event of log.readStream(streamName(kind, id), { from: (before?.revision ?? -1n) + 1n })) {
    clock.saw(Date.parse(event.metadata.time))
    entity = evolve(id, entity, event)
    see(event, entity)
  }
  return entity
}
