import { validationStates } from '../../kinds/definitions/contracts.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import { lexSearchQuery, type Token } from './lexer.ts'
import type { ReferenceFacet } from './facets.ts'
import { fieldTerms, searchParts, wordsOf, type SearchPart } from './words.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { limits } from '../../shared/limits.ts'

/** Consecutive normalised words within one part. */
export interface Text {
  readonly type: 'text'
  readonly words: readonly string[]
  /** Whether the last word is a prefix. */
  readonly prefix: boolean
  /** Whether the words may also be written as one. */
  readonly joined: boolean
  /** Parts to search; default: all. */
  readonly parts?: readonly SearchPart[]
  /** Terms of owners and tags that have these words in their name now, as alternatives to the words. */
  readonly labels?: readonly { readonly part: 'owners' | 'tags'; readonly term: string }[]
  /** Whether it was quoted: only exact words match. */
  readonly quoted?: true
  /** Alternative words: see `forms.ts`. */
  readonly variants?: readonly Variant[]
}

export type SearchExpression =
  | Text
  /** An exact term of the index, made by `facetTerm` or `fieldTerms`. */
  | {
      readonly type: 'term'
      readonly term: string
      /** The facet value of the term. */
      readonly facet?: { readonly name: ReferenceFacet; readonly value: string }
    }
  | { readonly type: 'all' }
  /** An empty `and` matches everything, an empty `or` nothing. */
  | { readonly type: 'and' | 'or'; readonly of: readonly SearchExpression[] }
  | { readonly type: 'not'; readonly of: SearchExpression }

/** Alternatives to the words of a query. */
export interface Variant {
  readonly words: readonly string[]
  /** `inflected`: singular or plural; `near`: the query has a typing error. */
  readonly form: 'inflected' | 'near'
}

/** Limits that keep every query cheap. */
const maxLength = limits.queryText.value
const maxDepth = limits.queryDepth.value
const maxTexts = limits.queryTexts.value
const maxWords = limits.queryWords.value

/** Shorter prefixes search names only: elsewhere they would match nearly everything. */
const shortPrefix = 3
const shortParts: readonly SearchPart[] = ['name', 'displayName']

type ExactField = keyof typeof fieldTerms

type Field = { readonly parts?: readonly SearchPart[] } | { readonly exact: ExactField }

const inPart = (part: SearchPart): Field => ({ parts: [part] })

/** Fields of `field:value` in lower case; a singular also stands for its plural: `tag` for `tags`. */
const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...searchParts.map((part): [string, Field] => [part.toLowerCase(), inPart(part)]),
  ['fullyqualifiedname', inPart('path')],
  ['fqn', inPart('path')],
  ['columns.name', inPart('columns')],
  ['owners.name', inPart('owners')],
  ['service.name', inPart('service')],
  ['tags.tagfqn', inPart('tags')],
  ['kind', { exact: 'kind' }],
  ['entitytype', { exact: 'kind' }],
  ['validation', { exact: 'validation' }],
  ['entitystatus', { exact: 'entityStatus' }],
])

const fieldNames =
  'name, displayName, fqn, service, description, columns, fields, synonyms, tags, owners, kind, ' +
  'entityStatus, validation'

class Malformed extends CatalogError {
  readonly column: number
  constructor(column: number, message: string) {
    super(message)
    this.column = column
  }
}

/** The only values that a field has; an entity status is free text. */
const exactValues: Partial<Readonly<Record<ExactField, readonly string[]>>> = {
  kind: kinds.map(({ name }) => name),
  validation: validationStates,
}

const anywhere: Field = {}

const fieldNamed = (name: string): Field | undefined => {
  const plain = name.toLowerCase()
  return fields.get(plain) ?? fields.get(`${plain}s`)
}

