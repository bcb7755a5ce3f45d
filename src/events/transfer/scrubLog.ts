import type { Logger } from 'pino'
import { makeThreads, ThreadsClosed } from '../../shared/threads/threads.ts'
import { repairAdvice } from '../eventStore.ts'
import type { LogOperations } from './scrubWorker.ts'

/** Milliseconds until it begins: start-up and the first requests have priority. */
const startDelay = 3000

/** As long as it takes: the longest that a timer waits. */
const timeout = 2 ** 31 - 1

/**
 * Scrubs the whole log in a thread of its own and logs unreadable parts: otherwise damage to events that nobody reads
 * would only be noticed when the backups are gone.
 */
export const scrubLog = (path: string, logger: Pick<Logger, 'error' | 'warn'>) => {
  const module = new URL('./scrubWorker', import.meta.url)
  const threads = makeThreads<LogOperations>({ module, count: 1, timeout, idleTimeout: 1 })
  const scrub = async (): Promise<void> => {
    const { some, parts } = await threads.run('scrub', [path])
    for (const { from, to, message } of some)
      logger.error({ log: path, from: String(from), to: String(to) }, `the log is damaged: ${message}`)
    if (parts > 0)
      logger.error(
        { log: path, parts },
        `the log is damaged: reads go on where the read models are whole, and the feed up to there. ${repairAdvice(path)}`,
      )
  }
  const failed = (err: unknown): void => {
    if (!(err instanceof ThreadsClosed)) logger.warn({ err }, 'the log could not be looked through')
  }
  const timer = setTimeout(() => void scrub().catch(failed), startDelay).unref()
  return {
    close: (): Promise<void> => {
      clearTimeout(timer)
      return threads.close()
    },
  }
}
