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

/**
 * A statement in which columns that an alias before them is called like name their table: `analyzeQuery` takes them for
 * the alias, databases for the column.
 * @param columns lower-case names of the columns of all tables that it reads
 * @returns `undefined` where it is not known of which table such a column is
 */
export const qualifyColumns = (
  statement: string,
  dialect: string,
  columns: ReadonlySet<string>,
): string | undefined => {
  const tree = parse(statement, dialect as Dialect).ast as Json | undefined
  const selects = selectsIn(tree ?? null)
  const aliases = selects.map(({ expressions }) => new Set(objectsOf(expressions).map(aliasOf).map(lower)))
  const text = [...statement]
  const additions = new Map<number, string>()
  for (const [at, select] of selects.entries()) {
    const isColumn = (name: string) => columns.has(name) || aliases.some((some, of) => of !== at && some.has(name))
    const before = new Set<string>()
    for (const expression of objectsOf(select['expressions'])) {
      for (const column of unqualifiedIn(expression)) {
        const name = lower(column)
        if (!before.has(name) || !isColumn(name)) continue
        const source = sourceOf(select)
        if (source === undefined) return undefined
        additions.set(column.span.start, `${text.slice(source.span.start, source.span.end).join('')}.`)
      }
      before.add(lower(aliasOf(expression)))
    }
  }
  return text.map((character, at) => `${additions.get(at) ?? ''}${character}`).join('')
}
