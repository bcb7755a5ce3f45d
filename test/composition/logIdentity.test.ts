import { expect, test } from 'vitest'
import { readConfig } from '../../src/composition/settings/config.ts'
import type { Engines } from '../../src/composition/engines.ts'
import { claimForLog, LogMismatch } from '../../src/composition/logIdentity.ts'

const config = {
  ...readConfig({ CATALOG_JWT_SECRET: 'x'.repeat(40) }),
  eventStoreUrl: 'esdb://log:2113',
  mongodbUrl: 'mongodb://rows/catalog',
}

/** A log and a database; `read` is called when somebody has asked what the database remembers. */
const makeStores = (read = (): void => {}) => {
  const stores: { first?: string; known?: string } = {}
  const engines = {
    log: {
      first: async () => (stores.first === undefined ? undefined : { id: stores.first }),
    },
    readModels: {
      identity: {
        read: async () => {
          read()
          return stores.known
        },
        claim: async (first: string) => (stores.known ??= first),
      },
    },
  } as unknown as Engines
  return { stores, engines }
}

test('a database is claimed by whoever comes first, and another log is refused', async () => {
  const { stores, engines } = makeStores()
  await claimForLog(config, engines)
  expect(stores.known).toBeUndefined()
  stores.first = 'one'
  await claimForLog(config, engines)
  expect(stores.known).toBe('one')
  stores.first = 'two'
  await expect(claimForLog(config, engines)).rejects.toBeInstanceOf(LogMismatch)
})

test('processes that start together on an empty log do not take it for another one', async () => {
  const { stores, engines } = makeStores(() => {
    stores.first = 'one'
    stores.known = 'one'
  })
  await claimForLog(config, engines)
  expect(stores.known).toBe('one')
})
