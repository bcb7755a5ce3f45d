import type { CatalogEvent, Members } from '../events/events.ts'
import { isObject, sameJson, type Json, type JsonObject } from '../shared/json.ts'

type Validated = (CatalogEvent & { type: 'Validated' })['data']

/** How one run of a test went. */
export type RunResult = {
  /** When it ran, in epoch milliseconds. */
  readonly timestamp: number
  readonly status: 'Success' | 'Failed' | 'Aborted'
  readonly message?: string
}

/** The newest results that a test keeps; its history has all. */
export const keptResults = 90

/** Newest first. */
export const resultsIn = (members: Members): readonly RunResult[] =>
  (members['results'] ?? []) as unknown as readonly RunResult[]

/** What a result does to the incident of a test: a failure opens one, a success resolves it. */
const incidentAfter = (
  incident: Json | undefined,
  { status, timestamp }: RunResult,
  user: string,
): JsonObject | undefined => {
  const isOpen = isObject(incident) && incident['status'] === 'Open'
  if (status === 'Failed' && !isOpen) return { status: 'Open', openedAt: timestamp }
  if (status === 'Success' && isOpen)
    return { ...incident, status: 'Resolved', resolvedAt: timestamp, resolvedBy: user }
  return undefined
}

/** What a result says about a test; `undefined`: nothing, as it was said before or is older than all that are kept. */
export const reportOf = (members: Members, result: RunResult, user: string): Validated | undefined => {
  const results = resultsIn(members)
  const [newest, oldest] = [results[0], results.length < keptResults ? undefined : results.at(-1)]
  const known = results.find(({ timestamp }) => timestamp === result.timestamp)
  if (known !== undefined ? sameJson(known, result) : oldest !== undefined && result.timestamp < oldest.timestamp)
    return undefined
  if (newest !== undefined && result.timestamp < newest.timestamp) return { result, run: 'late' }
  const incident = incidentAfter(members['incident'], result, user)
  return { result, run: 'newest', ...(incident !== undefined && { incident }) }
}

/** The members after a result: one that was reported again at the same time takes the place of the former. */
export const withResult = (members: Members, { result, run, incident }: Validated): Members => {
  const one = result as RunResult
  const others = resultsIn(members).filter(({ timestamp }) => timestamp !== one.timestamp)
  const at = others.findIndex(({ timestamp }) => timestamp < one.timestamp)
  const results = others.toSpliced(at === -1 ? others.length : at, 0, one).slice(0, keptResults)
  return {
    ...members,
    results: results as unknown as Json,
    ...(run === 'newest' && { latestResult: result }),
    ...(incident !== undefined && { incident }),
  }
}
