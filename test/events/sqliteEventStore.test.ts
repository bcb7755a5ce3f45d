import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteEventStore } from '../../src/events/sqliteEventStore.ts'
import { eventStoreContract } from './eventStoreContract.ts'

eventStoreContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-log-'))
  const path = join(folder, 'log.db')
  let store = openSqliteEventStore({ path })
  return {
    store,
    reopen: async () => {
      await store.close()
      store = openSqliteEventStore({ path })
      return store
    },
    dispose: async () => {
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
})
