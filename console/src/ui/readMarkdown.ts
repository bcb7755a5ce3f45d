import { marked, type Token, type Tokens } from 'marked'

/** Characters that are read as Markdown: what it costs grows with their square. */
const longest = 20_000

/** Levels of quotes, lists and emphasis that stand in one another. */
const deepest = 50

/** Lines that begin with more quotes and lists than that: to read them takes the more of the stack. */
const tooDeep = new RegExp(String.raw`^[ \t]*(?:>[ \t]*|(?:[*+-]|\d{1,9}[.)])[ \t]+){${deepest + 1},}`, 'm')

/** Marks of emphasis in one paragraph: each is looked for an end among all that follow. */
const mostMarks = 2000

const isDense = (text: string): boolean =>
  text.split(/\n[ \t]*\n/).some((paragraph) => (paragraph.match(/[*_~]/g)?.length ?? 0) > mostMarks)

/** What stands in a token. */
const within = (token: Token): readonly Token[] => {
  if (token.type === 'list') return (token as Tokens.List).items
  if (token.type !== 'table') return (token as Tokens.Generic).tokens ?? []
  const { header, rows } = token as Tokens.Table
  return [header, ...rows].flatMap((cells) => cells.flatMap(({ tokens }) => tokens))
}

const isDeep = (tokens: readonly Token[]): boolean => {
  let level = tokens
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true
    level = level.flatMap(within)
  }
  return false
}

/** The beginning of a text as Markdown, and what is shown as the text that it is: the rest, or all that cannot be read. */
export const readMarkdown = (text: string): { readonly tokens: readonly Token[]; readonly rest: string } => {
  const line = text.length > longest ? text.lastIndexOf('\n', longest) + 1 : text.length
  const [read, rest] = [text.slice(0, line || longest), text.slice(line || longest)]
  if (tooDeep.test(read) || isDense(read)) return { tokens: [], rest: text }
  try {
    const tokens = marked.lexer(read)
    return isDeep(tokens) ? { tokens: [], rest: text } : { tokens, rest }
  } catch {
    return { tokens: [], rest: text }
  }
}
