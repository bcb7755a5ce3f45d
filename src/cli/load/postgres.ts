import pg from 'pg'
import { buildFqn, childFqn } from '../../kinds/names.ts'
import { nameProblem } from '../../shared/entityName.ts'
import type { Json } from '../../shared/json.ts'
import { lineageOfStatements, type QueryTable } from './columnLineage.ts'
import { SourceError, type SourceContent } from './content.ts'
import { nameOfTable, tableSteps, type SourceColumn, type SourceTable } from './tables.ts'

/**
 * Tables and views, except those of the system and of extensions, each with its columns, its constraints and the
 * relations that it reads. `relkind` and `contype` are explained in PostgreSQL's documentation of system catalogs.
 * Partitions of the table that a foreign key refers to have constraints of their own, with `conparentid`.
 */
const relations = `
  WITH RECURSIVE bases AS (
    SELECT DISTINCT atttypid AS type, atttypid AS base, NULL::int AS modifier, false AS required, '' AS brackets
    FROM pg_attribute WHERE attnum > 0
    UNION ALL
    SELECT type, CASE typtype WHEN 'd' THEN typbasetype ELSE typelem END, CASE typtype WHEN 'd' THEN typtypmod ELSE modifier END,
      required OR (typnotnull AND brackets = ''), CASE typtype WHEN 'd' THEN brackets ELSE brackets || '[]' END
    FROM bases JOIN pg_type ON oid = base WHERE typbasetype <> 0 OR (typcategory = 'A' AND typelem <> 0)
  )
  SELECT c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, pg_table_is_visible(c.oid) AS visible,
    obj_description(c.oid, 'pg_class') AS comment, pg_get_viewdef(c.oid, true) AS definition,
    NULLIF(obj_description(n.oid, 'pg_namespace'), 'standard public schema') AS "schemaComment",
    ARRAY(SELECT json_build_object(
            'name', attname, 'type', format_type(atttypid, atttypmod), 'required', attnotnull OR required,
            'comment', col_description(attrelid, attnum), 'base', CASE typtype WHEN 'e' THEN 'enum' WHEN 'c' THEN 'struct'
              WHEN 'b' THEN regexp_replace(format_type(base, COALESCE(modifier, atttypmod)), '^.*\\.', '') ELSE 'range' END || brackets)
          FROM pg_attribute JOIN bases ON type = atttypid
          JOIN pg_type t ON t.oid = base AND typbasetype = 0 AND (typcategory <> 'A' OR typelem = 0)
          WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum) AS columns,
    ARRAY(SELECT json_build_object('kind', contype, 'target', COALESCE(pg_partition_root(confrelid)::oid, confrelid)::bigint,
            'columns', ARRAY(SELECT attname FROM unnest(conkey) WITH ORDINALITY AS key(num, place)
                             JOIN pg_attribute ON attrelid = conrelid AND attnum = num ORDER BY place),
            'referred', ARRAY(SELECT attname FROM unnest(confkey) WITH ORDINALITY AS key(num, place)
                              JOIN pg_attribute ON attrelid = confrelid AND attnum = num ORDER BY place))
          FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f') AND conparentid = 0 ORDER BY conname) AS constraints,
    ARRAY(SELECT DISTINCT COALESCE(pg_partition_root(d.refobjid)::oid, d.refobjid)
          FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass
          WHERE r.ev_class = c.oid AND r.ev_type = '1' AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> c.oid) AS reads
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  ORDER BY n.nspname, c.relname`

const commentOfDatabase = `
  SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = current_database()`

interface Attribute {
  readonly name: string
  readonly type: string
  /** The type without domains and schemas; of types that a database defines itself only what sort of type it is. */
  readonly base: string
  readonly required: boolean
  readonly comment: string | null
}

interface Constraint {
  readonly kind: 'p' | 'u' | 'f'
  readonly columns: string[]
  /** Relation and columns that a foreign key refers to. */
  readonly target: number
  readonly referred: string[]
}

interface Relation {
  readonly oid: number
  readonly schema: string
  readonly schemaComment: string | null
  readonly name: string
  readonly visible: boolean
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f'
  readonly comment: string | null
  readonly definition: string | null
  readonly columns: readonly Attribute[]
  readonly constraints: readonly Constraint[]
  readonly reads: readonly number[]
}

const tableTypes = { r: 'Regular', p: 'Partitioned', v: 'View', m: 'MaterializedView', f: 'Foreign' } as const
const constraintTypes = { p: 'PRIMARY_KEY', u: 'UNIQUE', f: 'FOREIGN_KEY' } as const

