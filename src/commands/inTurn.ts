/**
 * Runs work for one key after the work before it, so that commands of this process for one entity do not
 * conflict with each other. Keys do not wait for one another; other processes are met by the expected revision.
 * The work is told whether it had to wait: what was read before may be old then.
 */
export const makeInTurn = (): (<T>(key: string, work: (waited: boolean) => Promise<T>) => Promise<T>) => {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key)
    const late = (): ReturnType<typeof work> => work(true)
    const result = before === undefined ? work(false) : before.then(late, late)
    last.set(key, result)
    const done = (): void => {
      if (last.get(key) === result) last.delete(key)
    }
    result.then(done, done)
    return result
  }
}