const readField = (name: string, column: number): Field => {
  const field = fieldNamed(name.replace(/\.keyword$/i, ''))
  if (field !== undefined) return field
  const steps = name.split('.')
  // The path of a tag of a column ends with the field, that of a column begins with it.
  const whole = [steps.at(-1) === 'tags' ? 'tags' : '', steps[0] as string].find(fieldNamed)
  const instead = whole === undefined ? `. Fields are ${fieldNames}` : `, only "${whole}"`
  throw new Malformed(column, `There is no field "${name}"${instead}. Put quotes around a text that holds a colon.`)
}

interface ParserState {
  readonly tokens: readonly Token[]
  /** The column after the last character. */
  readonly end: number
  at: number
  depth: number
  texts: number
  words: number
}

const peek = ({ tokens, at }: ParserState): Token | undefined => tokens[at]

const isOperator = (token: Token | undefined, word: string): boolean =>
  token?.type === 'operator' && token.text === word

const one = (of: readonly SearchExpression[], type: 'and' | 'or'): SearchExpression =>
  of.length === 1 ? (of[0] as SearchExpression) : { type, of }

const deeper = <T>(parser: ParserState, column: number, read: () => T): T => {
  if (++parser.depth > maxDepth) throw new Malformed(column, `It is nested deeper than ${maxDepth}.`)
  const inner = read()
  parser.depth--
  return inner
}

/** Recursive descent: OR binds weakest, then AND (optional), then NOT. */
const parseOr = (parser: ParserState, field: Field): SearchExpression => {
  const of = [parseAnd(parser, field)]
  while (isOperator(peek(parser), 'OR')) {
    parser.at++
    of.push(parseAnd(parser, field))
  }
  return one(of, 'or')
}

const parseAnd = (parser: ParserState, field: Field): SearchExpression => {
  const of = [parseNot(parser, field)]
  for (;;) {
    const token = peek(parser)
    if (isOperator(token, 'AND')) parser.at++
    else if (token === undefined || isOperator(token, 'OR') || token.type === 'close') break
    of.push(parseNot(parser, field))
  }
  const parts = of.filter((part) => part !== ignored)
  return parts.length === 0 ? { type: 'or', of: [] } : one(parts, 'and')
}

const parseNot = (parser: ParserState, field: Field): SearchExpression => {
  if (!isOperator(peek(parser), 'NOT')) return parsePrimary(parser, field)
  parser.at++
  const column = peek(parser)?.column ?? parser.end
  const of = deeper(parser, column, () => parseNot(parser, field))
  return of === ignored ? ignored : { type: 'not', of }
}

const parsePrimary = (parser: ParserState, field: Field): SearchExpression => {
  const token = peek(parser)
  if (token === undefined) throw new Malformed(parser.end, `Expected a word after ${parser.tokens.at(-1)?.text}.`)
  parser.at++
  switch (token.type) {
    case 'open':
      return parseGroup(parser, token, field)
    case 'field':
      if (field !== anywhere) throw new Malformed(token.column, 'A field cannot stand inside another field.')
      return parsePrimary(parser, readField(token.text, token.column))
    case 'word':
    case 'phrase':
      return parseText(parser, token, field)
    default:
      throw new Malformed(
        token.column,
        `Expected a word before ${token.text}. To search for ${token.text} itself, put quotes around it.`,
      )
  }
}

const parseGroup = (parser: ParserState, open: Token, field: Field): SearchExpression =>
  deeper(parser, open.column, () => {
    const inner = parseOr(parser, field)
    if (peek(parser)?.type !== 'close') throw new Malformed(open.column, 'This parenthesis is not closed.')
    parser.at++
    return inner
  })

