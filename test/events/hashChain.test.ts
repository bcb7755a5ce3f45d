import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventHash } from '../../src/events/codec.ts'
import { created } from '../support/events.ts'

const stream = 'thing-6c1f0b5e-0000-5000-8000-000000000000'
const event = { ...created({ b: 1, a: 'x' }, { stream, previousHash: 'abc' }), stream, revision: 0n }

describe('the hash of an event', () => {
  test('is the SHA-256 of its canonical text without the hash itself', () => {
    const { metadata, id } = event
    const text =
      `{"data":{"members":{"a":"x","b":1},"name":"something"},"id":"${id}",` +
      `"metadata":{"causationId":"${metadata.causationId}","correlationId":"${metadata.correlationId}",` +
      '"fullyQualifiedName":"somewhere.something","kind":"thing","previousHash":"abc",' +
      `"schemaVersion":${metadata.schemaVersion},` +
      '"time":"2024-05-06T07:08:09.010Z","user":"tester","version":1},' +
      `"revision":"0","stream":"${stream}","type":"Created"}`
    expect(eventHash(event)).toBe(createHash('sha256').update(text).digest('hex'))
    expect(event.metadata.hash).toBe(eventHash(event))
  })

  test('does not depend on the order of members', () => {
    const metadata = Object.fromEntries(Object.entries(event.metadata).toReversed()) as typeof event.metadata
    expect(eventHash({ ...event, metadata })).toBe(event.metadata.hash)
  })

  test.each([
    ['stream', { stream: 'thing-other' }],
    ['revision', { revision: 1n }],
    ['id', { id: 'other' }],
    ['data', { data: { name: 'something', members: { a: 'x', b: 2 } } }],
    ['user', { metadata: { ...event.metadata, user: 'somebody else' } }],
    ['previous hash', { metadata: { ...event.metadata, previousHash: 'abd' } }],
  ])('changes with the %s', (_, change) => {
    expect(eventHash({ ...event, ...change } as typeof event)).not.toBe(event.metadata.hash)
  })
})
