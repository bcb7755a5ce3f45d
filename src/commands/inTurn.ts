/**
 * Runs work for one key after the work before it, so that commands of this process for one entity do not
 * conflict with each other. Keys do not wait for one another; other processes are met by the expected revision.
 */
export const makeInTurn = (): (<T>(key: string, work: () => Promise<T>) => Promise<T>) => {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key)
    const result = before === undefined ? work() : before.then(work, work)
    last.set(key, result)
    const done = (): void => {
      if (last.get(key) === result) last.delete(key)
    }
    result.then(done, done)
    return result
  }
}
