import { expect, it } from 'vitest'
import { longestTurnAtBest } from '../../../support/longestTurn.ts'
import { bytesHeld } from '../../../support/garbage.ts'
import { FailedItem, parseItems } from '../../../../src/api/http/jsonText.ts'
import { atThisPace } from '../../../support/processorTime.ts'

it('A long array holds little beside the text, also while the items are read', async () => {
  const body = Buffer.from(`[${Array.from({ length: 26 }, () => `{"a":[${'{},'.repeat(330_000)}1]}`).join(',')}]`)
  const before = bytesHeld()
  const read = await parseItems(body, 2 ** 20)
  let most = bytesHeld()
  let count = 0
  for (const item of read) {
    count += 1
    if (count % 5 === 0) most = Math.max(most, bytesHeld())
    expect(item).not.toBeInstanceOf(FailedItem)
  }
  expect(count).toBe(26)
  expect(most - before).toBeLessThan(64 * 2 ** 20)
})

it('Of a long array with more items than a bulk request may have, nothing further is read', async () => {
  const body = Buffer.from(`[${'1,'.repeat(16_000_000 - 1)}1]`)
  const read = () => expect(parseItems(body, 1000)).rejects.toThrow('at most 10000 items')
  expect(await longestTurnAtBest(read)).toBeLessThan(atThisPace(150))
})
