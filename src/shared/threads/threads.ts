import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Worker, type ResourceLimits } from 'node:worker_threads'
import type { ThreadOperations, OperationOutcome, SentError, Task } from './serveOperations.ts'
import { CatalogError } from '../errors/namedError.ts'
import { makeWorkQueue, type WorkRequest } from '../workQueue.ts'

/** An operation exceeded its time or memory: its thread was terminated. */
export class ThreadFailure extends CatalogError {
  override readonly name = 'ThreadFailure'
  readonly reason: 'time' | 'memory'
  constructor(reason: 'time' | 'memory') {
    super(`The work in another thread took too much ${reason}.`)
    this.reason = reason
  }
}

/** The threads are closed: operations that had not finished in time were not done. */
export class ThreadsClosed extends CatalogError {
  override readonly name = 'ThreadsClosed'
}

export interface ThreadsOptions {
  /** Entry module of a thread, without its extension; it calls `serve`. */
  readonly module: URL
  /** Largest number of threads; each is started when first needed. As many again may still run that had to be ended. */
  readonly count: number
  /** Milliseconds that an operation may compute; by the clock up to {@link maxTimeoutFactor} times as many. */
  readonly timeout: number
  /** Idle milliseconds after which a thread ends and frees its memory. */
  readonly idleTimeout: number
  /** Heap limit of one thread in MiB (default 512). */
  readonly memory?: number
  /** `workerData` of each thread. */
  readonly data?: unknown
  /** Milliseconds that closing waits for running operations (default 0). */
  readonly grace?: number
}

interface Work {
  readonly task: Task
  readonly done: Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  work: Work | undefined
  timer: NodeJS.Timeout | undefined
}

const deserializeError = ({ message, stack, ...rest }: SentError): Error =>
  Object.assign(new Error(message), rest, { stack })

/** Young generation of a thread in MiB. By default (192) a thread fills it before it frees anything. */
const youngMemory = 48

/**
 * Resource limits of a thread. A limit of the young generation that the process was started with
 * (`--max-semi-space-size`) applies to each thread regardless and ends with the first one; the answering thread has it
 * by then.
 * @param others further limits
 */
export const threadMemory = (others: ResourceLimits = {}): ResourceLimits => {
  setFlagsFromString('--max-semi-space-size=0')
  return { ...others, maxYoungGenerationSizeMb: youngMemory }
}

/** The file of a module without its extension: TypeScript when run from sources, JavaScript when built. */
export const moduleFile = (module: URL): URL => new URL(module.href + (import.meta.url.endsWith('.ts') ? '.ts' : '.js'))

const released = (thread: Thread): Work | undefined => {
  const { work } = thread
  thread.work = undefined
  clearTimeout(thread.timer)
  return work
}

interface Pool {
  readonly options: ThreadsOptions
  readonly threads: Set<Thread>
  /** Those that are ended but still run, in native code. */
  readonly leaving: Set<Thread>
  readonly queue: Work[]
}

const end = async (pool: Pool, thread: Thread): Promise<void> => {
  pool.threads.delete(thread)
  pool.leaving.add(thread)
  released(thread)
  await thread.worker.terminate()
  pool.leaving.delete(thread)
  dispatchNext(pool)
}

const failThread = (pool: Pool, thread: Thread, error: unknown): void => {
  const { work } = thread
  void end(pool, thread)
  work?.reject(error)
  dispatchNext(pool)
}

const onOutcome = (pool: Pool, thread: Thread, outcome: OperationOutcome): void => {
  const work = released(thread)
  if (work === undefined) return
  thread.timer = setTimeout(() => void end(pool, thread), pool.options.idleTimeout).unref()
  thread.worker.unref()
  if ('value' in outcome) work.resolve(outcome.value)
  else work.reject(deserializeError(outcome.error))
  dispatchNext(pool)
}

const start = (pool: Pool): Thread => {
  const { module, data, memory = 512 } = pool.options
  const worker = new Worker(moduleFile(module), {
    workerData: data,
    resourceLimits: threadMemory({ maxOldGenerationSizeMb: memory, stackSizeMb: 4 }),
  })
  const thread: Thread = { worker, work: undefined, timer: undefined }
  pool.threads.add(thread)
  let failure: unknown
  worker.on('message', (outcome: OperationOutcome) => onOutcome(pool, thread, outcome))
  worker.on('error', (error: Error & { code?: string }) => {
    failure = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? undefined : error
  })
  worker.on('exit', () => {
    if (pool.threads.has(thread)) failThread(pool, thread, failure ?? new ThreadFailure('memory'))
  })
  return thread
}

const maxTimeoutFactor = 6

