import { Worker } from 'node:worker_threads'
import { OtherLog } from '../../events/mark.ts'
import { backOff } from '../../shared/backOff.ts'
import { moduleFile } from '../../shared/threads/threads.ts'
import type { BesideReports, ProjectedBeside } from '../projection.ts'
import { DamagedReadModels } from '../readModels.ts'
import { historyProjections } from './history.ts'

/** A log in a file. */
export interface ProjectedLog {
  readonly log: string
  /** Bytes of memory for its pages. */
  readonly logBytes: number
}

/** What the thread is given. */
export interface HistoryWork extends ProjectedLog {
  /** Of the file that it writes. */
  readonly path: string
  /** Bytes of memory for its pages. */
  readonly pageBytes: number
}

/** What the thread is told. */
export type Order = { readonly hurry: readonly [projection: string, position: bigint] } | 'stop'

/** What the thread tells. */
export type Report =
  | { readonly moved: readonly (readonly [projection: string, position: bigint | undefined])[] }
  | { readonly lost: { readonly name: string; readonly message: string } }
  | { readonly level: 'warn' | 'info'; readonly fields: object; readonly line: string }

export interface HistoryThread {
  readonly beside: ProjectedBeside
  /** Does something while the thread has let go of the file. */
  without(work: () => Promise<void>): Promise<void>
}

/** Milliseconds that a thread is given to write what it has begun. */
const grace = 10_000

const pauses = { shortest: 100, longest: 5000 }

const tell = ({ moved, lost, logger }: BesideReports, report: Report): void => {
  if ('moved' in report) for (const [projection, position] of report.moved) moved(projection, position)
  else if ('level' in report) logger[report.level](report.fields, report.line)
  else lost(new (report.lost.name === OtherLog.name ? OtherLog : DamagedReadModels)(report.lost.message))
}

/** One thread after the other: when one ends although nobody stopped it, the next one goes on from the checkpoints. */
const superviseThreads = (work: HistoryWork, reports: BesideReports) => {
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let wanted = true
  let failures = 0

  const begin = (): void => {
    wanted = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = new Worker(moduleFile(new URL('./historyWorker', import.meta.url)), { workerData: work })
    worker = begun
    ended = promise
    begun.unref()
    begun.on('message', (report: Report) => {
      if ('moved' in report) failures = 0
      tell(reports, report)
    })
    begun.on('error', (err) => reports.logger.warn({ err }, 'the thread that projects what happened failed'))
    begun.on('exit', () => {
      worker = undefined
      resolve()
      if (wanted) timer = setTimeout(begin, backOff(failures++, pauses)).unref()
    })
  }
  const end = async (): Promise<void> => {
    wanted = false
    clearTimeout(timer)
    const last = worker
    if (last === undefined) return
    last.ref()
    last.postMessage('stop' satisfies Order)
    const late = setTimeout(() => void last.terminate(), grace)
    await ended
    clearTimeout(late)
  }
  return { begin, end, send: (order: Order): void => worker?.postMessage(order) }
}

/** Projects what happened in a thread of its own, which follows the log with a read connection and writes the file. */
export const makeHistoryThread = (work: HistoryWork): HistoryThread => {
  let running: ReturnType<typeof superviseThreads> | undefined
  return {
    beside: {
      projections: historyProjections,
      start: (reports) => {
        const threads = superviseThreads(work, reports)
        threads.begin()
        running = threads
        return {
          hurry: (projection, position) => threads.send({ hurry: [projection, position] }),
          stop: async () => {
            running = undefined
            await threads.end()
          },
        }
      },
    },
    without: async (change) => {
      const threads = running
      await threads?.end()
      try {
        await change()
      } finally {
        if (threads !== undefined && threads === running) threads.begin()
      }
    },
  }
}
