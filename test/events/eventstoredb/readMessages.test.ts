import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import fc from '../../support/fastCheck.ts'
import { expect, test } from 'vitest'
import { endOf } from '../../../src/events/eventstoredb/ownEvents.ts'
import { BrokenMessage } from '../../../src/events/eventstoredb/wire/wireFormat.ts'
import { readMessage } from '../../../src/events/eventstoredb/wire/readMessages.ts'

const { ReadEvent, Checkpoint } = streams.ReadResp

const events = fc.record({
  id: fc.uuid(),
  structured: fc.boolean(),
  stream: fc.string({ unit: 'binary', maxLength: 300 }),
  revision: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  position: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  type: fc.string({ unit: 'binary' }),
  data: fc.string({ unit: 'binary', maxLength: 40_000, size: 'max' }),
  metadata: fc.string({ unit: 'binary' }),
  others: fc.dictionary(
    fc.string().filter((key) => key !== 'type'),
    fc.string(),
  ),
})

type Event = typeof events extends fc.Arbitrary<infer E> ? E : never

const uuidOf = ({ id, structured }: Event): shared.UUID => {
  if (!structured) return new shared.UUID().setString(id)
  const digits = id.replaceAll('-', '')
  const bits = (from: number): string => String(BigInt.asIntN(64, BigInt(`0x${digits.slice(from, from + 16)}`)))
  const both = new shared.UUID.Structured().setMostSignificantBits(bits(0)).setLeastSignificantBits(bits(16))
  return new shared.UUID().setStructured(both)
}

/** As the client's own code writes it. */
const written = (event: Event): Buffer => {
  const recorded = new ReadEvent.RecordedEvent()
    .setId(uuidOf(event))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(String(event.revision))
    .setPreparePosition(String(event.position))
    .setCommitPosition(String(event.position))
    .setData(Buffer.from(event.data))
    .setCustomMetadata(Buffer.from(event.metadata))
  for (const [key, value] of Object.entries(event.others)) recorded.getMetadataMap().set(key, value)
  recorded.getMetadataMap().set('type', event.type)
  const read = new ReadEvent().setEvent(recorded).setCommitPosition(String(event.position))
  return Buffer.from(new streams.ReadResp().setEvent(read).serializeBinary())
}

test('an event is read as it was written', () => {
  fc.assert(
    fc.property(events, (event) => {
      const { others: _, structured: __, ...parts } = event
      const message = readMessage(written(event))
      const [stream = 0, type = 0, data = 0, metadata = 0] = [event.stream, event.type, event.data, event.metadata].map(
        (text) => Buffer.byteLength(text),
      )
      const end = endOf(event.position, { stream, type, data, metadata })
      expect(message.position).toBe(event.position)
      expect(message.checkpoint).toBeUndefined()
      expect(message.event()).toEqual({ ...parts, end })
    }),
    { numRuns: 200 },
  )
})

test('a report of progress is read as it was written, and other messages say nothing', () => {
  for (const position of [0n, 1n, 127n, 128n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    const checkpoint = new Checkpoint().setCommitPosition(String(position)).setPreparePosition('7')
    const message = readMessage(Buffer.from(new streams.ReadResp().setCheckpoint(checkpoint).serializeBinary()))
    expect([message.position, message.checkpoint]).toEqual([undefined, position])
  }
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('abc')
  const other = readMessage(Buffer.from(new streams.ReadResp().setConfirmation(confirmation).serializeBinary()))
  expect([other.position, other.checkpoint]).toEqual([undefined, undefined])
})

test('a message that breaks off is no message', () => {
  const [event] = fc.sample(events, 1)
  const whole = written({ ...(event as Event), data: 'x'.repeat(300) })
  for (const length of [1, 2, 10, whole.length - 1])
    expect(() => readMessage(whole.subarray(0, length))).toThrow(BrokenMessage)
})
