import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { howToMend, type EventStore } from '../eventStore.ts'
import { readable } from './readable.ts'

/** Milliseconds between two pages: requests come first. */
const pause = 10

/** Parts that are named one by one. */
const mostNamed = 20

export interface LookThrough {
  /** Resolves when everything was looked at, or it was closed. */
  readonly done: Promise<void>
  close(): Promise<void>
}

/**
 * Looks through the whole log of a store that keeps texts, behind the requests, and names in the log of the process
 * what cannot be read: damage in a part that nobody reads would else show when it is too late to have a backup.
 * @param place where the log is, for people
 */
export const lookThrough = (log: EventStore, place: string, logger: Pick<Logger, 'error' | 'warn'>): LookThrough => {
  const stopping = new AbortController()
  const look = async (readTextPages: NonNullable<EventStore['readTextPages']>): Promise<void> => {
    let parts = 0
    for await (const found of readable(log, (position) => readTextPages({ after: position }))) {
      if (stopping.signal.aborted) return
      if ('error' in found) {
        parts++
        const [from, to] = [String(found.from), String(found.to)]
        if (parts <= mostNamed) logger.error({ log: place, from, to }, `the log is damaged: ${found.error.message}`)
      } else await delay(pause, undefined, { signal: stopping.signal })
    }
    if (parts > 0) {
      logger.error(
        { log: place, parts },
        `the log is damaged: reads go on where the read models are whole, and the feed up to there. ${howToMend(place)}`,
      )
    }
  }
  const done = (log.readTextPages === undefined ? Promise.resolve() : look(log.readTextPages)).catch(
    (error: unknown) => {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'the log could not be looked through')
    },
  )
  return {
    done,
    close: () => {
      stopping.abort()
      return done
    },
  }
}
