import { computed } from './processorTime.ts'

/**
 * Does the work and tells for how many milliseconds this thread computed in the longest turn of its event loop: for so
 * long nobody else would have been served. What the machine did meanwhile for others does not count.
 */
export const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let last = computed()
  let going = true
  const tick = (): void => {
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
    if (going) setImmediate(tick)
  }
  setImmediate(tick)
  try {
    await work()
  } finally {
    going = false
    tick()
  }
  return longest
}

/**
 * The longest turn of work that is done three times, where it was shortest: what is collected of memory, or compiled, in
 * one of them makes it longer, and nothing makes it shorter.
 */
export const longestTurnAtBest = async (work: () => Promise<unknown>): Promise<number> =>
  Math.min(await longestTurn(work), await longestTurn(work), await longestTurn(work))
