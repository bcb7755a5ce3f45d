import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { codec as defaultCodec, type Codec } from '../codec.ts'
import { StoreUnavailable } from '../eventStore.ts'
import type { SqliteLog } from './eventTable.ts'
import { makeGroupCommit, type GroupCommit, type GroupCommitOptions } from './groupCommit.ts'
import { newShown, type Shown } from './reads.ts'

/** Brings what was written to the write-ahead log of a database onto the disk, while others go on. */
interface WalSync {
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
const openWalSync = (path: string): WalSync => {
  if (path === ':memory:') return ofMemory
  const file = openSync(`${path}-wal`, 'r+')
  return { sync: () => syncData(file), syncNow: () => fdatasyncSync(file), close: () => closeSync(file) }
}

/** How a log is written, and how far it may be read. */
interface Writer extends GroupCommit {
  close(): void
}

export const onlyReading = (shown: Shown | undefined): Writer => ({
  append: () => Promise.reject(new Error('This event store is open for reading only.')),
  drain: async () => {},
  settled: async () => {},
  failure: () => undefined,
  refusal: () => undefined,
  shown: shown === undefined ? () => Infinity : () => Number(Atomics.load(shown, 0)),
  close: () => {},
})

const openWal = (path: string): WalSync => {
  try {
    return openWalSync(path)
  } catch (error) {
    throw new StoreUnavailable(`${path}-wal cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

export interface WriteOptions {
  /** The file, e.g. `data/log.db`. Created when it does not exist, unless `readOnly`; its folder must exist. */
  readonly path: string
  readonly codec?: Codec
  /** Largest append to one stream, in characters of its JSON texts (default 64 Mi). */
  readonly maxAppendSize?: number
  /**
   * How far the log is on the disk, made by {@link newShown}: told by the store that writes, heeded by those in other
   * threads.
   */
  readonly shown?: Shown
  /** Brings what was committed onto the disk. Default: the system's call. For tests. */
  readonly sync?: () => Promise<void>
}

/** What a process that ended had not synchronised may be in memory alone: it comes into the file first. */
export const beginWriting = (
  log: SqliteLog,
  options: WriteOptions,
  heard: Pick<GroupCommitOptions, 'since' | 'committed'>,
): Writer => {
  const { path, codec = defaultCodec, maxAppendSize = 64 * 2 ** 20, shown = newShown() } = options
  const wal = openWal(path)
  const { sync = wal.sync } = options
  try {
    log.checkpoint()
  } catch {
    // A full disk has no room for it there: then it is enough that it is on the disk, and that is asked for.
    wal.syncNow()
  }
  Atomics.store(shown, 0, BigInt(log.head()))
  const committed: GroupCommitOptions['committed'] = (group) => {
    Atomics.store(shown, 0, group.events.at(-1)?.position ?? 0n)
    heard.committed(group)
  }
  const writer = makeGroupCommit({ log, encode: codec.encode, maxAppendSize, sync, since: heard.since, committed })
  return { ...writer, close: wal.close }
}
