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

/** Moves the remaining pages while nobody writes, so that the next write restarts the log. @returns whether all are moved */
const moveAll = (database: DatabaseSync): boolean => {
  const { log, checkpointed } = passiveCheckpoint(database)
  return log === checkpointed
}

/** Moves the remaining pages and restarts the log by rewriting an unchanged page: this thread waits for the disk. */
const begin = withDatabase((database) => {
  if (!moveAll(database)) return
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as Record<string, number>
  database.exec(`PRAGMA user_version = ${version}`)
})

const operations = { checkpoint, move: withDatabase(moveAll), begin }

export type WalOperations = typeof operations

serveThread(operations)
