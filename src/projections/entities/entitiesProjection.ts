import { eventTypes } from '../../events/verbs.ts'

/** The projection of entities: one row each, for reads, lists and decisions. */
export const entitiesProjection = {
  name: 'entities',
  version: 13,
  handles: new Set(eventTypes),
}
