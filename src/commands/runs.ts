import type { CatalogEvent, Members } from '../events/events.ts'
import type { Json } from '../shared/json.ts'

type Reported = CatalogEvent & { type: 'RunReported' }

/** A run as its pipeline has it; until it has ended with what it reads and writes. */
export type Run = {
  readonly id: string
  readonly state: string
  readonly startedAt?: string
  readonly endedAt?: string
  /** States that were reported: what comes again changes nothing. */
  readonly reported: readonly string[]
  readonly inputs?: Reported['data']['inputs']
  readonly outputs?: Reported['data']['outputs']
}

/** The newest ones that a pipeline has. */
const kept = 20

const ends: ReadonlySet<string> = new Set(['COMPLETE', 'ABORT', 'FAIL'])

export const isEnd = (state: string): boolean => ends.has(state)

/** Newest first. */
export const runsIn = (members: Members | undefined): readonly Run[] => (members?.['runs'] ?? []) as unknown as Run[]

/** Was this said before, or of a run that is older than all that are kept? */
export const isReported = (members: Members, { run, state, time }: Reported['data']): boolean => {
  const runs = runsIn(members)
  const known = runs.find(({ id }) => id === run)
  if (known !== undefined) return known.reported.includes(state)
  const oldest = runs.length < kept ? undefined : (runs.at(-1)?.startedAt ?? runs.at(-1)?.endedAt)
  return oldest !== undefined && Date.parse(time) < Date.parse(oldest)
}

type Datasets = Reported['data']['inputs']

/** Those of both, each once. */
export const allDatasets = (some: Datasets = [], others: Datasets = []): Datasets => [
  ...new Map([...some, ...others].map((each) => [`${each.namespace}\0${each.name}`, each])).values(),
]

const runAfter = (run: Run | undefined, { run: id, state, time, inputs, outputs }: Reported['data']): Run => {
  const reported = [...(run?.reported ?? []), state]
  const startedAt = state === 'START' ? time : run?.startedAt
  const isOver = isEnd(state) || run?.endedAt !== undefined
  const endedAt = isEnd(state) ? time : run?.endedAt
  return {
    id,
    state: isEnd(state) || !isOver ? state : (run?.state ?? state),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    reported,
    ...(!isOver && { inputs: allDatasets(run?.inputs, inputs), outputs: allDatasets(run?.outputs, outputs) }),
  }
}

/** The members after a report. */
export const withReport = (members: Members, { data }: Reported): Members => {
  const runs = runsIn(members)
  const at = runs.findIndex(({ id }) => id === data.run)
  const run = runAfter(runs[at], data)
  const next = at === -1 ? [run, ...runs].slice(0, kept) : runs.with(at, run)
  return { ...members, runs: next as unknown as Json }
}
