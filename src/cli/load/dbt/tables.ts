import { buildFqn, splitFqn } from '../../../kinds/names.ts'
import type { SourceEntity, SourceStep } from '../content.ts'
import type { SourceColumn, SourceTable } from '../tables.ts'
import type { CatalogNode, ProjectNode } from './artifacts.ts'

/** Whether a node is a relation of the database; ephemeral models are not. */
export const hasRelation = ({ resource_type: type, config }: ProjectNode): boolean =>
  ['source', 'seed', 'snapshot'].includes(type) || (type === 'model' && config?.materialized !== 'ephemeral')

const tableTypes: Readonly<Record<string, string>> = { view: 'View', materialized_view: 'MaterializedView' }

const tagsOf = (tags: readonly string[] | null | undefined): string[] =>
  (tags ?? []).map((tag) => buildFqn(['dbt', tag]))

/** The one of these names that equals a name, else the only one that does so without regard to case, else the name. */
export const nameAmong = (names: readonly string[], name: string): string => {
  const [found = name, ...others] = names.filter((each) => each.toLowerCase() === name.toLowerCase())
  return others.length > 0 ? name : found
}

/**
 * Columns in the order of the database, with their documentation. Where names differ only in case, each is a column;
 * otherwise case does not matter, and names that the catalog has stay as they are.
 */
const columnsOf = (node: ProjectNode, known: CatalogNode | undefined, present: readonly string[]): SourceColumn[] => {
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
const together = (one: ProjectNode, other: ProjectNode): ProjectNode => ({
  ...one,
  ...other,
  description: other.description || one.description,
  tags: [...new Set([...(one.tags ?? []), ...(other.tags ?? [])])],
  columns: { ...other.columns, ...one.columns },
})

export const relationOf = ({ database, schema, name, alias, identifier }: ProjectNode) => ({
  database: database ?? 'default',
  schema: schema ?? 'default',
  name: identifier ?? alias ?? name,
})

/** The compiled code of a node, if the manifest has it. */
export const statementOf = ({ compiled_code: code, compiled_sql: sql }: ProjectNode): string | undefined =>
  code || sql || undefined

/** A relation of the database with what makes it. */
export const tableOf = (
  fullyQualifiedName: string,
  nodes: readonly (readonly [id: string, ProjectNode])[],
  relations: Readonly<Record<string, CatalogNode>>,
  present: readonly string[],
) => {
  const ids = nodes.map(([id]) => id)
  const each = nodes.map(([, node]) => node).reduce(together)
  const [known] = ids.flatMap((id) => relations[id] ?? [])
  const { description, tags, config } = each
  const yields = nodes.every(([, { resource_type: type }]) => type === 'source')
  const statement = statementOf(each)
  return {
    ...relationOf(each),
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

export type ProjectTable = ReturnType<typeof tableOf>

/** The classification `dbt` with the tags of the project. */
export const tagSteps = (tables: readonly SourceTable[]): SourceStep[] => {
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
