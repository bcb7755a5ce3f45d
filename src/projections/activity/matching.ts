import type { EventStore } from '../../events/eventStore.ts'
import type { RecordedEvent } from '../../events/events.ts'
import { summarizeEvent } from '../../events/verbs.ts'
import type { Labels, LabelsOf } from '../labels.ts'
import { isSameLog, type ProjectionStore } from '../projection.ts'
import { activityProjection } from './activityProjection.ts'
import { indexesFor, type Activity, type ActivityFilter } from './port.ts'

export type EventMatcher = (event: RecordedEvent) => boolean | Promise<boolean>

/** Compiles the conditions that depend on the event alone: all except domains and owners. */
const eventMatches = (filter: ActivityFilter): ((event: RecordedEvent) => boolean) => {
  const { kinds, types, user, entityId, correlationId, clientCorrelationId, changed, since, until } = filter
  const suffix = entityId === undefined ? '' : `-${entityId}`
  const isTimed = since !== undefined || until !== undefined
  const inTime = (text: string): boolean => {
    const time = Date.parse(text)
    return (since ?? time) <= time && (until ?? time) >= time
  }
  return (event) => {
    const { metadata, type, stream } = event
    return (
      (types === undefined || types.has(type)) &&
      (kinds === undefined || kinds.has(metadata.kind)) &&
      (user === undefined || user === metadata.user) &&
      stream.endsWith(suffix) &&
      (correlationId === undefined || correlationId === metadata.correlationId) &&
      (clientCorrelationId === undefined || clientCorrelationId === metadata.clientCorrelationId) &&
      (!isTimed || inTime(metadata.time)) &&
      (changed === undefined || summarizeEvent(event).changed.some((member) => changed.has(member)))
    )
  }
}

/** Compiles a whole filter. The result is synchronous unless labels must be read from the log. */
export const matchWithLabels = (filter: ActivityFilter, labelsOf: LabelsOf): EventMatcher => {
  const { domains, owned } = filter
  const matches = eventMatches(filter)
  const labelled = (labels: Labels, mustBeOwned: boolean): boolean =>
    (domains === undefined || labels.domains.some((domain) => domains.has(domain))) &&
    (!mustBeOwned || labels.owners.some((owner) => owned?.owners.includes(owner)))
  return (event) => {
    if (!matches(event)) return false
    const mustBeOwned = owned?.kinds.has(event.metadata.kind) === true
    if (domains === undefined && !mustBeOwned) return true
    const labels = labelsOf(event)
    return labels instanceof Promise
      ? labels.then((found) => labelled(found, mustBeOwned))
      : labelled(labels, mustBeOwned)
  }
}

/** The read models that locate events. */
export type ActivityIndex = Pick<Activity, 'activity'> & Pick<ProjectionStore, 'checkpoints'>

/** Events that may match, in log order: those found by the index, and all that are newer than it. */
export async function* matchingEvents(
  log: EventStore,
  filter: ActivityFilter,
  after: bigint | undefined,
  index: ActivityIndex | undefined,
): AsyncGenerator<RecordedEvent> {
  let from = after
  const isIndexed = indexesFor(filter).length > 0 || filter.since !== undefined || filter.until !== undefined
  const indexed = isIndexed ? await indexPosition(log, index) : undefined
  while (index !== undefined && indexed !== undefined && (from ?? -1n) < indexed) {
    const page = await index.activity({ ...filter, after: from, before: indexed + 1n, limit: 1000, oldestFirst: true })
    for (const { position } of page.rows) {
      const event = await log.eventAt(position)
      if (event !== undefined) yield event
    }
    from = page.next ?? indexed
  }
  yield* log.readAll({ after: from })
}

/** Position of the index; `undefined` if there is none, or it belongs to another log. */
const indexPosition = async (log: EventStore, index: ActivityIndex | undefined): Promise<bigint | undefined> => {
  const checkpoints = await index?.checkpoints()
  if (checkpoints === undefined || !(await isSameLog(checkpoints, log))) return undefined
  return checkpoints.get(activityProjection.name)?.position
}
