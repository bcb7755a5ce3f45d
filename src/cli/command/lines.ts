import type { Readable } from 'node:stream'

/**
 * The lines of a text in UTF-8. They end with \n alone: a string in JSON may have the other line separators of Unicode,
 * at which `node:readline` ends lines too.
 */
export const linesOf = async function* (input: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const text of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...others] = text.split('\n')
    rest += first
    for (const next of others) {
      yield rest
      rest = next
    }
  }
  yield rest
}
