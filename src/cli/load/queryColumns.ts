import { ParserError, parse, type DialectName } from '@guanmingchiu/sqlparser-ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'

/** A column of a query result. */
interface ResultColumn {
  readonly name: string
  /** The columns of tables that its value is computed from. */
  readonly from: readonly { readonly table: string; readonly column: string }[]
}

/** The columns of a query or a table; `undefined`: not known. */
export type Columns = readonly ResultColumn[] | undefined

interface Source {
  readonly alias: string
  readonly columns: Columns
}

interface Scope {
  readonly tables: (path: readonly string[]) => Columns
  readonly commonTables: ReadonlyMap<string, Columns>
  /** Sources of the query and of the queries that contain it, innermost first. */
  readonly levels: readonly (readonly Source[])[]
}

/** Why the columns of a statement cannot be told. */
class UnknownColumns extends Error {}

const unknown = (whose: string): UnknownColumns => new UnknownColumns(`the columns of ${whose} are not known`)

export const lower = (text: string): string => text.toLowerCase()

const isSameName = (one: string, other: string): boolean => lower(one) === lower(other)

/** The values of all identifiers in a syntax tree. */
const namesIn = (value: Json | undefined): string[] => {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (!isObject(value)) return []
  return typeof value['value'] === 'string' ? [value['value']] : Object.values(value).flatMap(namesIn)
}

const nameIn = (value: Json | undefined): string => namesIn(value)[0] ?? ''

const renamed = (columns: Columns, alias: Json | undefined): Columns => {
  const names = isObject(alias) ? namesIn(alias['columns']) : []
  return columns?.map((column, at) => ({ ...column, name: names[at] ?? column.name }))
}

const queryColumns = (query: JsonObject, scope: Scope): Columns => {
  const commonTables = new Map(scope.commonTables)
  const within = { ...scope, commonTables }
  const { cte_tables: given = [], recursive } = isObject(query['with']) ? query['with'] : {}
  for (const { alias = {}, query: own = {} } of objectsOf(given)) {
    const name = lower(nameIn((alias as JsonObject)['name']))
    if (recursive === true) commonTables.set(name, undefined)
    commonTables.set(name, renamed(queryColumns(own as JsonObject, within), alias))
  }
  return bodyColumns(query['body'] as JsonObject, within)
}

const bodyColumns = ({ Query, Select, SetOperation }: JsonObject, scope: Scope): Columns => {
  if (isObject(Query)) return queryColumns(Query, scope)
  if (isObject(Select)) return selectColumns(Select, scope)
  if (!isObject(SetOperation)) return undefined
  const [left, right] = [SetOperation['left'], SetOperation['right']].map((side) =>
    bodyColumns(side as JsonObject, scope),
  )
  if (SetOperation['op'] !== 'Union') return left
  if (left === undefined || right?.length !== left.length) return undefined
  return left.map(({ name, from }, at) => ({ name, from: [...from, ...(right[at] as ResultColumn).from] }))
}

/** A relation of a FROM clause with its joins. */
const sourcesIn = (joined: JsonObject, scope: Scope): Source[] => {
  const found: Source[] = []
  for (const { relation = {} } of [joined, ...objectsOf(joined['joins'])])
    found.push(...sourcesOf(relation as JsonObject, { ...scope, levels: [found, ...scope.levels] }))
  return found
}

const sourcesOf = ({ Table, Derived, NestedJoin, ...other }: JsonObject, scope: Scope): Source[] => {
  if (isObject(NestedJoin)) return sourcesIn(NestedJoin['table_with_joins'] as JsonObject, scope)
  const [relation = {}] = [Table, Derived, ...Object.values(other)].filter(isObject)
  const path = namesIn(relation['name'])
  const alias = isObject(relation['alias']) ? nameIn(relation['alias']['name']) : (path.at(-1) ?? '')
  const query = isObject(Derived) ? (Derived['subquery'] as JsonObject) : undefined
  const common = path.length === 1 ? lower(path[0] as string) : ''
  const isCommon = scope.commonTables.has(common)
  const isTable = Table !== undefined && !isObject(relation['args'])
  const named = isCommon ? scope.commonTables.get(common) : isTable ? scope.tables(path) : undefined
  return [{ alias, columns: renamed(query ? queryColumns(query, scope) : named, relation['alias']) }]
}

const selectColumns = (select: JsonObject, scope: Scope): Columns => {
  const sources: Source[] = []
  const within = { ...scope, levels: [sources, ...scope.levels] }
  for (const joined of objectsOf(select['from'])) sources.push(...sourcesIn(joined, within))
  for (const _ of objectsOf(select['lateral_views'])) sources.push({ alias: 'a lateral view', columns: undefined })
  const result: ResultColumn[] = []
  for (const item of objectsOf(select['projection'])) {
    // An expression may refer to an alias earlier in the same list.
    const known = { ...within, levels: [sources, [{ alias: '', columns: result }], ...scope.levels] }
    result.push(...itemColumns(item, sources, known))
  }
  return result.filter(({ name }, at) => result.findIndex((other) => isSameName(other.name, name)) === at)
}

