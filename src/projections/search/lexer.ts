/** A piece of a search query; `column` counts from 1. */
export interface Token {
  readonly type: 'word' | 'phrase' | 'field' | 'operator' | 'open' | 'close'
  /** The text without quotes, backslashes and the colon of a field. */
  readonly text: string
  readonly column: number
}

/** Operators that can also be written otherwise. */
const operators: Readonly<Record<string, string>> = { '&&': 'AND', '||': 'OR', '-': 'NOT' }

/** The pieces of a query, by the types of their tokens. After the dot of a field there may be the name of a column. */
const pieces = new RegExp(
  [
    String.raw`\s+|(?<open>\()|(?<close>\))`,
    String.raw`"(?<phrase>(?:\\[\s\S]|[^"\\])*)"|(?<unclosed>")`,
    String.raw`(?<operator>-(?=\S)|(?:AND|&&|OR|\|\||NOT)(?=[\s()"]|$))`,
    String.raw`(?<field>[A-Za-z]+(?:\.[^\s():"\\]*)?):(?=.)`,
    String.raw`(?<word>(?:\\[\s\S]|[^\s()"\\]|\\$)+)`,
  ].join('|'),
  'g',
)

/** A backslash takes the meaning from punctuation. Before a letter it is punctuation itself, as in the path of a file. */
const escape = /\\([^\p{L}\p{N}])/gu

/** The distance or weight of a word or phrase in other query languages. */
const modifier = /(?<!\\)[~^][\d.]*$/
const noModifier = 'Words take no ~ or ^: leave it out, or put quotes around a text that ends with it.'

export const lexSearchQuery = (q: string): { tokens: Token[] } | { error: { column: number; message: string } } => {
  const tokens: Token[] = []
  for (const { index, groups = {} } of q.matchAll(pieces)) {
    const column = index + 1
    const [type, text] = Object.entries(groups).find((group) => group[1] !== undefined) ?? ['space', '']
    if (type === 'space') continue
    if (type === 'unclosed') return { error: { column, message: 'This quote is not closed.' } }
    if (type === 'word' && modifier.test(text)) return { error: { column, message: noModifier } }
    const plain = type === 'operator' ? (operators[text] ?? text) : text.replaceAll(escape, '$1')
    tokens.push({ type: type as Token['type'], text: plain, column })
  }
  return { tokens }
}
