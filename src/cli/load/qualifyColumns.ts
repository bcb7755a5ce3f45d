import { ast } from '@polyglot-sql/sdk'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'

const isIdentifier = (node: Json | undefined): node is JsonObject => isObject(node) && typeof node['name'] === 'string'

const has = (node: Json | undefined, member: string): boolean => isObject(node) && isObject(node[member])

const lower = (identifier: JsonObject | undefined): string => String(identifier?.['name'] ?? '').toLowerCase()

/** Nodes of a syntax tree, nested ones too. */
const nodesWhere = (tree: JsonObject, isWanted: (node: JsonObject) => boolean): JsonObject[] =>
  ast.findAll(...([tree, isWanted] as object as Parameters<typeof ast.findAll>)) as object[] as JsonObject[]

/** What nodes of a syntax tree have below a key that says what they are, also nested ones. */
const nodesIn = (tree: JsonObject, type: 'select' | 'union' | 'column' | 'star' | 'count' | 'function'): JsonObject[] =>
  nodesWhere(tree, (node) => type in node).map((node) => node[type] as JsonObject)

/** `analyzeQuery` takes some 10 seconds for this weight. */
const mostWeight = 300_000

/** How the time that `analyzeQuery` takes grows, as measured: with columns, selects and unions. */
const weightOf = (selects: readonly JsonObject[], unions: number, columns: number): number => {
  const widths = selects.map(({ expressions }) => {
    const all = objectsOf(expressions)
    return all.some((each) => has(each, 'star')) ? Math.max(columns, all.length) : all.length
  })
  const widest = Math.max(0, ...widths)
  return widest * (1 + widest / 100) * selects.length ** 2 * (1 + unions / 3)
}

/** The columns of an expression that name no table, without those of nested queries. */
const unqualifiedIn = (expression: JsonObject): JsonObject[] => {
  const nested = new Set(nodesIn(expression, 'select').flatMap((select) => nodesIn({ select }, 'column')))
  const isUnqualified = ({ table, name }: JsonObject): boolean => table == null && isIdentifier(name)
  return nodesIn(expression, 'column').filter((column) => isUnqualified(column) && !nested.has(column))
}

/** The alias of an expression, a table or a query. */
const aliasOf = ({ alias }: JsonObject): JsonObject | undefined =>
  [alias, isObject(alias) ? alias['alias'] : undefined].find(isIdentifier)

/** What a select with a single table or query in its FROM calls it. */
const sourceOf = ({ from, joins }: JsonObject): JsonObject | undefined => {
  const [first, ...others] = objectsOf(isObject(from) ? from['expressions'] : undefined)
  if (first === undefined || others.length + objectsOf(joins).length > 0) return undefined
  const [source] = Object.values(first)
  return isObject(source) ? (aliasOf(source) ?? [source['name']].find(isIdentifier)) : undefined
}

/** Whether a table or query has other names for its columns; those of a list of values are the only ones. */
const isRenamed = ({ table, subquery = table }: JsonObject): boolean =>
  isObject(subquery) && objectsOf(subquery['column_aliases']).length > 0 && !has(subquery['this'], 'values')

/** Whether whole rows are values, as in `to_jsonb(o.*)`, and not only counted. */
const hasWholeRows = (query: JsonObject, selects: readonly JsonObject[]): boolean => {
  const listed = selects.flatMap(({ expressions }) => objectsOf(expressions).filter((each) => has(each, 'star')))
  const counted = nodesIn(query, 'count').filter(({ this: of, distinct }) => has(of, 'star') && distinct !== true)
  const big = nodesIn(query, 'function').filter(({ name }) => /^count_big$/i.test(String(name)))
  return nodesIn(query, 'star').length > listed.length + counted.length + big.length
}

const twice = (names: readonly string[]): string[] =>
  [...Map.groupBy(names, (name) => name)].flatMap(([name, same]) => (same.length > 1 ? name : []))

/**
 * Lets columns of a syntax tree name their table where `analyzeQuery` would take them for others: those that an alias
 * before them is called like (it takes them for the alias, databases for the column), and those of which a table has
 * several that differ in case.
 * @param tables what it reads
 * @returns whether any did not name it, or why the query cannot be analysed
 */
export const qualifyColumns = (
  query: JsonObject,
  tables: readonly { readonly columns: readonly { readonly name: string }[] }[],
): boolean | { readonly problem: string } => {
  const folded = tables.map((each) => each.columns.map(({ name }) => name.toLowerCase()))
  const columns = new Set(folded.flat())
  const alike = new Set(folded.flatMap((names) => twice(names)))
  const selects = nodesIn(query, 'select')
  if (weightOf(selects, nodesIn(query, 'union').length, columns.size) > mostWeight)
    return { problem: 'it is too complex' }
  if (nodesWhere(query, isRenamed).length > 0) return { problem: 'it renames the columns of a table' }
  if (hasWholeRows(query, selects)) return { problem: 'it has whole rows as values' }
  const aliases = selects.map(({ expressions }) => new Set(objectsOf(expressions).map(aliasOf).map(lower)))
  let isChanged = false
  for (const [at, select] of selects.entries()) {
    const isColumn = (name: string) => columns.has(name) || aliases.some((some, of) => of !== at && some.has(name))
    const before = new Set<string>()
    for (const expression of objectsOf(select['expressions'])) {
      for (const column of unqualifiedIn(expression)) {
        const name = lower(column['name'] as JsonObject)
        const isAlias = before.has(name) && isColumn(name)
        if (!isAlias && !alike.has(name)) continue
        const source = sourceOf(select)
        const which = isAlias ? 'an alias that is called like' : 'a name that differs only in case from'
        if (source === undefined) return { problem: `it has ${which} a column of several tables` }
        Object.assign(column, { table: source })
        isChanged = true
      }
      before.add(lower(aliasOf(expression)))
    }
  }
  return isChanged
}
