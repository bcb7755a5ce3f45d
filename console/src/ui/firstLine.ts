import type { Piece } from './markdownPieces.ts'
import { readMarkdown } from './readMarkdown.ts'

/** Elements that stand in a line. */
const inline = new Set(['a', 'code', 'em', 's', 'span', 'strong'])

/** What a piece of a page says; all that is not part of a line ends one. */
export const textOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece
  const text = (piece.pieces ?? []).map(textOf).join('')
  return inline.has(piece.name) ? text : `${text}\n`
}

/** Characters in which a first line is looked for, and of a line that are shown: what reading costs grows with their square. */
const [lookedAt, longest] = [2_000, 300]

/** The first line that says something, without what Markdown makes of it: for lists, where a description has one line. */
export const firstLine = (markdown: string | undefined): string | undefined =>
  readMarkdown((markdown ?? '').slice(0, lookedAt))
    .map(textOf)
    .join('')
    .split('\n')
    .map((line) => line.trim().slice(0, longest))
    .find((line) => line !== '')
