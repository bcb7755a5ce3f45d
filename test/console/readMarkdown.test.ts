import { expect, it } from 'vitest'
import { firstLine, textOf } from '../../console/src/ui/firstLine.ts'
import type { Piece } from '../../console/src/ui/markdownPieces.ts'
import { readMarkdown } from '../../console/src/ui/readMarkdown.ts'
import fc from '../support/fastCheck.ts'

/** As HTML, to compare. */
const htmlOf = (piece: Piece): string => {
  if (typeof piece === 'string') return piece.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const { name, attributes = {}, pieces } = piece
  const open = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${value}"`)].join(' ')
  return pieces === undefined ? `<${open}>` : `<${open}>${pieces.map(htmlOf).join('')}</${name}>`
}

const html = (markdown: string): string => readMarkdown(markdown).map(htmlOf).join('')

/** What is shown as the text that it is. */
const unread = (text: string): Piece => ({ name: 'p', attributes: { className: 'text-value' }, pieces: [text] })

it.each([
  ['snake\\_case 5 \\* 3 C:\\\\temp', '<p>snake_case 5 * 3 C:\\temp</p>'],
  ['stg_shop__orders and __all__ of *it*', '<p>stg_shop__orders and <strong>all</strong> of <em>it</em></p>'],
  ['`a\\_b &lt;b&gt;` ~~old~~', '<p><code>a\\_b &amp;lt;b&amp;gt;</code> <s>old</s></p>'],
  ['one\\\ntwo', '<p>one<br>two</p>'],
  ['# One\n\n##### Five\n\n---', '<h3>One</h3><h6>Five</h6><hr>'],
  ['> said\n\n    code &lt;', '<blockquote><p>said</p></blockquote><pre tabIndex="0"><code>code &amp;lt;</code></pre>'],
  ['- [x] done\n- **more**', '<ul><li className="task">☑ done</li><li><strong>more</strong></li></ul>'],
  ['3. three\n\n4. four', '<ol start="3"><li><p>three</p></li><li><p>four</p></li></ol>'],
  [
    '| a | b\\|c |\n|--|--|\n| 1 | `2` |',
    '<div className="scroll-x" tabIndex="0" role="region" aria-label="Table"><table>' +
      '<thead><tr><th>a</th><th>b|c</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table></div>',
  ],
  ['<b>x</b> and\n\n<div>\ny', '<p>&lt;b>x&lt;/b> and</p><p>&lt;div>\ny</p>'],
  ['[a](/table/x) [b](#c)', '<p><a href="/table/x">a</a> <a href="#c">b</a></p>'],
  ['[a](javascript:b) ![c](data:d)', '<p><span>a</span> <span>c</span></p>'],
  [
    'https://x.y/?a=1&amp;b=2',
    '<p><a href="https://x.y/?a=1&amp;b=2" target="_blank">https://x.y/?a=1&amp;amp;b=2</a></p>',
  ],
  ['[a]: /table/x\n\n[a]', '<p><a href="/table/x">a</a></p>'],
])('reads %j', (markdown, read) => {
  expect(html(markdown).replaceAll(' rel="noreferrer noopener"', '')).toBe(read)
})

it('shows every letter of a text, in its place', () => {
  const piece = fc.constantFrom(
    ...'aB_*`\\~ \n#>-+|:=!()[',
    '__',
    '**',
    '  \n',
    '\n\n',
    '- ',
    '1. ',
    '\n    ',
    '- [x] ',
  )
  const lettersOf = (text: string): string => text.replaceAll(/[^aB]/g, '')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      // The language of a block of code is not shown, nor are cells without a heading.
      fc.pre(!/```|~~~|\|/.test(text))
      expect([text, lettersOf(readMarkdown(text).map(textOf).join(''))]).toEqual([text, lettersOf(text)])
    }),
    { numRuns: 1000 },
  )
})

it('reads the first 20,000 characters, up to a line, and gives the rest as the text that it is', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `Line **${at}** `.padEnd(99, 'x')).join('\n')
  const pieces = readMarkdown(lines)
  expect(pieces).toHaveLength(2)
  expect(pieces[1]).toEqual(unread(lines.slice(20_000)))
  expect(readMarkdown('# One\n\ntwo')).toHaveLength(2)
})

const nested = (levels: number): string => Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')

it('reads what is nested up to 50 levels, and gives what is nested deeper as text', () => {
  expect(html('>'.repeat(20) + 'a')).toContain('<p>a</p>')
  expect(html(nested(20))).not.toContain('-')
  for (const text of ['>'.repeat(2500), `${'> '.repeat(2500)}a`, `${'- '.repeat(60)}a`, nested(60)])
    expect(readMarkdown(text)).toEqual([unread(text)])
  expect(html(`a\n\n${'-'.repeat(80)}\n\nb`)).toBe('<p>a</p><hr><p>b</p>')
})

it.each([
  ['An order **in any channel**, with `order_status`.\nMore.', 'An order in any channel, with order_status.'],
  [
    'Joins stg_shop__orders and stg_shop__customers; see `raw`.',
    'Joins stg_shop__orders and stg_shop__customers; see raw.',
  ],
  ['a\\_b *c', 'a_b *c'],
  ['\n\n## What it is\n', 'What it is'],
  ['- see [the page](https://example.com/a_b)', 'see the page'],
  ['```sql\nselect 1\n```', 'select 1'],
  ['5 * 3 and snake_case_names stay', '5 * 3 and snake_case_names stay'],
  ['- \n\n---\n\n> said', 'said'],
  ['', undefined],
  [undefined, undefined],
])('the first line of %j, without its marks, is %j', (markdown, line) => {
  expect(firstLine(markdown)).toBe(line)
})

it('the first line is looked for in the beginning of a description, whatever its length', () => {
  expect(firstLine('['.repeat(10_000))).toHaveLength(300)
  expect(firstLine(`${'- \n'.repeat(10_000)}late`)).toBeUndefined()
})
