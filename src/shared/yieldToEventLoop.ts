import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeFairQueue } from './fairQueue.ts'

/** Longest slice of work in milliseconds before it yields. */
const slice = 10

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

/** Resolves after all pending microtasks, and the ticks that they asked for. */
const drainMicrotasks = (): Promise<void> => tick().then(tick)

/** Waiting requests, and long work between two slices. */
const requests = makeFairQueue<() => void>('newest')
const slices: (() => void)[] = []
let isScheduling = false

/** While requests wait, long work continues in only one of this many turns. */
const turnsPerSlice = 4

/**
 * The cost of a request's turn, from its duration in milliseconds: at least 1, so that many callers with cheap requests do
 * not all come first; at most half a slice, since a longer turn was probably interrupted by other processes.
 */
const chargeOf = (milliseconds: number): number => Math.max(1, Math.min(milliseconds, slice / 2))

/** Each turn of the event loop serves requests for one slice, then one slice of long work. */
const runScheduler = async (): Promise<void> => {
  isScheduling = true
  for (let turn = 1; requests.size() > 0 || slices.length > 0; turn++) {
    await nextTurn()
    await beginRequests()
    if (requests.size() > 0 && turn % turnsPerSlice !== 0) continue
    slices.shift()?.()
    await drainMicrotasks()
  }
  isScheduling = false
}

const beginRequests = async (): Promise<void> => {
  // In processor time: on a busy machine a slice of wall-clock time could be over after one request.
  for (const end = processorTime() + slice; processorTime() < end;) {
    const first = requests.next()
    if (first === undefined) return
    const began = performance.now()
    first.item()
    await drainMicrotasks()
    requests.charge(first.caller, chargeOf(performance.now() - began))
  }
}

const enqueueTurn = (add: (begin: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    add(resolve)
    if (!isScheduling) void runScheduler()
  })

let turnBegan: number | undefined

/**
 * What a request awaits before it starts: `undefined` unless other requests have used up the slice of this turn.
 * Next comes the waiting caller that has used this thread least.
 */
export const requestTurn = (caller: string): Promise<void> | undefined =>
  mayBegin() ? undefined : enqueueTurn((begin) => requests.add(caller, begin))

/** Whether a request may begin at once. */
export const mayBegin = (): boolean => {
  if (turnBegan === undefined) {
    turnBegan = performance.now()
    setImmediate(() => (turnBegan = undefined))
  }
  return !(isScheduling && requests.size() > 0) && performance.now() - turnBegan < slice
}

/** Yields to requests, connections and other long work. */
export const yieldToEventLoop = (): Promise<void> => enqueueTurn((begin) => slices.push(begin))

/** Makes the function that long work awaits between its pieces: it yields once a slice of time is used up. */
export const makeYielder = (): (() => Promise<void> | undefined) => {
  let began = performance.now()
  return () => {
    if (performance.now() - began < slice) return undefined
    return yieldToEventLoop().then(() => {
      began = performance.now()
    })
  }
}

/** The same items: a loop over them yields between two once a slice of time is used up. */
export async function* inSlices<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const yieldWhenDue = makeYielder()
  for await (const item of items) {
    yield item
    await yieldWhenDue()
  }
}

/** Does work, and yields after it if a slice of time is used up. */
export const doThenYield = async <T>(work: () => T): Promise<T> => {
  const yieldWhenDue = makeYielder()
  const done = work()
  await yieldWhenDue()
  return done
}

/** Runs a generator of work to its end without yielding. */
export const runToEnd = <T>(steps: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs a generator of work, and yields to the event loop at a pause once a slice of time is used up. */
export const runInSlices = async <T>(steps: Generator<void, T>): Promise<T> => {
  const yieldWhenDue = makeYielder()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pause = yieldWhenDue()
    if (pause !== undefined) await pause
  }
}
