import { expect, test } from 'vitest'
import { editYaml } from '../../src/odcs/text/yamlEdit.ts'
import { writeYaml } from '../../src/odcs/text/yamlTokens.ts'
import type { JsonObject } from '../../src/odcs/model/types.ts'
import { atThisPace, processorTime } from '../support/processorTime.ts'

const withProperties = (more: JsonObject): JsonObject => ({
  properties: Array.from({ length: 6000 }, (_, at) => ({ name: `c${at}`, logicalType: 'string', ...more })),
})

test.each<[string, JsonObject]>([
  ['get a member each', { description: 'new' }],
  ['change a value each', { logicalType: 'integer' }],
])('6,000 properties %s, in time that grows with their number', (_, more) => {
  const [from, to] = [withProperties({}), withProperties(more)]
  const source = `# orders\n${writeYaml(from)}`
  let edited: string | undefined
  expect(processorTime(() => (edited = editYaml(source, from, to)))).toBeLessThan(atThisPace(5000))
  expect(edited).toBe(`# orders\n${writeYaml(to)}`)
})

test('2,000 aliases are expanded, and 10,000 members of a mapping found, in time that grows with their number', () => {
  const names = Array.from({ length: 2000 }, (_, at) => `c${at}`)
  const values = Array.from({ length: 10_000 }, (_, at) => `m${at}`)
  const source =
    `tags: &tags [a, b]\nproperties:\n${names.map((name) => `  - name: ${name}\n    tags: *tags\n`).join('')}` +
    `values:\n${values.map((name) => `  ${name}: 1 # one\n`).join('')}`
  const tags = ['a', 'b']
  const from = {
    tags,
    properties: names.map((name) => ({ name, tags })),
    values: Object.fromEntries(values.map((name) => [name, 1])),
  }
  const to = { ...from, values: { ...from.values, m1: 2, more: 3 } }
  let edited: string | undefined
  expect(processorTime(() => (edited = editYaml(source, from, to)))).toBeLessThan(atThisPace(5000))
  expect(edited).toContain('m0: 1 # one\n  m1: 2 # one\n  m2: 1 # one\n')
  expect(edited).toContain('name: c1999\n    tags: [a, b]\n')
})

test('a text of many tabs and a line end is written in time that grows with its length', () => {
  let written = ''
  expect(processorTime(() => (written = writeYaml(`${'\t'.repeat(100_000)}\n`)))).toBeLessThan(atThisPace(1000))
  expect(written).toContain('\t')
  expect(writeYaml('a\tb')).toBe('"a\\tb"\n')
})
