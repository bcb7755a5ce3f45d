import { expect, it } from 'vitest'
import { bulksOf } from '../../src/shared/bounds.ts'
import { limits } from '../../src/shared/limits.ts'

it('divides items by their number and by the bytes of their JSON, in order', () => {
  const texts = ['a', 'ü'.repeat(limits.bulkBody.value / 4), 'b'.repeat(limits.bulkBody.value / 2), 'c', 'd', 'e', 'f']
  const bulks = bulksOf(texts, 3)
  expect(bulks.map(({ length }) => length)).toEqual([2, 3, 2])
  expect(bulks.flat()).toEqual(texts)
  for (const some of bulks) expect(Buffer.byteLength(JSON.stringify(some))).toBeLessThanOrEqual(limits.bulkBody.value)
})
