import { expect, test } from 'vitest'
import type { EventStore } from '../../src/events/eventStore.ts'
import type { RecordedEvent } from '../../src/events/events.ts'
import { withIncarnations } from '../../src/events/legacyReferences.ts'

test('the first event is looked for until there is one, and never again', async () => {
  const log: RecordedEvent[] = []
  let reads = 0
  const { first } = withIncarnations({
    first: async () => {
      reads++
      return log[0]
    },
  } as EventStore)
  expect(await first()).toBeUndefined()
  expect(await first()).toBeUndefined()
  const event = { id: 'one' } as RecordedEvent
  log.push(event)
  for (let time = 0; time < 3; time++) expect(await first()).toBe(event)
  expect(reads).toBe(3)
})
