import { Lexer, Parser, stringify, type CST, type ScalarTag, type Tags } from 'yaml'
import { MAX_DEPTH, MAX_PROBLEMS, MAX_TOKENS, TextFault } from '../model/text.ts'
import type { Json } from '../model/types.ts'

/** A lexer to which a quoted text goes on in lines that are indented too little. @param folds gets their offsets */
export const makeLenientLexer = (folds: number[]): Lexer => {
  const lexer = new Lexer()
  const continueScalar = lexer['continueScalar'].bind(lexer) as (offset: number) => number
  lexer['continueScalar'] = (offset: number): number => {
    const at = continueScalar(offset)
    if (at !== -1 || !['"', "'"].includes(lexer['buffer'].charAt(lexer['pos']))) return at
    folds.push(offset)
    return offset
  }
  return lexer
}

/** The tokens of a YAML text; stops early after many errors. @throws TextFault when nested too deeply */
export function* yamlTokens(text: string, lexer = new Lexer()): Generator<CST.Token> {
  const parser = new Parser()
  let errors = 0
  let lexemes = 0
  for (const lexeme of lexer.lex(text)) {
    lexemes += 1
    if (lexemes > MAX_TOKENS) throw new TextFault(parser.offset, `has more than ${MAX_TOKENS} tokens`)
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors += 1
      yield token
    }
    // The document and the present scalar are on the stack, too.
    if (parser.stack.length > MAX_DEPTH + 2)
      throw new TextFault(parser.offset, `nested deeper than ${MAX_DEPTH} levels`)
    if (errors > MAX_PROBLEMS) return
  }
  yield* parser.end()
}

/** Characters that readers of YAML 1.1 refuse, or take for the end of a line, unless they are escaped. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A text between double quotes. */
export const quotedText = (text: string): string =>
  JSON.stringify(text).replace(ESCAPED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

const needsEscapes = (text: string): boolean =>
  text.search(ESCAPED) !== -1 || text === '=' || (text.includes('\t') && !text.includes('\n'))

/** Plain text that means something else in a flow collection, or that stood on several lines. */
const PLACED = /[,[\]{}\n]/

/**
 * A scalar as other readers understand it: one that was read as it stood there, as it means something else to readers
 * of YAML 1.1 perhaps; a number of YAML 1.1 has a point before its exponent.
 */
const writeScalar =
  (write: NonNullable<ScalarTag['stringify']>): NonNullable<ScalarTag['stringify']> =>
  (scalar, ...context) => {
    const { value, source, type } = scalar
    if (type === 'PLAIN' && source !== undefined && !PLACED.test(source)) return source
    if (typeof value === 'string' && needsEscapes(value)) return quotedText(value)
    const text = write(scalar, ...context)
    return typeof value === 'number' ? text.replace(/^(-?\d+)(?=e)/, '$1.0') : text
  }

/** How YAML is written that readers of YAML 1.1 understand as those of YAML 1.2 do. */
export const WRITE_OPTIONS = {
  version: '1.2',
  schema: 'core',
  compat: 'yaml-1.1',
  customTags: (tags: Tags): Tags =>
    tags.map((tag) => {
      const write = typeof tag === 'string' || tag.collection !== undefined ? undefined : tag.stringify
      return write === undefined ? tag : Object.assign({}, tag, { stringify: writeScalar(write) })
    }),
} as const

/** Writes YAML in which texts like dates or booleans are quoted. */
export const writeYaml = (document: Json): string =>
  stringify(document, { ...WRITE_OPTIONS, lineWidth: 0, aliasDuplicateObjects: false })
