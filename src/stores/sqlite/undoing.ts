import type { DatabaseSync } from 'node:sqlite'

/** Makes what runs work in the open transaction of a database: that is rolled back when the work throws. */
export const makeUndoing =
  (database: DatabaseSync) =>
  <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      try {
        if (database.isTransaction) database.exec('ROLLBACK')
      } catch {
        // The error that led here says more.
      }
      throw error
    }
  }
