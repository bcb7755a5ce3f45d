import { join } from 'node:path'
import { z } from 'zod'
import { buildFqn, childFqn, splitFqn } from '../../kinds/names.ts'
import { shorten } from '../../shared/bounds.ts'
import { nameFromText } from '../../shared/entityName.ts'
import { nameWithHash } from '../../shared/nameWithHash.ts'
import { objectsOf, type JsonObject } from '../../shared/json.ts'
import type { ApiClient } from '../client/apiClient.ts'
import {
  parseSource,
  readText,
  SourceError,
  type LoadFailure,
  type SourceContent,
  type SourceEntity,
  type SourceResult,
  type SourceStep,
} from './content.ts'
import { lineageOfStatements, type QueryTable } from './columnLineage.ts'
import { byFqn, listAll } from './plan.ts'
import { nameOfTable, tableSteps, type SourceColumn, type SourceService, type SourceTable } from './tables.ts'

/* The parts of dbt's artifacts that are read, as https://schemas.getdbt.com describes them (manifest v4 to v12). */

const column = z.object({
  name: z.string(),
  description: z.string().nullish(),
  data_type: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
})

const node = z.object({
  resource_type: z.string(),
  database: z.string().nullish(),
  schema: z.string().nullish(),
  name: z.string(),
  alias: z.string().nullish(),
  identifier: z.string().nullish(),
  description: z.string().nullish(),
  columns: z.record(z.string(), column).default({}),
  tags: z.array(z.string()).nullish(),
  config: z.object({ materialized: z.string().nullish() }).nullish(),
  depends_on: z.object({ nodes: z.array(z.string()).default([]) }).nullish(),
  compiled_code: z.string().nullish(),
  compiled_sql: z.string().nullish(),
  column_name: z.string().nullish(),
  attached_node: z.string().nullish(),
  test_metadata: z
    .object({ name: z.string(), kwargs: z.object({ model: z.string().nullish() }).default({}) })
    .nullish(),
})

const manifestShape = z.object({
  metadata: z.object({
    adapter_type: z.string().nullish(),
    project_name: z.string().nullish(),
    dbt_schema_version: z.string().nullish(),
  }),
  nodes: z.record(z.string(), node),
  sources: z.record(z.string(), node).default({}),
})

const relation = z.object({
  columns: z.record(
    z.string(),
    z.object({ name: z.string(), type: z.string().nullish(), index: z.number(), comment: z.string().nullish() }),
  ),
})

const catalogShape = z.object({
  nodes: z.record(z.string(), relation),
  sources: z.record(z.string(), relation).default({}),
})

const resultsShape = z.object({
  metadata: z.object({ generated_at: z.string() }),
  args: z.object({ which: z.string().nullish() }).nullish(),
  results: z.array(
    z.object({
      unique_id: z.string(),
      status: z.string(),
      message: z.string().nullish(),
      timing: z.array(z.object({ completed_at: z.string().nullish() })).default([]),
    }),
  ),
})

type Node = z.infer<typeof node>
type CatalogNode = z.infer<typeof relation>

/** @throws SourceError where the file is missing or is none of dbt's; `undefined` where it may be missing */
const readArtifact = async <T>(folder: string, name: string, shape: z.ZodType<T>): Promise<T | undefined> => {
  const path = join(folder, name)
  const text = await readText(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const parsed = shape.safeParse(parseSource(text, path, 'Let dbt write it again.'))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new SourceError(`${path} is no ${name} of dbt: ${issue?.path.join('.')} ${issue?.message}`)
}

const [oldest, newest] = [4, 12]

const versionNotes = (schema: string | null | undefined): LoadFailure[] => {
  const version = Number(/v(\d+)\.json$/.exec(schema ?? '')?.[1] ?? oldest)
  if (version >= oldest && version <= newest) return []
  const message = `it has version ${version}: what is not as in versions ${oldest} to ${newest} is not loaded`
  return [{ fullyQualifiedName: 'manifest.json', message }]
}

/** Whether a node is a relation of the database; ephemeral models are not. */
const hasRelation = ({ resource_type: type, config }: Node): boolean =>
  ['source', 'seed', 'snapshot'].includes(type) || (type === 'model' && config?.materialized !== 'ephemeral')

const tableTypes: Readonly<Record<string, string>> = { view: 'View', materialized_view: 'MaterializedView' }

const serviceTypes: Readonly<Record<string, string>> = {
  postgres: 'Postgres',
  bigquery: 'BigQuery',
  duckdb: 'DuckDB',
  clickhouse: 'Clickhouse',
  sqlserver: 'Mssql',
  mysql: 'Mysql',
}

/** Dialects of adapters that have other names. */
const dialects: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  sqlserver: 'tsql',
  synapse: 'tsql',
}

const tagsOf = (tags: readonly string[] | null | undefined): string[] =>
  (tags ?? []).map((tag) => buildFqn(['dbt', tag]))

/** The one of these names that equals a name, else the only one that does so without regard to case, else the name. */
const nameAmong = (names: readonly string[], name: string): string => {
  const [found = name, ...others] = names.filter((each) => each.toLowerCase() === name.toLowerCase())
  return others.length > 0 ? name : found
}

