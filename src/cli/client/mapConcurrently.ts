/** Maps items with bounded concurrency until the first error. Results have the order of the items. */
export const mapConcurrently = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = 16,
): Promise<R[]> => {
  const results: R[] = []
  // Whoever throws ends a generator for all others, too; an iterator of an array would go on.
  const left = (function* () {
    yield* items.entries()
  })()
  const run = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run))
  return results
}
