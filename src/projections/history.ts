import { evolve, type Entity } from '../commands/evolve.ts'
import type { RecordedEvent } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { streamName } from '../events/streamName.ts'

/** A moment in an entity's history. */
export type Moment =
  /** Version in tenths, of the present (or last) life. */
  | { readonly version: number }
  /** Everything up to this log position. */
  | { readonly position: bigint }
  /** Everything up to this instant, in epoch milliseconds. */
  | { readonly time: number }

export interface Identity {
  readonly kind: string
  readonly id: string
}

const isWithin = (event: RecordedEvent, moment: Moment): boolean => {
  if ('position' in moment) return event.position <= moment.position
  if ('time' in moment) return Date.parse(event.metadata.time) <= moment.time
  return true
}

/** Events that make a new version; votes and follows do not. */
const makesVersion = (before: Entity | undefined, after: Entity): boolean =>
  before === undefined || before.status === 'gone' || after.version !== before.version

/** The states at the end of each version of the present (or last) life, oldest first. */
export async function* foldVersions(log: EventStore, identity: Identity): AsyncGenerator<{ state: Entity; event: RecordedEvent }> {
  let state: Entity | undefined
  for await (const event of log.readStream(streamName(identity.kind, identity.id))) {
    const after = evolve(identity.id, state, event)
    if (makesVersion(state, after)) yield { state: after, event }
    state = after
  }
}

/** The versions of the present life, or of the last one when `dead` lives count, oldest first. */
export const versionsOf = async (log: EventStore, identity: Identity): Promise<Entity[]> => {
  let versions: Entity[] = []
  for await (const { state, event } of foldVersions(log, identity)) {
    if (event.type === 'Created') versions = []
    if (state.status !== 'gone') versions.push(state)
  }
  return versions
}

/** The entity as it was at a moment; `undefined` when it did not exist then. */
export const entityAsOf = async (log: EventStore, identity: Identity, moment: Moment): Promise<Entity | undefined> => {
  if ('version' in moment) return (await versionsOf(log, identity)).findLast(({ version }) => version === moment.version)
  let state: Entity | undefined
  for await (const event of log.readStream(streamName(identity.kind, identity.id))) {
    if (!isWithin(event, moment)) break
    state = evolve(identity.id, state, event)
  }
  return state?.status === 'gone' ? undefined : state
}
