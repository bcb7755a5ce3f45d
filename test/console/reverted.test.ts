import { expect, it } from 'vitest'
import { revertedMessage } from '../../console/src/time/reverted.ts'

it.each([
  [{}, ''],
  [{ unreadable: ['email'] }, ', but for email: what was there has been erased'],
  [
    { hardDeleted: ['columns.id.tags', 'owners'] },
    ', but for columns.id.tags, owners: something named there has been deleted for good',
  ],
])('a revert that leaves %j says so', (left, words) => {
  expect(revertedMessage(0.3, left)).toBe(`It is again what it was in version 0.3${words}`)
})
