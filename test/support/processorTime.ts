/** Milliseconds that this thread has computed so far. What the machine does for others does not count. */
export const computed = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** For how many milliseconds this thread computed to do the work. */
export const processorTime = (work: () => void): number => {
  const before = computed()
  work()
  return computed() - before
}

/**
 * The shortest of three times: what the machine takes from this thread meanwhile, or what is collected of memory, makes
 * one of them longer, and nothing makes it shorter.
 */
export const processorTimeAtBest = (work: () => void): number =>
  Math.min(processorTime(work), processorTime(work), processorTime(work))

const reference = (): void => {
  const rows = Array.from({ length: 6000 }, (_, at) => ({ name: `n${(at * 7919) % 6000}`, at, words: ['a', `${at}`] }))
  const read = JSON.parse(JSON.stringify(rows)) as typeof rows
  read.sort((one, other) => (one.name < other.name ? -1 : 1))
  new Map(read.map((row) => [row.name, row]))
}

/** Milliseconds that the reference takes where the bounds of tests were chosen. */
const usual = 15

/**
 * What so many milliseconds of processor time are at the pace of this machine at present, and never less: bounds of tests
 * are as wide on a processor that is slower, or that shares its core with another.
 */
export const atThisPace = (milliseconds: number): number => {
  const taken = processorTimeAtBest(reference)
  return milliseconds * Math.max(1, taken / usual)
}

/**
 * The shortest time of so many attempts; the first below the bound at this pace is enough. A machine that others use as
 * well makes a time longer now and then, never shorter.
 */
export const shortestTime = async (
  attempts: number,
  milliseconds: number,
  measure: () => Promise<number>,
): Promise<number> => {
  let shortest = Infinity
  for (let attempt = 0; attempt < attempts && shortest >= atThisPace(milliseconds); attempt++)
    shortest = Math.min(shortest, await measure())
  return shortest
}
