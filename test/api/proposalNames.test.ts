import { expect, it } from 'vitest'
import { newName } from '../../src/api/proposals/proposalRoutes.ts'

it('the names of proposals sort newest first, also while the clock stands still', () => {
  const now = Date.now()
  const names = [now, ...Array.from({ length: 20 }, () => now), now + 100, now + 100].map(newName)
  expect(names.toReversed()).toEqual(names.toSorted())
})
