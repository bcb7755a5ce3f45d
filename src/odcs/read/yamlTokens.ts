import { Lexer, Parser, type CST } from 'yaml'
import { MAX_DEPTH, MAX_PROBLEMS } from '../model/text.ts'

/** Thrown at the first bracket or indent that is one too deep, before anything is built from the text. */
export class TooDeep extends Error {
  readonly offset: number
  constructor(offset: number) {
    super(`nested deeper than ${MAX_DEPTH} levels`)
    this.offset = offset
  }
}

const SCALAR = '\u001f'
const EMPTY_MARKS = new Set([SCALAR, '\u0002', '\u0018'])

interface Depth {
  flow: number
  columns: number[]
  lineStart: number
  keyColumn: number
}

/**
 * The tokens of a YAML text, without recursion: every depth is bounded before the recursive parser sees it. A text with
 * very many errors is not read to its end.
 */
export function* yamlTokens(text: string): Generator<CST.Token> {
  const parser = new Parser()
  const depth: Depth = { flow: 0, columns: [], lineStart: 0, keyColumn: -1 }
  let offset = 0
  let scalar = false
  let errors = 0
  for (const lexeme of new Lexer().lex(text)) {
    const mark = !scalar && EMPTY_MARKS.has(lexeme)
    if (!mark) {
      follow(depth, scalar ? '' : lexeme, offset)
      if (depth.flow + depth.columns.length > MAX_DEPTH) throw new TooDeep(offset)
      offset += lexeme.length
    }
    scalar = !scalar && lexeme === SCALAR
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors += 1
      yield token
    }
    if (errors > MAX_PROBLEMS) return
  }
  yield* parser.end()
}

const follow = (depth: Depth, lexeme: string, offset: number): void => {
  const first = lexeme[0]
  if (first === '\n' || first === '\r') {
    depth.lineStart = offset + lexeme.length
    depth.keyColumn = -1
  } else if (first === ' ' || first === '\t') return
  else if (lexeme === '[' || lexeme === '{') depth.flow += 1
  else if (lexeme === ']' || lexeme === '}') depth.flow = Math.max(0, depth.flow - 1)
  else if (depth.flow > 0) return
  else followBlock(depth, lexeme, offset - depth.lineStart)
}

// A list may stand at the column of its key, so the true depth is at most twice the number of columns.
const followBlock = (depth: Depth, lexeme: string, column: number): void => {
  if (lexeme === '-' || lexeme === '?') {
    open(depth, column)
    depth.keyColumn = -1
    return
  }
  if (depth.keyColumn === -1) depth.keyColumn = column
  if (lexeme === ':') open(depth, depth.keyColumn)
  else if (lexeme === '---') depth.columns = []
}

const open = (depth: Depth, column: number): void => {
  while ((depth.columns.at(-1) ?? -1) >= column) depth.columns.pop()
  depth.columns.push(column)
}
