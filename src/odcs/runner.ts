import { Worker } from 'node:worker_threads'
import { limits } from '../shared/limits.ts'
import { makeTurns, type Turn } from '../shared/turns.ts'
import type { OperationName, Operations } from './operations.ts'
import type { Answer, Task } from './worker.ts'

export interface RunnerOptions {
  /** Texts of at least this many bytes go to the thread; default 16 KiB, which YAML takes some five milliseconds for. */
  threshold?: number
  /** How long one document may take, in milliseconds; default 10,000. */
  timeout?: number
  /** After so long without a large document the thread ends and gives its memory back, in milliseconds; default 10,000. */
  rest?: number
}

/**
 * A document took too long or too much memory to read: a bad document, not a fault here. Operations that answer with problems
 * answer so; only an export throws it.
 */
export class DocumentTooComplex extends Error {}

export interface OdcsRunner {
  /**
   * Runs one of {@link operations}: small documents here, large ones in a thread, fairly between callers.
   * @throws TooBusy when too many large documents wait already; the reason of the signal when the caller has left
   */
  run: <Name extends OperationName>(
    turn: Turn,
    name: Name,
    ...args: Parameters<Operations[Name]>
  ) => Promise<ReturnType<Operations[Name]>>
  close: () => Promise<void>
}

/** What the thread works on. */
interface Busy {
  task: Task
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** Makes a runner with at most one thread, started when the first large document comes. Documents there wait for each other. */
export const createOdcsRunner = ({
  threshold = 16 * 1024,
  timeout = 10_000,
  rest = 10_000,
}: RunnerOptions = {}): OdcsRunner => {
  const { waitingOfOne, waiting } = limits
  const turns = makeTurns({ of: 'documents', atOnce: 1, waitingOfOne: waitingOfOne.value, waiting: waiting.value })
  let worker: Worker | undefined
  let busy: Busy | undefined
  let timer: NodeJS.Timeout | undefined
  let count = 0
  let closed = false

  function settle(by: (busy: Busy) => void): void {
    clearTimeout(timer)
    const done = busy
    busy = undefined
    worker?.unref()
    if (worker) timer = setTimeout(end, rest).unref()
    if (done) by(done)
  }

  function end(): Promise<number> | undefined {
    const old = worker
    worker = undefined
    return old?.terminate()
  }

  function drop(error: Error): void {
    void end()
    settle((dropped) => fail(dropped, error))
  }

  function start(): Worker {
    const url = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
    const made = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 4 } })
    made.on('message', ({ id, value, error }: Answer) => {
      if (id === busy?.task.id)
        settle(({ resolve, reject }) => (error === undefined ? resolve(value) : reject(new Error(error))))
    })
    const lost = (): void => {
      if (worker === made) drop(new DocumentTooComplex('the document is too complex to be read'))
    }
    made.on('error', lost)
    made.on('exit', lost)
    return made
  }

  async function inThread(name: OperationName, args: unknown[], signal: AbortSignal): Promise<unknown> {
    if (closed) throw new Error('the runner is closed')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    count += 1
    busy = { task: { id: count, name, args }, resolve, reject }
    worker ??= start()
    worker.ref()
    clearTimeout(timer)
    timer = setTimeout(() => drop(new DocumentTooComplex('the document takes too long to be read')), timeout)
    const leave = (): void => drop(signal.reason as Error)
    signal.addEventListener('abort', leave)
    worker.postMessage(busy.task)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    async run(turn, name, ...args) {
      if (weight(args) < threshold) {
        // Parsers and schemas are large, and only loaded by those who have contract documents.
        const { operations } = await import('./operations.ts')
        const operation = operations[name] as (...args: unknown[]) => unknown
        return operation(...args) as ReturnType<Operations[typeof name]>
      }
      const value = await turns.take(turn, () => inThread(name, args, turn.signal))
      return value as ReturnType<Operations[typeof name]>
    },
    async close() {
      closed = true
      const ended = end()
      settle(({ reject }) => reject(new Error('the runner is closed')))
      clearTimeout(timer)
      await ended
    },
  }
}

const fail = ({ task, resolve, reject }: Busy, error: Error): void => {
  const exports = task.name === 'exportJson' || task.name === 'exportYaml'
  if (exports || !(error instanceof DocumentTooComplex)) reject(error)
  else resolve({ ok: false, problems: [{ path: '', line: 1, column: 1, message: error.message }], warnings: [] })
}

// Bytes of text to be parsed: the input itself, and the stored text of an export or a merge.
const weight = (args: readonly unknown[]): number => args.reduce<number>((sum, arg) => sum + size(arg), 0)

const size = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  const { stored, current } = value as { stored?: { source?: string }; current?: { stored?: { source?: string } } }
  return (stored?.source?.length ?? 0) + (current?.stored?.source?.length ?? 0)
}
