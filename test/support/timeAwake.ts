import { onTestFinished } from 'vitest'

const tick = 10

/**
 * Begins to count the time in which this process has its turns, in milliseconds: what the machine does for others
 * meanwhile does not count.
 */
export const timeAwake = (): (() => number) => {
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), tick)
  onTestFinished(() => clearInterval(timer))
  return () => ticks * tick
}
