import type { RecordedEvent } from '../../events/events.ts'
import { tell } from '../../events/verbs.ts'
import type { Labels, LabelsOf } from '../labels.ts'
import { type ActivityFilter, scannedRows, type Activity, type ActivityPage, type ActivityQuery } from './port.ts'
import type { EventStore } from '../../events/eventStore.ts'

export type EventMatcher = (event: RecordedEvent) => boolean | Promise<boolean>

/** Compiles what of a filter an event alone answers: all but domains and owners. */
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
      (changed === undefined || tell(event).changed.some((member) => changed.has(member)))
    )
  }
}

/** Compiles a whole filter. Answers at once unless labels must be read from the log. */
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

/** What happened to one entity, by its stream, as far as the projection has come. */
export const activityOf = async (
  log: Pick<EventStore, 'readStream'>,
  readModels: Pick<Activity, 'activityAt'>,
  stream: string,
  query: ActivityQuery,
): Promise<ActivityPage> => {
  const { before, limit, domains, owned, lookThrough = scannedRows } = query
  const matches = eventMatches(query)
  const positions: bigint[] = []
  let looked = 0
  let bound: bigint | undefined
  for await (const event of log.readStream(stream, { backwards: true })) {
    if (before !== undefined && event.position >= before) continue
    if (matches(event)) positions.push(event.position)
    looked++
    bound = looked === lookThrough || positions.length > limit ? event.position : undefined
    if (bound !== undefined) break
  }
  const rows = (await readModels.activityAt(positions))
    .filter((row) => domains === undefined || row.domains.some((domain) => domains.has(domain)))
    .filter(({ kind, owners }) => !owned?.kinds.has(kind) || owners.some((owner) => owned.owners.includes(owner)))
    .toSorted((a, b) => (a.position > b.position ? -1 : 1))
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1)?.position : undefined
  return { rows: page, next: last ?? bound }
}
