import { realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Every connection of this process that has executed something; to be imported before the first one is opened. */
const connections = new Set<DatabaseSync>()
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  connections.add(this)
  exec.call(this, sql)
}

/** Limits the size of an open file, in pages, for all connections of this thread, as a full disk would. */
export const limitPages = (path: string, pages: number): void => {
  for (const database of connections) {
    if (!database.isOpen) connections.delete(database)
    else if (database.location() === realpathSync(path)) exec.call(database, `PRAGMA max_page_count = ${pages}`)
  }
}

/** Lets the commit of the open transaction of a file fail, as a failing disk would. @returns whether there is one */
export const failCommit = (path: string): boolean => {
  const [database] = [...connections].filter(
    (each) => each.isOpen && each.isTransaction && each.location() === realpathSync(path),
  )
  database?.exec(`CREATE TABLE IF NOT EXISTS present (n INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS missing (n REFERENCES present (n) DEFERRABLE INITIALLY DEFERRED); INSERT INTO missing VALUES (1)`)
  return database !== undefined
}
