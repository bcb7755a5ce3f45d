import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bulksOf, mapInChunks } from '../../src/shared/bounds.ts'
import { limits } from '../../src/shared/limits.ts'

it('divides items by their number and by the bytes of their JSON, in order', () => {
  const texts = ['a', 'ü'.repeat(limits.bulkBody.value / 4), 'b'.repeat(limits.bulkBody.value / 2), 'c', 'd', 'e', 'f']
  const bulks = bulksOf(texts, 3)
  expect(bulks.map(({ length }) => length)).toEqual([2, 3, 2])
  expect(bulks.flat()).toEqual(texts)
  for (const some of bulks) expect(Buffer.byteLength(JSON.stringify(some))).toBeLessThanOrEqual(limits.bulkBody.value)
})

describe('work on many items, some at once,', () => {
  const items = Array.from({ length: 100 }, (_, index) => index)

  it('has results in the order of the items', async () => {
    const halved = await mapInChunks(items, 16, async (item) => {
      if (item % 3 === 0) await nextTurn()
      return item / 2
    })
    expect(halved).toEqual(items.map((item) => item / 2))
  })

  it('begins nothing further after the first error', async () => {
    const begun: number[] = []
    const refuse = async (item: number): Promise<void> => {
      begun.push(item)
      await nextTurn()
      if (item === 2) throw new Error('refused')
    }
    await expect(mapInChunks(items, 4, refuse)).rejects.toThrow('refused')
    for (let turn = 0; turn < items.length; turn++) await nextTurn()
    expect(begun.length).toBeLessThan(9)
  })
})
