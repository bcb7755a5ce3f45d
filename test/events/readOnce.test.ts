import { expect, test } from 'vitest'
import { readOnce } from '../../src/events/eventstoredb/store.ts'
import type { RecordedEvent } from '../../src/events/events.ts'

test('the first event is looked for until there is one, and never again', async () => {
  const log: RecordedEvent[] = []
  let reads = 0
  const first = readOnce(async function* () {
    reads++
    yield* log.slice(0, 1)
  })
  expect(await first()).toBeUndefined()
  expect(await first()).toBeUndefined()
  const event = { id: 'one' } as RecordedEvent
  log.push(event)
  for (let time = 0; time < 3; time++) expect(await first()).toBe(event)
  expect(reads).toBe(3)
})
