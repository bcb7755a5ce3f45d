import type { ServerHttp2Stream } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../src/events/eventStore.ts'
import { appendOf, appendOk, collect, firstEvents, freshStream } from '../../support/events.ts'
import { eventStoreDbUrl, hasEventStoreDb, openStore, proxied, skippedOutLoud } from '../../support/eventStoreDb.ts'
import { answered, startGrpcServer } from '../../support/grpcServer.ts'
import { ids } from '../contract/support.ts'

skippedOutLoud('server.test.ts')

const failing =
  (code: number) =>
  (stream: ServerHttp2Stream): void =>
    stream.respond({ ...answered, 'grpc-status': String(code), 'grpc-message': 'no' }, { endStream: true })

describe('at the start an EventStoreDB', () => {
  test('that knows no batch append is refused as too old when something is appended', async () => {
    const answer = (stream: ServerHttp2Stream, path: string) => failing(/batchappend/i.test(path) ? 12 : 0)(stream)
    const refused = openStore({ url: await startGrpcServer(answer) }).append([appendOf(freshStream(), 'no_stream')])
    await expect(refused).rejects.toMatchObject({ name: 'UnsupportedServer' })
    await expect(refused).rejects.toThrow('does not take a call of EventStoreDB 23.10')
  })

  test('that knows no call is refused as too old', async () => {
    const refused = openStore({ url: await startGrpcServer(failing(12)) }).ping()
    await expect(refused).rejects.toMatchObject({ name: 'UnsupportedServer' })
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
      console.warn('server.test.ts: SKIPPED discovery, since the server names another address than this one.')
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
