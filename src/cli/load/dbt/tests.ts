import { pathsIn } from '../../../kinds/members/fieldTree.ts'
import { buildFqn, childFqn } from '../../../kinds/names.ts'
import { shorten } from '../../../shared/bounds.ts'
import { nameFromText, nameWithHash } from '../../../shared/entityName.ts'
import { readInstant } from '../../../shared/instant.ts'
import type { LoadFailure, SourceContent, SourceEntity, SourceResult, SourceStep } from '../content.ts'
import type { SourceService } from '../tables.ts'
import type { ProjectNode, RunResults } from './artifacts.ts'
import { nameAmong, type ProjectTable } from './tables.ts'

/** Test definitions for dbt's generic tests; all others are `dbtTest` or `dbtColumnTest`. */
const definitions: Readonly<Record<string, string>> = {
  unique: 'columnValuesToBeUnique',
  not_null: 'columnValuesToBeNotNull',
}

/** The arguments of a test, without those that say what it tests. @param place its column; absent: its table */
const parametersOf = ({ test_metadata: test }: ProjectNode, place: string | undefined) =>
  Object.entries(test?.kwargs ?? {})
    .filter(([name]) => name !== 'model' && (name !== 'column_name' || place === undefined))
    .map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }))

/**
 * A test of a column, or of its table where such a column is not known.
 * @param name the one in the catalog, where that of dbt cannot be it
 */
