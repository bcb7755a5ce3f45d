import type { Entity } from '../evolve.ts'

/** What became of each item about one stream, and the entity after them, where that is known. */
export interface StreamOutcome<R> {
  readonly outcomes: readonly R[]
  readonly newest: Entity | undefined
}

type Commit<T, R> = (waiting: readonly T[], newest: Entity | undefined) => Promise<StreamOutcome<R>>

interface Waiting<T, R> {
  readonly item: T
  readonly commit: Commit<T, R>
  readonly resolve: (outcome: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits what is asked of one stream: at once where nothing is under way, else together with all that waits, on what
 * came before it. Other processes are met by the expected revision.
 */
export type StreamQueue = <T, R>(stream: string, item: T, commit: Commit<T, R>) => Promise<R>

/** For work that must not wait for anybody. */
export const notQueued: StreamQueue = async <T, R>(_: string, item: T, commit: Commit<T, R>): Promise<R> =>
  (await commit([item], undefined)).outcomes[0] as R

/** @param most requests that are committed together: one, where each of their events would record what all have read */
export const makeStreamQueue = (most = 1): StreamQueue => {
  const queues = new Map<string, Waiting<unknown, unknown>[]>()
  const work = async (stream: string, first: Waiting<unknown, unknown>): Promise<void> => {
    const queue: Waiting<unknown, unknown>[] = []
    queues.set(stream, queue)
    let newest: Entity | undefined
    for (let batch = [first]; batch[0] !== undefined; batch = queue.splice(0, most))
      try {
        const done: StreamOutcome<unknown> = await batch[0].commit(
          batch.map(({ item }) => item),
          newest,
        )
        newest = done.newest
        for (const [at, { resolve }] of batch.entries()) resolve(done.outcomes[at])
      } catch (error) {
        newest = undefined
        for (const { reject } of batch) reject(error)
      }
    queues.delete(stream)
  }
  return <T, R>(stream: string, item: T, commit: Commit<T, R>) =>
    new Promise<R>((resolve, reject) => {
      const waiting = { item, commit, resolve, reject } as Waiting<unknown, unknown>
      const queue = queues.get(stream)
      if (queue === undefined) void work(stream, waiting)
      else queue.push(waiting)
    })
}
