import type { RecordedEvent } from '../../events/events.ts'
import { tell } from '../../events/verbs.ts'
import type { ActivityFilter } from './port.ts'

/** Compiles what of a filter an event alone answers: all but domains and owners. */
export const eventMatches = (filter: ActivityFilter): ((event: RecordedEvent) => boolean) => {
  const { kinds, types, user, correlationId, changed, since, until } = filter
  const isTimed = since !== undefined || until !== undefined
  const inTime = (text: string): boolean => {
    const time = Date.parse(text)
    return (since ?? time) <= time && (until ?? time) >= time
  }
  return (event) => {
    const { metadata, type } = event
    return (
      (types === undefined || types.has(type)) &&
      (kinds === undefined || kinds.has(metadata.kind)) &&
      (user === undefined || user === metadata.user) &&
      (correlationId === undefined || correlationId === metadata.correlationId) &&
      (!isTimed || inTime(metadata.time)) &&
      (changed === undefined || tell(event).changed.some((member) => changed.has(member)))
    )
  }
}
