import { eventTypes, type EventType } from '../../events/eventSchemas.ts'
import type { Projection } from '../projection.ts'

/** Events after which every search finds what it found before. */
const unsearched = new Set<EventType>(['Voted', 'FollowerAdded', 'FollowerRemoved'])

/** The words of each entity. */
export const searchProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'search',
  version: 1,
  handles: new Set(eventTypes.filter((type) => !unsearched.has(type))),
}
