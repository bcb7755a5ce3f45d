import type { Logger } from 'pino'
import { repeat } from '../shared/backOff.ts'

export interface TaskOptions {
  readonly runner: { projects(): boolean }
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

interface PeriodicTask {
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Log message when the work fails; it is repeated. */
  readonly failureMessage: string
  /** Awaited between two rounds, also by processes that do not lead. */
  readonly pause: (signal: AbortSignal) => Promise<void>
}

const pauses = { shortest: 1000, longest: 1000 }

/** Repeats work in the leading process only. */
export const runWhileLeader = ({ runner, logger }: TaskOptions, { work, failureMessage, pause }: PeriodicTask) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const round = async (): Promise<void> => {
    if (runner.projects()) await work(signal)
    await pause(signal)
  }
  const running = repeat(round, { signal, pauses, failed: (error) => logger.warn({ err: error }, failureMessage) })
  return {
    close: async (): Promise<void> => {
      stopping.abort()
      await running
    },
  }
}
