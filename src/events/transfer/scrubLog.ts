import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { moduleFile, threadMemory } from '../../shared/threads/threads.ts'
import { repairAdvice, DamagedLog, type EventStore } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

/** Number of damaged parts that are logged; all are counted. */
const maxLogged = 20

/** Milliseconds until it begins: start-up and the first requests have priority. */
const startDelay = 3000

/** An unreadable part of the log: first and last position, and the reason. */
export interface DamagedPart {
  readonly from: string
  readonly to: string
  readonly message: string
}

/**
 * Scrubs the whole log in a thread of its own and logs unreadable parts: otherwise damage to events that nobody reads
 * would only be noticed when the backups are gone.
 */
export const scrubLog = (path: string, logger: Pick<Logger, 'error' | 'warn'>) => {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let worker: Worker | undefined
  const timer = setTimeout(() => {
    worker = startScrubWorker(path, logger, resolve)
  }, startDelay).unref()
  return {
    /** Resolves at the end of the scrub, or when it is closed. */
    done,
    close: async (): Promise<void> => {
      clearTimeout(timer)
      if (worker === undefined) return resolve()
      await worker.terminate()
      await done
    },
  }
}

const startScrubWorker = (path: string, logger: Pick<Logger, 'error' | 'warn'>, ended: () => void): Worker => {
  const worker = new Worker(moduleFile(new URL('./scrubWorker', import.meta.url)), {
    workerData: path,
    resourceLimits: threadMemory(),
  })
  let parts = 0
  worker.unref()
  worker.on('message', ({ from, to, message }: DamagedPart) => {
    parts++
    if (parts <= maxLogged) logger.error({ log: path, from, to }, `the log is damaged: ${message}`)
  })
  worker.on('error', (err) => logger.warn({ err }, 'the log could not be looked through'))
  worker.on('exit', () => {
    if (parts > 0)
      logger.error(
        { log: path, parts },
        `the log is damaged: reads go on where the read models are whole, and the feed up to there. ${repairAdvice(path)}`,
      )
    ended()
  })
  return worker
}

export interface Damage {
  readonly from: bigint
  readonly to: bigint
  readonly error: DamagedLog
}

/**
 * All readable events and all damaged parts, in log order.
 * @param readAfter reads events in this order after a position, and throws DamagedLog at the first unreadable one
 */
export async function* eventsAndDamage(
  log: Pick<EventStore, 'head'>,
  readAfter: (position: bigint) => AsyncIterable<RecordedEvent>,
): AsyncGenerator<RecordedEvent | Damage> {
  let position = 0n
  let damage: Damage | undefined
  for (;;) {
    try {
      for await (const event of readAfter(position)) {
        if (damage !== undefined) yield damage
        damage = undefined
        position = event.position
        yield event
      }
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error
      position += 1n
      damage = { from: damage?.from ?? position, to: position, error: damage?.error ?? error }
      // Without a head the end of the log is unknown.
      if (position < ((await log.head()) ?? 0n)) continue
    }
    if (damage !== undefined) yield damage
    return
  }
}
