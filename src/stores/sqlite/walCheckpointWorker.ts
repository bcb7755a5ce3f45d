import { DatabaseSync } from 'node:sqlite'
import { serve } from '../../shared/threads/serveOperations.ts'

/** Pages that may be left for the connection that writes, and times that it is tried to leave no more. */
const few = 200
const times = 5

/** Moves pages into the file until few are left, while others read and write. @returns pages of the write-ahead log */
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

/** Moves what is left, while nobody writes: the next write begins the log again. @returns whether all is moved */
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

/** The same, and begins it again with a page that stays as it is, so that the disk is waited for here. */
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

export type Operations = typeof operations

serve(operations)
