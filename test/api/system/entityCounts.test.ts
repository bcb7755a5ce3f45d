import { expect, it, onTestFinished, vi } from 'vitest'
import { makeEntityCounts } from '../../../src/api/system/entityCounts.ts'

it('a count that fails late leaves the newer one as it is', async () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const slow = Promise.withResolvers<never>()
  let asked = 0
  const page = { rows: [], total: 0, hasAfter: false, hasBefore: false }
  const lists = [{ list: () => slow.promise }, { list: async () => page }]
  const counts = makeEntityCounts(() => lists[Math.min(asked++, 1)] as never)
  const first = counts()
  now = 60_001
  const second = counts()
  slow.reject(new Error('late'))
  await expect(first).rejects.toThrow('late')
  expect(counts()).toBe(second)
})
