import type { DatabaseSync } from 'node:sqlite'

/** Makes a function that runs work in the open transaction of a database and rolls it back when the work throws. */
export const makeUndoing =
  (database: DatabaseSync) =>
  <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      try {
        if (database.isTransaction) database.exec('ROLLBACK')
      } catch {
        // The original error says more.
      }
      throw error
    }
  }
