import { lexSearchQuery, type Token } from './lexer.ts'
import { entityStatusTerm, kindTerm, wordsOf } from '../words.ts'

/** Where the words of an entity stand; see `SearchText`. */
export type SearchPart = 'name' | 'path' | 'fields' | 'labels' | 'description'

/** A parsed search query. */
export type SearchExpression =
  /** These words one after the other within one part, all of them normalised. */
  | {
      readonly type: 'text'
      readonly words: readonly string[]
      /** The last word is only the beginning of one. */
      readonly prefix: boolean
      /** The words may also be written as one. */
      readonly joined: boolean
      /** Where they must stand; anywhere when left out. */
      readonly parts?: readonly SearchPart[]
      /** It stood in quotes: only these very words will do. */
      readonly quoted?: true
      /** Other words that will do as well: see `forms.ts`. */
      readonly variants?: readonly Variant[]
    }
  /** This very term of the index, such as `kindTerm` and `facetTerm` make. */
  | { readonly type: 'term'; readonly term: string }
  | { readonly type: 'all' }
  /** An empty `and` matches everything, an empty `or` nothing. */
  | { readonly type: 'and' | 'or'; readonly of: readonly SearchExpression[] }
  | { readonly type: 'not'; readonly of: SearchExpression }

/** Words that may stand in place of those of a query. */
export interface Variant {
  readonly words: readonly string[]
  /** `inflected`: singular or plural; `near`: the query has a typing error. */
  readonly form: 'inflected' | 'near'
}

/** What is wrong with a query, and where: `column` counts characters (UTF-16) from 1. */
export interface SearchQueryError {
  readonly column: number
  readonly message: string
}

/** Bounds that keep every query cheap. */
const maxLength = 1000
const maxDepth = 20
const maxTexts = 50
const maxWords = 100

/** A prefix shorter than this looks at names alone: elsewhere it would match nearly everything. */
const shortPrefix = 3

const named: SearchPart[] = ['name', 'path']

/** Fields that `field:value` knows, in lower case. A name also stands for its plural: `tag` for `tags`. */
const fieldParts: Readonly<Record<string, readonly SearchPart[]>> = {
  name: named,
  displayname: named,
  fullyqualifiedname: named,
  fqn: named,
  service: named,
  columns: ['fields'],
  fields: ['fields'],
  synonyms: ['fields'],
  tags: ['labels'],
  owners: ['labels'],
  description: ['description'],
}

const fieldNames =
  'name, displayName, fullyQualifiedName, service, description, columns, fields, synonyms, tags, owners, kind, entityStatus'

class Malformed extends Error {
  readonly column: number
  constructor(column: number, message: string) {
    super(message)
    this.column = column
  }
}

type Field = { readonly parts?: readonly SearchPart[] } | { readonly exact: 'kind' | 'entityStatus' }

const anywhere: Field = {}

const readField = (name: string, column: number): Field => {
  const plain = (name.split('.')[0] as string).toLowerCase()
  if (plain === 'kind' || plain === 'entitytype') return { exact: 'kind' }
  if (plain === 'entitystatus') return { exact: 'entityStatus' }
  const key = [plain, `${plain}s`].find((candidate) => Object.hasOwn(fieldParts, candidate))
  if (key !== undefined) return { parts: fieldParts[key] as readonly SearchPart[] }
  throw new Malformed(
    column,
    `There is no field "${name}". Fields are ${fieldNames}. Put quotes around a text that holds a colon.`,
  )
}

