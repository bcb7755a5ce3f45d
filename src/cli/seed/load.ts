import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { CallError, type ApiClient } from '../client/apiClient.ts'
import type { Deed, LineageStep, ResultStep, Step, UpsertStep } from './company.ts'
import { chunksOf } from '../../shared/chunks.ts'
import { mapConcurrently } from '../client/mapConcurrently.ts'

const bulkSize = 200

export interface Progress {
  /** So many items of the step are done. */
  readonly advance: (title: string, count: number) => void
}

/** The first problems of a bulk answer. */
const failures = (answer: JsonObject): string => {
  const failed = (answer['failedRequest'] ?? []) as JsonObject[]
  return failed
    .slice(0, 5)
    .map(({ request, message, errors }) => `\n  ${String(request)}: ${String(message)} ${JSON.stringify(errors ?? '')}`)
    .join('')
}

const upsertMany = async (client: ApiClient, step: UpsertStep, { advance }: Progress): Promise<void> => {
  for (const items of chunksOf(step.items, bulkSize)) {
    const answer = await client.put(`${step.path}/bulk`, items as Json[])
    if (answer['status'] !== 'success') {
      throw new CallError(
        `${step.title}: ${String(answer['numberOfRowsFailed'])} of ${items.length} were refused${failures(answer)}`,
      )
    }
    advance(step.title, items.length)
  }
}

/** Looks ids up by path and FQN, each once. */
const makeIds = (client: ApiClient): ((path: string, fqn: string) => Promise<string>) => {
  const known = new Map<string, Promise<string>>()
  return (path, fqn) => {
    const key = `${path}/name/${encodeURIComponent(fqn)}`
    const id = known.get(key) ?? client.get(key).then((entity) => entity['id'] as string)
    known.set(key, id)
    return id
  }
}

/** Deeds for one entity come after each other, so that they are done in the same order in every run. */
const doAll = async (
  client: ApiClient,
  title: string,
  deeds: readonly Deed[],
  idOf: ReturnType<typeof makeIds>,
  progress: Progress,
): Promise<void> => {
  const groups = [...Map.groupBy(deeds, ({ path, fullyQualifiedName }) => `${path} ${fullyQualifiedName}`).values()]
  await mapConcurrently(groups, async (group) => {
    for (const { path, fullyQualifiedName, verb, body, by } of group) {
      const named = isObject(body) ? body['idOfUser'] : undefined
      const sent = typeof named === 'string' ? await idOf('users', named) : (body as Json)
      await client.put(`${path}/${await idOf(path, fullyQualifiedName)}/${verb}`, sent, by)
      progress.advance(title, 1)
    }
  })
}

/** What fed an asset earlier is stated only where nothing stands yet. */
const stateAll = (client: ApiClient, step: LineageStep, { advance }: Progress): Promise<void[]> =>
  mapConcurrently(step.statements, async ({ kind, of, edges, earlier }) => {
    const path = `lineage/${kind}/name/${encodeURIComponent(of)}?source=${step.source}`
    if (earlier !== undefined && ((await client.get(`${path}&down=0`))['edges'] as Json[]).length === 0)
      await client.put(path, { edges: [...earlier] })
    await client.put(path, { edges: [...edges] })
    advance(step.title, 1)
  })

const day = 24 * 60 * 60 * 1000

/** A run each day, early in the morning: so loading again on the same day changes nothing. */
const reportAll = async (client: ApiClient, step: ResultStep, { advance }: Progress): Promise<void> => {
  const today = Math.floor(Date.now() / day) * day
  for (const { testCase, failed = [], message } of step.results) {
    const runs = Array.from({ length: step.days }, (_, ago): Json => {
      const passed = !failed.some(([from, to]) => ago <= from && ago >= to)
      const timestamp = today - ago * day
      return { testCase, timestamp, ...(passed ? { status: 'Success' } : { status: 'Failed', message: message ?? '' }) }
    })
    await client.put(`${step.path}/results`, runs)
    advance(step.title, 1)
  }
}

/** Loads the steps in order, as upserts: a second run changes nothing. @throws CallError at the first refusal */
export const load = async (client: ApiClient, steps: readonly Step[], progress: Progress): Promise<void> => {
  const idOf = makeIds(client)
  for (const step of steps) {
    if ('deeds' in step) await doAll(client, step.title, step.deeds, idOf, progress)
    else if ('statements' in step) await stateAll(client, step, progress)
    else if ('results' in step) await reportAll(client, step, progress)
    else if (step.bulk) await upsertMany(client, step, progress)
    else {
      await mapConcurrently(step.items, async (item) => {
        await client.put(step.path, item)
        progress.advance(step.title, 1)
      })
    }
  }
}
