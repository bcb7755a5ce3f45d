import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { entityId } from '../kinds/names.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { chunksOf, mapInChunks } from '../shared/bounds.ts'
import { isObject, type Json, type JsonObject } from '../shared/json.ts'
import { CallError, callsAtOnce, clientOptions, clientsFor, givenToken, type ApiClient } from './client/apiClient.ts'
import { print, type CliCommand } from './command/command.ts'
import { withBar } from './command/progressBar.ts'

/** Create requests of one kind, sent as PUT: one by one, or in bulk. */
interface UpsertStep {
  /** Path of the kind below `/v1/`. */
  readonly path: string
  readonly bulk: boolean
  readonly items: readonly JsonObject[]
}

/** A verb on an existing entity, such as a vote: `PUT {path}/{id}/{verb}`. */
export interface SeedAction {
  readonly path: string
  readonly fullyQualifiedName: string
  readonly verb: string
  /** `{ idOfUser }` is replaced by the id of that user. */
  readonly body: Json | { readonly idOfUser: string }
  /** The acting user; default: the seeding one. */
  readonly by?: string
}

/** Upstream edges of assets, by source. */
interface LineageStep {
  readonly source: string
  readonly statements: readonly {
    readonly kind: string
    /** Fully qualified name of the asset. */
    readonly of: string
    readonly edges: Json
    /** Earlier edges, so that it has a past. */
    readonly earlier?: Json
  }[]
}

/** Daily test results up to the present day. */
interface ResultStep {
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
export type Step = { readonly title: string } & (
  UpsertStep | { readonly deeds: readonly SeedAction[] } | LineageStep | ResultStep
)

const folder = fileURLToPath(new URL('../../examples/demo', import.meta.url))

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

export const itemsOf = (step: Step): readonly unknown[] =>
  'deeds' in step ? step.deeds : 'statements' in step ? step.statements : 'results' in step ? step.results : step.items

const bulkSize = 200

type Advance = (count: number) => void

const failures = (answer: JsonObject): string[] => {
  const failed = (answer['failedRequest'] ?? []) as JsonObject[]
  return failed
    .slice(0, 5)
    .map(({ request, message, errors }) => `  ${String(request)}: ${String(message)} ${JSON.stringify(errors ?? '')}`)
}

const upsertMany = async (client: ApiClient, { path, items }: UpsertStep, advance: Advance): Promise<void> => {
  for (const some of chunksOf(items, bulkSize)) {
    const answer = await client.put(`${path}/bulk`, some as Json[])
    if (answer['status'] !== 'success') {
      const refused = `${String(answer['numberOfRowsFailed'])} of ${some.length} were refused`
      throw new CallError([`${path}: ${refused}`, ...failures(answer)])
    }
    advance(some.length)
  }
}

const idOf = (path: string, fqn: string): string =>
  entityId(kinds.find((kind) => kind.path === path)?.name ?? path, fqn)

/** Verbs on one entity run one after the other, so that every run has the same order. */
const doAll = async (client: ApiClient, deeds: readonly SeedAction[], advance: Advance): Promise<void> => {
  const groups = Map.groupBy(deeds, ({ path, fullyQualifiedName }) => `${path}/${idOf(path, fullyQualifiedName)}`)
  await mapInChunks([...groups], callsAtOnce, async ([entity, group]) => {
    for (const { verb, body, by } of group) {
      const named = isObject(body) ? body['idOfUser'] : undefined
      await client.put(`${entity}/${verb}`, typeof named === 'string' ? idOf('users', named) : (body as Json), by)
      advance(1)
    }
  })
}

/** Earlier edges are stated only if there are none yet. */
const stateAll = async (client: ApiClient, step: LineageStep, advance: Advance): Promise<void> => {
  await mapInChunks(step.statements, callsAtOnce, async ({ kind, of, edges, earlier }) => {
    const path = `lineage/${kind}/name/${encodeURIComponent(of)}?source=${step.source}`
    if (earlier !== undefined && ((await client.get(`${path}&down=0`))['edges'] as Json[]).length === 0)
      await client.put(path, { edges: earlier })
    await client.put(path, { edges })
    advance(1)
  })
}

const day = 24 * 60 * 60 * 1000

/** One run per day, early in the morning, so that loading again on the same day changes nothing. */
const reportAll = async (client: ApiClient, step: ResultStep, advance: Advance): Promise<void> => {
  const today = Math.floor(Date.now() / day) * day
  for (const { testCase, failed = [], message = '' } of step.results) {
    const runs = Array.from({ length: step.days }, (_, ago): Json => {
      const passed = !failed.some(([from, to]) => ago <= from && ago >= to)
      const timestamp = today - ago * day
      return { testCase, timestamp, ...(passed ? { status: 'Success' } : { status: 'Failed', message }) }
    })
    await client.put(`${step.path}/results`, runs)
    advance(1)
  }
}

const loadStep = async (client: ApiClient, step: Step, advance: Advance): Promise<void> => {
  if ('deeds' in step) return doAll(client, step.deeds, advance)
  if ('statements' in step) return stateAll(client, step, advance)
  if ('results' in step) return reportAll(client, step, advance)
  if (step.bulk) return upsertMany(client, step, advance)
  await mapInChunks(step.items, callsAtOnce, (item) => client.put(step.path, item).then(() => advance(1)))
}

/** Loads the steps in order. @throws CallError at the first refusal */
export const load = async (
  client: ApiClient,
  steps: readonly Step[],
  advance: (title: string, count: number) => void,
): Promise<void> => {
  for (const step of steps) await loadStep(client, step, (count) => advance(step.title, count))
}

const seeder = 'amara_almeida'

/** Loads the demo company through the public API, as upserts: a second run changes nothing. */
export const seed: CliCommand = {
  usage:
    '[--url http://127.0.0.1:8585] [--token TOKEN]\n\nWith --token everything is done in the name of its user, ' +
    'and nobody votes.',
  texts: clientOptions,
  run: async ({ texts }) => {
    const given = givenToken(texts) !== undefined
    const client = clientsFor(texts, seeder)()
    const steps = companySteps().filter(({ title }) => !(given && title === 'votes'))
    const total = steps.reduce((sum, step) => sum + itemsOf(step).length, 0)
    const begun = performance.now()
    await withBar('seed', total, (bar) => load(client, steps, (title, count) => bar.add(count, title)))
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const lines = steps.map((step) => `  ${String(itemsOf(step).length).padStart(5)} ${step.title}`)
    return print([`Loaded in ${seconds} s:`, ...lines])
  },
}
