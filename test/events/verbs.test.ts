import { expect, test } from 'vitest'
import { summarizeEvent } from '../../src/events/verbs.ts'

const deletion = '00000000-0000-4000-8000-000000000000'

test.each([
  ['SoftDeleted', 'Deleted.', 'Deleted with its parent.'],
  ['Restored', 'Restored.', 'Restored with its parent.'],
  ['HardDeleted', 'Hard-deleted.', 'Hard-deleted with its parent.'],
] as const)('%s says whether it only followed the parent', (type, own, inherited) => {
  expect(summarizeEvent({ type, data: { deletion } }).summary).toBe(own)
  expect(summarizeEvent({ type, data: { deletion, inherited: true } }).summary).toBe(inherited)
})
