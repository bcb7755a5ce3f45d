import { afterEach, beforeEach, vi } from 'vitest'

/** Stops the clock at this time before each test of a file or a group. @returns function that lets milliseconds pass */
export const useStoppedClock = (time: number): ((milliseconds: number) => void) => {
  // A process has always run for a while.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: time - 1 }).advanceTimersByTime(1))
  afterEach(() => void vi.useRealTimers())
  return (milliseconds) => void vi.advanceTimersByTime(milliseconds)
}
