import { eventTypes, verbs } from '../../events/verbs.ts'
import type { Projection } from '../projection.ts'

/** The words of each entity. Events that make no version leave them alone. */
export const searchProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'search',
  version: 1,
  handles: new Set(eventTypes.filter((type) => verbs[type].makesVersion)),
}