/**
 * Columns in the order of the database, with their documentation. Where names differ only in case, each is a column;
 * otherwise case does not matter, and names that the catalog has stay as they are.
 */
const columnsOf = (node: Node, known: CatalogNode | undefined, present: readonly string[]): SourceColumn[] => {
  const physical = Object.values(known?.columns ?? {}).toSorted((one, other) => one.index - other.index)
  const columns = new Map(physical.map((each) => [each.name, each]))
  const documented = new Map(
    Object.values(node.columns).map((each) => [nameAmong([...columns.keys()], each.name), each]),
  )
  const names = [...new Set([...columns.keys(), ...documented.keys()])]
  const alike = Map.groupBy(names, (name) => name.toLowerCase())
  return names.map((name): SourceColumn => {
    const [there, said] = [columns.get(name), documented.get(name)]
    return {
      name: alike.get(name.toLowerCase())?.length === 1 ? nameAmong(present, name) : name,
      type: (there === undefined ? said?.data_type : there.type) ?? undefined,
      description: said?.description || there?.comment || undefined,
      tags: tagsOf(said?.tags),
    }
  })
}

/** Nodes of the manifest that are the same relation: a seed may also be declared as a source. */
const together = (one: Node, other: Node): Node => ({
  ...one,
  ...other,
  description: other.description || one.description,
  tags: [...new Set([...(one.tags ?? []), ...(other.tags ?? [])])],
  columns: { ...other.columns, ...one.columns },
})

const placeOf = ({ database, schema, name, alias, identifier }: Node) => ({
  database: database ?? 'default',
  schema: schema ?? 'default',
  name: identifier ?? alias ?? name,
})

/** A relation of the database with what makes it. */
const tableOf = (
  fullyQualifiedName: string,
  nodes: readonly (readonly [id: string, Node])[],
  relations: Readonly<Record<string, CatalogNode>>,
  present: readonly string[],
) => {
  const ids = nodes.map(([id]) => id)
  const each = nodes.map(([, node]) => node).reduce(together)
  const [known] = ids.flatMap((id) => relations[id] ?? [])
  const { description, tags, config, compiled_code: code, compiled_sql: sql } = each
  const yields = nodes.every(([, { resource_type: type }]) => type === 'source')
  const statement = code ?? sql ?? undefined
  return {
    ...placeOf(each),
    fullyQualifiedName,
    ids,
    statement,
    hasMoreColumns: known === undefined,
    yields,
    columns: columnsOf(each, known, present),
    members: {
      ...(description && { description }),
      ...(!yields && { tableType: tableTypes[config?.materialized ?? ''] ?? 'Regular' }),
      ...(statement !== undefined && { schemaDefinition: statement }),
      tags: tagsOf(tags),
    },
  }
}

type ProjectTable = ReturnType<typeof tableOf>

/** The classification `dbt` with the tags of the project. */
const tagSteps = (tables: readonly SourceTable[]): SourceStep[] => {
  const given = tables.flatMap(({ members, columns }) => [
    ...(members['tags'] as string[]),
    ...columns.flatMap(({ tags = [] }) => tags),
  ])
  if (given.length === 0) return []
  const classification = { name: 'dbt', description: 'Tags of dbt projects.' }
  const tags = [...new Set(given)].map((fullyQualifiedName): SourceEntity => {
    const name = splitFqn(fullyQualifiedName)?.at(-1) ?? ''
    return { fullyQualifiedName, body: { name, classification: 'dbt', description: `Tagged ${name} in dbt.` } }
  })
  return [
    { path: 'classifications', bulk: false, entities: [{ fullyQualifiedName: 'dbt', body: classification }] },
    { path: 'tags', bulk: false, scope: { classification: 'dbt' }, entities: tags },
  ]
}

/** Test definitions for dbt's generic tests; all others are `dbtTest` or `dbtColumnTest`. */
const definitions: Readonly<Record<string, string>> = {
  unique: 'columnValuesToBeUnique',
  not_null: 'columnValuesToBeNotNull',
}

/**
 * A test of a column, or of its table where such a column is not known.
 * @param name the one in the catalog, where that of dbt cannot be it
 */
const testOf = (each: Node, suite: string, table: ProjectTable, name = each.name): SourceEntity => {
  const { column_name: tested, test_metadata: test, description } = each
  const names = table.columns.map((own) => own.name)
  const column = table.columns.find((own) => own.name === nameAmong(names, tested ?? ''))
  const place = column && buildFqn([column.name])
  const known = definitions[test?.name ?? ''] ?? 'dbtColumnTest'
  const { fullyQualifiedName } = table
  return {
    fullyQualifiedName: childFqn(column ? childFqn(fullyQualifiedName, column.name) : fullyQualifiedName, name),
    body: {
      name,
      ...(name !== each.name && { displayName: each.name }),
      testDefinition: place === undefined ? 'dbtTest' : known,
      testSuite: buildFqn([suite]),
      entityLink: `<#E::table::${fullyQualifiedName}${place === undefined ? '' : `::columns::${place}`}>`,
      ...(description && { description }),
    },
  }
}

