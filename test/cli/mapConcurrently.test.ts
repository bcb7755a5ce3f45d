import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mapConcurrently } from '../../src/cli/client/mapConcurrently.ts'

const items = Array.from({ length: 100 }, (_, index) => index)

test('results have the order of the items', async () => {
  const halved = await mapConcurrently(items, async (item) => {
    if (item % 3 === 0) await nextTurn()
    return item / 2
  })
  expect(halved).toEqual(items.map((item) => item / 2))
})

test('after the first error no further item is begun', async () => {
  const begun: number[] = []
  const refuse = async (item: number): Promise<void> => {
    begun.push(item)
    await nextTurn()
    if (item === 2) throw new Error('refused')
  }
  const failing = mapConcurrently(items, refuse, 4)
  await expect(failing).rejects.toThrow('refused')
  for (let turn = 0; turn < items.length; turn++) await nextTurn()
  expect(begun.length).toBeLessThan(9)
})
