import { expect, it, onTestFinished, vi } from 'vitest'
import { makeEntityCounts } from '../../../src/api/system/entityCounts.ts'

it('numbers are counted once for all who ask within a minute, and again after a failure', async () => {
  let now = 1
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const failing = Promise.withResolvers<never>()
  const page = (total: number) => ({ list: async () => ({ rows: [], total, hasAfter: false, hasBefore: false }) })
  let lists: object = { list: () => failing.promise }
  const counts = makeEntityCounts(() => lists as never)
  const all = [counts(), counts()]
  failing.reject(new Error('away'))
  for (const one of all) await expect(one).rejects.toThrow('away')
  lists = page(0)
  const [first] = await counts()
  expect(first?.total).toBe(0)
  lists = page(7)
  now = 60_000
  expect((await counts())[0]?.total).toBe(0)
  now = 60_002
  expect((await counts())[0]?.total).toBe(7)
})
