import type { CatalogEvent, Members } from '../events/events.ts'
import { datasetKey } from '../kinds/datasets.ts'
import { limits } from '../shared/limits.ts'
import { invalidAt } from './errors.ts'
import { canonicalJson, jsonLength, type Json, isObject, sameJson, type JsonObject } from '../shared/json.ts'

type Report = (CatalogEvent & { type: 'RunReported' })['data']

/** A run of a pipeline: the union of its events, in whatever order they arrive. */
export type Run = {
  readonly id: string
  readonly state: string
  /** Of its newest event. */
  readonly time: string
  readonly startedAt?: string
  readonly endedAt?: string
  readonly inputs: Datasets
  readonly outputs: Datasets
  readonly parent?: RunParent
  /** Times at which its events reported SQL and columns, by the id of these in the pipeline's `runDetails`. */
  readonly details?: Readonly<Record<string, string>>
}

/** SQL and column lineage. */
export type RunDetails = Omit<NonNullable<Report['details']>, 'id'>

/** What a run reads or writes, as its integration names it. */
export type RunDataset = Report['inputs'][number]

export type RunParent = NonNullable<Report['parent']>

/** `time`: when the version was reported. */
type Datasets = readonly (RunDataset & { readonly time?: string })[]

/** Number of newest runs that a pipeline keeps. */
const maxRuns = 20

/** Characters of details beyond which those of older runs are dropped: every event writes all of them again. */
const maxDetailsLength = 1024 * 1024

/** A run is in the reported state of the highest rank; among states of rank 0, in the newest. */
const rankOf = (state: string): number => ['ABORT', 'FAIL', 'COMPLETE'].indexOf(state) + 1

/** Ordered by newest event, newest first. */
export const runsIn = (members: Members | undefined): readonly Run[] => (members?.['runs'] ?? []) as unknown as Run[]

const detailsIn = (members: Members | undefined) => (members?.['runDetails'] ?? {}) as Record<string, RunDetails>

/** @throws DomainError `invalid` for an event or a run of which so many outputs come from so many inputs */
export const mustStateFewEdges = ({ inputs, outputs }: Pick<Run, 'inputs' | 'outputs'>): void => {
  const [most, edges] = [limits.runEdges.value, inputs.length * outputs.length]
  if (edges <= most) return
  const outcome = `make ${edges} edges with its inputs, and at most ${most} can be stated`
  throw invalidAt('/outputs', `of the run ${outcome}: report the outputs as several jobs`)
}

/**
 * The report as it is stored: details that the pipeline already has are stored as their id alone. `undefined` if it adds
 * nothing, since it was made before or is about a run older than all kept runs. @throws DomainError `invalid`
 */
export const storedReport = (members: Members, data: Report): Report | undefined => {
  const after = withReport(members, data)
  if (sameJson(after, members)) return undefined
  runsIn(after)
    .filter(({ id }) => id === data.run)
    .forEach(mustStateFewEdges)
  const id = data.details?.id
  return id !== undefined && detailsIn(members)[id] !== undefined ? { ...data, details: { id } } : data
}

/** The completed runs that ended after an instant, or at that instant but after the run with this id. */
export const completedSince = (runs: readonly Run[], time: string, id?: string): Run[] => {
  const at = runs.find((run) => run.id === id)
  return runs.filter((run) => {
    const { state, endedAt = '' } = run
    const isNewer = at !== undefined && orderOf(run) > orderOf(at)
    return state === 'COMPLETE' && (endedAt > time || (endedAt === time && isNewer))
  })
}

const orderOf = ({ time, id }: Pick<Run, 'time' | 'id'>): string => `${time} ${id}`

/** The newest SQL and all columns that events of a run reported; `undefined` if some of these details were dropped. */
export const detailsOfRun = (members: Members | undefined, { details = {} }: Run): RunDetails | undefined => {
  const known = detailsIn(members)
  const ids = Object.keys(details).toSorted((a, b) => (`${details[a]} ${a}` < `${details[b]} ${b}` ? -1 : 1))
  const found = ids.flatMap((id) => known[id] ?? [])
  if (found.length < ids.length) return undefined
  const sql = found.findLast((each) => each.sql !== undefined)?.sql
  return { ...(sql !== undefined && { sql }), columns: found.flatMap(({ columns = [] }) => columns) }
}

