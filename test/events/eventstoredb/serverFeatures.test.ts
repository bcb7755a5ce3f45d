import type { ServerHttp2Stream } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, firstEvents, freshStream } from '../../support/events.ts'
import { eventStoreDbUrl, hasEventStoreDb, openStore, proxied, skippedOutLoud } from '../../support/eventStoreDb.ts'
import { messageOf } from '../../support/eventStoreProtocol.ts'
import { answered, framed, startGrpcServer } from '../../support/grpcServer.ts'
import { ids } from '../contract/support.ts'

skippedOutLoud('eventStoreDbServer.test.ts')

const failing =
  (code: number) =>
  (stream: ServerHttp2Stream): void =>
    stream.respond({ ...answered, 'grpc-status': String(code), 'grpc-message': 'no' }, { endStream: true })

/** Says that it is of this version and has these calls of streams. */
const offering =
  (version: string, ...calls: string[]) =>
  (stream: ServerHttp2Stream): void => {
    const methods = calls.map((methodName) => ({ methodName, serviceName: 'event_store.client.streams.streams' }))
    const answer = { methods, eventStoreServerVersion: version }
    stream.respond(answered, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(framed(messageOf('server_features.SupportedMethods', answer)))
  }

describe('at the start an EventStoreDB', () => {
  test.each([
    ['that knows no batch append', offering('20.10.5', 'read', 'append'), '20.10.5'],
    ['that cannot say what it offers', failing(12), 'of a version before 21.10'],
  ])('%s is refused as too old, by its version', async (_, answer, version) => {
    const refused = openStore({ url: await startGrpcServer(answer) }).ping()
    await expect(refused).rejects.toMatchObject({ name: 'UnsupportedServer' })
    await expect(refused).rejects.toThrow(`The EventStoreDB server, ${version}, is too old`)
  })

  test('an EventStoreDB that is not ready yet is unavailable', async () => {
    await expect(openStore({ url: await startGrpcServer(failing(14)) }).ping()).rejects.toBeInstanceOf(StoreUnavailable)
  })

  test('an EventStoreDB that does not answer is unavailable in bounded time', async () => {
    const began = performance.now()
    await expect(openStore({ url: await startGrpcServer(() => {}), readTimeout: 300 }).ping()).rejects.toBeInstanceOf(
      StoreUnavailable,
    )
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  test.skipIf(!hasEventStoreDb)('of today is taken', async () => {
    const store = openStore()
    await store.ping()
    expect(await collect(store.readAll())).toEqual([])
  })
})

/** Does the one server tell those who discover it an address at which it is reached from here? */
const isDiscoverable = async (): Promise<boolean> => {
  const { host, searchParams } = new URL(eventStoreDbUrl.replace(/^[a-z+]+:/, 'http:'))
  if (searchParams.get('tls') !== 'false') return false
  const gossip = await fetch(`http://${host}/gossip`).then(
    (answer) => answer.json(),
    () => undefined,
  )
  const members = ((gossip as { members?: unknown })?.members ?? []) as {
    httpEndPointIp: string
    httpEndPointPort: number
  }[]
  return (
    members.length === 1 && members.every((member) => `${member.httpEndPointIp}:${member.httpEndPointPort}` === host)
  )
}

describe.skipIf(!hasEventStoreDb)('an EventStoreDB that is discovered', () => {
  const discovering = (url: string): string => url.replace(/^[a-z+]+:/, 'esdb+discover:')

  test('through one of its nodes is written, read and followed; while that is away it is unavailable', async ({
    skip,
  }) => {
    if (!(await isDiscoverable())) {
      console.warn(
        'eventStoreDbServer.test.ts: SKIPPED discovery, since the server names another address than this one.',
      )
      skip()
    }
    const proxy = await proxied({ maxDiscoverAttempts: 1 })
    proxy.refuse()
    const store = openStore({ url: discovering(proxy.url) })
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable)
    await expect(store.append([appendOf(freshStream(), 'no_stream')])).rejects.toBeInstanceOf(StoreUnavailable)
    proxy.resume()
    await store.ping()
    const append = appendOf(freshStream(), 'no_stream', 3)
    await appendOk(store, append)
    expect(ids(await collect(store.readStream(append.stream)))).toEqual(ids(append.events))
    expect(ids(await firstEvents(store, 3))).toEqual(ids(append.events))
  })
})
