import { codec as defaultCodec } from '../codec.ts'
import { StoreUnavailable } from '../eventStore.ts'
import type { SqliteLog } from './eventTable.ts'
import { makeGroupCommit, type GroupCommit, type GroupCommitOptions } from './groupCommit.ts'
import { newShown, type Shown } from './shown.ts'
import type { SqliteEventStoreOptions } from './store.ts'
import { openWalSync, type WalSync } from './walSync.ts'

/** How a log is written, and how far it may be read. */
interface Writing extends GroupCommit {
  close(): void
}

export const onlyReading = (shown: Shown | undefined): Writing => ({
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

type WritingOptions = Pick<SqliteEventStoreOptions, 'path' | 'codec' | 'maxAppendSize' | 'shown' | 'sync'>

/** What a process that ended had not synchronised may be in memory alone: it comes into the file first. */
export const beginWriting = (
  log: SqliteLog,
  options: WritingOptions,
  heard: Pick<GroupCommitOptions, 'since' | 'committed'>,
): Writing => {
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
