import type { Logger } from 'pino'
import type { Background } from '../api/deps.ts'
import { StoreUnavailable } from '../events/eventStore.ts'

export interface KeptBackground extends Background {
  /** Ends what runs at its next step, and waits for that. */
  close(): Promise<void>
}

/** Keeps what goes on behind answers. What a step has not done is found again, by this process or the next start. */
export const keepBackground = (logger: Pick<Logger, 'info' | 'warn'>, stopping: AbortSignal): KeptBackground => {
  const running = new Set<Promise<unknown>>()
  let closed = false
  const isOver = (): boolean => closed || stopping.aborted
  return {
    keep: (work) => {
      const kept = work
        .catch((error: unknown) => {
          const fields = { err: error }
          if (isOver()) logger.info(fields, 'a deletion or restore is left to the next start')
          else logger.warn(fields, 'a deletion or restore could not go on; it is tried again')
        })
        .finally(() => running.delete(kept))
      running.add(kept)
    },
    progress: () => {
      if (isOver()) throw new StoreUnavailable('The service stops.')
    },
    close: async () => {
      closed = true
      await Promise.all(running)
    },
  }
}
