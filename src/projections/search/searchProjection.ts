import { eventTypes } from '../../events/verbs.ts'
import type { Projection } from '../projection.ts'

/** The search projection: terms and popularity of each entity. */
export const searchProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'search',
  version: 8,
  handles: new Set(eventTypes.filter((type) => type !== 'KeyChanged' && type !== 'PoliciesChanged')),
}
