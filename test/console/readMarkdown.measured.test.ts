import { expect, it } from 'vitest'
import { firstLine } from '../../console/src/ui/firstLine.ts'
import { readMarkdown } from '../../console/src/ui/readMarkdown.ts'
import { atThisPace, processorTimeAtBest } from '../support/processorTime.ts'

it.each(['_a__', '*a **b ', '~a~~', '[', '![a](', '`a``', '<a ', '|a'])(
  'a text holds up no page for %s again and again',
  (piece) => {
    const text = piece.repeat(Math.ceil(80_000 / piece.length))
    expect(processorTimeAtBest(() => void readMarkdown(text))).toBeLessThan(atThisPace(250))
    expect(processorTimeAtBest(() => void firstLine(text))).toBeLessThan(atThisPace(25))
  },
)
