import { Worker } from 'node:worker_threads'
import { OtherLog } from '../../events/events.ts'
import type { SqliteEventStoreOptions } from '../../events/sqlite/store.ts'
import { backoff } from '../../shared/backOff.ts'
import { moduleFile, threadMemory } from '../../shared/threads/threads.ts'
import { DamagedReadModels } from '../errors.ts'
import type { ProjectionWorker, WorkerReports } from '../projection.ts'

/** The address of the log for another thread: a file or a server. */
export type LogAddress =
  | Pick<SqliteEventStoreOptions, 'path' | 'cacheBytes' | 'durable'>
  | {
      readonly url: string
      readonly prefix: string
      readonly kinds: readonly string[]
    }

export interface Work {
  readonly log: LogAddress
  /** The file of entities; the worker's files are next to it. */
  readonly path: string
  /** Page cache of each written file in bytes. */
  readonly pageBytes: number
}

export type Order = { readonly awaited: readonly [projection: string, position: bigint] } | 'stop'

export type Report =
  | { readonly moved: readonly [projection: string, position: bigint | undefined] }
  | { readonly lost: { readonly name: string; readonly message: string } }
  /** The worker needs a commit by this thread. */
  | { readonly needs: 'flush' }
  | { readonly level: 'warn' | 'info'; readonly fields: object; readonly line: string }

/** Milliseconds for a thread to finish its writes. */
const grace = 10_000

const pauses = { shortest: 100, longest: 5000 }

const forward = ({ onMoved, onLost, logger }: WorkerReports, report: Exclude<Report, { needs: 'flush' }>): void => {
  if ('moved' in report) onMoved(...report.moved)
  else if ('level' in report) logger[report.level](report.fields, report.line)
  else onLost(new (report.lost.name === OtherLog.name ? OtherLog : DamagedReadModels)(report.lost.message))
}

/** Supervises the thread: if it ends unexpectedly, a new one resumes from the checkpoints. */
const superviseThread = (work: Work, projections: readonly string[], flush: () => void, reports: WorkerReports) => {
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let wanted = true
  let failures = 0

  const begin = (): void => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const module = moduleFile(new URL('./worker', import.meta.url))
    const begun = new Worker(module, { workerData: work, resourceLimits: threadMemory() })
    worker = begun
    ended = promise
    begun.on('message', (report: Report) => {
      if ('needs' in report) return flush()
      if ('moved' in report) failures = 0
      forward(reports, report)
    })
    let failure: unknown
    begun.on('error', (error) => (failure = error))
    begun.on('exit', (code) => {
      worker = undefined
      resolve()
      if (wanted || code !== 0)
        reports.logger.warn({ err: failure, code, projections }, 'a thread that projects failed')
      if (wanted) timer = setTimeout(begin, backoff(failures++, pauses))
    })
  }
  const end = async (): Promise<void> => {
    wanted = false
    clearTimeout(timer)
    const last = worker
    if (last === undefined) return
    last.postMessage('stop' satisfies Order)
    const late = setTimeout(() => void last.terminate(), grace)
    await ended
    clearTimeout(late)
  }
  return { begin, end, send: (order: Order): void => worker?.postMessage(order) }
}

/**
 * Runs projections in a thread that follows the log with its own connection.
 * @param flush commits this thread's writes; called before the worker catches up with them
 */
export const makeWorkerThread = (work: Work, projections: readonly string[], flush: () => void): ProjectionWorker => {
  const flushed = (): void => {
    try {
      flush()
    } catch {
      // The writer gets this error with its next write and restarts; the worker waits for that.
    }
  }
  return {
    projections,
    start: (reports) => {
      const thread = superviseThread(work, projections, flushed, reports)
      thread.begin()
      return {
        prioritise: (projection, position) => {
          flushed()
          thread.send({ awaited: [projection, position] })
        },
        stop: async () => {
          flushed()
          await thread.end()
        },
      }
    },
  }
}
