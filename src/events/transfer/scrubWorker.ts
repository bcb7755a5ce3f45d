import { setTimeout as delay } from 'node:timers/promises'
import { lowerPriority } from '../../shared/threads/lowerPriority.ts'
import { serveThread } from '../../shared/threads/serveOperations.ts'
import { openSqliteEventStore } from '../sqlite/store.ts'
import { eventsAndDamage } from './damage.ts'

/** Pause in milliseconds after a number of events: requests have priority. */
const pause = 10
const eventsPerPause = 500

/** Size of the page cache in bytes: each page is read once. */
const cacheBytes = 2 ** 20

/** Number of damaged parts that are told one by one; all are counted. */
const maxTold = 20

const scrub = async (path: string) => {
  lowerPriority()
  const log = openSqliteEventStore({ path, readOnly: true, cacheBytes })
  const some: { from: bigint; to: bigint; message: string }[] = []
  let [events, parts] = [0, 0]
  for await (const found of eventsAndDamage(log, (after) => log.proven.readAll({ after })))
    if ('error' in found) {
      const { from, to, error } = found
      if (parts++ < maxTold) some.push({ from, to, message: error.message })
    } else if (++events % eventsPerPause === 0) await delay(pause)
  await log.close()
  return { some, parts }
}

const operations = { scrub }

export type LogOperations = typeof operations

serveThread(operations)
