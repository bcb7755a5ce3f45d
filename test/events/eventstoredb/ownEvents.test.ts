import type { ServerHttp2Stream } from 'node:http2'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect, onTestFinished, test } from 'vitest'
import { codec, type EncodedEvent } from '../../../src/events/codec.ts'
import type { EventStore } from '../../../src/events/eventStore.ts'
import type { NewEvent } from '../../../src/events/events.ts'
import { connect } from '../../../src/events/eventstoredb/connection.ts'
import { endOf, type StoredEvent } from '../../../src/events/eventstoredb/ownEvents.ts'
import { openEventStoreDb } from '../../../src/events/eventstoredb/store.ts'
import { subscribe } from '../../../src/events/eventstoredb/subscriptionCall.ts'
import { eventStoreDbUrl, freshPrefix, hasEventStoreDb, openStore, silent } from '../../support/eventStoreDb.ts'
import { appendOf, appendOk, freshStream } from '../../support/events.ts'
import { answered, eachMessage, framed, startGrpcServer } from '../../support/grpcServer.ts'

const { ReadEvent } = streams.ReadResp

interface Placed {
  readonly stream: string
  readonly event: EncodedEvent
  readonly position: bigint
}

const told = ({ stream, event, position }: Placed): Buffer => {
  const recorded = new ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setCommitPosition(String(position))
    .setData(Buffer.from(event.data))
    .setCustomMetadata(Buffer.from(event.metadata))
  recorded.getMetadataMap().set('type', event.type)
  return framed(new streams.ReadResp().setEvent(new ReadEvent().setEvent(recorded)).serializeBinary())
}

const acknowledged = (correlation: shared.UUID | undefined, position: bigint): Buffer => {
  const at = new shared.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position))
  const success = new streams.BatchAppendResp.Success().setCurrentRevision('0').setPosition(at)
  return framed(new streams.BatchAppendResp().setCorrelationId(correlation).setSuccess(success).serializeBinary())
}

const end = ({ stream, event: { type, data, metadata }, position }: Placed): bigint =>
  endOf(position, {
    stream: stream.length,
    type: type.length,
    data: Buffer.byteLength(data),
    metadata: Buffer.byteLength(metadata),
  })

/** A log whose subscription tells only what it is told to, and a store of it; appends are acknowledged where the test says. */
const startSilentLog = async () => {
  const correlations: (shared.UUID | undefined)[] = []
  let arrived = Promise.withResolvers<void>()
  const calls = { append: undefined as ServerHttp2Stream | undefined, read: undefined as ServerHttp2Stream | undefined }
  const url = await startGrpcServer((stream, path) => {
    stream.respond(answered)
    if (path.endsWith('/Read')) calls.read = stream
    else calls.append = stream
    eachMessage(stream, (request) => {
      if (!path.endsWith('/Read'))
        correlations.push(streams.BatchAppendReq.deserializeBinary(request).getCorrelationId())
      arrived.resolve()
    })
  })
  const store = openEventStoreDb({ url, logger: silent })
  onTestFinished(() => store.close())
  const arrival = async (count: number): Promise<void> => {
    while (correlations.length < count) {
      await arrived.promise
      arrived = Promise.withResolvers()
    }
  }
  return {
    store,
    tell: (placed: Placed): void => void calls.read?.write(told(placed)),
    isFollowed: () => calls.read !== undefined,
    /** Begins an append; it is acknowledged with `at`. */
    begin: async (event: Placed['event'], stream: string) => {
      const before = correlations.length
      const appended = appendOk(store, { stream, expected: 'no_stream', events: [decoded(event)] })
      await arrival(before + 1)
      return {
        appended,
        acknowledge: (at: bigint): void => void calls.append?.write(acknowledged(correlations[before], at)),
      }
    },
  }
}

const decoded = ({ id, type, data, metadata }: EncodedEvent): NewEvent =>
  ({ id, type, data: JSON.parse(data), metadata: JSON.parse(metadata) }) as NewEvent

