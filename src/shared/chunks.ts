import { makeYielder } from './yieldToEventLoop.ts'

/** The items in their order, `size` of them together; fewer in the last chunk. */
export const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Does work for each item, for at most so many at once, and lets others through. @returns what it gave, in the order of the items */
export const mapInChunks = async <T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = []
  const yieldWhenDue = makeYielder()
  for (const chunk of chunksOf(items, size)) {
    for (const given of await Promise.all(chunk.map(work))) done.push(given)
    await yieldWhenDue()
  }
  return done
}
