import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../shared/threads/lowerPriority.ts'
import { openSqliteEventStore } from '../sqlite/store.ts'
import { type DamagedPart, eventsAndDamage } from './scrubLog.ts'

/** Pause in milliseconds after a number of events: requests have priority. */
const pause = 10
const eventsPerPause = 500

/** Size of the page cache in bytes: each page is read once. */
const cacheBytes = 2 ** 20

lowerPriority()
const log = openSqliteEventStore({ path: String(workerData), readOnly: true, cacheBytes })
let events = 0
for await (const found of eventsAndDamage(log, (after) => log.proven.readAll({ after }))) {
  if ('error' in found) {
    const part: DamagedPart = { from: String(found.from), to: String(found.to), message: found.error.message }
    parentPort?.postMessage(part)
  } else if (++events % eventsPerPause === 0) await delay(pause)
}
await log.close()
