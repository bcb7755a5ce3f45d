import { Lexer, Parser, stringify, type CST, type ScalarTag, type Tags } from 'yaml'
import { MAX_DEPTH, MAX_PROBLEMS, MAX_TOKENS, TextFault } from '../model/text.ts'
import type { Json } from '../model/types.ts'

/** Tokens beside a document; each may be a problem. */
const besides: ReadonlySet<CST.Token['type']> = new Set(['error', 'directive', 'doc-end'])

/** The tokens of a YAML text; stops early after many errors. @throws TextFault when nested too deeply */
export function* yamlTokens(text: string): Generator<CST.Token> {
  const parser = new Parser()
  let errors = 0
  let others = 0
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1
    if (lexemes > MAX_TOKENS) throw new TextFault(parser.offset, `has more than ${MAX_TOKENS} tokens`)
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors += 1
      if (besides.has(token.type)) others += 1
      yield token
    }
    // The document and the present scalar are on the stack, too.
    if (parser.stack.length > MAX_DEPTH + 2)
      throw new TextFault(parser.offset, `nested deeper than ${MAX_DEPTH} levels`)
    if (errors > MAX_PROBLEMS) return
    if (others > MAX_PROBLEMS)
      throw new TextFault(parser.offset, `has more than ${MAX_PROBLEMS} directives and ends of documents`)
  }
  yield* parser.end()
}

/** Characters that readers of YAML 1.1 refuse, or take for the end of a line, unless they are escaped. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A text between double quotes. */
export const quotedText = (text: string): string =>
  JSON.stringify(text).replace(ESCAPED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

const needsEscapes = (text: string): boolean =>
  text.search(ESCAPED) !== -1 || text === '=' || /^[^\n]*\t[^\n]*$/.test(text)

/** A scalar as other readers understand it: a number of YAML 1.1 has a point before its exponent. */
const writeScalar =
  (write: NonNullable<ScalarTag['stringify']>): NonNullable<ScalarTag['stringify']> =>
  (scalar, ...context) => {
    const { value } = scalar
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

/** A line that was indented: its start in the repaired text, and by how much. */
interface MovedLine {
  line: number
  at: number
  width: number
}

const OPENS = /^(\s*(?:- +)*)(?:[^\s#"'][^"']*?:\s+)?(["'])/

const MAX_LINE = 2_000

/** Indents continuation lines of quoted scalars that are not deeper than their key, without changing the value. */
export const indentFolds = (text: string): { repaired: string; lines: MovedLine[] } => {
  const lines = text.split('\n')
  const moved: MovedLine[] = []
  let at = 0
  let open: { quote: string; indent: number } | undefined
  for (const [index, line] of lines.entries()) {
    if (open) {
      const closes = endOfQuote(line, 0, open.quote) !== -1
      const width = open.indent + 1 - (line.length - line.trimStart().length)
      if (width > 0 && line.trim() !== '') {
        moved.push({ line: index + 1, at, width })
        lines[index] = ' '.repeat(width) + line
      }
      if (closes) open = undefined
    } else {
      const found = line.length > MAX_LINE ? null : OPENS.exec(line)
      const quote = found?.[2] ?? ''
      if (found && endOfQuote(line, found[0].length, quote) === -1) open = { quote, indent: (found[1] ?? '').length }
    }
    at += (lines[index] ?? '').length + 1
  }
  return { repaired: lines.join('\n'), lines: moved }
}

const endOfQuote = (line: string, from: number, quote: string): number => {
  for (let at = from; at < line.length; at += 1) {
    if (quote === '"' && line[at] === '\\') at += 1
    else if (line[at] === quote) {
      if (quote === "'" && line[at + 1] === "'") at += 1
      else return at
    }
  }
  return -1
}
