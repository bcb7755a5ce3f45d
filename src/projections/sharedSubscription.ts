import type { EventBatch, EventStore, SubscribeOptions } from '../events/eventStore.ts'
import { openLogTail, type LogTail } from '../events/logTail.ts'
import { isBehind } from '../events/events.ts'

type Log = Pick<EventStore, 'subscribe'>

const reaches = (tail: LogTail | undefined, position: bigint | undefined): tail is LogTail =>
  tail !== undefined && tail.covers(position) && !isBehind(tail.end(), position)

/**
 * One subscription for all followers near the same position: each event is read and decoded once. A slow follower
 * delays nobody: it gets a subscription of its own until it has caught up.
 */
export const shareSubscription = (log: Log, batchSize?: number): Log => {
  let tail: LogTail | undefined
  let subscribers = 0

  const close = (): void => {
    tail?.close()
    tail = undefined
  }
  const tailAt = (position: bigint | undefined): LogTail | undefined => {
    if (tail !== undefined && isBehind(tail.end(), position)) close()
    tail ??= openLogTail(log, position, batchSize)
    return reaches(tail, position) ? tail : undefined
  }
  const pull = async (current: LogTail, signal: AbortSignal): Promise<boolean> => {
    try {
      return await current.pull(signal)
    } catch (error) {
      if (tail === current) close()
      throw error
    }
  }
  async function* follow({ after, signal }: SubscribeOptions): AsyncGenerator<EventBatch> {
    let position = after
    while (!signal.aborted) {
      const current = tailAt(position)
      if (current === undefined) {
        for await (const page of log.subscribe({ after: position, signal, ...(batchSize && { batchSize }) })) {
          position = page.position
          yield page
          if (reaches(tail, position)) break
        }
        if (!reaches(tail, position)) return
        continue
      }
      const page = current.pageAfter(position)
      if (page !== undefined) {
        yield page
        position = page.position
      } else if (!(await pull(current, signal)) && tail === current) return
    }
  }
  return {
    subscribe: async function* (options) {
      subscribers++
      try {
        yield* follow(options)
      } finally {
        if (--subscribers === 0) close()
      }
    },
  }
}
