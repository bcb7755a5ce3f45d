import { eventTypes } from '../../events/verbs.ts'
import type { Projection } from '../projection.ts'

/** The words of each entity, and how popular it is. How a contract was checked says nothing about that. */
export const searchProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'search',
  version: 5,
  handles: new Set(eventTypes.filter((type) => type !== 'Validated' && type !== 'KeyChanged')),
}
