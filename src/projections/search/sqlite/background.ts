import type { SqliteFile } from '../../sqlite/file.ts'
import { forgetWords } from './indexing.ts'

/** Milliseconds. */
const afterFailure = 1000

/** Steps of work on the index behind everything else, with at most one timer. */
export interface Background {
  /** The next step comes after so many milliseconds, whatever was said before. */
  after(milliseconds: number): void
  stop(): void
}

/** @param step returns the milliseconds until the next one, `undefined` when nothing is left to do */
export const makeBackground = (file: SqliteFile, step: () => number | undefined): Background => {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const hold = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const after = (milliseconds: number): void => {
    hold()
    if (!isStopped) timer = setTimeout(run, milliseconds).unref()
  }
  const run = (): void => {
    timer = undefined
    try {
      const pause = step()
      if (pause !== undefined) after(pause)
    } catch {
      // What was not done stays to be done; a search or a write that needs it meets the same error and reports it.
      forgetWords(file)
      after(afterFailure)
    }
  }
  return {
    after,
    stop: () => {
      isStopped = true
      hold()
    },
  }
}
