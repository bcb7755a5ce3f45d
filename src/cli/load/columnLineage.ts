import { analyzeQuery, Dialect } from '@polyglot-sql/sdk'
import { buildFqn } from '../../kinds/names.ts'
import type { LoadFailure, SourceEdge, SourceLineage } from './content.ts'
import { qualifyColumns } from './qualifyColumns.ts'

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

interface Origin {
  readonly table: string
  readonly column: string
}

/** A column of a statement, and the columns of tables that its value is computed from. */
interface ResultColumn {
  readonly name: string
  readonly from: readonly Origin[]
}

/** The columns of a statement, or why they are not known. */
type TraceResult = { readonly columns: readonly ResultColumn[] } | { readonly problem: string }

const lower = (text: string): string => text.toLowerCase()

/** A table that a statement reads, with all of its columns. */
type ReadTable = Pick<QueryTable, 'fullyQualifiedName' | 'path' | 'columns'>

/** Tables by each of their names, with and without database and schema, without those that are ambiguous. */
const byEachName = (tables: readonly ReadTable[]): [name: string, ReadTable][] => {
  const named = tables.flatMap((table) =>
    table.path.map((_, at): [string, ReadTable] => [table.path.slice(at).join('.'), table]),
  )
  return [...Map.groupBy(named, ([name]) => lower(name)).values()].flatMap((same) => (same.length === 1 ? same : []))
}

/** The parser calls columns without a name so. */
const noName = /^(_col_\d+)?$/

/** All columns of a statement, or none if one of them is not known. */
const readStatement = (statement: string, dialect: string, tables: readonly ReadTable[]): TraceResult => {
  const named = byEachName(tables)
  const schema = named.map(([name, { columns }]) => ({
    name,
    columns: columns.map((each) => ({ name: each, type: '' })),
  }))
  const columnNames = new Set(tables.flatMap(({ columns }) => columns.map(lower)))
  const qualified = qualifyColumns(statement, dialect, columnNames)
  if (qualified === undefined) return { problem: 'it has an alias that is called like a column of several tables' }
  const { analysis, error = '' } = analyzeQuery(qualified, { dialect, schema: { tables: schema } })
  if (analysis == null) return { problem: error.startsWith('Parse error') ? error : 'it is no single query' }
  const { projections, baseTables, ctes } = analysis
  const byName = new Map(named.map(([name, table]) => [lower(name), table]))
  const unknown = baseTables.find(({ name }) => !byName.get(lower(name))?.columns.length)
  const columns: ResultColumn[] = []
  for (const { name: called = '', isStar, transformKind, upstream } of projections) {
    const isColumn = transformKind === 'cast' || transformKind === 'direct'
    const name = noName.test(called) && isColumn ? (upstream[0]?.column ?? '') : called
    if (noName.test(name)) return { problem: 'it does not name all of its columns' }
    const origins = upstream.map(({ table, column }): Origin | 'none' | undefined => {
      const read = byName.get(lower(table ?? ''))
      const own = read?.columns.find((each) => lower(each) === lower(column))
      if (read !== undefined && own !== undefined) return { table: read.fullyQualifiedName, column: own }
      // Where all tables are known, what ends in a common table is a constant.
      return unknown === undefined && ctes.includes(table ?? '') ? 'none' : undefined
    })
    if (isStar || origins.includes(undefined))
      return {
        problem: unknown ? `the columns of ${unknown.name} are not known` : `the origin of ${name} is not known`,
      }
    columns.push({ name, from: origins.filter((origin) => typeof origin === 'object') })
  }
  return { columns }
}

/** Stars whose columns are left out or replaced, which the parser takes for plain ones. */
const [leftOut, replaced] = [/\*\s*(?:except|exclude)\b/i, /\*\s*(?:ilike|rename|replace)\b/i]

/** Parses each statement once, after those of the tables that it reads. */
const makeTracer = (tables: readonly QueryTable[], dialect: string) => {
  const byName = new Map(tables.map((table) => [table.fullyQualifiedName, table]))
  const traced = new Map<QueryTable, TraceResult>()
  const withColumns = (table: QueryTable): ReadTable => {
    const own = table.columns.length > 0 ? undefined : trace(table)
    return own && 'columns' in own ? { ...table, columns: own.columns.map(({ name }) => name) } : table
  }
  const trace = (table: QueryTable): TraceResult | undefined => {
    if (table.statement === undefined || traced.has(table)) return traced.get(table)
    traced.set(table, { problem: 'it reads itself' })
    const { statement, columns, upstream } = table
    // What is left out is known where the columns of the table are.
    const isChanged = replaced.test(statement) || (columns.length === 0 && leftOut.test(statement))
    const read = upstream.flatMap((name) => byName.get(name) ?? []).map(withColumns)
    traced.set(
      table,
      isChanged ? { problem: 'it changes the columns of a star' } : readStatement(statement, dialect, read),
    )
    return traced.get(table)
  }
  return trace
}

/** Characters of a statement, in all of its edges together. */
const longestRepeated = 1024 * 1024

/** Whether a statement is too long to stand in each of its edges. */
const isTooLong = ({ statement = '', upstream }: QueryTable): boolean =>
  statement.length * upstream.length > longestRepeated

/** The edges to a table, with column lineage from its statement. */
const edgesOf = (table: QueryTable, traced: TraceResult | undefined) => {
  const { upstream, statement, columns: known } = table
  const sql = isTooLong(table) ? undefined : statement
  const own = new Map(known.map((name) => [lower(name), name]))
  const tracedColumns = traced && 'columns' in traced ? traced.columns : []
  return upstream.map((from): SourceEdge => {
    const columns = tracedColumns.flatMap(({ name, from: origins }) => {
      if (own.size > 0 && !own.has(lower(name))) return []
      const read = origins.flatMap(({ table, column }) => (table === from ? [buildFqn([column])] : []))
      return read.length === 0 ? [] : [{ from: [...new Set(read)], to: buildFqn([own.get(lower(name)) ?? name]) }]
    })
    return { from, ...(sql !== undefined && { sql }), ...(columns.length > 0 && { columns }) }
  })
}

const dialects: readonly string[] = Object.values(Dialect)

/**
 * The lineage of tables, with column lineage where their statements can be parsed. Columns that are only used to join,
 * filter or sort are not part of it.
 * @param dialect the parser's name of it; unknown names mean the generic dialect
 */
export const lineageOfStatements = (
  tables: readonly QueryTable[],
  dialect: string,
): { lineage: SourceLineage[]; notes: LoadFailure[] } => {
  const trace = makeTracer(tables, dialects.includes(dialect) ? dialect : 'generic')
  const notes: LoadFailure[] = []
  const lineage = tables.map((table): SourceLineage => {
    const { fullyQualifiedName, upstream } = table
    const traced = trace(table)
    if (traced && 'problem' in traced && upstream.length > 0)
      notes.push({
        fullyQualifiedName,
        message: `cannot read the lineage of columns from its statement: ${traced.problem}`,
      })
    if (isTooLong(table))
      notes.push({
        fullyQualifiedName,
        message: `its lineage does not show its statement, which is too long for ${upstream.length} edges`,
      })
    return { fullyQualifiedName, edges: edgesOf(table, traced) }
  })
  return { lineage, notes }
}
