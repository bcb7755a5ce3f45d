import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { makeThreads, ThreadsClosed } from '../../shared/threads/threads.ts'
import type { Operations } from './walCheckpointWorker.ts'

/** Moves what was committed from the write-ahead log of a database into its file, beside the one that writes. */
export interface Checkpoints {
  /** To be called by the connection that writes, after each commit. */
  committed(): void
  /** To be waited for before each transaction of the connection that writes: the log is made ready to begin again. */
  due(): Promise<void> | undefined
  /** To be called before the connection is closed. */
  close(): Promise<void>
}

/**
 * What the thread does when the write-ahead log is to begin again: it moves what is left, or also begins again, so that
 * the connection does not wait for the disk, but forgets its pages of the file.
 */
export type Left = 'move' | 'begin'

/**
 * Rows that are changed before it is done again, by default: some tens of MiB of pages, each moved once. The log's sync
 * waits for the disk behind four times as many for a third of a second.
 */
const usualChanges = 5000

/** Pages of a write-ahead log worth beginning again: that takes the connection that writes some syncs. */
const long = 16_000

const usualPatience = 1000

export interface CheckpointsPace {
  /** Rows that are changed before it is done again. */
  readonly enough: number
  /** Milliseconds that writes wait for it to begin again; after that they go on, and it grows a little more. */
  readonly patience: number
}

/** Milliseconds that one may take, and those without any after which the thread ends and gives its memory back. */
const timeout = 600_000
const rest = 60_000

/**
 * A checkpoint of many pages takes tenths of a second, on a busy disk seconds: so a thread makes it, and what is
 * written meanwhile is left over. Once the log is long, writes wait while the thread does that little, so that the log
 * begins again. `PRAGMA wal_autocheckpoint` stays for when the thread cannot keep up.
 */
export const makeCheckpoints = (
  database: DatabaseSync,
  path: string,
  left: Left,
  { enough = usualChanges, patience = usualPatience }: Partial<CheckpointsPace> = {},
): Checkpoints => {
  const threads = makeThreads<Operations>({
    module: new URL('./walCheckpointWorker', import.meta.url),
    count: 1,
    timeout,
    rest,
    grace: timeout,
  })
  const changed = database.prepare('SELECT total_changes() AS n')
  const changes = (): number => Number(changed.get()?.['n'])
  let state: 'idle' | 'running' | 'nearly' = 'idle'
  let last = changes()
  const run = async (): Promise<void> => {
    state = 'running'
    last = changes()
    try {
      state = (await threads.run('checkpoint', [path])) >= long ? 'nearly' : 'idle'
    } catch (error) {
      // What it could not do is left to the next one, and in the end to the connection that writes.
      if (!(error instanceof ThreadsClosed)) state = 'idle'
    }
  }
  /** What does not come to its end, or not in time, is left to the next one. */
  const finish = async (): Promise<void> => {
    state = 'running'
    const done: Promise<unknown> = threads.run(left, [path]).catch(() => {
      last = changes() - enough
    })
    void done.then(() => (state = 'idle'))
    await Promise.race([done, delay(patience, undefined, { ref: false })])
  }
  return {
    due: () => (state === 'nearly' ? finish() : undefined),
    committed: () => {
      if (state === 'idle' && changes() - last >= enough) void run()
    },
    close: threads.close,
  }
}
