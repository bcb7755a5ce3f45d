import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../../shared/threads/serveOperations.ts'

/** Number of pages that may be left to the writing connection, and of attempts to get there. */
const maxRemaining = 200
const maxAttempts = 5

const withDatabase =
  <R>(work: (database: DatabaseSync) => R) =>
  (path: string): R => {
    const database = new DatabaseSync(path)
    try {
      return work(database)
    } finally {
      database.close()
    }
  }

const passiveCheckpoint = (database: DatabaseSync) =>
  database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number; checkpointed: number }

/** Moves pages into the file until few are left, while others read and write. @returns pages in the write-ahead log */
const checkpoint = withDatabase((database) => {
  let pages = 0
  for (let time = 0; time < maxAttempts; time++) {
    const { log, checkpointed } = passiveCheckpoint(database)
    pages = log
    if (log - checkpointed <= maxRemaining) break
  }
  return pages
})

/** Moves the remaining pages while nobody writes, so that the next write restarts the log. */
const moveAll = withDatabase((database) => void passiveCheckpoint(database))

const operations = { checkpoint, moveAll }

export type WalOperations = typeof operations

serveThread(operations)
