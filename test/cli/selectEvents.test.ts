import { expect, test } from 'vitest'
import { selectEvents } from '../../src/cli/command/selectEvents.ts'
import { streamName, type RecordedEvent } from '../../src/events/events.ts'
import type { EventStore } from '../../src/events/eventStore.ts'
import { entityId } from '../../src/kinds/names.ts'
import { created } from '../support/events.ts'

/** A log in which these domains were created, in this order. */
const logOf = (...names: string[]): EventStore => {
  const events = names.map((fullyQualifiedName, index): RecordedEvent => {
    const event = created()
    const metadata = { ...event.metadata, kind: 'domain', fullyQualifiedName }
    const stream = streamName('domain', entityId('domain', fullyQualifiedName))
    return { ...event, stream, revision: 0n, position: BigInt(index + 1), metadata }
  })
  return {
    revisionOf: async (stream: string) => events.find((each) => each.stream === stream)?.revision,
    readStream: async function* (stream: string) {
      yield* events.filter((each) => each.stream === stream)
    },
  } as unknown as EventStore
}

const selected = async (log: EventStore, entity: string): Promise<string[]> =>
  (await Array.fromAsync(selectEvents(log, { entity }, () => undefined))).map(
    ({ metadata }) => metadata.fullyQualifiedName,
  )

test('a name that can be read in two ways means one entity: the quoted one only where there is no other', async () => {
  const both = logOf('"a.b"', 'a.b')
  expect(await selected(both, 'domain:a.b')).toEqual(['a.b'])
  expect(await selected(both, 'domain:"a.b"')).toEqual(['"a.b"'])
  expect(await selected(logOf('"a.b"'), 'domain:a.b')).toEqual(['"a.b"'])
})