/** The item with the greatest key, whichever comes first. */
const greatest = <T>(items: readonly (T | undefined)[], keyOf: (item: T) => string): T | undefined =>
  items
    .filter((item) => item !== undefined)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .at(-1)

const latest = (...times: readonly (string | undefined)[]): string | undefined => greatest(times, (time) => time)

/** The union; of several versions of a dataset the newest report counts. */
const mergeDatasets = (...all: readonly Datasets[]): Datasets => {
  const same = Map.groupBy(all.flat(), datasetKey)
  return [...same]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, some]) => greatest(some, ({ time = '', version = '' }) => `${time} ${version}`) ?? [])
}

const runAfter = (run: Run | undefined, data: Report): Run => {
  const { run: id, state, time, details } = data
  const versioned = (datasets: Datasets): Datasets =>
    datasets.map((each) => (each.version === undefined ? each : { ...each, time }))
  const [startedAt] = [run?.startedAt, state === 'START' ? time : undefined].filter((at) => at !== undefined).toSorted()
  const endedAt = latest(run?.endedAt, rankOf(state) > 0 ? time : undefined)
  const parent = greatest([run?.parent, data.parent], canonicalJson)
  const detailTimes = details && { ...run?.details, [details.id]: latest(run?.details?.[details.id], time) ?? time }
  return {
    ...run,
    id,
    state: greatest([run, data], (each) => `${rankOf(each.state)} ${each.time} ${each.state}`)?.state ?? state,
    time: latest(run?.time, time) ?? time,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    inputs: mergeDatasets(run?.inputs ?? [], versioned(data.inputs)),
    outputs: mergeDatasets(run?.outputs ?? [], versioned(data.outputs)),
    ...(parent && { parent }),
    ...(detailTimes && { details: detailTimes }),
  }
}

/** The members after a report. */
export const withReport = (members: Members, data: Report): Members => {
  const { id, ...content } = data.details ?? {}
  const runs = runsIn(members)
  const before = runs.find((each) => each.id === data.run)
  const run = runAfter(before, data)
  const known = { ...(id !== undefined && { [id]: content }), ...detailsIn(members) }
  const next = [...runs.filter((each) => each.id !== run.id), run]
    .toSorted((a, b) => (orderOf(a) > orderOf(b) ? -1 : 1))
    .slice(0, maxRuns)
  const runDetails: Record<string, RunDetails> = {}
  let length = 0
  for (const { details = {} } of next) {
    if (length > maxDetailsLength) break
    for (const name of Object.keys(details)) {
      if (known[name] === undefined || runDetails[name] !== undefined) continue
      runDetails[name] = known[name]
      length += jsonLength(known[name])
    }
  }
  const { runDetails: _, ...others } = members
  return { ...others, runs: next as unknown as Json, ...(length > 0 && { runDetails: runDetails as unknown as Json }) }
}

type Validated = (CatalogEvent & { type: 'Validated' })['data']

export type RunResult = {
  /** When it ran, in epoch milliseconds. */
  readonly timestamp: number
  readonly status: 'Success' | 'Failed' | 'Aborted'
  readonly message?: string
}

/** A result as it is reported: without a time it is of now. */
export type ResultReport = Pick<RunResult, 'status'> & {
  readonly timestamp?: number | undefined
  readonly message?: string | undefined
}

/** Number of newest results that a test keeps; its history has all. */
const maxResults = 90

/** Newest first. */
const resultsIn = (members: Members): readonly RunResult[] =>
  (members['results'] ?? []) as unknown as readonly RunResult[]

/** The run of a report; one without a time is at the first moment from now on that no other run has. */
export const runOf = (members: Members, { status, timestamp, message }: ResultReport, now: number): RunResult => {
  let time = timestamp ?? now
  if (timestamp === undefined) while (resultsIn(members).some((result) => result.timestamp === time)) time++
  return { timestamp: time, status, ...(message !== undefined && { message }) }
}

