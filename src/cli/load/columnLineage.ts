import { init, SUPPORTED_DIALECTS, type DialectName } from '@guanmingchiu/sqlparser-ts'
import { buildFqn } from '../../kinds/names.ts'
import { sameJson } from '../../shared/json.ts'
import type { LoadFailure, SourceEdge, SourceLineage } from './content.ts'
import { lower, readStatement, type Columns, type ReadStatement } from './queryColumns.ts'

/** A table and the statement that produces it. */
export interface QueryTable {
  readonly fullyQualifiedName: string
  /** Database, schema and table, as statements name them. */
  readonly path: readonly string[]
  /** All of its columns; empty: those of its statement. */
  readonly columns: readonly string[]
  readonly statement?: string | undefined
  /** Fully qualified names of the tables that feed it. */
  readonly upstream: readonly string[]
}

/** Parses each statement once, after those of the tables that it reads. */
const makeTracer = (tables: readonly QueryTable[], dialect: DialectName) => {
  const byName = Map.groupBy(tables, ({ path }) => lower(path.at(-1) ?? ''))
  const traced = new Map<QueryTable, ReadStatement>()
  const find = (path: readonly string[]): Columns => {
    const parts = path.map(lower)
    const [table, ...others] = (byName.get(parts.at(-1) ?? '') ?? []).filter((each) =>
      sameJson(each.path.slice(-parts.length).map(lower), parts),
    )
    if (table === undefined || others.length > 0) return undefined
    const own = table.columns.length > 0 ? undefined : trace(table)
    const names = own && 'columns' in own ? own.columns.map(({ name }) => name) : table.columns
    const { fullyQualifiedName } = table
    return names.length === 0
      ? undefined
      : names.map((name) => ({ name, from: [{ table: fullyQualifiedName, column: name }] }))
  }
  const trace = (table: QueryTable): ReadStatement | undefined => {
    if (table.statement === undefined || traced.has(table)) return traced.get(table)
    traced.set(table, { problem: 'it reads itself' })
    traced.set(table, readStatement(table.statement, dialect, find))
    return traced.get(table)
  }
  return trace
}

/** The edges to a table, with column lineage from its statement. */
const edgesOf = ({ upstream, statement: sql, columns: known }: QueryTable, traced: ReadStatement | undefined) => {
  const own = new Map(known.map((name) => [lower(name), name]))
  const told = traced && 'columns' in traced ? traced.columns : []
  return upstream.map((from): SourceEdge => {
    const columns = told.flatMap(({ name, from: origins }) => {
      const read = origins.flatMap(({ table, column }) => (table === from ? [buildFqn([column])] : []))
      return read.length === 0 ? [] : [{ from: [...new Set(read)], to: buildFqn([own.get(lower(name)) ?? name]) }]
    })
    return { from, ...(sql !== undefined && { sql }), ...(columns.length > 0 && { columns }) }
  })
}

/**
 * The lineage of tables, with column lineage where their statements can be parsed. Columns that are only used to join,
 * filter or sort are not part of it.
 * @param dialect the parser's name of it; unknown names mean the generic dialect
 */
export const lineageOfStatements = async (
  tables: readonly QueryTable[],
  dialect: string,
): Promise<{ lineage: SourceLineage[]; notes: LoadFailure[] }> => {
  await init()
  const trace = makeTracer(tables, SUPPORTED_DIALECTS.find((name) => name === dialect) ?? 'generic')
  const notes: LoadFailure[] = []
  const lineage = tables.map((table): SourceLineage => {
    const { fullyQualifiedName, upstream } = table
    const traced = trace(table)
    if (traced && 'problem' in traced && upstream.length > 0)
      notes.push({
        fullyQualifiedName,
        message: `cannot read the lineage of columns from its statement: ${traced.problem}`,
      })
    return { fullyQualifiedName, edges: edgesOf(table, traced) }
  })
  return { lineage, notes }
}
