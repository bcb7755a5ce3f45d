/**
 * Makes a read that many may ask for at once, as when a thousand begin to follow: those that ask while one is under way
 * share the next one, which begins after they asked and so shows what was there then.
 */
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
