import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { makeThreads, ThreadsClosed } from '../../shared/threads/threads.ts'
import { countChanges } from './transactions.ts'
import type { WalOperations } from './walCheckpointWorker.ts'

/**
 * Default number of changed rows between checkpoints: some tens of MiB of pages, each moved once. With four times as
 * many the sync of the log waits for the disk for a third of a second.
 */
const defaultChanges = 5000

/** Number of pages from which a write-ahead log is restarted, which costs the writing connection some syncs. */
const restartPages = 16_000

interface CheckpointsPace {
  /** Number of changed rows between checkpoints. */
  readonly changesPerRun: number
  /** Milliseconds that writes wait for the restart; after that they continue and the log grows (default 1,000). */
  readonly maxWait: number
}

/** Timeout of one checkpoint in milliseconds, and idle time after which the thread ends. */
const timeout = 600_000
const idleTimeout = 60_000

/**
 * Moves committed pages from the write-ahead log into the database file, in a thread of its own.
 * A checkpoint of many pages takes tenths of a second, on a busy disk seconds, so a thread makes it while writes
 * continue. Once the log is long, writes wait until the thread has moved the rest, so that the next one restarts it. `PRAGMA
 * wal_autocheckpoint` remains as a fallback.
 */
export const makeCheckpoints = (
  database: DatabaseSync,
  path: string,
  { changesPerRun = defaultChanges, maxWait = 1000 }: Partial<CheckpointsPace> = {},
) => {
  const threads = makeThreads<WalOperations>({
    module: new URL('./walCheckpointWorker', import.meta.url),
    count: 1,
    timeout,
    idleTimeout,
    grace: timeout,
  })
  const changes = countChanges(database)
  let state: 'idle' | 'running' | 'nearly' = 'idle'
  let last = changes()
  const run = async (): Promise<void> => {
    state = 'running'
    last = changes()
    try {
      state = (await threads.run('checkpoint', [path])) >= restartPages ? 'nearly' : 'idle'
    } catch (error) {
      // The next checkpoint, or finally the writing connection, does the rest.
      if (!(error instanceof ThreadsClosed)) state = 'idle'
    }
  }
  /** An unfinished checkpoint is left to the next one. */
  const finish = async (): Promise<void> => {
    state = 'running'
    const done: Promise<unknown> = threads.run('checkpoint', [path]).catch(() => {
      last = changes() - changesPerRun
    })
    void done.then(() => (state = 'idle'))
    await Promise.race([done, delay(maxWait, undefined, { ref: false })])
  }
  return {
    /** Await this before each transaction of the writing connection: the log may be about to restart. */
    beforeTransaction: () => (state === 'nearly' ? finish() : undefined),
    /** Call this on the writing connection after each commit. */
    committed: (): void => {
      if (state === 'idle' && changes() - last >= changesPerRun) void run()
    },
    /** Resolves when the thread uses the file no more. */
    close: threads.close,
  }
}
