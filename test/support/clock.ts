import { afterEach, beforeEach, vi } from 'vitest'

/** Stops the clock at this time before each test of a file or a group. @returns function that lets milliseconds pass */
export const useStoppedClock = (time: number): ((milliseconds: number) => void) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: time }))
  afterEach(() => void vi.useRealTimers())
  return (milliseconds) => void vi.advanceTimersByTime(milliseconds)
}
