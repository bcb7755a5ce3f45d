import type { DatabaseSync } from 'node:sqlite'
import { reasonIn, StoreFailed } from '../errors.ts'
import { closedOnError, codeOf, isDamage } from './openReadOnly.ts'
import { openWritable } from './ownership.ts'

export interface VersionedTables {
  /** Kept in the file's `user_version`; grows with {@link VersionedTables.sql}. */
  readonly version: number
  readonly sql: string
}

/** @returns false in a file that has no tables yet @throws when a newer catalog wrote it */
export const hasTables = (database: DatabaseSync, path: string, { version }: VersionedTables): boolean => {
  const { user_version: found } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (found > version) throw new Error(`${path} was written by a newer catalog (storage version ${found}).`)
  return found !== 0
}

export const createTables = (database: DatabaseSync, { version, sql }: VersionedTables): void =>
  database.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${version}; COMMIT`)

/** Milliseconds to wait for another process. */
export const busyTimeout = 5000

/** Opens a file. @throws StoreFailed, which names it, for errors of SQLite */
export const openNamed = (path: string, open: () => DatabaseSync): DatabaseSync => {
  try {
    return open()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    const advice = isDamage(error) ? 'is damaged: restore it from a backup' : 'cannot be opened'
    throw new StoreFailed(`${path} ${advice} (${reasonIn(error)}).`, { cause: error })
  }
}

/**
 * Opens a file to write, with its tables, which are created when there are none. @throws StoreFailed, and when a newer
 * catalog wrote it
 */
export const openWithTables = (
  path: string,
  tables: VersionedTables,
  tune: (database: DatabaseSync) => void,
): DatabaseSync =>
  openNamed(path, () =>
    closedOnError(openWritable(path, busyTimeout), (database) => {
      tune(database)
      if (!hasTables(database, path, tables)) createTables(database, tables)
    }),
  )
