import { expect, test } from 'vitest'
import { positionsOf, all, makeWriter, openFeed, openLog } from './support.ts'
import type { FeedLookup } from '../../../src/subscriptions/feed/feed.ts'
import { collect, freshStream } from '../../support/events.ts'
import { longestTurnAtBest } from '../../support/longestTurn.ts'
import { atThisPace } from '../../support/processorTime.ts'

const columns = (of: number) =>
  Array.from({ length: 4000 }, (_, at) => ({ name: `c${at}`, dataType: 'INT', description: `of ${of}` }))

test('a page of large events that an index names holds nobody up', async () => {
  const log = await openLog()
  const append = makeWriter(log)
  for (let of = 0; of < 50; of++)
    await append(freshStream('apple'), { type: 'Created', data: { name: 'n', members: { columns: columns(of) } } })
  const positions = positionsOf(await collect(log.readAll()))
  const lookup: FeedLookup = async () => ({ positions, reached: positions.at(-1) as bigint })
  const feed = openFeed({ ...log.proven, head: log.head })
  const read = async () => {
    const { items } = await feed.read({ after: undefined, match: all, lookup, limit: 1000 })
    expect(items.length).toBeGreaterThan(0)
  }
  expect(await longestTurnAtBest(read)).toBeLessThan(atThisPace(60))
})
