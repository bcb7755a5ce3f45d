import { Worker } from 'node:worker_threads'
import { OtherLog } from '../../../events/mark.ts'
import type { Shown } from '../../../events/sqlite/shown.ts'
import { backOff } from '../../../shared/backOff.ts'
import { moduleFile, threadMemory } from '../../../shared/threads/threads.ts'
import type { BesideReports, ProjectedBeside } from '../../projection.ts'
import { DamagedReadModels } from '../../readModels.ts'

export interface ProjectedLog {
  readonly log: string
  /** Bytes of memory for its pages. */
  readonly logBytes: number
  /** How far it may be read; default: to its end. */
  readonly shown?: Shown | undefined
}

export interface ProjectingWork extends ProjectedLog {
  /** Of the file that it writes. */
  readonly path: string
  /** Bytes of memory for its pages. */
  readonly pageBytes: number
}

export interface ProjectingThreadOptions {
  /** The module that it begins with, without its ending; it calls `projectHere`. */
  readonly module: URL
  readonly projections: readonly string[]
  readonly work: ProjectingWork
  /** Makes what is written here be seen there; called before the thread is to catch up with it. */
  readonly flush?: () => void
}

export type Order = { readonly hurry: readonly [projection: string, position: bigint] } | 'stop'

export type Report =
  | { readonly moved: readonly (readonly [projection: string, position: bigint | undefined])[] }
  | { readonly lost: { readonly name: string; readonly message: string } }
  /** Somebody waits for what is written here, and the thread does not see it yet. */
  | { readonly needs: 'flush' }
  | { readonly level: 'warn' | 'info'; readonly fields: object; readonly line: string }

export interface ProjectingThread {
  readonly beside: ProjectedBeside
  /** Does something while the thread has let go of the file. */
  without(work: () => Promise<void>): Promise<void>
}

/** Milliseconds that a thread is given to write what it has begun. */
const grace = 10_000

const pauses = { shortest: 100, longest: 5000 }

const tell = ({ moved, lost, logger }: BesideReports, report: Exclude<Report, { needs: 'flush' }>): void => {
  if ('moved' in report) for (const [projection, position] of report.moved) moved(projection, position)
  else if ('level' in report) logger[report.level](report.fields, report.line)
  else lost(new (report.lost.name === OtherLog.name ? OtherLog : DamagedReadModels)(report.lost.message))
}

/** One thread after the other: when one ends although nobody stopped it, the next one goes on from the checkpoints. */
const superviseThreads = (
  { module, projections, work, flush }: ProjectingThreadOptions & { readonly flush: () => void },
  reports: BesideReports,
) => {
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let wanted = true
  let failures = 0

  const begin = (): void => {
    wanted = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = new Worker(moduleFile(module), {
      workerData: work,
      resourceLimits: threadMemory(),
    })
    worker = begun
    ended = promise
    begun.unref()
    begun.on('message', (report: Report) => {
      if ('needs' in report) return flush()
      if ('moved' in report) failures = 0
      tell(reports, report)
    })
    begun.on('error', (err) => reports.logger.warn({ err, projections }, 'a thread that projects failed'))
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
  /** What the file shows is not known until the next thread tells. */
  const forget = (): void => {
    for (const name of projections) reports.moved(name, undefined)
  }
  return { begin, end, forget, send: (order: Order): void => worker?.postMessage(order) }
}

/** Keeps a file in step in a thread of its own, which follows the log with a read connection. */
export const makeProjectingThread = (options: ProjectingThreadOptions): ProjectingThread => {
  const { projections } = options
  const flush = (): void => {
    try {
      options.flush?.()
    } catch {
      // Whoever writes there is told of it with the next write, and begins again; the thread waits for that.
    }
  }
  let running: ReturnType<typeof superviseThreads> | undefined
  return {
    beside: {
      projections,
      start: (reports) => {
        const threads = superviseThreads({ ...options, flush }, reports)
        threads.begin()
        running = threads
        return {
          hurry: (projection, position) => {
            flush()
            threads.send({ hurry: [projection, position] })
          },
          stop: async () => {
            running = undefined
            flush()
            await threads.end()
          },
        }
      },
    },
    without: async (change) => {
      const threads = running
      await threads?.end()
      threads?.forget()
      try {
        await change()
      } finally {
        if (threads !== undefined && threads === running) threads.begin()
      }
    },
  }
}

export const together = (threads: readonly ProjectingThread[]): ProjectingThread => ({
  beside: {
    projections: threads.flatMap(({ beside }) => beside.projections),
    start: (reports) => {
      const running = threads.map(({ beside }) => ({ ...beside.start(reports), projections: beside.projections }))
      return {
        hurry: (projection, position) =>
          running.find(({ projections }) => projections.includes(projection))?.hurry(projection, position),
        stop: async () => void (await Promise.all(running.map(({ stop }) => stop()))),
      }
    },
  },
  without: (change) => threads.reduceRight((work, thread) => () => thread.without(work), change)(),
})
