import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** Brings what was written to the write-ahead log of a database onto the disk, while others go on. */
export interface WalSync {
  /** Resolves when everything that was committed before the call is on the disk. */
  sync(): Promise<void>
  /** The same, and nobody goes on meanwhile. */
  syncNow(): void
  close(): void
}

const syncData = promisify(fdatasync)

/** What is in memory alone is on no disk. */
const ofMemory: WalSync = { sync: async () => {}, syncNow: () => {}, close: () => {} }

/**
 * @param path of the database, open in this process until this is closed: else SQLite may remove the write-ahead log
 */
export const openWalSync = (path: string): WalSync => {
  if (path === ':memory:') return ofMemory
  const file = openSync(`${path}-wal`, 'r+')
  return { sync: () => syncData(file), syncNow: () => fdatasyncSync(file), close: () => closeSync(file) }
}
