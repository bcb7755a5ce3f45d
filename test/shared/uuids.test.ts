import { expect, test } from 'vitest'
import { orderedUuid } from '../../src/shared/uuids.ts'

test('ids made later come later in the order of texts, and are UUIDs of version 7 that differ within a millisecond', () => {
  const times = [0, 1, 2 ** 32, Date.UTC(2026, 0, 1), 2 ** 48 - 1]
  const ids = times.map(orderedUuid)
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(Array.from({ length: 1000 }, () => orderedUuid(7))).size).toBe(1000)
})
