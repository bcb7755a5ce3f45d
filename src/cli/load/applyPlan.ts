import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import { bulksOf, mapInChunks } from '../../shared/bounds.ts'
import { CallError, callsAtOnce, type ApiClient } from '../client/apiClient.ts'
import type { LoadFailure, SourceContent, SourceLineage, SourceResult } from './content.ts'
import type { EntityPlan, StepPlan } from './plan.ts'

/** How many writes changed anything, and what failed. */
interface LoadOutcome {
  readonly changed: number
  readonly failures: readonly LoadFailure[]
}

/** A plan that the service refused, by its index. */
interface Refusal {
  readonly index: number
  /** HTTP status. */
  readonly status: number
  readonly message: string
}

const putMany = async (client: ApiClient, path: string, plans: readonly EntityPlan[]): Promise<Refusal[]> => {
  const items = plans.map(({ entity: { body }, etag }) =>
    etag === undefined ? { ...body, ifNoneMatch: '*' } : { ...body, ifMatch: etag },
  )
  const { failedRequest } = await client.put(`${path}/bulk`, items)
  return failedRequest as readonly object[] as Refusal[]
}

const putOne = async (client: ApiClient, path: string, [plan]: readonly EntityPlan[]): Promise<Refusal[]> => {
  const { entity, etag } = plan as EntityPlan
  const { path: own = path, body, document } = entity
  const condition: Record<string, string> = etag === undefined ? { 'if-none-match': '*' } : { 'if-match': etag }
  const { text, mediaType } = document ?? { text: JSON.stringify(body), mediaType: 'application/json' }
  return refusalsOf(client.putText(own, text, mediaType, condition))
}

/** How often an entity is planned again because somebody changes it meanwhile. */
const mostAttempts = 5

/** Writes what is still as it was read, or still not there; the rest is read and planned again. */
const writeAsRead = async (
  client: ApiClient,
  step: StepPlan,
  plans: readonly EntityPlan[],
  left = mostAttempts,
): Promise<LoadFailure[]> => {
  const refusals = await (step.bulk ? putMany : putOne)(client, step.path, plans)
  const next: EntityPlan[] = []
  const settle = async ({ index, status, message }: Refusal): Promise<LoadFailure[]> => {
    const { entity, again } = plans[index] as EntityPlan
    const { fullyQualifiedName } = entity
    if (status !== 412 || left === 0) return [{ fullyQualifiedName, message }]
    const planned = again().then((plan) => plan.outcome !== 'unchanged' && next.push(plan))
    return failuresOf(planned, fullyQualifiedName)
  }
  const failures = (await mapInChunks(refusals, callsAtOnce, settle)).flat()
  return next.length === 0 ? failures : [...failures, ...(await writeAsRead(client, step, next, left - 1))]
}

const bulkSize = 200
const bulksAtOnce = 2

/**
 * Executes a plan step by step. What exists is written only as it was read, and what is new only if it still is.
 * @param advance called with the path of a step and how much of it was done @returns what failed
 */
export const applyPlan = async (
  client: ApiClient,
  steps: readonly StepPlan[],
  advance: (title: string, count: number) => void,
): Promise<LoadFailure[]> => {
  const failures: LoadFailure[] = []
  for (const step of steps) {
    const { path, bulk, entities } = step
    const planned = entities.filter(({ outcome }) => outcome !== 'unchanged')
    const write = async (some: readonly EntityPlan[]): Promise<void> => {
      failures.push(...(await writeAsRead(client, step, some)))
      advance(path, some.length)
    }
    await mapInChunks(bulksOf(planned, bulk ? bulkSize : 1), bulk ? bulksAtOnce : callsAtOnce, write)
  }
  return failures
}

/** Sends OpenLineage events in order. @returns how many changed anything, what failed, and what had no effect */
export const sendEvents = async (client: ApiClient, { events = [] }: SourceContent) => {
  const failures: LoadFailure[] = []
  const ignored = new Set<string>()
  let changed = 0
  const send = async (event: JsonObject): Promise<void> => {
    const answer = await client.post('openlineage', event)
    for (const text of answer['ignored'] as string[]) ignored.add(text)
    if (answer['changed'] === true) changed++
  }
  for (const event of events) failures.push(...(await failuresOf(send(event), nameOfEvent(event))))
  return { changed, failures, ignored: [...ignored] }
}

const nameOfEvent = ({ job, run }: JsonObject): string =>
  [isObject(job) && job['name'], isObject(run) && run['runId']].filter(Boolean).join(' ') || 'an event without a job'

const inOneLine = ({ lines }: CallError): string => lines.map((line) => line.trim()).join(' ')

/** Refusals are failures of one item; every other error ends the load. */
const refusalsOf = async (answer: Promise<unknown>): Promise<Refusal[]> => {
  try {
    await answer
    return []
  } catch (error) {
    if (!(error instanceof CallError) || error.status === undefined || error.status >= 500) throw error
    if (error.status === 401 || error.status === 429) throw error
    return [{ index: 0, status: error.status, message: inOneLine(error) }]
  }
}

const failuresOf = async (answer: Promise<unknown>, fullyQualifiedName: string): Promise<LoadFailure[]> =>
  (await refusalsOf(answer)).map(({ message }) => ({ fullyQualifiedName, message }))

