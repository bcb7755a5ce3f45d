import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../../shared/threads/serveOperations.ts'

/** Number of pages that may be left to the writing connection, and of attempts to get there. */
const maxRemaining = 200
const maxAttempts = 5

/**
 * Moves pages into the file until few are left, while others read and write; where nobody writes, all of them.
 * @returns pages in the write-ahead log
 */
const checkpoint = (path: string): number => {
  const database = new DatabaseSync(path)
  try {
    let pages = 0
    for (let time = 0; time < maxAttempts; time++) {
      const passive = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
      const { log, checkpointed } = passive.get() as { log: number; checkpointed: number }
      pages = log
      if (log - checkpointed <= maxRemaining) break
    }
    return pages
  } finally {
    database.close()
  }
}

const operations = { checkpoint }

export type WalOperations = typeof operations

serveThread(operations)
