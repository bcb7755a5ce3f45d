import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../../shared/threads/serveOperations.ts'

/** Pages that may be left to the writing connection, and attempts to leave no more than that. */
const few = 200
const times = 5

/** Moves pages into the file until few are left, while others read and write. @returns pages in the write-ahead log */
const checkpoint = (path: string): number => {
  const database = new DatabaseSync(path)
  try {
    const step = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
    let pages = 0
    for (let time = 0; time < times; time++) {
      const { log, checkpointed } = step.get() as { log: number; checkpointed: number }
      pages = log
      if (log - checkpointed <= few) break
    }
    return pages
  } finally {
    database.close()
  }
}

/**
 * Moves the remaining pages while nobody writes, so that the next write restarts the log. @returns whether all are
 * moved
 */
const move = (path: string): boolean => {
  const database = new DatabaseSync(path)
  try {
    return moved(database)
  } finally {
    database.close()
  }
}

const moved = (database: DatabaseSync): boolean => {
  const { log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as Record<string, number>
  return log === checkpointed
}

/** The same, and restarts the log by rewriting an unchanged page, so that this thread waits for the disk. */
const begin = (path: string): void => {
  const database = new DatabaseSync(path)
  try {
    if (!moved(database)) return
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as Record<string, number>
    database.exec(`PRAGMA user_version = ${version}`)
  } finally {
    database.close()
  }
}

const operations = { checkpoint, move, begin }

export type WalOperations = typeof operations

serveThread(operations)
