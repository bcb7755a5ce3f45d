import type { Json, JsonObject } from './json.ts'
import { limits } from './limits.ts'
import { makeYielder } from './yieldToEventLoop.ts'

/** The problem of a list or object with too many items or members. */
export const sizeProblem = (value: JsonObject | Json[]): string | undefined => {
  const most = limits.list.value
  const [length, what] = Array.isArray(value) ? [value.length, 'items'] : [Object.keys(value).length, 'members']
  return length > most ? `must have at most ${most} ${what} and has ${length}` : undefined
}

/**
 * The beginning of a text, with an ellipsis where it was longer.
 * @param most longest text returned, in UTF-16 code units; no surrogate pair is cut in half
 */
export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** Tells for each next item, by its length in characters, whether it still fits on the page. The first always fits. */
export const makePageBudget = (): ((characters: number) => boolean) => {
  let used = 0
  let first = true
  return (characters) => {
    used += characters
    const fits = first || used <= limits.pageText.value
    first = false
    return fits
  }
}

/** Divides items into chunks of `size`; the last one may be smaller. */
export const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Divides items into chunks of at most `size`, whose JSON fits into a bulk request; an item that does not fit is alone. */
export const bulksOf = <T>(items: readonly T[], size: number): T[][] => {
  const chunks: T[][] = []
  let room = 0
  for (const item of items) {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1
    const last = chunks.at(-1)
    if (last === undefined || last.length === size || bytes > room) {
      chunks.push([item])
      room = limits.bulkBody.value - 1
    } else last.push(item)
    room -= bytes
  }
  return chunks
}

/**
 * Maps items with bounded concurrency, and yields to the event loop between items and between chunks: a store in this
 * process works as it is called. @returns results in the order of the items
 */
export const mapInChunks = async <T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = []
  const yieldWhenDue = makeYielder()
  const yieldThenWork = async (item: T): Promise<R> => {
    const due = yieldWhenDue()
    if (due !== undefined) await due
    return work(item)
  }
  for (const chunk of chunksOf(items, size)) {
    for (const given of await Promise.all(chunk.map(yieldThenWork))) done.push(given)
    await yieldWhenDue()
  }
  return done
}
