import type { EventStore } from '../../events/eventStore.ts'
import { withIncarnations } from '../../events/olderReferences.ts'
import { openSqliteEventStore, type SqliteEventStoreOptions } from '../../events/sqlite/store.ts'

/** The address of the log for another thread: a file or a server. */
export type LogAddress =
  | Pick<SqliteEventStoreOptions, 'path' | 'cacheBytes' | 'durable'>
  | {
      /** Connection string. */
      readonly url: string
      readonly prefix: string
      readonly kinds: readonly string[]
    }

const silent = { debug: () => undefined }

/** Opens a log for following. @returns `look`: makes subscriptions check for new events at once */
export const openLogToFollow = async (address: LogAddress): Promise<EventStore & { look?(): void }> => {
  if ('path' in address) return withIncarnations(openSqliteEventStore({ ...address, readOnly: true }))
  const { openEventStoreDb } = await import('../../events/eventstoredb/store.ts')
  return withIncarnations(openEventStoreDb({ ...address, logger: silent }))
}
