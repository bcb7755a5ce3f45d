import type { CatalogEvent, Members } from '../events/events.ts'
import { type Json, isObject, sameJson, type JsonObject } from '../shared/json.ts'

type Reported = CatalogEvent & { type: 'RunReported' }

/** A run of a pipeline, with all that its reports said. */
type Run = {
  readonly id: string
  readonly state: string
  readonly startedAt?: string
  readonly endedAt?: string
  /** Reported states: a repeated report changes nothing. */
  readonly reported: readonly string[]
  readonly inputs: Datasets
  readonly outputs: Datasets
  readonly parent?: Reported['data']['parent']
}

/** Number of newest runs that a pipeline keeps. */
const kept = 20

const isEnd = (state: string): boolean => ['COMPLETE', 'ABORT', 'FAIL'].includes(state)

/** Those that began last first. */
export const runsIn = (members: Members | undefined): readonly Run[] => (members?.['runs'] ?? []) as unknown as Run[]

/** Whether the report was made before, or is about a run older than all kept runs. */
export const isReported = (members: Members, { run, state, time }: Reported['data']): boolean => {
  const runs = runsIn(members)
  const known = runs.find(({ id }) => id === run)
  if (known !== undefined) return known.reported.includes(state)
  return runs.length === kept && Date.parse(time) < beginOf(runs.at(-1) as Run)
}

/** When a run began, or else ended, in epoch milliseconds; `NaN` where neither was told. */
const beginOf = ({ startedAt, endedAt = '' }: Run): number => Date.parse(startedAt ?? endedAt)

/** The completed runs that ended after an instant, or at it but are newer than the run that did. */
export const completedSince = (runs: readonly Run[], time: string, id?: string): Run[] => {
  const at = runs.findIndex((run) => run.id === id)
  return runs.filter(({ reported, endedAt = '' }, place) => {
    const later = Date.parse(endedAt) - Date.parse(time)
    return reported.includes('COMPLETE') && (later > 0 || (later === 0 && place < at))
  })
}

/** What a run reads or writes, as its integration names it. */
export type RunDataset = Datasets[number]

export type RunParent = NonNullable<Reported['data']['parent']>

type Datasets = Reported['data']['inputs']

/** The union of both; a version that was reported stays. */
const mergeDatasets = (some: Datasets = [], others: Datasets = []): Datasets =>
  [...Map.groupBy([...some, ...others], ({ namespace, name }) => `${namespace}\0${name}`).values()].map((same) =>
    Object.assign({}, ...same),
  )

const runAfter = (run: Run | undefined, { data }: Reported): Run => {
  const { run: id, state, time, parent = run?.parent } = data
  const startedAt = state === 'START' ? time : run?.startedAt
  const isOver = isEnd(state) || run?.endedAt !== undefined
  const endedAt = isEnd(state) ? time : run?.endedAt
  return {
    id,
    state: isEnd(state) || !isOver ? state : (run?.state ?? state),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    reported: [...(run?.reported ?? []), state],
    inputs: mergeDatasets(run?.inputs, data.inputs),
    outputs: mergeDatasets(run?.outputs, data.outputs),
    ...(parent && { parent }),
  }
}

/** The members after a report. */
export const withReport = (members: Members, event: Reported): Members => {
  const runs = runsIn(members)
  const at = runs.findIndex(({ id }) => id === event.data.run)
  const run = runAfter(runs[at], event)
  const place = runs.findLastIndex((other) => beginOf(other) > Date.parse(event.data.time)) + 1
  const next = at === -1 ? runs.toSpliced(place, 0, run).slice(0, kept) : runs.with(at, run)
  return { ...members, runs: next as unknown as Json }
}

type Validated = (CatalogEvent & { type: 'Validated' })['data']

export type RunResult = {
  /** When it ran, in epoch milliseconds. */
  readonly timestamp: number
  readonly status: 'Success' | 'Failed' | 'Aborted'
  readonly message?: string
}

/** Number of newest results that a test keeps; its history has all. */
const keptResults = 90

/** Newest first. */
const resultsIn = (members: Members): readonly RunResult[] =>
  (members['results'] ?? []) as unknown as readonly RunResult[]

/** The effect of a result on the incident of a test: a failure opens one, a success resolves it. */
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

/** The report of a result; `undefined` if it was reported before or is older than all kept results. */
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

/** The members after a result. A result with the same timestamp replaces the earlier one. */
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
