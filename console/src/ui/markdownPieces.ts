import type { MarkedToken, Token, Tokens } from 'marked'
import { returnPath } from '../../../src/shared/returnPath.ts'

/** The elements that Markdown becomes. */
type ElementName =
  | ('a' | 'blockquote' | 'br' | 'code' | 'div' | 'em' | 'h3' | 'h4' | 'h5' | 'h6' | 'hr' | 'li' | 'ol' | 'p' | 'pre')
  | ('s' | 'span' | 'strong' | 'table' | 'tbody' | 'td' | 'th' | 'thead' | 'tr' | 'ul')

type Attributes = Readonly<Record<string, string | number>>

/** A text, or an element of a page with what stands in it. */
export type Piece =
  | string
  | {
      readonly name: ElementName
      readonly attributes?: Attributes | undefined
      readonly pieces?: readonly Piece[] | undefined
    }

const element = (name: ElementName, pieces?: readonly Piece[], attributes?: Attributes): Piece => ({
  name,
  attributes,
  pieces,
})

/** As much of a page as reads character references. */
declare const document: { createElement(name: 'textarea'): { innerHTML: string; readonly value: string } }

/** The character that is meant by a reference such as `&ge;`: browsers know more than two thousand of them. */
const characterOf = (reference: string): string => {
  const element = document.createElement('textarea')
  element.innerHTML = reference
  // The longest are two characters. Of `&notes;`, which is none, HTML reads `&not`.
  return element.value.length > 2 ? reference : element.value
}

const decoded = (text: string): string => text.replaceAll(/&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi, characterOf)

/** Addresses that a link of a description may lead to: no scripts, no data, and no other site that looks like a path. */
const safeHref = (href: string): string | undefined => {
  const address = href.trim()
  if (/^(?:https?:|mailto:|#|\.{1,2}\/)/i.test(address)) return address
  const path = returnPath(address)
  return path === '/' && address !== '/' ? undefined : path
}

const link = (address: string, pieces: readonly Piece[]): Piece => {
  const href = safeHref(address)
  if (href === undefined) return element('span', pieces)
  const attributes = { href, rel: 'noreferrer noopener' }
  return element('a', pieces, /^https?:/i.test(href) ? { ...attributes, target: '_blank' } : attributes)
}

const row = (name: 'td' | 'th', cells: readonly Tokens.TableCell[]): Piece =>
  element(
    'tr',
    cells.map(({ tokens }) => element(name, piecesIn(tokens))),
  )

const table = ({ header, rows }: Tokens.Table): Piece => {
  const body = rows.map((cells) => row('td', cells))
  const content = element('table', [element('thead', [row('th', header)]), element('tbody', body)])
  return element('div', [content], { className: 'scroll-x', tabIndex: 0, role: 'region', 'aria-label': 'Table' })
}

/** Headings of a description stand below those of the page. */
const headings = ['h3', 'h4', 'h5', 'h6'] as const

const list = ({ ordered, start, items }: Tokens.List): Piece =>
  ordered ? element('ol', piecesIn(items), { start: start === '' ? 1 : start }) : element('ul', piecesIn(items))

const piecesOf = (token: MarkedToken): readonly Piece[] => {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'text':
      return token.tokens ? piecesIn(token.tokens) : [decoded(token.text)]
    case 'escape':
      return [token.text]
    // HTML is shown as the text that it is.
    case 'html':
      return token.block ? [element('p', [token.raw])] : [token.raw]
    case 'checkbox':
      return [token.checked ? '☑ ' : '☐ ']
    case 'br':
    case 'hr':
      return [element(token.type)]
    case 'codespan':
      return [element('code', [token.text])]
    case 'code':
      return [element('pre', [element('code', [token.text])], { tabIndex: 0 })]
    case 'em':
    case 'strong':
    case 'blockquote':
      return [element(token.type, piecesIn(token.tokens))]
    case 'del':
      return [element('s', piecesIn(token.tokens))]
    case 'paragraph':
      return [element('p', piecesIn(token.tokens))]
    case 'heading':
      return [element(headings[token.depth - 1] ?? 'h6', piecesIn(token.tokens))]
    case 'list':
      return [list(token)]
    case 'list_item':
      return [element('li', piecesIn(token.tokens), token.task ? { className: 'task' } : undefined)]
    case 'table':
      return [table(token)]
    case 'link':
      return [token.autolink ? link(token.href, [token.text]) : link(decoded(token.href), piecesIn(token.tokens))]
    // Pictures of other sites would tell them who reads here.
    case 'image':
      return [link(decoded(token.href), token.text === '' ? ['picture'] : piecesIn(token.tokens))]
    default:
      return token satisfies never
  }
}

/** What tokens of the lexer become. Without extensions it makes no other tokens. */
export const piecesIn = (tokens: readonly Token[]): readonly Piece[] =>
  (tokens as readonly MarkedToken[]).flatMap(piecesOf)
