import { matchWithLabels, type Match } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import type { LabelsOf } from '../../projections/labels.ts'

export type { Match } from '../../projections/activity/matching.ts'

/** Which events a consumer gets. What is left out does not narrow. */
export interface FeedFilter extends ActivityFilter {
  readonly entityId?: string | undefined
}

/** Compiles a filter. Answers at once unless labels must be read from the log. */
export const makeMatch = (filter: FeedFilter, labelsOf: LabelsOf): Match => {
  const { entityId, ...others } = filter
  const match = matchWithLabels(others, labelsOf)
  if (entityId === undefined) return match
  const suffix = `-${entityId}`
  return (event) => event.stream.endsWith(suffix) && match(event)
}
