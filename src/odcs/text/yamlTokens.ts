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

/** The tokens of a YAML text, as far as none is too deep for the recursive composer, and few are errors. @throws TooDeep */
export function* yamlTokens(text: string): Generator<CST.Token> {
  const parser = new Parser()
  let errors = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') errors += 1
      yield token
    }
    // A list that stands at the column of its key is a level of its own.
    if (parser.stack.length > MAX_DEPTH * 2) throw new TooDeep(parser.offset)
    if (errors > MAX_PROBLEMS) return
  }
  yield* parser.end()
}
