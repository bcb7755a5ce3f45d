import { parentPort } from 'node:worker_threads'
import { operations, type OperationName } from './operations.ts'

/** A piece of work for the thread, and its answer. */
export interface Task {
  id: number
  name: OperationName
  args: unknown[]
}
export interface Answer {
  id: number
  value?: unknown
  error?: string
}

parentPort?.on('message', ({ id, name, args }: Task) => {
  const operation = operations[name] as (...args: unknown[]) => unknown
  try {
    parentPort?.postMessage({ id, value: operation(...args) } satisfies Answer)
  } catch (error) {
    parentPort?.postMessage({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies Answer)
  }
})
