import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { makeBatch, type AppendBytes } from '../../../src/events/eventstoredb/batchAppend.ts'
import { connectEventStore } from '../../../src/events/eventstoredb/connection.ts'
import { silent } from '../../support/eventStoreDb.ts'
import { written } from '../../support/eventStoreProtocol.ts'
import { answered, eachMessage, framed, startGrpcServer } from '../../support/grpcServer.ts'

/** A server that leaves its first batch call without an answer; the number of its calls, and a connection to it. */
const deafOnce = async () => {
  let calls = 0
  const url = await startGrpcServer((stream) => {
    const call = ++calls
    stream.respond(answered)
    eachMessage(stream, (request) => {
      if (call > 1) stream.write(framed(written(request, BigInt(call))))
    })
  })
  const connection = connectEventStore(url, silent)
  onTestFinished(connection.close)
  return { batch: makeBatch(connection), calls: () => calls }
}

const append: AppendBytes = {
  stream: 'thing-1',
  expected: 'no_stream',
  events: [{ id: crypto.randomUUID(), type: 'Created', data: Buffer.from('{}'), metadata: Buffer.from('{}') }],
}

test('a call that answers nobody is given up, and the next append goes over another one', async () => {
  const { batch, calls } = await deafOnce()
  const waiting = batch.send(append, 60_000)
  await expect.poll(calls).toBe(1)
  const first = batch.send(append, 200)
  await expect(first).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(waiting).rejects.toBeInstanceOf(StoreUnavailable)
  expect(await batch.send(append, 60_000)).toEqual({ ok: true, revision: 0n, position: 2n })
  expect(calls()).toBe(2)
})
