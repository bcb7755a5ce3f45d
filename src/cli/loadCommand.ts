import { SingleBar } from 'cli-progress'
import type { JsonObject } from '../shared/json.ts'
import type { ApiClient } from './client/apiClient.ts'
import { asText, UsageError, type CliCommand } from './command.ts'
import { clientOptions, clientsFor } from './localClient.ts'
import { applyPlan, writeLineage, sweepTables, type LoadFailure } from './load/applyPlan.ts'
import type { SourceContent } from './load/content.ts'
import { loaderPrefix, planLoad, type EntityPlan, type StepPlan } from './load/plan.ts'

type Reader = (place: string, service: string | undefined) => Promise<SourceContent>

const readers: Readonly<Record<string, () => Promise<Reader>>> = {
  dbt: async () => (await import('./load/dbt.ts')).readDbt,
  postgres: async () => (await import('./load/postgres.ts')).readPostgres,
  csv: async () => (await import('./load/csv.ts')).readCsv,
}

/** A source by its address: `postgres://…` needs no word before it. */
const sourceOf = ([first, second]: readonly string[]): [kind: string, place: string] => {
  if (first !== undefined && /^postgres(ql)?:\/\//.test(first)) return ['postgres', first]
  if (first === undefined || second === undefined || (first !== 'undo' && readers[first] === undefined))
    throw new UsageError(`Say what to load: ${Object.keys(readers).join(', ')} and where it is.`)
  return [first, second]
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Lines of the preview before it is cut. */
const mostLines = 40

const lineOf = ({ entity, outcome, changes, kept }: EntityPlan): string[] => [
  ...(outcome === 'unchanged' ? [] : [`  ${outcome.padEnd(9)} ${entity.fullyQualifiedName}`]),
  ...changes.map((path) => `              ${path}`),
  ...kept.map(({ path, user }) => `  kept      ${entity.fullyQualifiedName} ${path}, which ${user} wrote`),
]

const showPlan = (steps: readonly StepPlan[], gone: readonly string[]): void => {
  for (const { path, entities } of steps) {
    const count = (wanted: EntityPlan['outcome']): number => entities.filter(({ outcome }) => outcome === wanted).length
    say(`${path}: ${count('created')} new, ${count('changed')} changed, ${count('unchanged')} unchanged`)
  }
  const lines = [
    ...steps.flatMap(({ entities }) => entities.flatMap(lineOf)),
    ...gone.map((name) => `  deleted   ${name}`),
  ]
  for (const line of lines.slice(0, mostLines)) say(line)
  if (lines.length > mostLines) say(`  and ${lines.length - mostLines} more`)
}

const tablesOf = ({ steps }: SourceContent): string[] =>
  steps.flatMap(({ path, entities }) => (path === 'tables' ? entities.map((each) => each.fullyQualifiedName) : []))

interface LoadOptions {
  readonly dryRun: boolean
  readonly overwrite: boolean
  readonly sweep: boolean
  readonly confirm: boolean
}

const goneFrom = async (client: ApiClient, content: SourceContent, options: LoadOptions, dryRun: boolean) => {
  const gone: string[] = []
  if (options.sweep && content.scopes.length === 0)
    throw new UsageError(`What ${content.source} holds is not all that is there: --sweep cannot be used with it.`)
  for (const scope of options.sweep ? content.scopes : [])
    gone.push(...(await sweepTables(client, scope, tablesOf(content), { dryRun, confirm: options.confirm })).names)
  return gone
}

const write = async (client: ApiClient, steps: readonly StepPlan[], total: number): Promise<LoadFailure[]> => {
  const format = '{bar} {percentage}% | {value}/{total} | {title}'
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: true })
  bar.start(total, 0, { title: '' })
  try {
    return await applyPlan(client, steps, { advance: (title, count) => bar.increment(count, { title }) })
  } finally {
    bar.stop()
  }
}

const run = async (
  clients: (headers?: Readonly<Record<string, string>>) => ApiClient,
  content: SourceContent,
  options: LoadOptions,
): Promise<number> => {
  const client = clients()
  const steps = await planLoad(client, content, options.overwrite)
  const gone = await goneFrom(client, content, options, true)
  showPlan(steps, gone)
  const total = steps.flatMap(({ entities }) => entities).filter(({ outcome }) => outcome !== 'unchanged').length
  if (options.dryRun) {
    say('Nothing was written: --dry-run.')
    return 0
  }
  const { correlationId, token } = await client.post('requests')
  const writer = clients({ 'catalog-request': String(token), 'x-correlation-id': `${loaderPrefix}${content.source}` })
  const failures = await write(writer, steps, total)
  const stated = failures.length === 0 ? await writeLineage(writer, content) : 0
  await goneFrom(writer, content, options, false)
  if (total + gone.length + stated === 0) {
    say('Nothing has changed.')
    return 0
  }
  for (const { fullyQualifiedName, message } of failures.slice(0, mostLines))
    process.stderr.write(`${fullyQualifiedName}: ${message}\n`)
  say(`${total - failures.length} written, lineage of ${stated}, ${gone.length} deleted, ${failures.length} failed.`)
  say(`Undo all of it: catalog load undo ${String(correlationId)}`)
  return failures.length === 0 ? 0 : 1
}

const undo = async (client: ApiClient, id: string, dryRun: boolean): Promise<number> => {
  const query = dryRun ? '?dryRun=true' : ''
  const { status, data } = await client.post(`requests/${encodeURIComponent(id)}/revert${query}`)
  const outcomes = Map.groupBy((data ?? []) as JsonObject[], ({ outcome }) => String(outcome))
  say([...outcomes].map(([outcome, some]) => `${some.length} ${outcome}`).join(', '))
  return status === 'success' ? 0 : 1
}

export const loadCommand: CliCommand = {
  usage:
    'dbt TARGET_FOLDER | postgres://… | csv FILE | undo REQUEST  [options]\n\n' +
    '--service NAME   the service that tables belong to; of dbt the adapter, of PostgreSQL the host\n' +
    '--dry-run        show what would come, change and go, and write nothing\n' +
    '--overwrite      replace descriptions, names and tags that people wrote, too\n' +
    '--sweep          delete the tables that the source no longer has (PostgreSQL); more than a third with --confirm\n' +
    '--url URL --token TOKEN  the service, and whose token; the token may stand in CATALOG_TOKEN\n\n' +
    'A load is one request: "catalog load undo REQUEST" undoes all of it. One that broke off is run again, and skips\n' +
    'what stands. Exit codes: 0 all was loaded, 1 something failed, 2 the command was not understood.',
  words: 2,
  options: {
    ...clientOptions,
    service: { type: 'string' },
    'dry-run': { type: 'boolean' },
    overwrite: { type: 'boolean' },
    sweep: { type: 'boolean' },
    confirm: { type: 'boolean' },
  },
  run: async ({ url, token, service, 'dry-run': dryRun, overwrite, sweep, confirm }, words) => {
    const [kind, place] = sourceOf(words)
    const clients = clientsFor({ url, token }, 'catalog-load')
    if (kind === 'undo') return undo(clients(), place, dryRun === true)
    const reader = await (readers[kind] as () => Promise<Reader>)()
    const content = await reader(place, asText(service))
    const options = {
      dryRun: dryRun === true,
      overwrite: overwrite === true,
      sweep: sweep === true,
      confirm: confirm === true,
    }
    return run(clients, content, options)
  },
}
