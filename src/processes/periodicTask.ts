import type { Logger } from 'pino'
import { repeat } from '../shared/backOff.ts'

export interface TaskOptions {
  readonly runner: { projects(): boolean }
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

interface PeriodicTask {
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Said when it fails. It is tried again. */
  readonly failing: string
  /** What is waited for between two rounds, by every process. */
  readonly pause: (signal: AbortSignal) => Promise<void>
}

const pauses = { shortest: 1000, longest: 1000 }

/** Work in rounds, of the leading process alone: the others see the same. */
export const runWhileLeader = ({ runner, logger }: TaskOptions, { work, failing, pause }: PeriodicTask) => {
  const stopping = new AbortController()
  const { signal } = stopping
  const round = async (): Promise<void> => {
    if (runner.projects()) await work(signal)
    await pause(signal)
  }
  const running = repeat(round, { signal, pauses, failed: (error) => logger.warn({ err: error }, failing) })
  return {
    close: async (): Promise<void> => {
      stopping.abort()
      await running
    },
  }
}
