import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { moduleFile, threadMemory } from '../../shared/threads/threads.ts'
import { howToMend, DamagedLog, type EventStore } from '../eventStore.ts'
import type { RecordedEvent } from '../events.ts'

/** Parts that are named one by one. */
const mostNamed = 20

/** Milliseconds after which it begins: a start and the first requests come first. */
const patience = 3000

/** A part of the log that cannot be read: its first and last position, and what is wrong there. */
export interface DamagedPart {
  readonly from: string
  readonly to: string
  readonly message: string
}

/**
 * Looks through the whole log in a thread with few pages in memory, and names what cannot be read: damage where nobody
 * reads would else show when it is too late for a backup.
 */
export const lookThrough = (path: string, logger: Pick<Logger, 'error' | 'warn'>) => {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let worker: Worker | undefined
  const timer = setTimeout(() => {
    worker = looking(path, logger, resolve)
  }, patience).unref()
  return {
    /** Resolves when everything was looked at, or it was closed. */
    done,
    close: async (): Promise<void> => {
      clearTimeout(timer)
      if (worker === undefined) return resolve()
      await worker.terminate()
      await done
    },
  }
}

const looking = (path: string, logger: Pick<Logger, 'error' | 'warn'>, ended: () => void): Worker => {
  const worker = new Worker(moduleFile(new URL('./lookWorker', import.meta.url)), {
    workerData: path,
    resourceLimits: threadMemory(),
  })
  let parts = 0
  worker.unref()
  worker.on('message', ({ from, to, message }: DamagedPart) => {
    parts++
    if (parts <= mostNamed) logger.error({ log: path, from, to }, `the log is damaged: ${message}`)
  })
  worker.on('error', (err) => logger.warn({ err }, 'the log could not be looked through'))
  worker.on('exit', () => {
    if (parts > 0)
      logger.error(
        { log: path, parts },
        `the log is damaged: reads go on where the read models are whole, and the feed up to there. ${howToMend(path)}`,
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

/** Reads events in log order from behind a position on; throws {@link DamagedLog} where it can read no further. */
type ReadAfter = (position: bigint) => AsyncIterable<RecordedEvent>

/** Everything that can be read, in log order, and what cannot, each in its place: for those who look for damage. */
export async function* readable(
  log: Pick<EventStore, 'head'>,
  readAfter: ReadAfter,
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
      // Without a head not even the end is known.
      if (position < ((await log.head()) ?? 0n)) continue
    }
    if (damage !== undefined) yield damage
    return
  }
}