/** Milliseconds that a thread has computed; 0 before it runs. */
const computedBy = ({ worker }: Thread): Promise<number> =>
  worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1000,
    () => 0,
  )

/**
 * Ends the operation when its thread has computed for `timeout`, or after several times as long by the clock. Asking a
 * thread for its processor time is expensive, so the first check is late: most operations have ended by then.
 */
const watch = (pool: Pool, thread: Thread, work: Work): void => {
  const { timeout } = pool.options
  const latest = performance.now() + maxTimeoutFactor * timeout
  let before: number | undefined
  const fail = (): void => failThread(pool, thread, new ThreadFailure('time'))
  const check = async (left: number): Promise<void> => {
    if (performance.now() >= latest) return fail()
    // It does not answer in native code, such as a statement of SQLite: then the clock counts.
    thread.timer = setTimeout(fail, left)
    const now = await computedBy(thread)
    if (thread.work !== work) return
    clearTimeout(thread.timer)
    const computed = now - (before ??= now)
    if (computed >= timeout) fail()
    else checkAgain(timeout - computed)
  }
  const checkAgain = (left: number, after = Math.max(left, timeout / 10)): void => {
    thread.timer = setTimeout(() => void check(left), after)
  }
  checkAgain(timeout, timeout / 10)
}

const begin = (pool: Pool, thread: Thread, work: Work): void => {
  released(thread)
  thread.work = work
  watch(pool, thread, work)
  thread.worker.ref()
  thread.worker.postMessage(work.task)
}

const dispatchNext = (pool: Pool): void => {
  const { threads, leaving, queue, options } = pool
  while (queue.length > 0) {
    const idle = [...threads].find(({ work }) => work === undefined)
    const isFull = threads.size >= options.count || threads.size + leaving.size >= 2 * options.count
    if (idle === undefined && isFull) return
    begin(pool, idle ?? start(pool), queue.shift() as Work)
  }
}

const abortWork = (pool: Pool, work: Work, error: unknown): void => {
  const thread = [...pool.threads].find((each) => each.work === work)
  if (thread !== undefined) return failThread(pool, thread, error)
  const at = pool.queue.indexOf(work)
  if (at !== -1) pool.queue.splice(at, 1)[0]?.reject(error)
}

/**
 * Creates threads that serve the `operations` of their module, first in, first out. Idle threads do not keep the process
 * alive.
 */
export const makeThreads = <Ops extends ThreadOperations>(options: ThreadsOptions) => {
  const pool: Pool = { options, threads: new Set(), leaving: new Set(), queue: [] }
  let closed = false
  return {
    /**
     * @param signal aborting it ends the operation, even a running one
     * @throws ThreadFailure, ThreadsClosed; the reason of the signal; errors of the operation
     */
    run: async <Name extends keyof Ops & string>(
      name: Name,
      args: Parameters<Ops[Name]>,
      signal?: AbortSignal,
    ): Promise<Awaited<ReturnType<Ops[Name]>>> => {
      if (closed) throw new ThreadsClosed('The threads are closed.')
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const work: Work = { task: { name, args }, done: promise, resolve, reject }
      const abort = (): void => abortWork(pool, work, signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      pool.queue.push(work)
      dispatchNext(pool)
      try {
        return (await promise) as Awaited<ReturnType<Ops[Name]>>
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    close: async (): Promise<void> => {
      closed = true
      const closing = new ThreadsClosed('The threads are closed.')
      for (const { reject } of pool.queue.splice(0)) reject(closing)
      const all = [...pool.threads]
      const begun = all.flatMap(({ work }) => work?.done ?? [])
      await Promise.race([Promise.allSettled(begun), delay(options.grace ?? 0, undefined, { ref: false })])
      for (const { work } of all) work?.reject(closing)
      await Promise.all(all.map((thread) => end(pool, thread)))
    },
  }
}

export type Threads<Ops extends ThreadOperations> = ReturnType<typeof makeThreads<Ops>>

/** Threads behind a fair queue of callers. @param of name of the work, for messages */
export const makeFairThreads = <Ops extends ThreadOperations>(of: string, options: ThreadsOptions) => {
  const { count } = options
  // Work in a thread may take long: one is left for others.
  const turns = makeWorkQueue(of, count, Math.max(1, count - 1))
  const threads = makeThreads<Ops>(options)
  return {
    /** @throws Throttled; all that `run` of {@link makeThreads} throws */
    run: <Name extends keyof Ops & string>(request: WorkRequest, name: Name, args: Parameters<Ops[Name]>) =>
      turns.run(request, () => threads.run(name, args, request.signal)),
    close: threads.close,
  }
}
