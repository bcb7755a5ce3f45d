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
