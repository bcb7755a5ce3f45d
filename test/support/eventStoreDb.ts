import { randomBytes } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { onTestFinished } from 'vitest'
import type { EventStore } from '../../src/events/eventStore.ts'
import { openEventStoreDb, type EventStoreDbOptions } from '../../src/events/eventstoredb/store.ts'
import type { StoreUnderTest } from '../events/contract/support.ts'
import { startProxy, type TcpProxy } from './tcpProxy.ts'

/** Connection string of the server to test against; without it those tests are skipped. */
export const eventStoreDbUrl = process.env['CATALOG_TEST_EVENTSTORE_URL'] ?? ''

export const hasEventStoreDb = eventStoreDbUrl !== ''

/** Says once in each file what was not tested. */
export const skippedOutLoud = (file: string): void => {
  if (hasEventStoreDb) return
  console.warn(`${file}: SKIPPED, CATALOG_TEST_EVENTSTORE_URL names no EventStoreDB to test against.`)
}

export const silent = { debug: () => {} }

/** A stream prefix that nobody used before. */
export const freshPrefix = (): string => `t${randomBytes(5).toString('hex')}_`

/** A store of its own, closed when the test has finished. */
export const openStore = (options: Partial<EventStoreDbOptions> = {}): EventStore => {
  const store = openEventStoreDb({ url: eventStoreDbUrl, prefix: freshPrefix(), logger: silent, ...options })
  onTestFinished(() => store.close())
  return store
}

/** For the contract: a log of its own that can be closed and opened again. */
export const storeUnderTest = async (options: Partial<EventStoreDbOptions> = {}): Promise<StoreUnderTest> => {
  const all = { url: eventStoreDbUrl, prefix: freshPrefix(), logger: silent, ...options }
  let store = openEventStoreDb(all)
  await store.ping()
  return {
    store,
    reopen: async () => {
      await store.close()
      store = openEventStoreDb(all)
      return store
    },
    dispose: () => store.close(),
  }
}

/** A proxy in front of the server, and the connection string through it; ended with the test. */
export const proxied = async (
  parameters: Record<string, string | number> = {},
): Promise<TcpProxy & { url: string }> => {
  const url = new URL(eventStoreDbUrl.replace(/^[a-z+]+:/, 'http:'))
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port || 2113) })
  onTestFinished(() => proxy.close())
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value))
  return { ...proxy, url: url.href.replace(/^http:/, 'esdb:') }
}

/** Appends single events to any stream, as another application on the server does. */
export const appendAsOther = async (...streams: readonly string[]): Promise<void> => {
  const client = EventStoreDBClient.connectionString(eventStoreDbUrl)
  // With credentials of its own a call shares nothing with those of another client in the process.
  const credentials = { username: 'other', password: 'other' }
  const event = () => jsonEvent({ type: 'Happened', data: { what: 'something' } })
  for (const stream of streams) await client.appendToStream(stream, [event()], { credentials })
  await client.dispose()
}
