import { expect, onTestFinished, test } from 'vitest'
import { codec } from '../../../src/events/codec.ts'
import type { RecordedEvent } from '../../../src/events/events.ts'
import { connectEventStore } from '../../../src/events/eventstoredb/connection.ts'
import { makeStreamNames } from '../../../src/events/eventstoredb/prefixedNames.ts'
import { followLog, LogOutOfOrder } from '../../../src/events/eventstoredb/subscription.ts'
import { freshPrefix, hasEventStoreDb, openStore, silent, skippedOutLoud } from '../../support/eventStoreDb.ts'
import { checkpointAnswer, eventAnswer } from '../../support/eventStoreProtocol.ts'
import { appendOf, appendOk, created, freshStream } from '../../support/events.ts'
import { answered, framed, startGrpcServer } from '../../support/grpcServer.ts'
import { increasing } from '../contract/support.ts'

skippedOutLoud('subscription.test.ts')

/** What a server says: `event 3`, or `checkpoint 7`, up to which it has looked through the log. */
const said = (text: string): Buffer => {
  const [what, at] = text.split(' ')
  const position = BigInt(at ?? '')
  if (what === 'checkpoint') return framed(checkpointAnswer(position))
  const stream = freshStream()
  return framed(eventAnswer(stream, codec.encode(created({}, { stream })), position))
}

/** What a subscription hears of what a server says, until it has heard `enough`, and what ends it before. */
const told = async (from: bigint | undefined, all: string, enough = Infinity) => {
  const url = await startGrpcServer((stream) => {
    stream.respond(answered)
    for (const each of all.split(', ')) stream.write(said(each))
  })
  const connection = connectEventStore(url, silent)
  onTestFinished(connection.close)
  const over = new AbortController()
  const heard: string[] = []
  const options = {
    connection,
    codec,
    names: makeStreamNames('', undefined),
    readTimeout: 5000,
    quietCheck: 60_000,
    head: async () => undefined,
    reader: { firstAt: async () => undefined },
    passed: (_: bigint | undefined, to: bigint, newest: bigint | undefined) => {
      heard.push(`${newest === undefined ? 'checkpoint' : 'event'} ${to}`)
      if (heard.length >= enough) over.abort()
    },
  }
  const following = Array.fromAsync(followLog(options, { after: from, signal: over.signal }))
  const reason: unknown = await following.then(
    () => undefined,
    (error: unknown) => error,
  )
  return { reason, heard }
}

test('what the server says comes in its order, and what it repeats of its progress is left out', async () => {
  const all = 'event 3, checkpoint 3, checkpoint 7, event 9, checkpoint 8, event 12'
  const { heard } = await told(undefined, all, 4)
  expect(heard).toEqual(['event 3', 'checkpoint 7', 'event 9', 'event 12'])
})

test.each([
  ['behind a report of progress', undefined, 'checkpoint 7, event 5'],
  ['behind a later event', undefined, 'event 7, event 5'],
  ['before the position that was asked for', 6n, 'event 5'],
])('an event %s ends the subscription, since a reader may have missed it', async (_, from, all) => {
  const { reason, heard } = await told(from, all)
  expect(reason).toBeInstanceOf(LogOutOfOrder)
  expect(heard).not.toContain('event 5')
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
