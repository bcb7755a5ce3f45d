import { expect, test } from 'vitest'
import { readDocument } from '../../../src/odcs/read/readDocument.ts'
import { readYaml } from '../../../src/odcs/text/readYaml.ts'
import { atThisPace, processorTimeAtBest } from '../../support/processorTime.ts'

const refused = (text: string): string => {
  const read = readDocument(text, 'yaml')
  return read.ok ? 'accepted' : (read.problems[0]?.message ?? '')
}

test.each([
  ['flow lists', '['.repeat(20_000)],
  ['flow maps', '{a: '.repeat(20_000)],
  ['brackets closed in comments', '[ # ]\n'.repeat(20_000)],
  ['block lists', '- '.repeat(20_000)],
  ['block keys', '? '.repeat(20_000)],
  ['indents', Array.from({ length: 1_000 }, (_line, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['half a million', '['.repeat(500_000)],
])('20,000 deep %s are refused before they are parsed', (_name, text) => {
  const taken = processorTimeAtBest(() => expect(refused(text)).toMatch(/deeper than 128/))
  expect(taken).toBeLessThan(atThisPace(1000))
})

test.each([
  ['quotes', '"'.repeat(60_000)],
  ['texts that are never closed', 'a: "b\n'.repeat(10_000)],
  ['directives', '%a\n'.repeat(20_000)],
  ['ends of documents', `a: 1\n${'...\n'.repeat(20_000)}`],
])('%s without end are refused in little time', (_what, text) => {
  expect(refused(text)).not.toBe('accepted')
  expect(processorTimeAtBest(() => readYaml(text))).toBeLessThan(atThisPace(600))
})
