import pg from 'pg'
import { buildFqn } from '../../kinds/names.ts'
import type { Json } from '../../shared/json.ts'
import { lineageOfStatements, type QueryTable } from './columnLineage.ts'
import type { SourceContent } from './content.ts'
import { nameOfTable, tableSteps, type SourceColumn, type SourceTable } from './tables.ts'

/** Relations but those of the system, and of extensions. `relkind` as PostgreSQL's documentation of pg_class has it. */
const relations = `
  SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind,
         obj_description(c.oid, 'pg_class') AS comment, pg_get_viewdef(c.oid) AS definition
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 2, 3`

const columns = `
  SELECT a.attrelid AS oid, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
         col_description(a.attrelid, a.attnum) AS comment
  FROM pg_attribute a
  WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attrelid, a.attnum`

const constraints = `
  SELECT k.conrelid AS oid, k.contype AS kind, k.confrelid AS "referredOid",
         ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(num, at)
               JOIN pg_attribute ON attrelid = k.conrelid AND attnum = u.num ORDER BY u.at) AS columns,
         ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(num, at)
               JOIN pg_attribute ON attrelid = k.confrelid AND attnum = u.num ORDER BY u.at) AS referred
  FROM pg_constraint k WHERE k.conrelid = ANY($1) AND k.contype IN ('p', 'u', 'f') ORDER BY k.conname`

/** What the rules of views read. */
const dependencies = `
  SELECT DISTINCT r.ev_class AS oid, d.refobjid AS "from"
  FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass
  WHERE r.ev_class = ANY($1) AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class`

interface Relation {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f'
  readonly comment: string | null
  readonly definition: string | null
}

interface Attribute {
  readonly oid: number
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly comment: string | null
}

interface Constraint {
  readonly oid: number
  readonly kind: 'p' | 'u' | 'f'
  readonly referredOid: number
  readonly columns: string[]
  readonly referred: string[]
}

const tableTypes = { r: 'Regular', p: 'Partitioned', v: 'View', m: 'MaterializedView', f: 'Foreign' } as const
const constraintTypes = { p: 'PRIMARY_KEY', u: 'UNIQUE', f: 'FOREIGN_KEY' } as const

const columnOf = ({ name, type, required, comment }: Attribute, own: readonly Constraint[]): SourceColumn => {
  const alone = (kind: Constraint['kind']): boolean =>
    own.some((each) => each.kind === kind && each.columns.length === 1 && each.columns[0] === name)
  const constraint = alone('p') ? 'PRIMARY_KEY' : alone('u') ? 'UNIQUE' : required ? 'NOT_NULL' : 'NULL'
  return { name, type, description: comment ?? undefined, constraint }
}

interface Database {
  readonly name: string
  readonly relations: readonly Relation[]
  readonly columns: readonly Attribute[]
  readonly constraints: readonly Constraint[]
  readonly dependencies: readonly { readonly oid: number; readonly from: number }[]
}

/** Reads the catalog of a database in one transaction that can only read. */
const readDatabase = async (client: pg.Client): Promise<Database> => {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const rows = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
    (await client.query(sql, values)).rows as T[]
  const [database] = await rows<{ name: string }>('SELECT current_database() AS name')
  const found = await rows<Relation>(relations)
  const oids = found.map(({ oid }) => oid)
  return {
    name: database?.name ?? 'postgres',
    relations: found,
    columns: await rows<Attribute>(columns, oids),
    constraints: await rows<Constraint>(constraints, oids),
    dependencies: await rows(dependencies, oids),
  }
}

const tableConstraint = (
  { kind, columns: own, referred, referredOid }: Constraint,
  nameOf: (oid: number) => string | undefined,
): Json => {
  const target = kind === 'f' ? nameOf(referredOid) : undefined
  return {
    constraintType: constraintTypes[kind],
    columns: own,
    ...(target !== undefined && { referredColumns: referred.map((column) => `${target}.${column}`) }),
  }
}

/**
 * Reads the tables, views and their comments of a PostgreSQL database; it writes nothing there.
 * @param address `postgres://…`
 * @param serviceName left out: the host
 */
export const readPostgres = async (address: string, serviceName: string | undefined): Promise<SourceContent> => {
  const client = new pg.Client({ connectionString: address, application_name: 'catalog load' })
  await client.connect()
  const read = await readDatabase(client).finally(() => client.end())
  const service = { name: serviceName ?? new URL(address).hostname, type: 'Postgres' }
  const columnsByTable = Map.groupBy(read.columns, ({ oid }) => oid)
  const constraintsByTable = Map.groupBy(read.constraints, ({ oid }) => oid)
  const names = new Map(
    read.relations.map(({ oid, schema, name }) => [oid, nameOfTable(service, { database: read.name, schema, name })]),
  )
  const tables = read.relations.map(({ oid, schema, name, kind, comment, definition }): SourceTable => {
    const own = constraintsByTable.get(oid) ?? []
    return {
      database: read.name,
      schema,
      name,
      columns: (columnsByTable.get(oid) ?? []).map((attribute) => columnOf(attribute, own)),
      members: {
        tableType: tableTypes[kind],
        ...(comment !== null && { description: comment }),
        schemaDefinition: definition,
        tableConstraints: own.map((each) => tableConstraint(each, (of) => names.get(of))),
      },
    }
  })
  const byView = Map.groupBy(read.dependencies, ({ oid }) => oid)
  const queried = read.relations.map(({ oid, schema, name, definition }): QueryTable => ({
    fullyQualifiedName: names.get(oid) as string,
    path: [read.name, schema, name],
    columns: (columnsByTable.get(oid) ?? []).map((each) => each.name),
    statement: definition ?? undefined,
    upstream: (byView.get(oid) ?? []).flatMap(({ from }) => names.get(from) ?? []),
  }))
  return {
    source: 'postgres',
    steps: tableSteps(service, tables),
    ...(await lineageOfStatements(queried, 'postgresql')),
    scopes: [buildFqn([service.name, read.name])],
  }
}
