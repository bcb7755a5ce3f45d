import { ownMember, type JsonObject } from '../shared/json.ts'
import { limits } from '../shared/limits.ts'
import { type ApiClient, CallError, clientOptions, clientsFor } from './client/apiClient.ts'
import { print, printError, UsageError, type CommandInput, type CliCommand } from './command/command.ts'
import { withBar } from './command/progressBar.ts'
import {
  applyPlan,
  foresee,
  lineageOfLoaded,
  sendEvents,
  sweepTables,
  writeLineage,
  writeResults,
} from './load/applyPlan.ts'
import { planContracts } from './load/contractDocuments.ts'
import type { LoadFailure, SourceContent } from './load/content.ts'
import { correlationOf, planLoad, type EntityPlan, type StepPlan } from './load/plan.ts'
import { unknownTypes } from './load/tables.ts'

type Flags = CommandInput['flags']

type Reader = (place: string, service: string | undefined, client: ApiClient) => Promise<SourceContent>

const readers: Readonly<Record<string, () => Promise<Reader>>> = {
  dbt: async () => (await import('./load/dbt/readDbt.ts')).readDbt,
  postgres: async () => (await import('./load/postgres.ts')).readPostgres,
  csv: async () => (await import('./load/csv.ts')).readCsv,
  openlineage: async () => (await import('./load/lineageEvents.ts')).readOpenLineage,
  odcs: async () => (await import('./load/contractDocuments.ts')).readContracts,
}

/** A source by its address: `postgres://…` needs no word before it. */
const sourceOf = ([first = '', second]: readonly string[]): [load: () => Promise<Reader>, place: string] => {
  const [kind, place] = /^postgres(ql)?:\/\//.test(first) ? ['postgres', first] : [first, second]
  const reader = ownMember(readers, kind)
  if (reader === undefined) throw new UsageError(`Name what to load: ${Object.keys(readers).join(', ')}.`)
  if (place === undefined) throw new UsageError('Name the place to load from.')
  return [reader, place]
}

/** Lines of each list before it is cut. */
const mostLines = 40

const line = (word: string, text: string): string => `  ${word.padEnd(9)} ${text}`

const messageLines = (word: string, all: readonly LoadFailure[]): string[] =>
  all.map(({ fullyQualifiedName, message }) => line(word, `${fullyQualifiedName}: ${message}`))

const changeLines = ({ entity, outcome, changes }: EntityPlan): string[] => [
  line(outcome, entity.fullyQualifiedName),
  ...changes.map((path) => line('', `  ${path}`)),
]

const keptLines = ({ entity, kept }: EntityPlan): string[] =>
  kept.map(({ path, user, cleared }) =>
    line('kept', `${entity.fullyQualifiedName} ${path}, which ${user} ${cleared ? 'cleared' : 'wrote'}`),
  )

const printLines = (lines: readonly string[], { all = false }: Flags, write: (line: string) => void = print): void => {
  const most = all ? lines.length : mostLines
  for (const line of lines.slice(0, most)) write(line)
  if (lines.length > most) write(`  and ${lines.length - most} more; --all shows them`)
}

const returningIn = (steps: readonly StepPlan[]): string[] => steps.flatMap(({ returning = [] }) => returning)

/** What the catalog would lose or keep stands first, since the preview is cut at its end. */
const showPlan = ({ steps, gone }: LoadPlan, flags: Flags): void => {
  for (const { path, entities, returning = [] } of steps) {
    const count = (wanted: EntityPlan['outcome']): number => entities.filter(({ outcome }) => outcome === wanted).length
    const back = count('restored') + returning.length
    const restored = back === 0 ? '' : `${back} restored, `
    const kept = entities.flatMap(keptLines).length
    const counts = `${count('created')} new, ${restored}${count('changed')} changed, ${count('unchanged')} unchanged`
    print(`${path}: ${counts}${kept === 0 ? '' : `, ${kept} kept`}`)
  }
  if (gone.length > 0) print(`tables: ${gone.length} deleted`)
  const plans = steps.flatMap(({ entities }) => entities)
  const ofOutcome = (wanted: EntityPlan['outcome']) => plans.filter(({ outcome }) => outcome === wanted)
  const changed = [...ofOutcome('restored'), ...ofOutcome('changed'), ...ofOutcome('created')].flatMap(changeLines)
  const back = returningIn(steps).map((name) => line('restored', `${name}, which was deleted with what it stands in`))
  printLines([...gone.map((name) => line('deleted', name)), ...plans.flatMap(keptLines), ...back, ...changed], flags)
}

const goneNotes = ({ path, gone: [first, ...others] = [] }: StepPlan): LoadFailure[] => {
  if (first === undefined) return []
  const [named, stay] =
    others.length === 0
      ? [`${first} is`, 'stays until you delete it']
      : [`${first} and ${others.length} more are`, 'stay until you delete them']
  return [{ fullyQualifiedName: path, message: `${named} gone from the source and ${stay}` }]
}

