import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time, in milliseconds, for which work that is done in slices holds up everything else. */
const slice = 10

/** What long work awaits between its pieces: everything else has its turn as soon as a slice of time is over. */
export const makeBreather = (): (() => Promise<void> | undefined) => {
  let began = performance.now()
  return () => {
    if (performance.now() - began < slice) return undefined
    return nextTurn().then(() => {
      began = performance.now()
    })
  }
}
