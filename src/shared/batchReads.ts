import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises'

/** Reads values by key; missing keys are left out. */
export type BatchRead<T> = (keys: readonly string[]) => Promise<Map<string, T>>

/** Calls with more keys than this are not batched. */
const fewKeys = 100

interface Batch<T> {
  readonly keys: Set<string>
  readonly answer: Promise<Map<string, T>>
}

/**
 * Batches the reads of one turn into one (data loader).
 * @param batchDelay milliseconds to wait for a running read, so that under load more are batched (default 0)
 */
export const batchReads = <T>(read: BatchRead<T>, batchDelay = 0): BatchRead<T> => {
  let open: Batch<T> | undefined
  let inFlight: Promise<unknown> | undefined
  const send = (keys: readonly string[]): Promise<Map<string, T>> => {
    const answer = read(keys)
    const ended = answer
      .catch(() => undefined)
      .then(() => {
        if (inFlight === ended) inFlight = undefined
      })
    inFlight = ended
    return answer
  }
  const begin = (): Batch<T> => {
    const keys = new Set<string>()
    const answer = async (): Promise<Map<string, T>> => {
      await endOfTurn()
      if (batchDelay > 0 && inFlight) await Promise.race([inFlight, delay(batchDelay, undefined, { ref: false })])
      open = undefined
      return send([...keys])
    }
    return { keys, answer: answer() }
  }
  return async (keys) => {
    if (keys.length === 0) return new Map()
    if (keys.length > fewKeys) return read(keys)
    const batch = (open ??= begin())
    for (const key of keys) batch.keys.add(key)
    const found = await batch.answer
    const mine = new Map<string, T>()
    for (const key of keys) {
      const value = found.get(key)
      if (value !== undefined) mine.set(key, value)
    }
    return mine
  }
}