const itemColumns = (item: JsonObject, sources: readonly Source[], scope: Scope): readonly ResultColumn[] => {
  const { UnnamedExpr, ExprWithAlias, Wildcard, QualifiedWildcard } = item
  if (isObject(ExprWithAlias))
    return [{ name: nameIn(ExprWithAlias['alias']), from: originsIn(ExprWithAlias['expr'], scope) }]
  if (UnnamedExpr !== undefined) return [{ name: impliedName(UnnamedExpr), from: originsIn(UnnamedExpr, scope) }]
  if (isObject(Wildcard)) return sources.flatMap((source) => starColumns(source, Wildcard, scope))
  const [whose, options] = QualifiedWildcard as [JsonObject, JsonObject]
  const wanted = namesIn(whose['ObjectName']).at(-1) ?? ''
  const source = sources.find(({ alias }) => isSameName(alias, wanted))
  if (source === undefined) throw unknown(wanted)
  return starColumns(source, options, scope)
}

/** The name of an expression without an alias: that of its column, if it is one. */
const impliedName = (expression: Json): string => {
  const { Identifier, CompoundIdentifier, Cast } = expression as JsonObject
  if (isObject(Cast)) return impliedName(Cast['expr'] as Json)
  return namesIn(CompoundIdentifier).at(-1) ?? nameIn(Identifier)
}

const starColumns = ({ alias, columns }: Source, options: JsonObject, scope: Scope): ResultColumn[] => {
  const {
    opt_except: except,
    opt_exclude: exclude,
    opt_replace: replace,
    opt_rename: rename,
    opt_ilike: like,
  } = options
  if (columns === undefined || isObject(rename) || isObject(like)) throw unknown(alias)
  const left = namesIn([except ?? null, exclude ?? null])
  const replaced = objectsOf(isObject(replace) ? replace['items'] : [])
  return columns
    .filter(({ name }) => !left.some((one) => isSameName(one, name)))
    .map((column) => {
      const by = replaced.find(({ column_name: name }) => isSameName(nameIn(name), column.name))
      return by === undefined ? column : { ...column, from: originsIn(by['expr'], scope) }
    })
}

type Origins = ResultColumn['from']

/** Parts of a syntax tree that name functions, types and members, not columns. */
const noColumns: ReadonlySet<string> = new Set(['name', 'data_type', 'Dot'])

const originsIn = (expression: Json | undefined, scope: Scope): Origins => {
  if (Array.isArray(expression)) return expression.flatMap((each) => originsIn(each, scope))
  if (!isObject(expression)) return []
  if (isObject(expression['Identifier'])) return originsOf([nameIn(expression)], scope)
  if (Array.isArray(expression['CompoundIdentifier']))
    return originsOf(namesIn(expression['CompoundIdentifier']), scope)
  // The parser reads `f(a = 1)` as a named argument.
  if (expression['operator'] === 'Equals' && isObject(expression['name']))
    return [...originsOf([nameIn(expression['name'])], scope), ...originsIn(expression['arg'], scope)]
  if (!isObject(expression['body']))
    return Object.entries(expression).flatMap(([key, value]) => (noColumns.has(key) ? [] : originsIn(value, scope)))
  const columns = queryColumns(expression, scope)
  if (columns === undefined) throw unknown('a query within an expression')
  return columns.flatMap(({ from }) => from)
}

const columnIn = ({ alias, columns }: Source, name: string): ResultColumn | undefined => {
  if (columns === undefined) throw unknown(alias)
  return columns.find((column) => isSameName(column.name, name))
}

/** The origins of `column`, `table.column` or `table.column.member`. Other names, such as `current_date`, have none. */
const originsOf = (path: readonly string[], { levels }: Scope): Origins => {
  for (const [at, qualifier] of path.slice(0, -1).entries()) {
    const source = levels.flat().find(({ alias }) => isSameName(alias, qualifier))
    if (source !== undefined) return columnIn(source, path[at + 1] as string)?.from ?? []
  }
  for (const level of levels) {
    const known = level.filter(({ columns }) => columns !== undefined)
    const found = known.flatMap((source) => columnIn(source, path[0] as string) ?? [])
    if (found.length > 0) return found.flatMap(({ from }) => from)
    for (const { alias, columns } of level) if (columns === undefined) throw unknown(alias)
  }
  return []
}

/** The columns of a statement, or why they are not known. */
export type ReadStatement = { readonly columns: readonly ResultColumn[] } | { readonly problem: string }

/** Most operators in one expression: some thousands overflow the stack of the parser, which is unusable then. */
const mostOperators = 400

const hasTooLongExpression = (statement: string): boolean => {
  const counts = [0]
  for (const [sign] of statement.matchAll(/[(),]|[-+*/|=<>%]+|\b(?:and|or|select|from|where|on|when)\b/gi)) {
    if (sign === '(') counts.push(0)
    else if (sign === ')') counts.pop()
    else if (/^(,|select|from|where|on|when)$/i.test(sign)) counts.splice(-1, 1, 0)
    else if (counts.push((counts.pop() ?? 0) + 1) && (counts.at(-1) as number) > mostOperators) return true
  }
  return false
}

/** All columns of a statement, or none if one of them is not known. */
export const readStatement = (statement: string, dialect: DialectName, tables: Scope['tables']): ReadStatement => {
  if (hasTooLongExpression(statement)) return { problem: `an expression has more than ${mostOperators} operators` }
  try {
    const [query, ...others] = parse(statement, dialect) as unknown as JsonObject[]
    if (!isObject(query?.['Query']) || others.length > 0) return { problem: 'it is no single query' }
    const columns = queryColumns(query['Query'], { tables, commonTables: new Map(), levels: [] })
    if (columns?.every(({ name }) => name !== '')) return { columns }
    return { problem: 'it does not name all of its columns' }
  } catch (error) {
    if (error instanceof UnknownColumns || error instanceof ParserError) return { problem: error.message }
    throw error
  }
}
