import { marked } from 'marked'
import { piecesIn, type Piece } from './markdownPieces.ts'
import { isPlainText } from './plainText.ts'

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

const isDeep = (pieces: readonly Piece[]): boolean => {
  let level = pieces
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true
    level = level.flatMap((piece) => (typeof piece === 'string' ? [] : (piece.pieces ?? [])))
  }
  return false
}

/** What is shown as the text that it is. */
const unread = (text: string): Piece => ({ name: 'p', attributes: { className: 'text-value' }, pieces: [text] })

/** A text as Markdown; what is too long of it stays a text, and all of it where it nests too deep. */
export const readMarkdown = (text: string): readonly Piece[] => {
  if (isPlainText(text)) return [{ name: 'p', pieces: [text] }]
  const line = text.length > longest ? text.lastIndexOf('\n', longest) + 1 : text.length
  const [read, rest] = [text.slice(0, line || longest), text.slice(line || longest)]
  if (tooDeep.test(read) || isDense(read)) return [unread(text)]
  try {
    const pieces = piecesIn(marked.lexer(read))
    if (isDeep(pieces)) return [unread(text)]
    return rest === '' ? pieces : [...pieces, unread(rest)]
  } catch {
    return [unread(text)]
  }
}
