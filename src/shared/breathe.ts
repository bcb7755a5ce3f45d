import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time, in milliseconds, for which work that is done in slices holds up everything else. */
const slice = 10

/** Milliseconds for which a slice waits while connections come at most: work that is done in slices goes on then, too. */
const patience = 30

let accepted = 0

/**
 * To be called when this thread has accepted a connection. The event loop accepts one in each of its turns, however many
 * have come: behind turns of 20 ms the fiftieth would wait for a second.
 */
export const connectionAccepted = (): void => {
  accepted += 1
}

/** Lets everything else have its turn, and as many turns as it takes to accept all connections that have come. */
const letOthers = async (): Promise<void> => {
  const until = performance.now() + patience
  let before: number
  do {
    before = accepted
    await nextTurn()
  } while (accepted > before && performance.now() < until)
}

/** What long work awaits between its pieces: everything else has its turn as soon as a slice of time is over. */
export const makeBreather = (): (() => Promise<void> | undefined) => {
  let began = performance.now()
  return () => {
    if (performance.now() - began < slice) return undefined
    return letOthers().then(() => {
      began = performance.now()
    })
  }
}
