import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect, onTestFinished, test } from 'vitest'
import { codec } from '../../../src/events/codec.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { connect } from '../../../src/events/eventstoredb/connection.ts'
import { LogOutOfOrder, subscribe } from '../../../src/events/eventstoredb/subscriptionCall.ts'
import { freshPrefix, hasEventStoreDb, openStore, silent, skippedOutLoud } from '../../support/eventStoreDb.ts'
import { appendOf, appendOk, created, freshStream } from '../../support/events.ts'
import { answered, framed, startGrpcServer } from '../../support/grpcServer.ts'
import { increasing } from '../contract/support.ts'

skippedOutLoud('subscription.test.ts')

const { ReadEvent, Checkpoint } = streams.ReadResp

/** What a server says: an event at this position, or that it has looked through the log up to there. */
type Said = readonly ['event' | 'checkpoint', number]

const messageOf = ([what, position]: Said): Buffer => {
  const message = new streams.ReadResp()
  if (what === 'checkpoint') {
    return framed(message.setCheckpoint(new Checkpoint().setCommitPosition(String(position))).serializeBinary())
  }
  const { id, type, data, metadata } = codec.encode(created())
  const event = new ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(freshStream())))
    .setCommitPosition(String(position))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(metadata))
  event.getMetadataMap().set('type', type)
  return framed(message.setEvent(new ReadEvent().setEvent(event)).serializeBinary())
}

/** What a subscription tells of what a server says, and what ends it. */
const told = async (from: bigint | undefined, said: readonly Said[]) => {
  const url = await startGrpcServer((stream) => {
    stream.respond(answered, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    for (const each of said) stream.write(messageOf(each))
    stream.end()
  })
  const connection = connect(url, silent)
  onTestFinished(() => connection.close())
  const heard: Said[] = []
  const { ended } = subscribe(connection, from, '.*', {
    event: (position) => heard.push(['event', Number(position)]),
    reached: (position) => heard.push(['checkpoint', Number(position)]),
  })
  return { reason: await ended, heard }
}

test('what the server says comes in its order, and what it repeats of its progress is left out', async () => {
  const said: Said[] = [
    ['event', 3],
    ['checkpoint', 3],
    ['checkpoint', 7],
    ['event', 9],
    ['checkpoint', 8],
    ['event', 12],
  ]
  const { heard } = await told(undefined, said)
  expect(heard).toEqual([
    ['event', 3],
    ['checkpoint', 7],
    ['event', 9],
    ['event', 12],
  ])
})

test.each<[string, bigint | undefined, Said[]]>([
  [
    'behind a report of progress',
    undefined,
    [
      ['checkpoint', 7],
      ['event', 5],
    ],
  ],
  [
    'behind a later event',
    undefined,
    [
      ['event', 7],
      ['event', 5],
    ],
  ],
  ['before the position that was asked for', 6n, [['event', 5]]],
])('an event %s ends the subscription, since a reader may have missed it', async (_, from, said) => {
  const { reason, heard } = await told(from, said)
  expect(reason).toBeInstanceOf(LogOutOfOrder)
  expect(heard).not.toContainEqual(['event', 5])
})

test.skipIf(!hasEventStoreDb)(
  'a subscriber that is slower than the store gets every event, also where reports of progress come in between',
  async () => {
    const prefix = freshPrefix()
    const [store, others] = [openStore({ prefix, kinds: ['thing'] }), openStore({ prefix, kinds: ['other'] })]
    for (let index = 0; index < 60; index++) {
      const strangers = Array.from({ length: 7 }, () => appendOf(freshStream('other'), 'no_stream', 100))
      await Promise.all([store.append([appendOf(freshStream(), 'no_stream', 100)]), others.append(strangers)])
    }
    const head = (await store.head()) as bigint
    const controller = new AbortController()
    const events: RecordedEvent[] = []
    for await (const batch of store.subscribe({ after: undefined, signal: controller.signal, batchSize: 100 })) {
      // The subscription is held long before these writes have been answered.
      if (events.length === 0)
        for (let step = 0; step < 500; step++) await appendOk(others, appendOf(freshStream('other'), 'no_stream'))
      events.push(...batch.events)
      if (batch.position >= head) controller.abort()
    }
    expect(events).toHaveLength(6000)
    expect(increasing(events)).toBe(true)
  },
)
