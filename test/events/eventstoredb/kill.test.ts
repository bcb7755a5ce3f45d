import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEventStoreDb } from '../../../src/events/eventstoredb/store.ts'
import { StoreUnavailable, type EventStore } from '../../../src/events/eventStore.ts'
import { eventStoreDbUrl, freshPrefix, silent } from '../../support/eventStoreDb.ts'
import { appendOf, collect, collectUntil, freshStream } from '../../support/events.ts'

/** Shell command that kills the server with signal 9, and, in it or after it, one that starts it again on the same data. */
const { CATALOG_TEST_EVENTSTORE_KILL: killCommand = '', CATALOG_TEST_EVENTSTORE_START: startCommand = '' } = process.env

/** Server that the command kills; best one that no other test uses. */
const url = process.env['CATALOG_TEST_EVENTSTORE_KILL_URL'] ?? eventStoreDbUrl

const possible = killCommand !== '' && url !== ''
if (!possible) {
  console.warn('eventStoreDbKill.test.ts: SKIPPED, CATALOG_TEST_EVENTSTORE_KILL names no command to kill a server.')
}

/** Creates streams until told to stop; gives the ids that were acknowledged and those whose fate is unknown. */
const writeUntil = async (store: EventStore, stop: () => boolean) => {
  const acknowledged = new Set<string>()
  const unknown = new Set<string>()
  const one = async (): Promise<void> => {
    while (!stop()) {
      const append = appendOf(freshStream(), 'no_stream', 3)
      const kept = await store.append([append]).then(
        () => acknowledged,
        (error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error
          return unknown
        },
      )
      for (const { id } of append.events) kept.add(id)
    }
  }
  await Promise.all(Array.from({ length: 32 }, one))
  return { acknowledged, unknown }
}

test.skipIf(!possible)('a server killed under load loses nothing acknowledged, and subscriptions go on', async () => {
  const store = openEventStoreDb({ url, prefix: freshPrefix(), logger: silent })
  await store.ping()
  let stop = false
  const seen: string[] = []
  const controller = new AbortController()
  const following = collectUntil(
    store,
    undefined,
    ({ id }) => seen.push(id) > 0,
    () => controller.signal.aborted,
  )
  const writing = writeUntil(store, () => stop)
  for (let round = 0; round < 3; round++) {
    const count = seen.length
    while (seen.length < count + 500) await store.ping().catch(() => undefined)
    await promisify(exec)(killCommand)
    if (startCommand !== '') await promisify(exec)(startCommand)
  }
  const count = seen.length
  while (seen.length < count + 500) await store.ping().catch(() => undefined)
  stop = true
  const { acknowledged, unknown } = await writing
  const log = (await collect(store.readAll())).map(({ id }) => id)
  controller.abort()
  await store.append([appendOf(freshStream(), 'no_stream')])
  await following
  expect(new Set(log).size).toBe(log.length)
  expect([...acknowledged].filter((id) => !log.includes(id))).toEqual([])
  expect(log.filter((id) => !acknowledged.has(id) && !unknown.has(id))).toEqual([])
  expect(seen.slice(0, log.length)).toEqual(log)
  expect(acknowledged.size).toBeGreaterThan(1000)
  await store.close()
})
