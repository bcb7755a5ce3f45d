import { pathsIn } from '../../../kinds/members/fieldTree.ts'
import { buildFqn } from '../../../kinds/names.ts'
import { mapInChunks } from '../../../shared/bounds.ts'
import { objectsOf, type JsonObject } from '../../../shared/json.ts'
import { callsAtOnce, type ApiClient } from '../../client/apiClient.ts'
import { lineageOfStatements, type QueryTable } from '../columnLineage.ts'
import { SourceError, type LoadFailure, type SourceContent, type SourceEdge, type SourceLineage } from '../content.ts'
import { byFqn, ifFound, listAll } from '../plan.ts'
import { nameOfTable, tableSteps, type SourceService } from '../tables.ts'
import {
  catalogShape,
  manifestShape,
  projectOf,
  readArtifact,
  resultsShape,
  versionNotes,
  type CatalogNode,
  type ProjectNode,
} from './artifacts.ts'
import {
  hasRelation,
  nameAmong,
  relationOf,
  statementOf,
  tableOf,
  tagNotes,
  tagSteps,
  type ProjectTable,
} from './tables.ts'
import { resultsOf, testNotes, testsOf, testSteps } from './tests.ts'

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

/** Adapters for which names of projects mean those of the database in any case. */
const foldsNames: ReadonlySet<string> = new Set(['snowflake', 'oracle'])

/** All tables of a service, also deleted ones, as a plan compares them. */
const tablesIn = (client: ApiClient, service: string): Promise<JsonObject[]> =>
  listAll(client, 'tables', { service: buildFqn([service]), fields: '*', include: 'all' })

/** Columns of a table in the catalog, and paths of their fields. */
const columnNames = (table: JsonObject = {}): string[] =>
  pathsIn(objectsOf(table['columns'])).map(({ path }) => path.join('.'))

/** A note about models without compiled code, if there are any. */
const uncompiledNotes = (nodes: Iterable<ProjectNode>): LoadFailure[] => {
  const made = [...nodes].filter((each) => ['model', 'snapshot'].includes(each.resource_type) && hasRelation(each))
  const count = made.filter((each) => statementOf(each) === undefined).length
  if (count === 0) return []
  const message =
    `${count} ${count === 1 ? 'model has' : 'models have'} no compiled code: statements and lineage of columns stay as ` +
    'they are. "dbt compile", "dbt build" and "dbt docs generate" write it'
  return [{ fullyQualifiedName: 'manifest.json', message }]
}

interface Project {
  readonly adapter: string
  /** Sources and nodes by their ids. */
  readonly all: ReadonlyMap<string, ProjectNode>
  /** Their relations in `catalog.json`. */
  readonly relations: Readonly<Record<string, CatalogNode>>
}

/** The tables of a project, and those of its service that the catalog has. */
const tablesOf = async (client: ApiClient, service: SourceService, { adapter, all, relations }: Project) => {
  const standing = byFqn(await tablesIn(client, service.name))
  const live = [...standing].flatMap(([name, { deleted }]) => (deleted === true ? [] : [name]))
  const inAnyCase = Map.groupBy(live, (name) => name.toLowerCase())
  const byName = Map.groupBy(
    [...all].filter(([, each]) => hasRelation(each)),
    ([id, each]) => {
      const name = nameOfTable(service, relationOf(each, relations[id]))
      return foldsNames.has(adapter) && relations[id] === undefined
        ? nameAmong(inAnyCase.get(name.toLowerCase()) ?? [], name)
        : name
    },
  )
  const tables = [...byName].map(([name, nodes]) =>
    tableOf(name, nodes, { adapter, relations, present: columnNames(standing.get(name)) }),
  )
  return { tables, standing }
}

/** The tables with what they read; nodes without a relation are skipped over. */
const queriesOf = (
  all: ReadonlyMap<string, ProjectNode>,
  tables: readonly ProjectTable[],
  tableById: ReadonlyMap<string, ProjectTable>,
): QueryTable[] => {
  const upstreamOf = (id: string, seen = new Set<string>()): string[] =>
    (all.get(id)?.depends_on?.nodes ?? []).flatMap((from) => {
      if (seen.has(from)) return []
      seen.add(from)
      return tableById.get(from)?.fullyQualifiedName ?? upstreamOf(from, seen)
    })
  return tables.map((table): QueryTable => {
    const { fullyQualifiedName, database, schema, name, statement } = table
    const columns = table.hasMoreColumns ? [] : table.columns.map((each) => each.name)
    const upstream = new Set(table.ids.flatMap((id) => upstreamOf(id)))
    upstream.delete(fullyQualifiedName)
    return { fullyQualifiedName, path: [database, schema, name], columns, statement, upstream: [...upstream] }
  })
}

/** The edges to a table that dbt has stated, by the names of their upstreams. */
const readEdges = async (client: ApiClient, table: string): Promise<ReadonlyMap<unknown, SourceEdge>> => {
  const path = `lineage/table/name/${encodeURIComponent(table)}?source=dbt&up=1&down=0&columns=true`
  const { nodes, edges } = (await ifFound(client.get(path))) ?? {}
  const names = new Map(objectsOf(nodes).map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]))
  const stated = objectsOf(edges).filter(({ to }) => names.get(to as string) === table)
  return new Map(
    stated.map(({ from, sql, columns }) => {
      const name = names.get(from as string)
      return [
        name,
        { from: name, ...(sql !== undefined && { sql }), ...(columns && { columns }) } as object as SourceEdge,
      ]
    }),
  )
}

/**
 * The lineage of which columns could not be read, with those that stand: a manifest without a statement says nothing about
 * them, and neither do missing columns of upstreams about a statement that is still the same.
 */
const withStandingColumns = (client: ApiClient, lineage: readonly SourceLineage[]): Promise<readonly SourceLineage[]> =>
  mapInChunks(lineage, callsAtOnce, async (each) => {
    if (each.isUntraced !== true) return each
    const standing = await readEdges(client, each.fullyQualifiedName)
    const edges = each.edges.map((edge) => {
      const found = standing.get(edge.from)
      return found !== undefined && (edge.sql === undefined || edge.sql === found.sql) ? found : edge
    })
    return { ...each, edges }
  })

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
  const { tables, standing } = await tablesOf(client, service, { adapter, all, relations })
  const tableById = new Map(tables.flatMap((table) => table.ids.map((id) => [id, table])))
  const project = projectOf(manifest)
  const suite = `dbt ${project ?? service.name}`
  const tests = testsOf(all, suite, tableById)
  const run = await readArtifact(folder, 'run_results.json', resultsShape)
  const reported = run && resultsOf(run, tests)
  const { lineage, notes } = lineageOfStatements(queriesOf(all, tables, tableById), dialects[adapter] ?? adapter)
  const made = new Set(tables.flatMap((table) => (table.yields ? [] : table.fullyQualifiedName)))
  return {
    source: 'dbt',
    ...(project !== undefined && { project }),
    steps: [
      ...tagSteps(tables),
      ...tableSteps(service, tables, { standing }),
      ...testSteps([...tests.values()], suite, service),
    ],
    results: reported?.results ?? [],
    lineage: await withStandingColumns(
      client,
      lineage.filter(({ fullyQualifiedName }) => made.has(fullyQualifiedName)),
    ),
    notes: [
      ...versionNotes(manifest.metadata.dbt_schema_version),
      ...(reported?.notes ?? []),
      ...testNotes(all, tests, run),
      ...tagNotes([...all.values()].filter(hasRelation)),
      ...uncompiledNotes(all.values()),
      ...notes,
    ],
    scopes: [],
  }
}
