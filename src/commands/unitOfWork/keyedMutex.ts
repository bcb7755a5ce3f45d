/**
 * Runs work for one key after the work before it, whose result it is given where it had to wait: what was read before
 * may be old then. Other processes are met by the expected revision.
 */
export type KeyedMutex = <T>(key: string, work: (before: T | undefined, waited: boolean) => Promise<T>) => Promise<T>

export const makeKeyedMutex = (): KeyedMutex => {
  const last = new Map<string, Promise<unknown>>()
  return <T>(key: string, work: (before: T | undefined, waited: boolean) => Promise<T>): Promise<T> => {
    const before = last.get(key) as Promise<T> | undefined
    const result =
      before === undefined
        ? work(undefined, false)
        : before.then(
            (given) => work(given, true),
            () => work(undefined, true),
          )
    last.set(key, result)
    const done = (): void => {
      if (last.get(key) === result) last.delete(key)
    }
    result.then(done, done)
    return result
  }
}
