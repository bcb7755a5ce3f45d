import type { Entity } from '../evolve.ts'
import type { CommitBatch, StreamOutcome, StreamQueue } from '../ports.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '../caller.ts'

interface Waiting<T, R> {
  readonly item: T
  readonly commit: CommitBatch<T, R>
  readonly resolve: (outcome: R) => void
  readonly reject: (error: unknown) => void
}

/** A queue that never waits. */
export const passThroughQueue: StreamQueue = async <T, R>(_: string, item: T, commit: CommitBatch<T, R>): Promise<R> =>
  (await commit([item], undefined)).outcomes[0] as R

/** @param most requests that are committed together: 1 where events record the conditions of their append */
export const makeStreamQueue = (most = 1): StreamQueue => {
  const queues = new Map<string, Waiting<unknown, unknown>[]>()
  const drain = async (stream: string, first: Waiting<unknown, unknown>): Promise<void> => {
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
  return <T, R>(stream: string, item: T, commit: CommitBatch<T, R>) =>
    new Promise<R>((resolve, reject) => {
      const waiting = { item, commit, resolve, reject } as Waiting<unknown, unknown>
      const queue = queues.get(stream)
      if (queue === undefined) void drain(stream, waiting)
      else queue.push(waiting)
    })
}

/** A context for dry runs: its log accepts every append and stores nothing. */
export const forDryRun = <C extends Context>(context: C): C => ({
  ...context,
  log: {
    ...context.log,
    append: async (appends) =>
      appends.map(({ expected, events }) => {
        const revision = (typeof expected === 'bigint' ? expected : -1n) + BigInt(events.length)
        return { ok: true as const, revision, position: 0n }
      }),
  },
  verdicts: undefined,
  waitForCascades: async () => undefined,
  vault: {
    ...context.vault,
    current: async () => ({ id: randomUUID(), key: randomBytes(32) }),
    retire: async () => [],
  },
  streamQueue: passThroughQueue,
  waitForPosition: async () => undefined,
})
