import { expect, it } from 'vitest'
import { readMarkdown } from '../../console/src/ui/readMarkdown.ts'
import { atThisPace, processorTimeAtBest } from '../support/processorTime.ts'

it('reads the first 20,000 characters, up to a line, and gives the rest as the text that it is', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `Line **${at}** `.padEnd(99, 'x')).join('\n')
  const { tokens, rest } = readMarkdown(lines)
  expect(tokens.length).toBeGreaterThan(0)
  expect(rest).toBe(lines.slice(20_000))
  expect(readMarkdown('# One\n\ntwo').rest).toBe('')
})

const nested = (levels: number): string => Array.from({ length: levels }, (_, at) => `${'  '.repeat(at)}- a`).join('\n')

it('reads what is nested up to 50 levels, and gives what is nested deeper as text', () => {
  expect(readMarkdown('>'.repeat(20) + 'a').rest).toBe('')
  expect(readMarkdown(nested(20)).rest).toBe('')
  for (const text of ['>'.repeat(2500), `${'> '.repeat(2500)}a`, `${'- '.repeat(60)}a`, nested(60)])
    expect(readMarkdown(text)).toEqual({ tokens: [], rest: text })
  expect(readMarkdown(`a\n\n${'-'.repeat(80)}\n\nb`).rest).toBe('')
})

it.each(['_a__', '*a **b ', '~a~~', '[', '![a](', '`a``', '<a ', '|a'])(
  'holds up no page for %s again and again',
  (piece) => {
    const text = piece.repeat(Math.ceil(80_000 / piece.length))
    expect(processorTimeAtBest(() => void readMarkdown(text))).toBeLessThan(atThisPace(250))
  },
)
