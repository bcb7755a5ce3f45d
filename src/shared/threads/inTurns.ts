import { limits } from '../limits.ts'
import { makeTurns, type Turn } from '../turns.ts'
import type { Operations } from './serveOperations.ts'
import { makeThreads, type ThreadsOptions } from './threads.ts'

/** Threads that callers come to one after the other. @param of what is done there, for messages */
export const makeThreadsInTurns = <Ops extends Operations>(of: string, options: ThreadsOptions) => {
  const { waitingOfOne, waiting } = limits
  const turns = makeTurns({ of, atOnce: options.count, waitingOfOne: waitingOfOne.value, waiting: waiting.value })
  const threads = makeThreads<Ops>(options)
  return {
    /** @throws TooBusy; all that {@link Threads.run} throws */
    run: <Name extends keyof Ops & string>(turn: Turn, name: Name, args: Parameters<Ops[Name]>) =>
      turns.take(turn, () => threads.run(name, args, turn.signal)),
    close: threads.close,
  }
}
