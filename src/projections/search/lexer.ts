/** A piece of a search query; `column` counts from 1. */
export interface Token {
  readonly type: 'word' | 'phrase' | 'field' | 'operator' | 'open' | 'close'
  /** The text without quotes, backslashes and the colon of a field. */
  readonly text: string
  readonly column: number
}

/** Operators by how they can be written. */
const operators: ReadonlyMap<string, string> = new Map([
  ['AND', 'AND'],
  ['&&', 'AND'],
  ['OR', 'OR'],
  ['||', 'OR'],
  ['NOT', 'NOT'],
])

/** A field's name, at the beginning of a word; after a dot there may be the name of a column. */
const fieldName = /([A-Za-z]+(?:\.[^\s():"\\]*)?):(?=.)/y

/** The distance or weight of a word or phrase in other query languages. */
const modifier = /(?<!\\)[~^][\d.]*$/
const noModifier = 'Words take no ~ or ^: leave it out, or put quotes around a text that ends with it.'

const space = /\s/
const wordEnd = /[\s()"]/

export const lexSearchQuery = (q: string): { tokens: Token[] } | { error: { column: number; message: string } } => {
  const tokens: Token[] = []
  let at = 0
  while (at < q.length) {
    const column = at + 1
    const character = q[at] as string
    fieldName.lastIndex = at
    const field = fieldName.exec(q)
    if (space.test(character)) at++
    else if (character === '(' || character === ')') {
      tokens.push({ type: character === '(' ? 'open' : 'close', text: character, column })
      at++
    } else if (character === '"') {
      const phrase = readUntil(q, at + 1, '"')
      if (phrase === undefined) return { error: { column, message: 'This quote is not closed.' } }
      tokens.push({ type: 'phrase', text: phrase.text, column })
      at = phrase.end + 1
    } else if (character === '-' && at + 1 < q.length && !space.test(q[at + 1] as string)) {
      tokens.push({ type: 'operator', text: 'NOT', column })
      at++
    } else if (field) {
      tokens.push({ type: 'field', text: field[1] as string, column })
      at = fieldName.lastIndex
    } else {
      const word = readUntil(q, at, wordEnd) as { text: string; end: number }
      const raw = q.slice(at, word.end)
      if (modifier.test(raw)) return { error: { column, message: noModifier } }
      const operator = operators.get(raw)
      tokens.push({ type: operator === undefined ? 'word' : 'operator', text: operator ?? word.text, column })
      at = word.end
    }
  }
  return { tokens }
}

/** Reads up to an end character; `undefined` if a quote is not closed. */
const readUntil = (q: string, from: number, stop: '"' | RegExp): { text: string; end: number } | undefined => {
  let text = ''
  for (let at = from; at < q.length; at++) {
    const character = q[at] as string
    if (character === '\\' && at + 1 < q.length) {
      at++
      text += q[at]
    } else if (stop === '"' ? character === '"' : stop.test(character)) return { text, end: at }
    else text += character
  }
  return stop === '"' ? undefined : { text, end: q.length }
}