/** Recursive descent over the tokens: OR binds weakest, then AND (which may be left out), then NOT. */
const makeParser = (tokens: readonly Token[], end: number) => {
  let at = 0
  let depth = 0
  let texts = 0
  let words = 0

  const peek = (): Token | undefined => tokens[at]
  const isOperator = (token: Token | undefined, word: string): boolean =>
    token?.type === 'operator' && token.text === word
  const columnHere = (): number => peek()?.column ?? end

  const parseOr = (field: Field): SearchExpression => {
    const of = [parseAnd(field)]
    while (isOperator(peek(), 'OR')) {
      at++
      of.push(parseAnd(field))
    }
    return of.length === 1 ? (of[0] as SearchExpression) : { type: 'or', of }
  }

  const parseAnd = (field: Field): SearchExpression => {
    const of = [parseNot(field)]
    for (;;) {
      if (isOperator(peek(), 'AND')) at++
      else if (peek() === undefined || isOperator(peek(), 'OR') || peek()?.type === 'close') break
      of.push(parseNot(field))
    }
    const said = of.filter((part) => part !== silent)
    if (said.length === 0) return { type: 'or', of: [] }
    return said.length === 1 ? (said[0] as SearchExpression) : { type: 'and', of: said }
  }

  const parseNot = (field: Field): SearchExpression => {
    if (!isOperator(peek(), 'NOT')) return parsePrimary(field)
    at++
    if (++depth > maxDepth) throw new Malformed(columnHere(), `It is nested deeper than ${maxDepth}.`)
    const of = parseNot(field)
    depth--
    return of === silent ? silent : { type: 'not', of }
  }

  const parsePrimary = (field: Field): SearchExpression => {
    const token = peek()
    if (token === undefined) throw new Malformed(end, 'It ends where something to search for is expected.')
    at++
    switch (token.type) {
      case 'open':
        return parseGroup(token, field)
      case 'field':
        if (field !== anywhere) throw new Malformed(token.column, 'A field stands within another.')
        return parsePrimary(readField(token.text, token.column))
      case 'word':
      case 'phrase':
        return parseText(token, field)
      default:
        throw new Malformed(
          token.column,
          `Something to search for is expected before ${token.text}. Put quotes around it to search for it.`,
        )
    }
  }

  const parseGroup = (open: Token, field: Field): SearchExpression => {
    if (++depth > maxDepth) throw new Malformed(open.column, `It is nested deeper than ${maxDepth}.`)
    const inner = parseOr(field)
    if (peek()?.type !== 'close') throw new Malformed(open.column, 'This parenthesis is not closed.')
    at++
    depth--
    return inner
  }

  const parseText = (token: Token, field: Field): SearchExpression => {
    if (++texts > maxTexts) throw new Malformed(token.column, `It has more than ${maxTexts} words and phrases.`)
    const prefix = token.type === 'word' && token.text.endsWith('*')
    const text = prefix ? token.text.slice(0, -1) : token.text
    if (token.type === 'word' && text.includes('*'))
      throw new Malformed(token.column, 'A * can only stand at the end of a word.')
    if ('exact' in field) return parseExact(text, prefix, token, field.exact)
    if (prefix && text === '' && field === anywhere) return { type: 'all' }
    const found = wordsOf(text).words
    if (prefix && found.length === 0) throw new Malformed(token.column, 'A * needs the beginning of a word before it.')
    if (found.length === 0) return silent
    words += found.length
    if (words > maxWords) throw new Malformed(token.column, `It has more than ${maxWords} words.`)
    const short = prefix && found.length === 1 && (found[0] as string).length < shortPrefix
    const parts = field.parts ?? (short ? (['name'] as const) : undefined)
    return {
      type: 'text',
      words: found,
      prefix,
      joined: token.type === 'word' && found.length > 1,
      ...(parts && { parts }),
      ...(token.type === 'phrase' && { quoted: true as const }),
    }
  }

  const parseExact = (text: string, prefix: boolean, token: Token, type: 'kind' | 'entityStatus'): SearchExpression => {
    if (prefix) throw new Malformed(token.column, `${type} takes no *.`)
    return { type: 'term', term: type === 'kind' ? kindTerm(text) : entityStatusTerm(text) }
  }

  return (): SearchExpression => {
    const expression = parseOr(anywhere)
    const rest = peek()
    if (rest) throw new Malformed(rest.column, 'This parenthesis closes nothing.')
    return expression
  }
}

/** A word of mere punctuation: it says nothing and is passed over. */
const silent: SearchExpression = { type: 'and', of: [] }

/**
 * Parses a search query: words (all must match), `beginnings*`, `"phrases"`, `field:value`, AND, OR, NOT or a leading
 * minus, parentheses, `*` for everything. A backslash makes the next character an ordinary one.
 * @returns the expression, `undefined` in it when everything matches; or what is wrong
 */
export const parseSearchQuery = (
  q: string,
): { expression: SearchExpression | undefined } | { error: SearchQueryError } => {
  if (q.length > maxLength)
    return { error: { column: maxLength + 1, message: `It is longer than ${maxLength} characters.` } }
  const lexed = lexSearchQuery(q)
  if ('error' in lexed) return lexed
  if (lexed.tokens.length === 0) return { expression: undefined }
  try {
    const expression = makeParser(lexed.tokens, q.length + 1)()
    return { expression: expression.type === 'all' ? undefined : expression }
  } catch (error) {
    if (error instanceof Malformed) return { error: { column: error.column, message: error.message } }
    throw error
  }
}
