import { eventTypes } from '../../events/verbs.ts'

/** One row for each entity: what reads and lists show, and what is decided on. */
export const entitiesProjection = {
  name: 'entities',
  version: 12,
  handles: new Set(eventTypes),
}
