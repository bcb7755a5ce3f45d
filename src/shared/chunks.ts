import { makeYielder } from './yieldToEventLoop.ts'

/** Divides items into chunks of `size`; the last one may be smaller. */
export const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/**
 * Maps items with bounded concurrency and yields to the event loop between chunks. @returns results in the order of the
 * items
 */
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
