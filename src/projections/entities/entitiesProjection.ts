import { eventTypes } from '../../events/verbs.ts'
import type { Projection } from '../projection.ts'

/** One row for each entity: what reads and lists show, and what is decided on. */
export const entitiesProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'entities',
  version: 9,
  handles: new Set(eventTypes),
}
