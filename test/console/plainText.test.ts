import fc from '../support/fastCheck.ts'
import { marked } from 'marked'
import { expect, it } from 'vitest'
import { isPlainText } from '../../console/src/ui/plainText.ts'

/** Whether Markdown makes of it one paragraph, of one text, which has these very characters. */
const isOneParagraph = (text: string): boolean => {
  const [block, ...more] = marked.lexer(text)
  if (more.length > 0 || block?.type !== 'paragraph' || block.tokens?.length !== 1) return false
  const [token] = block.tokens
  return token?.type === 'text' && token.raw === text && !('tokens' in token)
}

it('Descriptions without marks are plain text, and others are not', () => {
  expect(isPlainText('Key of the order (unique); 3.5 % of them are “new”, aren’t they?')).toBe(true)
  for (const text of [
    '',
    '# Title',
    '1. one',
    '- one',
    'a *b*',
    'a `b`',
    'see www.example.com',
    'x http://e.org',
    'a@b.c',
  ])
    expect([text, isPlainText(text)]).toEqual([text, false])
})

it('What is taken for plain text is a paragraph of these very words for Markdown', () => {
  const piece = fc.constantFrom(
    ...'abzÄß19 .,;:?!\'"()%/–+-=*_`~<>#|[]\\&\n\t@$€',
    'www.',
    '://',
    'http',
    '  ',
    '---',
    '1.',
  )
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `A${pieces.join('')}`)
  fc.assert(
    fc.property(text, (given) => {
      fc.pre(isPlainText(given))
      expect([given, isOneParagraph(given)]).toEqual([given, true])
    }),
    { numRuns: 3000, maxSkipsPerRun: 1000 },
  )
})
