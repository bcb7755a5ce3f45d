import { type Dialect, tokenize } from '@polyglot-sql/sdk'

/** A word or a sign of a query; places are code points from its beginning. */
interface Token {
  readonly token_type: string
  readonly text: string
  readonly span: { readonly start: number; readonly end: number }
}

interface CommonTable {
  readonly name: string
  /** Names that replace those of the columns of its query. */
  readonly columns: readonly string[]
  readonly query: string
}

/** The common tables of a query, each of which may read those before it, and the queries that it unites. */
interface QueryParts {
  readonly tables: readonly CommonTable[]
  readonly united: readonly string[]
}

/** The place of the closing parenthesis of the one at a place. */
const closing = (tokens: readonly Token[], from: number): number => {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    const type = tokens[at]?.token_type
    if (type === 'L_PAREN') depth++
    else if (type === 'R_PAREN' && --depth === 0) return at
  }
  return tokens.length
}

const isAt = (tokens: readonly Token[], at: number, ...types: readonly string[]): boolean =>
  types.includes(tokens[at]?.token_type ?? '')

/** The common tables at the beginning, and the place behind them; `undefined` where they are written in another way. */
const commonTables = (tokens: readonly Token[], textOf: (from: number, to: number) => string) => {
  const tables: CommonTable[] = []
  let at = 0
  do {
    const name = tokens[++at]?.text ?? ''
    const columnsEnd = isAt(tokens, ++at, 'L_PAREN') ? closing(tokens, at) : at - 1
    const columns = tokens.slice(at + 1, columnsEnd).filter(({ token_type }) => token_type !== 'COMMA')
    at = columnsEnd + 1
    if (!isAt(tokens, at, 'AS', 'ALIAS')) return undefined
    do at++
    while (isAt(tokens, at, 'NOT', 'MATERIALIZED'))
    if (!isAt(tokens, at, 'L_PAREN')) return undefined
    const end = closing(tokens, at)
    tables.push({ name, columns: columns.map(({ text }) => text), query: textOf(at + 1, end) })
    at = end + 1
  } while (isAt(tokens, at, 'COMMA'))
  return { tables, at }
}

/** @returns `undefined` where its parts cannot be read alone */
export const splitQuery = (query: string, dialect: string): QueryParts | undefined => {
  const all = (tokenize(query, dialect as Dialect).tokens ?? []) as unknown as readonly Token[]
  if (all.length === 0) return undefined
  const tokens = all.at(-1)?.token_type === 'SEMICOLON' ? all.slice(0, -1) : all
  const characters = [...query]
  const textOf = (from: number, to: number): string =>
    characters.slice(tokens[from]?.span.start, tokens[to - 1]?.span.end).join('')
  if (isAt(tokens, 0, 'L_PAREN') && closing(tokens, 0) === tokens.length - 1)
    return { tables: [], united: [textOf(1, tokens.length - 1)] }
  const common = isAt(tokens, 0, 'WITH') ? commonTables(tokens, textOf) : { tables: [], at: 0 }
  if (common === undefined) return undefined
  const united: string[] = []
  let from = common.at
  for (let at = from; at < tokens.length; at++) {
    const isStar = isAt(tokens, at - 1, 'STAR')
    if (isAt(tokens, at, 'L_PAREN')) at = closing(tokens, at)
    // These bind differently, match columns by name, or are several statements.
    else if (isAt(tokens, at, 'INTERSECT', 'SEMICOLON') || (isAt(tokens, at, 'EXCEPT') && !isStar)) return undefined
    else if (isAt(tokens, at, 'UNION')) {
      united.push(textOf(from, at))
      while (isAt(tokens, at + 1, 'ALL', 'DISTINCT')) at++
      if (isAt(tokens, at + 1, 'BY')) return undefined
      from = at + 1
    }
  }
  return { tables: common.tables, united: [...united, textOf(from, tokens.length)] }
}
