import { once } from 'node:events'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { makeBatch, type AppendBytes } from '../../../src/events/eventstoredb/batchAppend.ts'
import { connect } from '../../../src/events/eventstoredb/connection.ts'
import { silent } from '../../support/eventStoreDb.ts'

/** Calls `take` with each gRPC message that arrives. */
const eachMessage = (stream: ServerHttp2Stream, take: (message: Buffer) => void): void => {
  let received: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 5 && received.length >= 5 + received.readUInt32BE(1)) {
      const end = 5 + received.readUInt32BE(1)
      take(received.subarray(5, end))
      received = received.subarray(end)
    }
  })
}

/** Says that the append was written, at this position. */
const written = (request: Buffer, position: number): Buffer => {
  const correlation = streams.BatchAppendReq.deserializeBinary(request).getCorrelationId()
  const at = new shared.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position))
  const success = new streams.BatchAppendResp.Success().setCurrentRevision('0').setPosition(at)
  const message = new streams.BatchAppendResp().setCorrelationId(correlation).setSuccess(success).serializeBinary()
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** A server that leaves its first batch call without an answer; the number of its calls, and a connection to it. */
const deafOnce = async () => {
  let calls = 0
  const sessions = new Set<{ destroy(): void }>()
  const server = createServer()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream) => {
    const call = ++calls
    stream.on('error', () => {})
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' })
    eachMessage(stream, (request) => {
      if (call > 1) stream.write(written(request, call))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = connect(`esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`, silent)
  onTestFinished(async () => {
    await connection.close()
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { batch: makeBatch(connection), calls: () => calls }
}

const append: AppendBytes = {
  stream: 'thing-1',
  expected: 'no_stream',
  size: 4,
  events: [{ id: crypto.randomUUID(), type: 'Created', data: Buffer.from('{}'), metadata: Buffer.from('{}') }],
}

test('a call that answers nobody is given up, and the next append goes over another one', async () => {
  const { batch, calls } = await deafOnce()
  const waiting = batch.send(append, 60_000)
  const first = batch.send(append, 200)
  await expect(first).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(waiting).rejects.toBeInstanceOf(StoreUnavailable)
  expect(await batch.send(append, 60_000)).toEqual({ ok: true, revision: 0n, position: 2n })
  expect(calls()).toBe(2)
})
