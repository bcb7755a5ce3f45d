import { buildFqn, splitFqn } from '../../../kinds/names.ts'
import { shorten } from '../../../shared/bounds.ts'
import { nameProblem } from '../../../shared/entityName.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { LoadFailure, SourceEntity, SourceStep } from '../content.ts'
import type { SourceColumn, SourceTable } from '../tables.ts'
import type { CatalogNode, ProjectNode } from './artifacts.ts'

/** Whether a node is a relation of the database; ephemeral models are not. */
export const hasRelation = ({ resource_type: type, config }: ProjectNode): boolean =>
  ['source', 'seed', 'snapshot'].includes(type) || (type === 'model' && config?.materialized !== 'ephemeral')

const tableTypes: Readonly<Record<string, string>> = { view: 'View', materialized_view: 'MaterializedView' }

const tagsOf = ({ tags }: { readonly tags?: readonly string[] | null | undefined }): string[] =>
  (tags ?? []).filter((tag) => nameProblem(tag) === undefined).map((tag) => buildFqn(['dbt', tag]))

/** Notes about tags that no tag of the catalog can have as its name. */
export const tagNotes = (nodes: Iterable<ProjectNode>): LoadFailure[] => {
  const given = [...nodes].flatMap((each) => [each, ...Object.values(each.columns)].flatMap(({ tags }) => tags ?? []))
  return [...new Set(given)].flatMap((tag) => {
    const problem = nameProblem(tag)
    if (problem === undefined) return []
    return [{ fullyQualifiedName: `dbt.${shorten(tag, 100)}`, message: `the tag is not loaded: its name ${problem}` }]
  })
}

/** Types that mean something else to a database than to others. */
const ownTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = { oracle: { LONG: 'CLOB' } }

/** The one of these names that equals a name, else the only one that does so without regard to case, else the name. */
export const nameAmong = (names: readonly string[], name: string): string => {
  const [found = name, ...others] = names.filter((each) => each.toLowerCase() === name.toLowerCase())
  return others.length > 0 ? name : found
}

/**
 * Columns in the order of the database, with their documentation. Where names differ only in case, each is a column;
 * otherwise case does not matter, and names that the catalog has stay as they are.
 */
const columnsOf = (
  node: ProjectNode,
  known: CatalogNode | undefined,
  { adapter, present }: Pick<TableOptions, 'adapter' | 'present'>,
): SourceColumn[] => {
  const physical = Object.values(known?.columns ?? {}).toSorted((one, other) => one.index - other.index)
  const columns = new Map(physical.map((each) => [each.name, each]))
  const documented = new Map(
    Object.values(node.columns).map((each) => [nameAmong([...columns.keys()], each.name), each]),
  )
  const names = [...new Set([...columns.keys(), ...documented.keys()])]
  const alike = Map.groupBy(names, (name) => name.toLowerCase())
  const listed = names.map((name): SourceColumn => {
    const [there, said] = [columns.get(name), documented.get(name)]
    const type = (there === undefined ? said?.data_type : there.type) ?? undefined
    return {
      name: alike.get(name.toLowerCase())?.length === 1 ? nameAmong(present, name) : name,
      type,
      base: ownTypes[adapter]?.[type ?? ''],
      description: said?.description || there?.comment || undefined,
      tags: tagsOf(said ?? {}),
    }
  })
  return adapter === 'bigquery' ? nestColumns(listed) : listed
}

/** Columns with the fields that a list names by their paths, in which structures may be missing. */
const nestColumns = (listed: readonly SourceColumn[]): SourceColumn[] =>
  [...Map.groupBy(listed, ({ name }) => name.split('.', 1)[0] ?? '')].map(([name, group]) => {
    const fields = group.filter((each) => each.name !== name)
    const children = nestColumns(fields.map((each) => ({ ...each, name: each.name.slice(name.length + 1) })))
    const column = group.find((each) => each.name === name) ?? { name }
    return children.length === 0 ? column : { ...column, children }
  })

type Documented = Pick<ProjectNode['columns'][string], 'description' | 'tags'>

/** The description of the last that has one, and the tags of both. */
const documentation = (one: Documented = {}, other: Documented = {}) => ({
  description: other.description || one.description,
  tags: [...new Set([...(one.tags ?? []), ...(other.tags ?? [])])],
})

/** Nodes of the manifest that are the same relation, such as a seed that is also declared as a source: the last counts. */
const together = (one: ProjectNode, other: ProjectNode): ProjectNode => {
  const columns = Object.entries({ ...one.columns, ...other.columns }).map(([name, { data_type: type, ...column }]) => {
    const said = documentation(one.columns[name], other.columns[name])
    return [name, { ...column, ...said, data_type: type ?? one.columns[name]?.data_type }]
  })
  return { ...one, ...other, ...documentation(one, other), columns: Object.fromEntries(columns) }
}

/** The place of a node: as the database writes it, where the project only does so in another case. */
export const relationOf = (
  { database, schema, name, alias, identifier }: ProjectNode,
  { metadata }: Partial<CatalogNode> = {},
) => {
  const real = (text: string, known: string | null | undefined): string => nameAmong([known ?? text], text)
  return {
    database: real(database || 'default', metadata?.database),
    schema: real(schema || 'default', metadata?.schema),
    name: real(identifier ?? alias ?? name, metadata?.name),
  }
}

/** The compiled code of a node, if the manifest has it. */
export const statementOf = ({ compiled_code: code, compiled_sql: sql }: ProjectNode): string | undefined =>
  code || sql || undefined

interface TableOptions {
  readonly adapter: string
  /** From `catalog.json`, by the ids of nodes. */
  readonly relations: Readonly<Record<string, CatalogNode>>
  /** The columns that the table has in the catalog. */
  readonly present: readonly string[]
}

/** A relation of the database with what makes it. */
export const tableOf = (
  fullyQualifiedName: string,
  nodes: readonly (readonly [id: string, ProjectNode])[],
  options: TableOptions,
) => {
  const ids = nodes.map(([id]) => id)
  const each = nodes.map(([, node]) => node).reduce(together)
  // BigQuery does not know the columns of external tables.
  const known = ids.flatMap((id) => options.relations[id] ?? []).find(({ columns }) => !('<unknown>' in columns))
  const [, database = '', schema = '', name = ''] = splitFqn(fullyQualifiedName) ?? []
  const { description, config } = each
  const yields = nodes.every(([, { resource_type: type }]) => type === 'source')
  const statement = statementOf(each)
  const members: JsonObject = {
    ...(description && { description }),
    ...(!yields && { tableType: tableTypes[config?.materialized ?? ''] ?? 'Regular' }),
    ...(statement !== undefined && { schemaDefinition: statement }),
    tags: tagsOf(each),
  }
  return {
    database,
    schema,
    name,
    fullyQualifiedName,
    ids,
    statement,
    hasMoreColumns: known === undefined,
    yields,
    columns: columnsOf(each, known, options),
    members,
  }
}

export type ProjectTable = ReturnType<typeof tableOf>

/** The classification `dbt` with the tags of the project. */
export const tagSteps = (tables: readonly SourceTable[]): SourceStep[] => {
  const tagsIn = (columns: readonly SourceColumn[] = []): string[] =>
    columns.flatMap(({ tags = [], children }) => [...tags, ...tagsIn(children)])
  const given = tables.flatMap(({ members, columns }) => [...(members['tags'] as string[]), ...tagsIn(columns)])
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
