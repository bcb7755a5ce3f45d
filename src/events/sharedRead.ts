/** A read for many at once: who asks while one is under way shares the next, which begins after he asked. */
export const sharedRead = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    const begun = read()
    const end = (): void => {
      if (running === begun) running = undefined
    }
    running = begun
    begun.then(end, end)
    return begun
  }
  const beginNext = (): Promise<T> => {
    next = undefined
    return begin()
  }
  return () => {
    if (running === undefined) return begin()
    return (next ??= running.then(beginNext, beginNext))
  }
}
