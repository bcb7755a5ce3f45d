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