const testOf = (each: ProjectNode, suite: string, table: ProjectTable, name = each.name): SourceEntity => {
  const { test_metadata: test, description } = each
  const tested = each.column_name ?? ''
  const paths = new Map(pathsIn(table.columns).map(({ path }) => [path.join('.'), path]))
  const pathOf = (column: string) => paths.get(nameAmong([...paths.keys()], column))
  // A column with `quote: true` stands between the quotes of the adapter.
  const path = pathOf(tested) ?? pathOf(tested.replace(/^["`[](.+)["`\]]$/s, '$1')) ?? []
  const place = path.length === 0 ? undefined : buildFqn(path)
  const known = definitions[test?.name ?? '']
  const own = place === undefined ? 'dbtTest' : 'dbtColumnTest'
  const testDefinition = (place && known) ?? own
  const { fullyQualifiedName } = table
  return {
    fullyQualifiedName: [...path, name].reduce(childFqn, fullyQualifiedName),
    body: {
      name,
      ...(name !== each.name && { displayName: each.name }),
      testDefinition,
      parameterValues: testDefinition === own ? parametersOf(each, place) : [],
      testSuite: buildFqn([suite]),
      entityLink: `<#E::table::${fullyQualifiedName}${place === undefined ? '' : `::columns::${place}`}>`,
      ...(description && { description }),
    },
  }
}

/** The table of a test: the one that a generic test is of, which may refer to others, else the first that it reads. */
const tableTested = (test: ProjectNode, tables: ReadonlyMap<string, ProjectTable>): ProjectTable | undefined => {
  const read = (test.depends_on?.nodes ?? []).filter((id) => tables.has(id))
  // Such as `{{ get_where_subquery(source('shop', 'orders')) }}`.
  const names = test.test_metadata?.kwargs.model?.match(/(?<=['"])\w+(?=['"])/g) ?? []
  const named = read.find((id) => id.endsWith(`.${names.join('.')}`))
  return tables.get(test.attached_node ?? named ?? read[0] ?? '')
}

/** The tests of a project by their ids. Names that are too long, or that several tests of a column have, get a hash. */
export const testsOf = (
  all: ReadonlyMap<string, ProjectNode>,
  suite: string,
  tables: ReadonlyMap<string, ProjectTable>,
): Map<string, SourceEntity> => {
  const found = [...all].flatMap(([id, each]) => {
    const table = each.resource_type === 'test' ? tableTested(each, tables) : undefined
    return table === undefined ? [] : [{ id, each, table, test: testOf(each, suite, table) }]
  })
  const byFullName = Map.groupBy(found, ({ test }) => test.fullyQualifiedName)
  return new Map(
    found.map(({ id, each, table, test }) => {
      const name = nameFromText(each.name)
      const isDistinct = name === each.name && byFullName.get(test.fullyQualifiedName)?.length === 1
      return [id, isDistinct ? test : testOf(each, suite, table, nameWithHash(name, id))]
    }),
  )
}

/** @param service its tests of that suite are those of the project */
export const testSteps = (tests: readonly SourceEntity[], suite: string, service: SourceService): SourceStep[] => {
  if (tests.length === 0) return []
  const definition = (name: string, entityType: string): SourceEntity => ({
    fullyQualifiedName: name,
    body: { name, entityType, testPlatforms: ['dbt'], description: 'A test that a dbt project defines.' },
  })
  const own = [definition('dbtTest', 'TABLE'), definition('dbtColumnTest', 'COLUMN')]
  const testSuite = buildFqn([suite])
  const body = { name: suite, description: 'Tests of a dbt project.' }
  return [
    { path: 'dataQuality/testDefinitions', bulk: false, entities: own },
    { path: 'dataQuality/testSuites', bulk: false, entities: [{ fullyQualifiedName: testSuite, body }] },
    {
      path: 'dataQuality/testCases',
      bulk: false,
      entities: tests,
      scope: { testSuite },
      completeBelow: buildFqn([service.name]),
    },
  ]
}

/** Results by dbt's status; skipped tests have none. */
const statuses: Readonly<Record<string, SourceResult['status']>> = {
  pass: 'Success',
  fail: 'Failed',
  warn: 'Failed',
  error: 'Aborted',
  'runtime error': 'Aborted',
}

/** Commands of dbt that run tests. */
const testing: ReadonlySet<string> = new Set(['build', 'test', 'retry'])

/** Longest message that the service accepts. */
const longestMessage = 1000

/** The results of a run by the ids of its tests, and notes about those that cannot be loaded. */
export const resultsOf = (
  { metadata, args, results }: RunResults,
  tests: ReadonlyMap<string, SourceEntity>,
): Required<Pick<SourceContent, 'results' | 'notes'>> => {
  const command = args?.which ?? 'test'
  if (tests.size > 0 && !testing.has(command)) {
    const message = `it is of "dbt ${command}", which runs no tests: run "dbt build" or "dbt test" last`
    return { results: [], notes: [{ fullyQualifiedName: 'run_results.json', message }] }
  }
  const all = results.flatMap(({ unique_id: id, status: word, message, timing }): SourceResult[] => {
    const [test, status] = [tests.get(id), statuses[word]]
    if (test === undefined || status === undefined) return []
    const timestamp = readInstant(timing.at(-1)?.completed_at ?? metadata.generated_at)
    const said = message ? { message: shorten(message, longestMessage) } : {}
    return [{ testCase: test.fullyQualifiedName, status, timestamp, ...said }]
  })
  const untimed = all.filter(({ timestamp }) => Number.isNaN(timestamp))
  return {
    results: all.filter(({ timestamp }) => !Number.isNaN(timestamp)),
    notes: untimed.map(({ testCase }) => ({
      fullyQualifiedName: testCase,
      message: 'run_results.json does not tell when this test ended: its result is left out',
    })),
  }
}

/** A note about tests of ephemeral models and those that read nothing, if there are any. */
export const testNotes = (
  all: ReadonlyMap<string, ProjectNode>,
  tests: ReadonlyMap<string, SourceEntity>,
  { results = [] }: Partial<RunResults> = {},
): LoadFailure[] => {
  const statusOf = new Map(results.map(({ unique_id: id, status }) => [id, status]))
  const left = [...all].filter(([id, { resource_type: type }]) => type === 'test' && !tests.has(id))
  if (left.length === 0) return []
  const isBad = ([id]: (typeof left)[number]): boolean =>
    (statuses[statusOf.get(id) ?? 'pass'] ?? 'Success') !== 'Success'
  const named = [
    ...left.filter(isBad).map(([id, { name }]) => `${name} (${statusOf.get(id)})`),
    ...left.filter((each) => !isBad(each)).map(([, { name }]) => name),
  ]
  const message = `tests without a table are left out with their results (${left.length}): ${named.join(', ')}`
  return [{ fullyQualifiedName: 'dataQuality/testCases', message }]
}
