import type { Token, Tokens } from 'marked'
import { Fragment, useMemo, type ReactNode } from 'react'
import { returnPath } from '../../../src/shared/returnPath.ts'
import { isPlainText } from './plainText.ts'
import { readMarkdown } from './readMarkdown.ts'

/** Addresses that a link of a description may lead to: no scripts, no data, and no other site that looks like a path. */
const safeHref = (href: string): string | undefined => {
  const address = href.trim()
  if (/^(?:https?:|mailto:|#|\.{1,2}\/)/i.test(address)) return address
  const path = returnPath(address)
  return path === '/' && address !== '/' ? undefined : path
}

const link = (token: Tokens.Link, children: ReactNode): ReactNode => {
  const href = safeHref(token.href)
  if (href === undefined) return <span>{children}</span>
  return (
    <a href={href} rel="noreferrer noopener" {...(/^https?:/i.test(href) && { target: '_blank' })}>
      {children}
    </a>
  )
}

/** Entities that the lexer left in a text. */
const plain = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const inline = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => <Fragment key={at}>{inlineToken(token)}</Fragment>)

const inlineToken = (token: Token): ReactNode => {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'del':
      return <s>{inline(token.tokens)}</s>
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ '
    case 'codespan':
      return <code>{plain((token as Tokens.Codespan).text)}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token as Tokens.Link, inline(token.tokens))
    // Pictures of other sites would tell them who reads here.
    case 'image':
      return link(token as Tokens.Link, `${(token as Tokens.Image).text || 'picture'}`)
    case 'text':
      return token.tokens ? inline(token.tokens) : plain((token as Tokens.Text).text)
    default:
      return plain(token.raw)
  }
}

const list = ({ ordered, start, items }: Tokens.List): ReactNode => {
  const children = items.map((item, at) => (
    <li key={at} className={item.task ? 'task' : undefined}>
      {blocks(item.tokens)}
    </li>
  ))
  return ordered ? <ol start={typeof start === 'number' ? start : 1}>{children}</ol> : <ul>{children}</ul>
}

const table = ({ header, rows }: Tokens.Table): ReactNode => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map((cell, at) => (
            <th key={at}>{inline(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, place) => (
              <td key={place}>{inline(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Headings of a description stand below those of the page. */
const heading = ({ depth, tokens }: Tokens.Heading): ReactNode => {
  const Name = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(depth - 1, 3)] ?? 'h6'
  return <Name>{inline(tokens)}</Name>
}

const block = (token: Token): ReactNode => {
  switch (token.type) {
    case 'heading':
      return heading(token as Tokens.Heading)
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>
    case 'text':
    case 'checkbox':
      return inlineToken(token)
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    // HTML is shown as the text that it is.
    default:
      return <p>{token.raw}</p>
  }
}

const blocks = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => <Fragment key={at}>{block(token)}</Fragment>)

const read = (text: string): ReactNode => {
  const { tokens, rest } = readMarkdown(text)
  return (
    <>
      {blocks(tokens)}
      {rest !== '' && <p className="text-value">{rest}</p>}
    </>
  )
}

/**
 * Shows Markdown as elements made of its tokens: no HTML of the text ever becomes HTML of the page, and links lead
 * only to web and mail addresses.
 */
export const Markdown = ({ text }: { text: string }) => {
  const shown = useMemo(() => (isPlainText(text) ? <p>{text}</p> : read(text)), [text])
  return <div className="markdown">{shown}</div>
}
