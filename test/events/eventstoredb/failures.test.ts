import type { ServerHttp2Stream } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { codec } from '../../../src/events/codec.ts'
import { StoreFailed, type EventStore } from '../../../src/events/eventStore.ts'
import { openStore } from '../../support/eventStoreDb.ts'
import { eventAnswer, messageOf, readMessage } from '../../support/eventStoreProtocol.ts'
import { appendOf, collect, created, freshStream } from '../../support/events.ts'
import { answered, eachMessage, framed, startGrpcServer } from '../../support/grpcServer.ts'

/** Every call of the port. */
const calls: readonly [string, (store: EventStore) => Promise<unknown>][] = [
  ['ping', (store) => store.ping()],
  ['head', (store) => store.head()],
  ['append', (store) => store.append([appendOf(freshStream(), 'no_stream')])],
  ['readStream', (store) => collect(store.readStream(freshStream()))],
  ['revisionOf', async (store) => store.revisionOf(freshStream())],
  ['readAll', (store) => collect(store.readAll({ after: 7n }))],
  ['eventAt', (store) => store.eventAt(7n)],
]

const failing =
  (code: number, message: string) =>
  (stream: ServerHttp2Stream): void =>
    stream.respond({ ...answered, 'grpc-status': String(code), 'grpc-message': message }, { endStream: true })

/** Answers with these bytes, then as a server whose process ends. */
const breakingOff =
  (bytes: Buffer) =>
  (stream: ServerHttp2Stream): void => {
    stream.respond(answered)
    stream.write(bytes)
    setTimeout(() => stream.session?.destroy(), 20)
  }

/** An answer to an append whose error cannot be read. */
const unreadable = (request: Buffer): Buffer => {
  const { correlationId } = readMessage('streams.BatchAppendReq', request)
  const details = {
    type_url: 'type.googleapis.com/event_store.client.WrongExpectedVersion',
    value: Buffer.from('3fffff', 'hex'),
  }
  return framed(messageOf('streams.BatchAppendResp', { correlationId, error: { code: 9, message: 'no', details } }))
}

const garbage = framed(Buffer.from('3fffffffffff', 'hex'))

/** gRPC codes that say nothing of what was asked: as servers give them that start, end, are overloaded or are broken. */
const codes = [
  [1, 'cancelled'],
  [2, 'Exception was thrown by handler. ObjectDisposedException: Cannot access a disposed object.'],
  [4, 'deadline exceeded'],
  [8, 'resources exhausted'],
  [10, 'too slow'],
  [11, 'out of range'],
  [13, 'internal'],
  [14, 'unavailable'],
  [15, 'data loss'],
] as const

describe.each(calls)('%s of an EventStoreDB', (_, call) => {
  const fails = async (answer: (stream: ServerHttp2Stream) => void): Promise<void> => {
    const store = openStore({ url: await startGrpcServer(answer), appendTimeout: 600, readTimeout: 600 })
    await expect(call(store)).rejects.toBeInstanceOf(StoreFailed)
  }

  test.each(codes)('that fails with the code %i (%s) is the failure of the store', (code, message) =>
    fails(failing(code, message)),
  )

  test('that sends what is not a message is the failure of the store', () => fails(breakingOff(garbage)))

  test('that ends in the middle of a message is the failure of the store', () =>
    fails(breakingOff(garbage.subarray(0, 7))))

  test('that answers as a proxy without a server is the failure of the store', () =>
    fails((stream) => stream.respond({ ':status': 502, 'content-type': 'text/html' }, { endStream: true })))
})

test('an answer to an append that cannot be read is the failure of the store', async () => {
  const url = await startGrpcServer((stream, path) => {
    if (!/batchappend/i.test(path)) return failing(14, 'away')(stream)
    stream.respond(answered)
    eachMessage(stream, (request) => stream.write(unreadable(request)))
  })
  const append = openStore({ url, appendTimeout: 600, readTimeout: 600 }).append([
    { ...appendOf(freshStream(), 'no_stream') },
  ])
  await expect(append).rejects.toBeInstanceOf(StoreFailed)
})

test('a message of a stream that breaks off is the failure of the store', async () => {
  const stream = freshStream()
  const bytes = eventAnswer(stream, codec.encode(created({}, { stream })), 7n)
  const url = await startGrpcServer(breakingOff(framed(bytes.subarray(0, bytes.length - 1))))
  const asked = openStore({ url, readTimeout: 600 }).revisionOf(stream)
  await expect(asked).rejects.toBeInstanceOf(StoreFailed)
})
