import { expect, test } from 'vitest'
import { streamLookup } from '../../../src/api/feed/feedRoutes.ts'
import { makeWriter, openLog } from '../../subscriptions/feed/support.ts'

test('a page of the events of one entity reads its own events alone, and not those of earlier pages', async () => {
  const log = await openLog()
  const write = makeWriter(log)
  await write('table-1', { type: 'Created', data: { name: 'one', members: {} } })
  for (let at = 0; at < 8; at++) {
    await write(
      'topic-2',
      at === 0
        ? { type: 'Created', data: { name: 'two', members: {} } }
        : { type: 'Restored', data: { deletion: 'd' } },
    )
    await write('table-1', { type: 'Updated', data: { set: { description: `d${at}` }, unset: [] } })
  }
  await write('topic-2', { type: 'Restored', data: { deletion: 'd' } })
  let streams = 0
  let events = 0
  const counted: typeof log = {
    ...log,
    readStream: async function* (...asked) {
      streams++
      for await (const event of log.readStream(...asked)) {
        events++
        yield event
      }
    },
  }
  const lookup = streamLookup({ log: counted }, '1', undefined)
  const first = await lookup(undefined, 3)
  expect(first).toEqual({ positions: [1n, 3n, 5n], reached: 5n })
  ;[streams, events] = [0, 0]
  expect(await lookup(first?.reached, 3)).toEqual({ positions: [7n, 9n, 11n], reached: 11n })
  expect({ streams, events }).toEqual({ streams: 1, events: 3 })
  expect(await lookup(12n, 3)).toEqual({ positions: [13n, 15n, 17n], reached: 17n })
  expect(await lookup(12n, 4)).toEqual({ positions: [13n, 15n, 17n], reached: 18n })
  expect(await lookup(17n, 3)).toEqual({ positions: [], reached: 18n })
})
