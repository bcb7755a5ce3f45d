import { analyzeQuery, Dialect, generate, parse } from '@polyglot-sql/sdk'
import { buildFqn } from '../../kinds/names.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import type { LoadFailure, SourceEdge, SourceLineage } from './content.ts'
import { qualifyColumns } from './qualifyColumns.ts'

/** A table and the statement that produces it. */
export interface QueryTable {
  readonly fullyQualifiedName: string
  /** Database, schema and table, as statements name them. */
  readonly path: readonly string[]
  /** Whether they name it only with its schema. */
  readonly needsSchema?: boolean | undefined
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

/** A column of a statement, and the columns of tables that its value is computed from, or why they are not known. */
interface ResultColumn {
  readonly name: string
  readonly from: readonly Origin[]
  readonly problem?: string
}

/** The columns of a statement, or why they are not known. */
interface TraceResult {
  readonly columns: readonly ResultColumn[]
  readonly problem?: string
}

const unknown = (problem: string): TraceResult => ({ columns: [], problem })

const lower = (text: string): string => text.toLowerCase()

/** These make unquoted names upper-case. */
const upperCased: readonly string[] = ['snowflake', 'oracle']

/** What has a name: exactly, else as the dialect writes unquoted names, else in whichever case. */
const nameFinder = <T extends { readonly name: string }>(all: readonly T[], dialect: string) => {
  const [byName, alike] = [new Map<string, T>(), new Map<string, T>()]
  for (const each of all) {
    byName.set(each.name, each)
    if (!alike.has(lower(each.name))) alike.set(lower(each.name), each)
  }
  const folded = (name: string): string => (upperCased.includes(dialect) ? name.toUpperCase() : lower(name))
  return (name: string): T | undefined => byName.get(name) ?? byName.get(folded(name)) ?? alike.get(lower(name))
}

/** What a statement reads: a table with all of its columns, or a common table. */
interface ReadTable extends TraceResult, Pick<QueryTable, 'needsSchema'> {
  /** Database, schema and table, or less. */
  readonly path: readonly string[]
  readonly columnNamed: (name: string) => ResultColumn | undefined
}

/** By their names in lower case. */
type ReadTables = ReadonlyMap<string, ReadTable>

const nameOf = ({ path }: ReadTable): string => path.join('.')

/** Tables by each of their names, with and without database and schema, without those that are ambiguous. */
const byEachName = (tables: readonly ReadTable[]): ReadTables => {
  const named = tables.flatMap((table) =>
    table.path.slice(table.needsSchema ? 1 : 0).map((_, at) => ({ ...table, path: table.path.slice(at) })),
  )
  const byName = Map.groupBy(named, (table) => lower(nameOf(table)))
  return new Map([...byName].flatMap(([name, [table, ...others]]) => (table && !others.length ? [[name, table]] : [])))
}

/** The parser calls columns without a name so. */
const noName = /^(_col_\d+)?$/

/** A column that is computed from others. */
const columnFrom = (name: string, others: readonly Partial<ResultColumn>[]): ResultColumn => {
  const origins = others.flatMap(({ from = [] }) => from)
  const from = [...new Map(origins.map((origin) => [`${origin.table}\0${origin.column}`, origin])).values()]
  const problem = others.find((other) => other.problem !== undefined)?.problem
  return { name, from, ...(problem !== undefined && { problem }) }
}

/** A query as a syntax tree, empty if it cannot be parsed, and as its text where that is known. */
interface Query {
  readonly tree: JsonObject
  readonly text?: string
}

const textOf = (tree: JsonObject, dialect: string): string => generate([tree], dialect as Dialect).sql?.[0] ?? ''

/** The columns of a query whose parts are not read alone. */
const readWhole = (query: Query, dialect: string, tables: ReadTables): TraceResult => {
  const { text = textOf(query.tree, dialect) } = query
  const lowerText = lower(text)
  const used = [...tables.values()].filter(({ path }) => lowerText.includes(lower(path.at(-1) as string)))
  const schema = used.map((table) => ({
    name: nameOf(table),
    columns: table.columns.map(({ name }) => ({ name, type: '' })),
  }))
  const qualified = qualifyColumns(query.tree, used)
  if (typeof qualified === 'object') return unknown(qualified.problem)
  const sql = qualified ? textOf(query.tree, dialect) : text
  const { analysis, error = '' } = analyzeQuery(sql, { dialect, schema: { tables: schema } })
  if (analysis == null) return unknown(error.startsWith('Parse error') ? error : 'it is not a single query')
  const { projections, baseTables, ctes } = analysis
  const failed = baseTables.find(({ name }) => !tables.get(lower(name))?.columns.length)
  const unread = failed && (tables.get(lower(failed.name))?.problem ?? `the columns of ${failed.name} are not known`)
  const columns = projections.map(({ name: called = '', transformKind, upstream }): ResultColumn => {
    const isColumn = transformKind === 'cast' || transformKind === 'direct'
    const name = noName.test(called) && isColumn ? (upstream[0]?.column ?? '') : called
    const origins = upstream.map(({ table, column }): Partial<ResultColumn> => {
      const own = tables.get(lower(table ?? ''))?.columnNamed(column)
      // Where all tables are known, what ends in a common table is a constant.
      const isKnown = own !== undefined || (failed === undefined && ctes.includes(table ?? ''))
      return own ?? (isKnown ? {} : { problem: unread ?? `the origin of ${name} is not known` })
    })
    return columnFrom(name, origins)
  })
  const star = projections.find(({ isStar }) => isStar)
  return star ? unknown(unread ?? `the origin of ${star.name ?? ''} is not known`) : { columns }
}

/** The queries that a query unites by the places of their columns. */
const branchesOf = (query: JsonObject): JsonObject[] => {
  const { union } = query
  if (!isObject(union) || union['by_name'] === true) return [query]
  return [...branchesOf(union['left'] as JsonObject), union['right'] as JsonObject]
}

/** A query of which common tables and united queries can be read alone. */
const partsOf = (query: JsonObject): { common: JsonObject[]; branches: JsonObject[] } => {
  const [[kind, body] = ['', null]] = Object.entries(query)
  if (!isObject(body)) return { common: [], branches: [query] }
  const { with: clause = null, ...rest } = body
  if (!isObject(clause)) return { common: [], branches: branchesOf(query) }
  const common = objectsOf(clause['ctes'])
  const isSplit = clause['recursive'] !== true && common.every(({ alias_first: isTable }) => isTable === true)
  return isSplit ? { common, branches: branchesOf({ [kind]: rest }) } : { common: [], branches: [query] }
}

/** The columns of a query. The time of its analysis grows faster than a query does, so its parts are read alone. */
const readQuery = (query: Query, dialect: string, tables: ReadTables): TraceResult => {
  const { subquery } = query.tree
  if (isObject(subquery)) return readQuery({ tree: subquery['this'] as JsonObject }, dialect, tables)
  const { common, branches } = partsOf(query.tree)
  if (common.length + branches.length === 1) return readWhole(query, dialect, tables)
  const known = new Map(tables)
  for (const { alias, this: of, columns: renamed } of common) {
    const read = readQuery({ tree: of as JsonObject }, dialect, known)
    const [name = '', ...names] = [alias, ...objectsOf(renamed)].map((each) => String((each as JsonObject)['name']))
    const columns = read.columns.map((each, at) => ({ ...each, name: names[at] ?? each.name }))
    known.set(lower(name), { ...read, path: [name], columns, columnNamed: nameFinder(columns, dialect) })
  }
  const united = branches.map((tree) => readQuery({ tree }, dialect, known))
  const failed = united.find(({ problem }) => problem !== undefined)
  if (failed !== undefined) return failed
  const [first = [], ...others] = united.map(({ columns }) => columns)
  if (others.some(({ length }) => length !== first.length)) return unknown('it unites queries of different columns')
  const columns = first.map((column, at) =>
    columnFrom(column.name, [column, ...others.flatMap((each) => each[at] ?? [])]),
  )
  return { columns }
}

/** All columns of a statement, or none if one of them is not known. */
const readStatement = (statement: string, dialect: string, tables: readonly ReadTable[]): TraceResult => {
  const [tree = {}, ...others] = objectsOf(parse(statement, dialect as Dialect).ast as Json)
  const query = { tree: others.length > 0 ? {} : tree, text: statement }
  const read = readQuery(query, dialect, byEachName(tables))
  const [problem] = [read, ...read.columns].flatMap((each) =>
    'name' in each && noName.test(each.name) ? 'it does not name all of its columns' : (each.problem ?? []),
  )
  return problem === undefined ? read : unknown(problem)
}

/** Stars whose columns are left out or replaced, which the parser takes for plain ones. */
const [leftOut, replaced] = [/\*\s*(?:except|exclude)\b/i, /\*\s*(?:ilike|rename|replace)\b/i]

/** Parses each statement once, after those of the tables that it reads. */
const makeTracer = (tables: readonly QueryTable[], dialect: string) => {
  const byName = new Map(tables.map((table) => [table.fullyQualifiedName, table]))
  const traced = new Map<QueryTable, TraceResult>()
  const withColumns = (table: QueryTable): ReadTable => {
    const names = table.columns.length > 0 ? table.columns : trace(table)?.columns.map(({ name }) => name)
    const columns = (names ?? []).map((name) => ({ name, from: [{ table: table.fullyQualifiedName, column: name }] }))
    return { ...table, columns, columnNamed: nameFinder(columns, dialect) }
  }
  const trace = (table: QueryTable): TraceResult | undefined => {
    if (table.statement === undefined || traced.has(table)) return traced.get(table)
    traced.set(table, unknown('it reads itself'))
    const { statement, columns, upstream } = table
    // What is left out is known where the columns of the table are.
    const isChanged = replaced.test(statement) || (columns.length === 0 && leftOut.test(statement))
    const read = upstream.flatMap((name) => byName.get(name) ?? []).map(withColumns)
    const found = isChanged ? unknown('it changes the columns of a star') : readStatement(statement, dialect, read)
    traced.set(table, found)
    return found
  }
  return trace
}

/** Characters of a statement, in all of its edges together. */
const longestRepeated = 1024 * 1024

/** Whether a statement is too long to stand in each of its edges. */
const isTooLong = ({ statement = '', upstream }: QueryTable): boolean =>
  statement.length * upstream.length > longestRepeated

/** The edges to a table, with column lineage from its statement. */
const edgesOf = (table: QueryTable, traced: TraceResult | undefined, dialect: string) => {
  const { upstream, statement, columns: known } = table
  const sql = isTooLong(table) ? undefined : statement
  const columnNames = known.map((name) => ({ name }))
  const own = nameFinder(columnNames, dialect)
  return upstream.map((from): SourceEdge => {
    const columns = (traced?.columns ?? []).flatMap(({ name: called, from: origins }) => {
      const name = known.length === 0 ? called : own(called)?.name
      const read = origins.flatMap(({ table: read, column }) => (read === from ? [buildFqn([column])] : []))
      return read.length === 0 || name === undefined ? [] : [{ from: read, to: buildFqn([name]) }]
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
  const known = dialects.includes(dialect) ? dialect : 'generic'
  const trace = makeTracer(tables, known)
  const notes: LoadFailure[] = []
  const lineage = tables.map((table): SourceLineage => {
    const { fullyQualifiedName, upstream } = table
    const traced = trace(table)
    const note = (message: string) => notes.push({ fullyQualifiedName, message })
    if (traced?.problem !== undefined && upstream.length > 0)
      note(`cannot read the lineage of columns from its statement: ${traced.problem}`)
    if (isTooLong(table))
      note(`its lineage does not show its statement, which is too long for ${upstream.length} edges`)
    const isUntraced = upstream.length > 0 && (!traced || traced.problem !== undefined) && !isTooLong(table)
    return { fullyQualifiedName, edges: edgesOf(table, traced, known), ...(isUntraced && { isUntraced }) }
  })
  return { lineage, notes }
}