type Clients = ReturnType<typeof clientsFor>

interface LoadPlan {
  readonly steps: readonly StepPlan[]
  /** What is left out. */
  readonly left: readonly LoadFailure[]
  /** Names of tables that a sweep deletes. */
  readonly gone: readonly string[]
  /** Why the sweep is refused. */
  readonly refusals: readonly string[]
}

const makePlan = async (client: ApiClient, content: SourceContent, flags: Flags): Promise<LoadPlan> => {
  const { overwrite = false, sweep = false, confirm = false } = flags
  if (sweep && content.scopes.length === 0)
    throw new UsageError(`${content.source} is not a complete list of the tables: --sweep cannot be used with it.`)
  const contracts = await planContracts(client, content, overwrite)
  const steps = [...(await planLoad(client, content, overwrite)), ...contracts.steps]
  const left = [...(content.problems ?? []), ...contracts.problems]
  const { names: gone, refusals } = await sweepTables(client, content, { dryRun: true, sweep, confirm })
  return { steps, left, gone, refusals }
}

/** Number of entities that a plan writes. */
const countWrites = ({ steps }: LoadPlan): number =>
  steps.flatMap(({ entities }) => entities).filter(({ outcome }) => outcome !== 'unchanged').length

/** What is not loaded stands before what is loaded incompletely. */
const showPreview = (content: SourceContent, plan: LoadPlan, flags: Flags): void => {
  const { events = [], notes = [], lineage, results = [] } = content
  showPlan(plan, flags)
  const planned = plan.steps.flatMap(({ entities }) => entities.map(({ entity }) => entity))
  const told = [...plan.steps.flatMap(goneNotes), ...notes, ...unknownTypes(planned)]
  printLines([...messageLines('left out', plan.left), ...messageLines('note', told)], flags)
  const most = limits.revertedEvents.value
  const others = [returningIn(plan.steps), plan.gone, events, lineage, results].flat()
  if (countWrites(plan) + others.length > most)
    print(
      `These may be more than ${most} changes: too many to be undone with one command, unless you load parts of it.`,
    )
}

const tryOut = async (client: ApiClient, content: SourceContent, plan: LoadPlan, flags: Flags): Promise<number> => {
  const { left, refusals } = plan
  const { outcomes, ignored } = await foresee(client, content, plan.steps)
  for (const [what, { changed, total, failures: refused }] of Object.entries(outcomes))
    if (total > 0) print(`${what}: ${changed} changed, ${total - changed - refused.length} unchanged`)
  const failures = Object.values(outcomes).flatMap((outcome) => outcome.failures)
  printLines([...refusals, ...messageLines('refused', failures), ...ignored.map((text) => line('note', text))], flags)
  const back = 'whether lineage and test results of what is restored change'
  print(`Nothing was written (--dry-run). What else the catalog refuses, and ${back}, is told when it is loaded.`)
  return refusals.length + left.length + failures.length === 0 ? 0 : 1
}

const execute = async (clients: Clients, content: SourceContent, plan: LoadPlan, flags: Flags): Promise<number> => {
  const { steps, left, gone } = plan
  const { source, lineage, events: { length: events } = [], results: reported = [] } = content
  const { sweep = false, confirm = false } = flags
  const total = countWrites(plan)
  if (total + gone.length + lineage.length + reported.length + events === 0)
    return print('Nothing has changed.', left.length === 0 ? 0 : 1)
  const retries = [429] as const
  const { correlationId, token } = await clients({ retries }).post('requests')
  // Told before it writes: a load that breaks off can be undone, too.
  print(`To undo all of it: catalog load undo ${String(correlationId)}`)
  const writer = clients({
    retries,
    headers: { 'catalog-request': String(token), 'x-correlation-id': correlationOf(content) },
  })
  // First, so that it is refused before anything is written, and deletes what the preview has shown.
  const { names: deleted } = await sweepTables(writer, content, { dryRun: false, sweep, confirm })
  const sent = await sendEvents(writer, content)
  printLines(
    sent.ignored.map((text) => line('note', text)),
    flags,
  )
  const failures = await withBar('load', total, (bar) =>
    applyPlan(writer, steps, (path, count) => bar.add(count, path)),
  )
  const written = total - failures.length
  const stated = await writeLineage(writer, source, lineageOfLoaded(lineage, steps, failures))
  const failedNames = new Set(failures.map(({ fullyQualifiedName }) => fullyQualifiedName))
  const results = await writeResults(
    writer,
    reported.filter(({ testCase }) => !failedNames.has(testCase)),
  )
  failures.push(...sent.failures, ...stated.failures, ...results.failures)
  const isSame = written + sent.changed + deleted.length + stated.changed + results.changed + failures.length === 0
  if (isSame) return print('Nothing has changed. There is nothing to undo.', left.length === 0 ? 0 : 1)
  const failed = failures.map(({ fullyQualifiedName, message }) => `${fullyQualifiedName}: ${message}`)
  printLines(failed, flags, printError)
  const done =
    events > 0
      ? `${sent.changed} of ${events} events changed the catalog`
      : `${written} written, lineage of ${stated.changed}, ${results.changed} results, ${deleted.length} deleted`
  return print(
    `${done}, ${left.length} left out, ${failures.length} failed.`,
    failures.length + left.length === 0 ? 0 : 1,
  )
}

