import { parentPort } from 'node:worker_threads'

/** Operations of a thread, by name. Arguments and results are plain data. */
export type ThreadOperations = Readonly<Record<string, (...args: never[]) => unknown>>

export interface Task {
  readonly name: string
  readonly args: readonly unknown[]
}
export type OperationOutcome = { readonly value: unknown } | { readonly error: SentError }

/** An error as it is sent between threads, with the members by which callers distinguish errors. */
export interface SentError {
  readonly message: string
  readonly stack: string | undefined
  readonly code?: unknown
  readonly errcode?: unknown
}

const serializeError = (error: unknown): SentError => {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined }
  const { message, stack, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
  return { message, stack, ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) }
}

/** Serves the operations sent to this thread, one after the other. Call it once, in the thread's entry module. */
export const serveThread = (operations: ThreadOperations): void => {
  parentPort?.on('message', async ({ name, args }: Task) => {
    let outcome: OperationOutcome
    try {
      const operation = operations[name] as (...args: readonly unknown[]) => unknown
      outcome = { value: await operation(...args) }
    } catch (error) {
      outcome = { error: serializeError(error) }
    }
    parentPort?.postMessage(outcome)
  })
}