/** The table of a test: the one that a generic test is of, which may refer to others, else the first that it reads. */
const tableTested = (test: Node, tables: ReadonlyMap<string, ProjectTable>): ProjectTable | undefined => {
  const read = (test.depends_on?.nodes ?? []).filter((id) => tables.has(id))
  // Such as `{{ get_where_subquery(source('shop', 'orders')) }}`.
  const names = test.test_metadata?.kwargs.model?.match(/(?<=['"])\w+(?=['"])/g) ?? []
  const named = read.find((id) => id.endsWith(`.${names.join('.')}`))
  return tables.get(test.attached_node ?? named ?? read[0] ?? '')
}

/** The tests of a project by their ids. Names that are too long, or that several tests of a column have, get a hash. */
const testsOf = (
  all: ReadonlyMap<string, Node>,
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
const testSteps = (tests: readonly SourceEntity[], suite: string, service: SourceService): SourceStep[] => {
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

const resultsOf = (
  { metadata, args, results }: z.infer<typeof resultsShape>,
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
    const timestamp = Date.parse(timing.at(-1)?.completed_at ?? metadata.generated_at)
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

/** All tables of a service, also deleted ones, with what their columns are called and what a plan needs. */
const tablesIn = (client: ApiClient, service: string): Promise<JsonObject[]> =>
  listAll(client, 'tables', { service: buildFqn([service]), fields: 'columns,sourceHash', include: 'all' })

const columnNames = (table: JsonObject | undefined): string[] =>
  objectsOf(table?.['columns']).map(({ name }) => String(name))

/**
 * Reads the folder `target` of a dbt project: `manifest.json` and, if present, `catalog.json` and `run_results.json`.
 * @param serviceName default: the name of the adapter
 */
export const readDbt = async (
  folder: string,
  serviceName: string | undefined,
  client: ApiClient,
): Promise<SourceContent> => {
  const manifest = await readArtifact(folder, 'manifest.json', manifestShape)
  if (manifest === undefined)
    throw new SourceError(`${folder} has no manifest.json: run "dbt compile" or "dbt build" first.`)
  const catalog = await readArtifact(folder, 'catalog.json', catalogShape)
  const adapter = manifest.metadata.adapter_type ?? 'dbt'
  const service: SourceService = {
    name: serviceName ?? adapter,
    type: serviceTypes[adapter] ?? adapter.replace(/^./, (first) => first.toUpperCase()),
  }
  const all = new Map(Object.entries({ ...manifest.sources, ...manifest.nodes }))
  const relations = { ...catalog?.nodes, ...catalog?.sources }
  const byName = Map.groupBy(
    [...all].filter(([, each]) => hasRelation(each)),
    ([, each]) => nameOfTable(service, placeOf(each)),
  )
  const standing = byFqn(await tablesIn(client, service.name))
  const tables = [...byName].map(([name, nodes]) => tableOf(name, nodes, relations, columnNames(standing.get(name))))
  const tableById = new Map(tables.flatMap((table) => table.ids.map((id) => [id, table])))
  /** The upstream tables of a node; nodes without a relation are skipped over. */
  const upstreamOf = (id: string, seen = new Set<string>()): string[] =>
    (all.get(id)?.depends_on?.nodes ?? []).flatMap((from) => {
      if (seen.has(from)) return []
      seen.add(from)
      return tableById.get(from)?.fullyQualifiedName ?? upstreamOf(from, seen)
    })
  const queried = tables.map((table): QueryTable => {
    const { fullyQualifiedName, database, schema, name, statement } = table
    const columns = table.hasMoreColumns ? [] : table.columns.map((each) => each.name)
    const upstream = new Set(table.ids.flatMap((id) => upstreamOf(id)))
    upstream.delete(fullyQualifiedName)
    return { fullyQualifiedName, path: [database, schema, name], columns, statement, upstream: [...upstream] }
  })
  const { project_name: project } = manifest.metadata
  const suite = `dbt ${project ?? service.name}`
  const tests = testsOf(all, suite, tableById)
  const run = await readArtifact(folder, 'run_results.json', resultsShape)
  const reported = run && resultsOf(run, tests)
  const { lineage, notes } = lineageOfStatements(queried, dialects[adapter] ?? adapter)
  const made = new Set(tables.flatMap((table) => (table.yields ? [] : table.fullyQualifiedName)))
  return {
    source: 'dbt',
    ...(project != null && { project }),
    steps: [
      ...tagSteps(tables),
      ...tableSteps(service, tables, { standing }),
      ...testSteps([...tests.values()], suite, service),
    ],
    results: reported?.results ?? [],
    lineage: lineage.filter(({ fullyQualifiedName }) => made.has(fullyQualifiedName)),
    notes: [...versionNotes(manifest.metadata.dbt_schema_version), ...notes, ...(reported?.notes ?? [])],
    scopes: [],
  }
}
