import { DatabaseSync } from 'node:sqlite'
import { getHeapSpaceStatistics } from 'node:v8'
import { threadId } from 'node:worker_threads'
import { getPriority } from 'node:os'
import { lowerPriority } from '../../../src/shared/threads/lowerPriority.ts'
import { serveThread } from '../../../src/shared/threads/serveOperations.ts'

/** What threads of tests can do. */
const operations = {
  threadId: () => threadId,
  /** How nice the thread is before and after it gives way. */
  giveWay: () => {
    const before = getPriority()
    lowerPriority()
    return { before, after: getPriority() }
  },
  /** The most MiB for young objects while there were very many: it may shrink again. */
  young: () => {
    let most = 0
    let kept: unknown[] = []
    for (let count = 0; count < 3_000_000; count++) {
      kept.push({ count, text: String(count) })
      if (kept.length <= 300_000) continue
      const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
      most = Math.max(most, young?.space_size ?? 0)
      kept = []
    }
    return most / 2 ** 20
  },
  echo: async (value: unknown) => value,
  spin: (milliseconds: number) => {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
  },
  sleep: (milliseconds: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  /** Counts in one statement of SQLite, which cannot be interrupted. */
  count: (to: number) => {
    const numbers =
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT max(n) AS n FROM c'
    return new DatabaseSync(':memory:').prepare(numbers).get(to)?.['n']
  },
  fill: () => {
    const kept: unknown[] = []
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})))
  },
  fail: (): never => {
    throw Object.assign(new Error('no such luck'), { code: 'ERR_LUCK', errcode: 11 })
  },
}

export type Operations = typeof operations

serveThread(operations)