/** Writes one group after the other. */
const sumOutcomes = async <T>(
  groups: readonly T[],
  write: (group: T) => Promise<LoadOutcome>,
): Promise<LoadOutcome> => {
  const outcomes: LoadOutcome[] = []
  for (const group of groups) outcomes.push(await write(group))
  return {
    changed: outcomes.reduce((sum, { changed }) => sum + changed, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  }
}

/** Puts items together. What is refused as a whole, such as too large a body, is put item by item. */
const putTogether = async <T extends object>(
  client: ApiClient,
  path: string,
  items: readonly T[],
  nameOf: (item: T) => string,
): Promise<LoadOutcome> => {
  try {
    const { changed, failed } = await client.put(path, items as readonly object[] as Json[])
    const failures = objectsOf(failed).map(({ entity, message }) => ({
      fullyQualifiedName: String(entity),
      message: String(message),
    }))
    return { changed: Number(changed), failures }
  } catch (error) {
    if (!(error instanceof CallError) || (error.status !== 400 && error.status !== 413)) throw error
    const [item, ...others] = items as readonly [T, ...T[]]
    if (others.length > 0) return sumOutcomes(items, (each) => putTogether(client, path, [each], nameOf))
    return { changed: 0, failures: [{ fullyQualifiedName: nameOf(item), message: inOneLine(error) }] }
  }
}

/** Statements and results per request: each may have many columns, and a body has a limit of values. */
const itemsAtOnce = 100

/** Names of the entities of a plan with one of these outcomes. */
const namesOf = (steps: readonly StepPlan[], ...wanted: readonly EntityPlan['outcome'][]): Set<string> => {
  const plans = steps.flatMap(({ entities }) => entities).filter(({ outcome }) => wanted.includes(outcome))
  return new Set(plans.map(({ entity }) => entity.fullyQualifiedName))
}

/** The lineage without tables that could not be created or restored: each has failed once already. */
export const lineageOfLoaded = (
  lineage: readonly SourceLineage[],
  steps: readonly StepPlan[],
  failures: readonly LoadFailure[],
): SourceLineage[] => {
  const absent = namesOf(steps, 'created', 'restored')
  const names = failures.map(({ fullyQualifiedName }) => fullyQualifiedName)
  const missing = new Set(names.filter((name) => absent.has(name)))
  return lineage
    .filter(({ fullyQualifiedName }) => !missing.has(fullyQualifiedName))
    .map((each) => ({ ...each, edges: each.edges.filter(({ from }) => !missing.has(from)) }))
}

/** States the upstreams of each table; a repeated statement appends no event. @returns how many changed */
export const writeLineage = (
  client: ApiClient,
  source: string,
  lineage: readonly SourceLineage[],
): Promise<LoadOutcome> => {
  const statements = lineage.map(({ fullyQualifiedName: entity, edges }) => ({ entity, edges }))
  return sumOutcomes(bulksOf(statements, itemsAtOnce), (some) =>
    putTogether(client, `lineage/table/bulk?source=${source}`, some, ({ entity }) => entity),
  )
}

/** Reports results of tests. @returns how many were new */
export const writeResults = (client: ApiClient, results: readonly SourceResult[]): Promise<LoadOutcome> =>
  sumOutcomes(bulksOf(results, itemsAtOnce), (some) =>
    putTogether(client, 'dataQuality/testCases/results', some, ({ testCase }) => testCase),
  )

/** The client, asking what each write would change. */
const forDryRun = (client: ApiClient): ApiClient => {
  const dry = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}dryRun=true`
  return {
    ...client,
    put: (path, body) => client.put(dry(path), body),
    post: (path, body) => client.post(dry(path), body),
  }
}

/** What a load would do beside its entities. Of what it creates all is new; of what it restores, only the load can tell. */
export const foresee = async (client: ApiClient, content: SourceContent, steps: readonly StepPlan[]) => {
  const [created, absent] = [namesOf(steps, 'created'), namesOf(steps, 'created', 'restored')]
  const { source, lineage, results = [], events = [] } = content
  const isAbout = (names: ReadonlySet<string>, { fullyQualifiedName, edges }: SourceLineage): boolean =>
    [fullyQualifiedName, ...edges.map(({ from }) => from)].some((name) => names.has(name))
  const ahead = lineage.filter((each) => isAbout(created, each))
  const newLineage = ahead.filter(({ edges }) => edges.length > 0)
  const known = lineage.filter((each) => !isAbout(absent, each))
  const newResults = results.filter(({ testCase }) => created.has(testCase))
  const asked = results.filter(({ testCase }) => !absent.has(testCase))
  const dryRun = forDryRun(client)
  const stated = await writeLineage(dryRun, source, known)
  const reported = await writeResults(dryRun, asked)
  const sent = await sendEvents(dryRun, content)
  return {
    outcomes: {
      lineage: { ...stated, changed: stated.changed + newLineage.length, total: known.length + ahead.length },
      results: { ...reported, changed: reported.changed + newResults.length, total: asked.length + newResults.length },
      events: { ...sent, total: events.length },
    },
    ignored: sent.ignored,
  }
}

/** What a sweep deletes, or why it is refused. */
interface SweepResult {
  readonly names: readonly string[]
  readonly refusals: readonly string[]
}

/** Deletes, or with `dryRun` lists, the tables below the scopes that the source no longer has. @throws CallError */
export const sweepTables = async (
  client: ApiClient,
  { scopes, steps }: SourceContent,
  { sweep, ...how }: { readonly dryRun: boolean; readonly sweep: boolean; readonly confirm: boolean },
): Promise<SweepResult> => {
  if (!sweep) return { names: [], refusals: [] }
  const tables = steps.flatMap(({ path, entities }) => (path === 'tables' ? entities : []))
  const seen = tables.map(({ fullyQualifiedName }) => fullyQualifiedName)
  const answers = await mapInChunks(scopes, callsAtOnce, (scope) =>
    client.post('tables/sweep', { scope, seen, ...how }),
  )
  return {
    names: answers.flatMap(({ data }) => (data as JsonObject[]).map((gone) => String(gone['fullyQualifiedName']))),
    refusals: answers.flatMap(({ refusal }) => (refusal === undefined ? [] : [String(refusal)])),
  }
}
