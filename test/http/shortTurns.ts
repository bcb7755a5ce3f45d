import { expect } from 'vitest'
import { atThisPace, shortestTime } from '../support/processorTime.ts'

/** Attempts before work is taken to hold up others. */
const attempts = 5

/** Expects that a turn of the work takes less than so many milliseconds. */
export const expectShortTurns = async (milliseconds: number, measure: () => Promise<number>): Promise<void> =>
  expect(await shortestTime(attempts, milliseconds, measure)).toBeLessThan(atThisPace(milliseconds))
