import { type Dialect, parse } from '@polyglot-sql/sdk'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'

/** A name in a statement; places are code points from its beginning. */
interface Identifier {
  readonly name: string
  readonly span: { readonly start: number; readonly end: number }
}

const lower = (named: Identifier | undefined): string => named?.name.toLowerCase() ?? ''

const identifier = (node: Json | undefined): Identifier | undefined =>
  isObject(node) && isObject(node['span']) ? (node as unknown as Identifier) : undefined

const childrenOf = (node: Json): readonly Json[] =>
  Array.isArray(node) ? node : isObject(node) ? Object.values(node) : []

/** All selects of a syntax tree, nested ones too. */
const selectsIn = (node: Json): JsonObject[] => [
  ...(isObject(node) && isObject(node['select']) ? [node['select']] : []),
  ...childrenOf(node).flatMap(selectsIn),
]

/** Number of unions in a syntax tree. */
const unionsIn = (node: Json): number =>
  childrenOf(node).reduce(
    (sum: number, child) => sum + unionsIn(child),
    isObject(node) && isObject(node['union']) ? 1 : 0,
  )

/** `analyzeQuery` takes some 10 seconds for this weight. */
const mostWeight = 300_000

/** How the time that `analyzeQuery` takes grows, as measured: with columns, selects and unions. */
const weightOf = (selects: readonly JsonObject[], tree: Json, columns: number): number => {
  const widths = selects.map(({ expressions }) => {
    const all = objectsOf(expressions)
    return all.some(({ star }) => star !== undefined) ? Math.max(columns, all.length) : all.length
  })
  const widest = Math.max(0, ...widths)
  return widest * (1 + widest / 100) * selects.length ** 2 * (1 + unionsIn(tree) / 3)
}

/** The columns of an expression that name no table, without those of nested queries. */
const unqualifiedIn = (node: Json): Identifier[] => {
  if (!isObject(node)) return childrenOf(node).flatMap(unqualifiedIn)
  const { column, select } = node
  if (isObject(select)) return []
  if (!isObject(column)) return childrenOf(node).flatMap(unqualifiedIn)
  const { table, name } = column
  const found = table == null ? identifier(name) : undefined
  return found === undefined ? [] : [found]
}

/** The alias of an expression, a table or a query. */
const aliasOf = ({ alias }: JsonObject): Identifier | undefined =>
  identifier(alias) ?? (isObject(alias) ? identifier(alias['alias']) : undefined)

/** What a select with a single table or query in its FROM calls it. */
const sourceOf = ({ from, joins }: JsonObject): Identifier | undefined => {
  const [first, ...others] = objectsOf(isObject(from) ? from['expressions'] : undefined)
  if (first === undefined || others.length + objectsOf(joins).length > 0) return undefined
  const [source] = Object.values(first)
  return isObject(source) ? (aliasOf(source) ?? identifier(source['name'])) : undefined
}

const twice = (names: readonly string[]): string[] =>
  [...Map.groupBy(names, (name) => name)].flatMap(([name, same]) => (same.length > 1 ? name : []))

/**
 * A statement in which columns name their table where `analyzeQuery` would take them for others: those that an alias
 * before them is called like (it takes them for the alias, databases for the column), and those of which a table has
 * several that differ in case.
 * @param tables names of the columns of each table that it reads
 * @returns or why it cannot be analysed
 */
export const qualifyColumns = (
  statement: string,
  dialect: string,
  tables: readonly (readonly string[])[],
): { readonly query: string } | { readonly problem: string } => {
  const folded = tables.map((columns) => columns.map((name) => name.toLowerCase()))
  const columns = new Set(folded.flat())
  const alike = new Set(folded.flatMap((names) => twice(names)))
  const tree = parse(statement, dialect as Dialect).ast as Json | undefined
  const selects = selectsIn(tree ?? null)
  if (weightOf(selects, tree ?? null, columns.size) > mostWeight) return { problem: 'it is too complex' }
  const aliases = selects.map(({ expressions }) => new Set(objectsOf(expressions).map(aliasOf).map(lower)))
  const text = [...statement]
  const additions = new Map<number, string>()
  for (const [at, select] of selects.entries()) {
    const isColumn = (name: string) => columns.has(name) || aliases.some((some, of) => of !== at && some.has(name))
    const before = new Set<string>()
    for (const expression of objectsOf(select['expressions'])) {
      for (const column of unqualifiedIn(expression)) {
        const name = lower(column)
        const isAlias = before.has(name) && isColumn(name)
        if (!isAlias && !alike.has(name)) continue
        const source = sourceOf(select)
        const which = isAlias ? 'an alias that is called like' : 'a name that differs only in case from'
        if (source === undefined) return { problem: `it has ${which} a column of several tables` }
        additions.set(column.span.start, `${text.slice(source.span.start, source.span.end).join('')}.`)
      }
      before.add(lower(aliasOf(expression)))
    }
  }
  return { query: text.map((character, at) => `${additions.get(at) ?? ''}${character}`).join('') }
}
