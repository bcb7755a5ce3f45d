import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises'

/** Reads values by key; missing keys are left out. */
export type BatchRead<T> = (keys: readonly string[]) => Promise<Map<string, T>>

/** Calls with more keys than this are not batched. */
const fewKeys = 100

interface Gathered<T> {
  readonly keys: Set<string>
  readonly answer: Promise<Map<string, T>>
}

/**
 * Batches the reads of one turn into one (data loader).
 * @param patience milliseconds to wait for a running read, so that under load more are batched (default 0)
 */
export const batchReads = <T>(read: BatchRead<T>, patience = 0): BatchRead<T> => {
  let open: Gathered<T> | undefined
  let underWay: Promise<unknown> | undefined
  const send = (keys: readonly string[]): Promise<Map<string, T>> => {
    const answer = read(keys)
    const ended = answer
      .catch(() => undefined)
      .then(() => {
        if (underWay === ended) underWay = undefined
      })
    underWay = ended
    return answer
  }
  const begin = (): Gathered<T> => {
    const keys = new Set<string>()
    const answer = async (): Promise<Map<string, T>> => {
      await endOfTurn()
      if (patience > 0 && underWay) await Promise.race([underWay, delay(patience, undefined, { ref: false })])
      open = undefined
      return send([...keys])
    }
    return { keys, answer: answer() }
  }
  return async (keys) => {
    if (keys.length === 0) return new Map()
    if (keys.length > fewKeys) return read(keys)
    const gathered = (open ??= begin())
    for (const key of keys) gathered.keys.add(key)
    const found = await gathered.answer
    const mine = new Map<string, T>()
    for (const key of keys) {
      const value = found.get(key)
      if (value !== undefined) mine.set(key, value)
    }
    return mine
  }
}
