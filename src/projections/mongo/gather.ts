import { setImmediate as endOfTurn } from 'node:timers/promises'

/** Reads what is stored under these keys; keys that nothing is stored under are left out. */
export type ReadMany<T> = (keys: readonly string[]) => Promise<Map<string, T>>

/** Who asks for more keys than this asks alone. */
const fewKeys = 100

/** Keys that were asked for in one turn, and the answer to all of them. */
interface Gathered<T> {
  readonly keys: Set<string>
  readonly answer: Promise<Map<string, T>>
}

/**
 * Makes one read of all that is asked for in the same turn of the event loop, as when many requests come at once. It is
 * sent after the last of them asked, so everybody sees what was stored before, just as with a read of one's own.
 */
export const gathering = <T>(read: ReadMany<T>): ReadMany<T> => {
  let open: Gathered<T> | undefined
  const begin = (): Gathered<T> => {
    const keys = new Set<string>()
    const send = async (): Promise<Map<string, T>> => {
      await endOfTurn()
      open = undefined
      return read([...keys])
    }
    return { keys, answer: send() }
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
