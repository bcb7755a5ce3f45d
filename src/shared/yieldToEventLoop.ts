import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeFairQueue } from './turns.ts'

/** Longest time, in milliseconds, for which work that is done in slices holds up everything else. */
const slice = 10

/** Milliseconds of this thread's processor time for which everything waits at most while connections come. */
const longestAccepting = 30

let accepted = 0
let coming: Promise<void> | undefined

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Resolves when a turn of the event loop has accepted no connection, or many turns have. */
const untilNoneComes = async (): Promise<void> => {
  const until = processorTime() + longestAccepting
  await nextTurn()
  let before: number
  do {
    before = accepted
    await nextTurn()
  } while (accepted > before && processorTime() < until)
  coming = undefined
}

/**
 * To be called when this thread has accepted a connection. The event loop accepts one in each of its turns, however many
 * have come: behind turns of 20 ms the fiftieth would wait for a second. So nothing is begun or goes on until all are
 * accepted: such turns are short.
 */
export const connectionAccepted = (): void => {
  accepted += 1
  coming ??= untilNoneComes()
}

/** The next turn of the event loop in which no connection comes. */
export const quietTurn = async (): Promise<void> => {
  await nextTurn()
  await coming
}

/** Resolves when whatever could go on without waiting for something has done so. */
const allHaveGoneOn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** What waits: requests that have not begun, and long work between two of its slices. */
const requests = makeFairQueue<() => void>('newest')
const slices: (() => void)[] = []
let giving = false

/** While requests wait, long work goes on in one of so many turns. */
const seldom = 4

/** Each turn of the event loop goes to requests for as long as a slice, and to one slice of long work. */
const giveTurns = async (): Promise<void> => {
  giving = true
  for (let turn = 1; requests.size() > 0 || slices.length > 0; turn++) {
    await quietTurn()
    await beginRequests()
    if (requests.size() > 0 && turn % seldom !== 0) continue
    slices.shift()?.()
    await allHaveGoneOn()
  }
  giving = false
}

const beginRequests = async (): Promise<void> => {
  // In processor time: where the processor is taken from it, a slice would be over after one of them.
  let now = processorTime()
  for (const end = now + slice; now < end;) {
    const first = requests.next()
    if (first === undefined) return
    const began = now
    first.item()
    await allHaveGoneOn()
    now = processorTime()
    requests.charge(first.caller, now - began)
  }
}

const turnAmong = (add: (begin: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    add(resolve)
    if (!giving) void giveTurns()
  })

let beganTurn: number | undefined

/**
 * What a request waits for before anything is done for it: `undefined`, unless connections come, or others have begun
 * in the same turn of the event loop for as long as a slice. Of those that wait the caller comes next for whom this
 * thread has computed least.
 */
export const requestTurn = (caller: string): Promise<void> | undefined =>
  mayBegin() ? undefined : turnAmong((begin) => requests.add(caller, begin))

/** May a request begin at once? */
export const mayBegin = (): boolean => {
  if (beganTurn === undefined) {
    beganTurn = performance.now()
    setImmediate(() => (beganTurn = undefined))
  }
  return coming === undefined && !(giving && requests.size() > 0) && performance.now() - beganTurn < slice
}

/** Lets everything else have its turn: requests, connections, and other long work that waits. */
export const yieldToEventLoop = (): Promise<void> => turnAmong((begin) => slices.push(begin))

/** What long work awaits between its pieces: yields to the event loop as soon as a slice of time is over. */
export const makeYielder = (): (() => Promise<void> | undefined) => {
  let began = performance.now()
  return () => {
    if (performance.now() - began < slice) return undefined
    return yieldToEventLoop().then(() => {
      began = performance.now()
    })
  }
}
/** Does work to its end that pauses now and then. */
export const atOnce = <T>(steps: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Does work that pauses now and then, and lets others through at a pause once it has taken long. */
export const inSlices = async <T>(steps: Generator<void, T>): Promise<T> => {
  const yieldWhenDue = makeYielder()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pause = yieldWhenDue()
    if (pause !== undefined) await pause
  }
}
