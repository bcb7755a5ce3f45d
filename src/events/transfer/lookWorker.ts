import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../shared/threads/giveWay.ts'
import { openSqliteEventStore } from '../sqlite/store.ts'
import type { DamagedPart } from './lookThrough.ts'
import { readable } from './readable.ts'

/** Milliseconds between two pages: requests come first. */
const pause = 10

/** Bytes of memory for pages: each is read once. */
const cacheBytes = 2 ** 20

giveWay()
const log = openSqliteEventStore({ path: String(workerData), readOnly: true, cacheBytes })
const { readTextPages } = log
if (readTextPages === undefined) throw new Error('A log in a file gives texts.')
for await (const found of readable(log, (position) => readTextPages({ after: position }))) {
  if ('error' in found) {
    const part: DamagedPart = { from: String(found.from), to: String(found.to), message: found.error.message }
    parentPort?.postMessage(part)
  } else await delay(pause)
}
await log.close()