const columnOf = ({ name, type, base, required, comment }: Attribute, own: readonly Constraint[]): SourceColumn => {
  const alone = (kind: Constraint['kind']): boolean =>
    own.some((each) => each.kind === kind && each.columns.length === 1 && each.columns[0] === name)
  const constraint = alone('p') ? 'PRIMARY_KEY' : alone('u') ? 'UNIQUE' : required ? 'NOT_NULL' : 'NULL'
  return { name, type, base, description: comment ?? undefined, constraint }
}

/** What to do about errors, by the beginnings of their codes, which are of Node or SQLSTATE, or of their messages. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(ERR_INVALID_URL|URI malformed|ENOTFOUND|EAI_AGAIN)/,
    'The address is no URL of a known host. Encode special characters (/ as %2F, @ as %40), or set PGPASSWORD.',
  ],
  [/^(SASL|28P01)/, 'Check the user and the password, which can also be in PGPASSWORD.'],
  [/^57014/, 'Allow it more time, for example with PGOPTIONS="-c statement_timeout=60s".'],
]

/** @throws the error, or a SourceError that says what to do: messages that are not of the database may tell a password */
const explain = (error: NodeJS.ErrnoException): never => {
  const { message, code = message } = error
  const hint = hints.find(([known]) => known.test(code))?.[1]
  if (hint === undefined) throw error
  throw new SourceError(error instanceof pg.DatabaseError ? `${message}. ${hint}` : hint, { cause: error })
}

/** Reads the system catalog in a transaction that cannot write. @param serviceName default: the host */
const readDatabase = async (address: string, serviceName: string | undefined) => {
  const client = new pg.Client({ connectionString: address, application_name: 'catalog load' })
  const name = serviceName ?? (URL.parse(address)?.hostname || client.host.replace(/^\/.*/s, ''))
  const problem = nameProblem(name)
  if (problem !== undefined)
    throw new SourceError(`The name of the service, "${name}", ${problem}: name it with --service NAME.`)
  // Where it breaks off, the query that waits for it fails.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows: found } = await client.query<Relation>(relations)
    const { rows } = await client.query<Pick<Relation, 'comment'>>(commentOfDatabase)
    return { name, database: client.database ?? 'postgres', comment: rows[0]?.comment ?? null, found }
  } finally {
    await client.end()
  }
}

/** @param target name of the table that a foreign key refers to */
const tableConstraint = ({ kind, columns, referred }: Constraint, target: string | undefined): Json => ({
  constraintType: constraintTypes[kind],
  columns,
  ...(target !== undefined && { referredColumns: referred.map((column) => childFqn(target, column)) }),
})

/**
 * Reads the tables and views of a PostgreSQL database.
 * @param address `postgres://…`
 * @param serviceName default: the host
 */
export const readPostgres = async (address: string, serviceName: string | undefined): Promise<SourceContent> => {
  const { name, database, comment: databaseComment, found } = await readDatabase(address, serviceName).catch(explain)
  const service = { name, type: 'Postgres' }
  const descriptions = new Map([
    [buildFqn([database]), databaseComment ?? ''],
    ...found.map(({ schema, schemaComment }) => [buildFqn([database, schema]), schemaComment ?? ''] as const),
  ])
  const names = new Map(found.map(({ oid, schema, name }) => [oid, nameOfTable(service, { database, schema, name })]))
  const tables = found.map(({ schema, name, kind, comment, definition, columns, constraints }): SourceTable => ({
    database,
    schema,
    name,
    columns: columns.map((attribute) => columnOf(attribute, constraints)),
    yields: true,
    members: {
      tableType: tableTypes[kind],
      ...(comment !== null && { description: comment }),
      schemaDefinition: definition,
      tableConstraints: constraints.map((each) => tableConstraint(each, names.get(each.target))),
    },
  }))
  const queried = found.map(({ oid, schema, name, visible, definition, columns, reads }): QueryTable => ({
    fullyQualifiedName: names.get(oid) as string,
    path: [database, schema, name],
    needsSchema: !visible,
    columns: columns.map((each) => each.name),
    statement: definition ?? undefined,
    upstream: reads.flatMap((from) => names.get(from) ?? []),
  }))
  return {
    source: 'postgres',
    steps: tableSteps(service, tables, { descriptions }),
    ...lineageOfStatements(queried, 'postgresql'),
    scopes: [buildFqn([service.name, database])],
  }
}
