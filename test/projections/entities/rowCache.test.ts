import { expect, test } from 'vitest'
import { makeReadCache } from '../../../src/projections/entities/rowCache.ts'
import { makeRow } from '../../support/rows.ts'

test('a row that is written while it is read is not cached as it was before', async () => {
  const [before, after] = [makeRow('a'), makeRow('a', { revision: 1n })]
  const cache = makeReadCache(1_000_000)
  const read = async () => {
    cache.applied([after])
    return [before]
  }
  await cache.rows([before.id], read)
  expect((await cache.rows([before.id], async () => [after])).get(before.id)?.revision).toBe(1n)
})
