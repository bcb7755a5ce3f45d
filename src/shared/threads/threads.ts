import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Operations, Outcome, SentError, Task } from './serve.ts'

/** A piece of work took too long or too much memory: its thread was ended. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'
  readonly reason: 'time' | 'memory'
  constructor(reason: 'time' | 'memory') {
    super(`The work in another thread took too much ${reason}.`)
    this.reason = reason
  }
}

/** The threads take no work any more: what had not begun, or not ended in time, was not done. */
export class ThreadsClosed extends Error {
  override readonly name = 'ThreadsClosed'
}

export interface ThreadsOptions {
  /** The module that a thread begins with, without its ending; it calls `serve`. */
  readonly module: URL
  /** Most threads; each is started when it is first needed. */
  readonly count: number
  /** Milliseconds that one piece of work may take. */
  readonly timeout: number
  /** Milliseconds without work after which a thread ends and gives its memory back. */
  readonly rest: number
  /** MiB of JavaScript objects that one may have (default 512). */
  readonly memory?: number
  /** What each thread is given at its start, as `workerData`. */
  readonly data?: unknown
  /** Milliseconds that closing waits for what has begun (default 0). */
  readonly grace?: number
}

/** Does work in other threads, in the order in which it comes. */
export interface Threads<Ops extends Operations> {
  /**
   * @param signal when it aborts the work is ended, also when it has begun
   * @throws ThreadLost, ThreadsClosed; the reason of the signal; what the operation throws
   */
  run<Name extends keyof Ops & string>(
    name: Name,
    args: Parameters<Ops[Name]>,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Ops[Name]>>>
  close(): Promise<void>
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

const received = ({ message, stack, ...rest }: SentError): Error => Object.assign(new Error(message), rest, { stack })

/** Sources run as they are, and built ones beside their built modules. */
const moduleFile = (module: URL): URL => new URL(module.href + (import.meta.url.endsWith('.ts') ? '.ts' : '.js'))

/** Makes threads that do what `operations` of their module says. They keep no process alive while they have no work. */
export const makeThreads = <Ops extends Operations>(options: ThreadsOptions): Threads<Ops> => {
  const threads = new Set<Thread>()
  const queue: Work[] = []
  let closed = false

  const end = async (thread: Thread): Promise<void> => {
    threads.delete(thread)
    thread.work = undefined
    clearTimeout(thread.timer)
    await thread.worker.terminate()
  }

  /** Ends the thread in the middle of its work. */
  const drop = (thread: Thread, error: unknown): void => {
    const { work } = thread
    void end(thread)
    work?.reject(error)
    next()
  }

  const settle = (thread: Thread, by: (work: Work) => void): void => {
    const { work } = thread
    if (work === undefined) return
    thread.work = undefined
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => void end(thread), options.rest).unref()
    thread.worker.unref()
    by(work)
    next()
  }

  const start = (): Thread => {
    const worker = new Worker(moduleFile(options.module), {
      workerData: options.data,
      resourceLimits: { maxOldGenerationSizeMb: options.memory ?? 512, stackSizeMb: 4 },
    })
    const thread: Thread = { worker, work: undefined, timer: undefined }
    threads.add(thread)
    worker.on('message', (outcome: Outcome) =>
      settle(thread, ({ resolve, reject }) =>
        'value' in outcome ? resolve(outcome.value) : reject(received(outcome.error)),
      ),
    )
    let failure: unknown
    worker.on('error', (error: Error & { code?: string }) => {
      failure = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? undefined : error
    })
    worker.on('exit', () => {
      if (threads.has(thread)) drop(thread, failure ?? new ThreadLost('memory'))
    })
    return thread
  }

  const begin = (thread: Thread, work: Work): void => {
    thread.work = work
    clearTimeout(thread.timer)
    thread.timer = setTimeout(() => drop(thread, new ThreadLost('time')), options.timeout)
    thread.worker.ref()
    thread.worker.postMessage(work.task)
  }

  const next = (): void => {
    while (queue.length > 0 && !closed) {
      const idle = [...threads].find(({ work }) => work === undefined)
      if (idle === undefined && threads.size >= options.count) return
      begin(idle ?? start(), queue.shift() as Work)
    }
  }

  /** Takes one piece of work away, wherever it has come. */
  const leave = (work: Work, error: unknown): void => {
    const thread = [...threads].find((each) => each.work === work)
    if (thread !== undefined) return drop(thread, error)
    const at = queue.indexOf(work)
    if (at === -1) return
    queue.splice(at, 1)
    work.reject(error)
  }

  return {
    run: async <Name extends keyof Ops & string>(
      name: Name,
      args: Parameters<Ops[Name]>,
      signal?: AbortSignal,
    ): Promise<Awaited<ReturnType<Ops[Name]>>> => {
      if (closed) throw new ThreadsClosed('The threads are closed.')
      signal?.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const work: Work = { task: { name, args }, done: promise, resolve, reject }
      const abort = (): void => leave(work, signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      queue.push(work)
      next()
      try {
        return (await promise) as Awaited<ReturnType<Ops[Name]>>
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    close: async () => {
      closed = true
      const closing = new ThreadsClosed('The threads are closed.')
      for (const { reject } of queue.splice(0)) reject(closing)
      const all = [...threads]
      const begun = all.flatMap(({ work }) => work?.done ?? [])
      await Promise.race([Promise.allSettled(begun), delay(options.grace ?? 0, undefined, { ref: false })])
      for (const { work } of all) work?.reject(closing)
      await Promise.all(all.map(end))
    },
  }
}
