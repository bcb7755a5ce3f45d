import { createElement, useMemo, type ReactNode } from 'react'
import type { Piece } from './markdownPieces.ts'
import { readMarkdown } from './readMarkdown.ts'

const shown = (piece: Piece, key: number): ReactNode =>
  typeof piece === 'string' ? piece : createElement(piece.name, { key, ...piece.attributes }, piece.pieces?.map(shown))

/** Shows Markdown as elements: no HTML of the text ever becomes HTML of the page. */
export const Markdown = ({ text }: { text: string }) => {
  const pieces = useMemo(() => readMarkdown(text).map(shown), [text])
  return <div className="markdown">{pieces}</div>
}
