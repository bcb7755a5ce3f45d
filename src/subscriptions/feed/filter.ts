import type { RecordedEvent } from '../../events/events.ts'
import { eventMatches } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import type { Labels } from '../../projections/labels.ts'

/** Which events a consumer gets. What is left out does not narrow. */
export interface FeedFilter extends ActivityFilter {
  readonly entityId?: string | undefined
}

export type Match = (event: RecordedEvent) => boolean | Promise<boolean>

/** Compiles a filter. Answers at once unless labels must be read from the log. */
export const makeMatch = (filter: FeedFilter, labelsOf: (event: RecordedEvent) => Labels | Promise<Labels>): Match => {
  const { entityId, domains, owned } = filter
  const matches = eventMatches(filter)
  const suffix = entityId === undefined ? undefined : `-${entityId}`

  const labelled = (labels: Labels, mustBeOwned: boolean): boolean =>
    (domains === undefined || labels.domains.some((domain) => domains.has(domain))) &&
    (!mustBeOwned || labels.owners.some((owner) => owned?.owners.includes(owner)))

  return (event) => {
    if (suffix !== undefined && !event.stream.endsWith(suffix)) return false
    if (!matches(event)) return false
    const mustBeOwned = owned?.kinds.has(event.metadata.kind) === true
    if (domains === undefined && !mustBeOwned) return true
    const labels = labelsOf(event)
    return labels instanceof Promise
      ? labels.then((found) => labelled(found, mustBeOwned))
      : labelled(labels, mustBeOwned)
  }
}
