import { limits } from '../shared/limits.ts'
import { makeFairThreads, ThreadFailure } from '../shared/threads/threads.ts'
import { yieldToEventLoop } from '../shared/yieldToEventLoop.ts'
import type { WorkRequest } from '../shared/workQueue.ts'
import type { OperationName, OdcsOperations } from './worker.ts'

interface RunnerOptions {
  /** Documents that are read at a time. */
  count?: number
  /** Timeout of one document in milliseconds; default 20,000. */
  timeout?: number
  /** Milliseconds without a document after which a thread ends; default a minute. */
  rest?: number
}

/** An operation exceeded its time or memory. Thrown where the result has no problems: others return them. */
export class DocumentLimitError extends Error {}

export interface OdcsRunner {
  /** Runs one of the operations of the worker in a thread. @throws Throttled; the reason of the signal */
  run: <Name extends OperationName>(
    workRequest: WorkRequest,
    name: Name,
    ...args: Parameters<OdcsOperations[Name]>
  ) => Promise<ReturnType<OdcsOperations[Name]>>
  close: () => Promise<void>
}

/**
 * Makes a runner with threads for documents. Each is started when it is needed: what reads documents is large, and nobody
 * waits until the thread that answers has it.
 */
export const createOdcsRunner = ({
  count = limits.documentsAtOnce.value,
  timeout = 20_000,
  rest = 60_000,
}: RunnerOptions = {}): OdcsRunner => {
  const module = new URL('./worker', import.meta.url)
  const threads = makeFairThreads<OdcsOperations>('documents', { module, count, timeout, idleTimeout: rest })
  return {
    async run(workRequest, name, ...args) {
      const value = await threads
        .run<typeof name>(workRequest, name, args)
        .catch((error: unknown) => failureResult(name, args, error))
      // A large result has just been read.
      await yieldToEventLoop()
      return value as ReturnType<OdcsOperations[typeof name]>
    },
    close: threads.close,
  }
}

const why = {
  time: 'the document takes too long to be read',
  memory: 'the document is too complex to be read',
}

/** Operations whose results have no problems. */
const thrown: ReadonlySet<OperationName> = new Set(['exportJson', 'exportYaml', 'checkSemantics', 'serviceLevels'])

/** The result for a document that could not be read in time: a problem. */
const failureResult = (name: OperationName, args: readonly unknown[], error: unknown): unknown => {
  if (!(error instanceof ThreadFailure)) throw error
  // Problems without places are better than none.
  if (name === 'placeProblems') return args.at(-1)
  const message = why[error.reason]
  if (thrown.has(name)) throw new DocumentLimitError(message)
  return { ok: false, problems: [{ path: '', line: 1, column: 1, message }], warnings: [] }
}