/** A new event in a stream of its own. */
const fresh = (size = 0): Omit<Placed, 'position'> => {
  const stream = freshStream()
  const { events } = appendOf(stream, 'no_stream', 1, { text: 'ü'.repeat(size) })
  return { stream, event: codec.encode(events[0] as NewEvent) }
}

/** Positions that a subscription gives, as they come. */
const following = (store: EventStore) => {
  const over = new AbortController()
  const positions: bigint[] = []
  const ids: string[] = []
  const done = (async () => {
    for await (const { events } of store.subscribe({ after: undefined, signal: over.signal })) {
      positions.push(...events.map(({ position }) => position))
      ids.push(...events.map(({ id }) => id))
    }
  })()
  onTestFinished(async () => {
    over.abort()
    await done
  })
  return { positions, ids }
}

const first: Placed = { ...fresh(), position: 5000n }

/** A log of which a subscriber has been told the first event. */
const startFollowed = async () => {
  const { isFollowed, ...log } = await startSilentLog()
  const given = following(log.store)
  await expect.poll(isFollowed).toBe(true)
  log.tell(first)
  await expect.poll(() => given.positions).toEqual([first.position])
  return { ...log, given }
}

test('what this process appended right behind what was received is given before the store tells of it, and once', async () => {
  const { tell, begin, given } = await startFollowed()
  const own = fresh(10)
  const { appended, acknowledge } = await begin(own.event, own.stream)
  acknowledge(end(first))
  const { position } = await appended
  await expect.poll(() => given.positions).toEqual([5000n, position])
  const next = { ...fresh(), position: end({ ...own, position }) }
  tell({ ...own, position })
  tell(next)
  await expect.poll(() => given.positions).toEqual([5000n, position, next.position])
  expect(given.ids).toEqual([first, own, next].map(({ event }) => event.id))
})

test('answers that come in another order than the log has do not change it', async () => {
  const { begin, given } = await startFollowed()
  const [one, two] = [fresh(3), fresh(7)]
  const [beginOne, beginTwo] = [await begin(one.event, one.stream), await begin(two.event, two.stream)]
  const second = end({ ...one, position: end(first) })
  beginTwo.acknowledge(second)
  await beginTwo.appended
  beginOne.acknowledge(end(first))
  await beginOne.appended
  await expect.poll(() => given.positions).toEqual([5000n, end(first), second])
  expect(given.ids).toEqual([first, one, two].map(({ event }) => event.id))
})

test('behind something of others what this process appended is given when the store has told of that', async () => {
  const { tell, begin, given } = await startFollowed()
  const others = { ...fresh(), position: end(first) }
  const own = fresh()
  const { appended, acknowledge } = await begin(own.event, own.stream)
  acknowledge(end(others))
  const { position } = await appended
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(given.positions).toEqual([5000n])
  tell(others)
  await expect.poll(() => given.positions).toEqual([5000n, others.position, position])
  expect(given.ids).toEqual([first, others, own].map(({ event }) => event.id))
})

test.skipIf(!hasEventStoreDb)(
  'a server has what comes next where the log goes on, and nothing before that',
  async () => {
    const prefix = freshPrefix()
    const store = openStore({ prefix })
    const sizes = Array.from({ length: 60 }, (_, index) => index ** 2)
    await store.append(sizes.map((size) => appendOf(freshStream(), 'no_stream', 1, { text: 'ü'.repeat(size) })))
    const connection = connect(eventStoreDbUrl, silent)
    onTestFinished(() => connection.close())
    const events: StoredEvent[] = []
    const { end: leave } = subscribe(connection, undefined, `^${prefix}.*`, {
      event: (_, read) => events.push(read()),
      reached: () => undefined,
    })
    await expect.poll(() => events.length).toBe(60)
    leave(undefined)
    const gaps = events.slice(1).map(({ position }, index) => position - (events[index] as StoredEvent).end)
    expect(gaps.filter((gap) => gap < 0n)).toEqual([])
    expect(gaps.filter((gap) => gap === 0n).length).toBeGreaterThan(10)
  },
)
