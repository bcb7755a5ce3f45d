import { isObject, type Json, type JsonObject } from '../../shared/json.ts'
import { CallError, type ApiClient } from '../client/apiClient.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { mapConcurrently } from '../client/mapConcurrently.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

/** Create requests of one kind, sent as PUT: one by one, or in bulk. */
interface UpsertStep {
  readonly title: string
  /** Path of the kind below `/v1/`. */
  readonly path: string
  readonly bulk: boolean
  readonly items: readonly JsonObject[]
}

/** A verb on an existing entity, such as a vote: `PUT {path}/{id}/{verb}`. */
export interface Deed {
  readonly path: string
  readonly fullyQualifiedName: string
  readonly verb: string
  /** `{ idOfUser }` is replaced by the id of that user. */
  readonly body: Json | { readonly idOfUser: string }
  /** The acting user; default: the seeding one. */
  readonly by?: string
}

interface DeedStep {
  readonly title: string
  readonly deeds: readonly Deed[]
}

/** Upstream edges of assets, by source. */
interface LineageStep {
  readonly title: string
  readonly source: string
  readonly statements: readonly {
    readonly kind: string
    /** Fully qualified name of the asset. */
    readonly of: string
    readonly edges: readonly JsonObject[]
    /** Earlier edges, so that it has a past. */
    readonly earlier?: readonly JsonObject[]
  }[]
}

/** Daily test results up to the present day. */
interface ResultStep {
  readonly title: string
  readonly path: string
  readonly days: number
  readonly results: readonly {
    readonly testCase: string
    /** Days ago, from and to, of failures. */
    readonly failed?: readonly (readonly [from: number, to: number])[]
    /** Message of failed runs. */
    readonly message?: string
  }[]
}

/** A step of the load. Steps run in order; items of a bulk step in order, others concurrently. */
export type Step = UpsertStep | DeedStep | LineageStep | ResultStep

const folder = fileURLToPath(new URL('../../../examples/demo', import.meta.url))

/** The demo company from the YAML files of `examples/demo`: one document per step, in order. */
export const companySteps = (): Step[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .flatMap((name) => [...parseAllDocuments(readFileSync(`${folder}/${name}`, 'utf8'))])
    .map((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      return document.toJS() as Step
    })

/** Number of requests' items in a step. */
export const sizeOf = (step: Step): number =>
  ('deeds' in step
    ? step.deeds
    : 'statements' in step
      ? step.statements
      : 'results' in step
        ? step.results
        : step.items
  ).length

const bulkSize = 200

export interface Progress {
  /** Number of finished items of the step. */
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

/** Cached look-up of ids by path and FQN. */
const makeIds = (client: ApiClient): ((path: string, fqn: string) => Promise<string>) => {
  const known = new Map<string, Promise<string>>()
  return (path, fqn) => {
    const key = `${path}/name/${encodeURIComponent(fqn)}`
    const id = known.get(key) ?? client.get(key).then((entity) => entity['id'] as string)
    known.set(key, id)
    return id
  }
}

/** Verbs on one entity run one after the other, so that every run has the same order. */
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

/** Earlier edges are stated only if there are none yet. */
const stateAll = (client: ApiClient, step: LineageStep, { advance }: Progress): Promise<void[]> =>
  mapConcurrently(step.statements, async ({ kind, of, edges, earlier }) => {
    const path = `lineage/${kind}/name/${encodeURIComponent(of)}?source=${step.source}`
    if (earlier !== undefined && ((await client.get(`${path}&down=0`))['edges'] as Json[]).length === 0)
      await client.put(path, { edges: [...earlier] })
    await client.put(path, { edges: [...edges] })
    advance(step.title, 1)
  })

const day = 24 * 60 * 60 * 1000

/** One run per day, early in the morning, so that loading again on the same day changes nothing. */
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