/** Whether the members have the result of this time, or there is none; otherwise only the log tells. */
export const isKept = (members: Members, { timestamp }: RunResult): boolean => {
  const results = resultsIn(members)
  return results.length < maxResults || timestamp >= (results.at(-1)?.timestamp ?? 0)
}

/** The time of the first failure since the newest success, without those that a person has resolved. */
const failingSince = (results: readonly RunResult[], resolvedUpTo: number): number | undefined => {
  const success = results.findIndex(({ status }) => status === 'Success')
  const since = success === -1 ? results : results.slice(0, success)
  return since.findLast(({ status, timestamp }) => status === 'Failed' && timestamp > resolvedUpTo)?.timestamp
}

/** The incident where a result changes it: it lasts as long as the results by time say, or until a person resolves it. */
const incidentAfter = (
  members: Members,
  results: readonly RunResult[],
  result: RunResult,
  user: string,
): JsonObject | undefined => {
  const before = resultsIn(members)
  const incident = isObject(members['incident']) ? members['incident'] : {}
  const isOpen = incident['status'] === 'Open'
  // Before it was stored up to which run a person resolved, what was resolved in spite of failures was so by a person.
  const isByPerson = incident['status'] === 'Resolved' && failingSince(before, 0) !== undefined
  const resolvedUpTo = Number(incident['resolvedUpTo'] ?? (isByPerson ? before[0]?.timestamp : 0))
  const [was, since] = [failingSince(before, resolvedUpTo), failingSince(results, resolvedUpTo)]
  const isStated = isOpen && was === undefined
  if (since !== undefined)
    return since === was || isStated
      ? undefined
      : { ...(isOpen && incident), status: 'Open', openedAt: since, ...(resolvedUpTo > 0 && { resolvedUpTo }) }
  const isOver = isStated ? result === results[0] && result.status === 'Success' : isOpen
  return isOver ? { ...incident, status: 'Resolved', resolvedAt: result.timestamp, resolvedBy: user } : undefined
}

/** The results, of which there is one for each time, with this one. */
const withOne = (results: readonly RunResult[], one: RunResult): readonly RunResult[] => {
  const others = results.filter(({ timestamp }) => timestamp !== one.timestamp)
  const at = others.findIndex(({ timestamp }) => timestamp < one.timestamp)
  return others.toSpliced(at === -1 ? others.length : at, 0, one)
}

/** The report of a result; `undefined` if it is the known one of its time. @param known absent: as the members say */
export const reportOf = (
  members: Members,
  result: RunResult,
  user: string,
  known: Json | undefined = resultsIn(members).find(({ timestamp }) => timestamp === result.timestamp),
): Validated | undefined => {
  if (sameJson(known, result)) return undefined
  const results = withOne(resultsIn(members), result)
  const incident = isKept(members, result) ? incidentAfter(members, results, result, user) : undefined
  return { result, run: result === results[0] ? 'newest' : 'late', ...(incident !== undefined && { incident }) }
}

/** Changes known results, by time, as an event says: also an undo, which sets those that the members keep. */
export const learnResults = (known: Map<number, JsonObject>, { type, data }: CatalogEvent): void => {
  if (type === 'Created') known.clear()
  if (type === 'Validated') known.set(Number(data.result['timestamp']), data.result)
  if (type !== 'Updated' || !('results' in data.set || data.unset.includes('results'))) return
  const results = resultsIn(data.set)
  const from = results.length < maxResults ? 0 : (results.at(-1)?.timestamp ?? 0)
  for (const time of known.keys()) if (time >= from) known.delete(time)
  for (const result of results) known.set(result.timestamp, result)
}

/** The members after a result. A result with the same timestamp replaces the earlier one. */
export const withResult = (members: Members, { result, run, incident }: Validated): Members => ({
  ...members,
  results: withOne(resultsIn(members), result as RunResult).slice(0, maxResults) as unknown as Json,
  ...(run === 'newest' && { latestResult: result }),
  ...(incident !== undefined && { incident }),
})