const parseText = (parser: ParserState, token: Token, field: Field): SearchExpression => {
  if (++parser.texts > maxTexts) throw new Malformed(token.column, `It has more than ${maxTexts} words and phrases.`)
  const prefix = token.type === 'word' && token.text.endsWith('*')
  const text = prefix ? token.text.slice(0, -1) : token.text
  if (token.type === 'word' && text.includes('*'))
    throw new Malformed(token.column, 'A * can only stand at the end of a word.')
  if ('exact' in field) {
    if (prefix) throw new Malformed(token.column, `${field.exact} does not take *.`)
    return exactTerm(field.exact, token)
  }
  if (prefix && text === '' && field === anywhere) return { type: 'all' }
  const { words } = wordsOf(text)
  if (prefix && words.length === 0) throw new Malformed(token.column, 'A * needs the beginning of a word before it.')
  if (words.length === 0) return ignored
  parser.words += words.length
  if (parser.words > maxWords) throw new Malformed(token.column, `It has more than ${maxWords} words.`)
  const isShort = prefix && words.length === 1 && (words[0] as string).length < shortPrefix
  const parts = field.parts ?? (isShort ? shortParts : undefined)
  return {
    type: 'text',
    words,
    prefix,
    joined: token.type === 'word' && words.length > 1,
    ...(parts && { parts }),
    ...(token.type === 'phrase' && { quoted: true as const }),
  }
}

const exactTerm = (name: ExactField, { text, column }: Token): SearchExpression => {
  const term = fieldTerms[name](text)
  const values = exactValues[name]
  if (values !== undefined && !values.some((value) => fieldTerms[name](value) === term))
    throw new Malformed(column, `There is no ${name} "${text}", only ${values.join(', ')}.`)
  return { type: 'term', term }
}

const parseTokens = (tokens: readonly Token[], end: number): SearchExpression => {
  const parser: ParserState = { tokens, end, at: 0, depth: 0, texts: 0, words: 0 }
  const expression = parseOr(parser, anywhere)
  const rest = peek(parser)
  if (rest) throw new Malformed(rest.column, 'This parenthesis closes nothing.')
  return expression
}

/** @returns an expression for all of these words or prefixes in names, synonyms or ancestors' names */
export const beginningWith = (text: string): SearchExpression => {
  const of = wordsOf(text).words.slice(0, maxTexts)
  const parts: readonly SearchPart[] = ['name', 'displayName', 'synonyms', 'path']
  return {
    type: of.length === 0 ? 'or' : 'and',
    of: of.map((word) => ({
      type: 'text',
      words: [word],
      prefix: true,
      joined: false,
      parts: word.length < shortPrefix ? shortParts : parts,
    })),
  }
}

/** The conditions that an expression combines; none for everything. */
export const operandsOf = (expression: SearchExpression | undefined): readonly SearchExpression[] =>
  expression === undefined ? [] : expression.type === 'and' ? expression.of : [expression]

/** The expression, and these conditions. */
export const withConditions = (
  expression: SearchExpression | undefined,
  conditions: readonly SearchExpression[],
): SearchExpression => ({ type: 'and', of: [...operandsOf(expression), ...conditions] })

/** The expression without values such as `kind:table` that narrow it as a filter does. */
export const withoutTerms = (expression: SearchExpression | undefined): SearchExpression => ({
  type: 'and',
  of: operandsOf(expression).filter(({ type }) => type !== 'term'),
})

/** A word of punctuation only is ignored. */
const ignored: SearchExpression = { type: 'and', of: [] }

/**
 * Parses words (all must match), `prefixes*`, `"phrases"`, `field:value`, AND or `&&`, OR or `||`, NOT or a leading minus, parentheses,
 * and `*` for everything; a backslash escapes punctuation.
 * @returns the expression, `undefined` for everything; or an error, whose `column` counts UTF-16 characters from 1
 */
export const parseSearchQuery = (
  q: string,
): { expression: SearchExpression | undefined } | { error: { column: number; message: string } } => {
  if (q.length > maxLength)
    return { error: { column: maxLength + 1, message: `It is longer than ${maxLength} characters.` } }
  const lexed = lexSearchQuery(q)
  if ('error' in lexed) return lexed
  if (lexed.tokens.length === 0) return { expression: undefined }
  try {
    const expression = parseTokens(lexed.tokens, q.length + 1)
    return { expression: expression.type === 'all' ? undefined : expression }
  } catch (error) {
    if (error instanceof Malformed) return { error: { column: error.column, message: error.message } }
    throw error
  }
}