const run = async (clients: Clients, content: SourceContent, flags: Flags): Promise<number> => {
  const plan = await makePlan(clients({ retries: [429, 503] }), content, flags)
  showPreview(content, plan, flags)
  if (flags['dry-run']) return tryOut(clients({ retries: [429, 503] }), content, plan, flags)
  if (plan.refusals.length > 0)
    throw new CallError([...plan.refusals, 'Nothing was written. To delete them anyway, add --confirm.'])
  return execute(clients, content, plan, flags)
}

/** What became of an entity, or what is to be done to it. */
const undoLine = ({ entity, undo: verb, outcome, message = verb }: JsonObject): string => {
  const { type, fullyQualifiedName } = entity as JsonObject
  return line(String(outcome), `${String(type)} ${String(fullyQualifiedName)}: ${String(message)}`)
}

export const undoCommand: CliCommand = {
  usage:
    'REQUEST  [options]\n\n' +
    '--dry-run        show what would be undone, and write nothing\n' +
    '--skip-conflicts  undo all but what others have changed since\n' +
    '--all            show all lines, not only the first 40\n' +
    '--url URL --token TOKEN  the service and the token; the token can also be in CATALOG_TOKEN',
  words: 1,
  texts: clientOptions,
  flags: ['all', 'dry-run', 'skip-conflicts'],
  run: async ({ texts, flags, words: [id] }) => {
    if (id === undefined) throw new UsageError('Name the request to undo, as the load printed it.')
    const { 'dry-run': dryRun = false, 'skip-conflicts': skipConflicts = false } = flags
    const { status, data } = await clientsFor(texts, 'catalog-load')().post(
      `requests/${encodeURIComponent(id)}/revert?dryRun=${dryRun}&skipConflicts=${skipConflicts}`,
    )
    const outcomes = Map.groupBy((data ?? []) as JsonObject[], ({ outcome }) => String(outcome))
    // What is left out stands first, since the list is cut at its end.
    printLines(
      ['refused', 'conflict', 'unchanged', 'reverted'].flatMap((word) => (outcomes.get(word) ?? []).map(undoLine)),
      flags,
    )
    const counts = [...outcomes].map(([outcome, some]) => `${some.length} ${outcome}`).join(', ')
    const summary = dryRun ? `Nothing was written (--dry-run). It would be: ${counts}` : counts
    return print(summary, status === 'success' ? 0 : 1)
  },
}

export const loadCommand: CliCommand = {
  usage:
    'dbt TARGET_FOLDER | postgres://… | csv FILE | openlineage FILE | odcs FOLDER  [options]\n\n' +
    '--service NAME   the service of the tables; default: the adapter for dbt, the host for PostgreSQL, any for ODCS\n' +
    '--all            show all lines of the preview and of what was refused, not only the first 40 of each list\n' +
    '--dry-run        show what would be created, changed and deleted, and write nothing\n' +
    '--overwrite      also replace descriptions, names, tags, owners and domains that people wrote or cleared\n' +
    '--sweep          delete tables that the source no longer has (PostgreSQL); --confirm allows more than\n' +
    '                 a third, or the share that the service is set to (CATALOG_SWEEP_SHARE)\n' +
    '--url URL --token TOKEN  the service and the token; the token can also be in CATALOG_TOKEN\n\n' +
    'A load is one request: "catalog load undo REQUEST" undoes all of it. If it was interrupted, run it again: it skips\n' +
    'what is already there. Exit codes: 0 everything was loaded (or would be), 1 something was not, 2 the command is wrong.',
  words: 2,
  texts: [...clientOptions, 'service'],
  flags: ['all', 'dry-run', 'overwrite', 'sweep', 'confirm'],
  needs: { confirm: 'sweep' },
  run: async ({ texts, flags, words }) => {
    const [loadReader, place] = sourceOf(words)
    const clients = clientsFor(texts, 'catalog-load')
    const reader = await loadReader()
    return run(clients, await reader(place, texts['service'], clients({ retries: [429, 503] })), flags)
  },
}
