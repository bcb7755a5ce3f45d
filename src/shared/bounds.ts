import { type Json, type JsonObject, jsonPointer } from './json.ts'
import { limits } from './limits.ts'

/** Where a value exceeds a bound (JSON Pointer), and what to do about it. */
export interface Excess {
  readonly path: string
  readonly message: string
}

/** Finds the first list or object with too many items, or the whole value if it has too many values in all. */
export const excessIn = (value: Json): Excess | undefined => find(value, [], { left: limits.values.value })

const find = (value: Json, steps: string[], values: { left: number }): Excess | undefined => {
  if (values.left-- <= 0)
    return { path: '', message: `must have at most ${limits.values.value} values in all: send less at once` }
  if (typeof value !== 'object' || value === null) return undefined
  const message = tooMany(value)
  if (message !== undefined)
    return { path: jsonPointer(...steps.map((step) => step.replaceAll('\0', '\uFFFD').toWellFormed())), message }
  for (const key of Object.keys(value)) {
    steps.push(key)
    const excess = find((value as JsonObject)[key] as Json, steps, values)
    if (excess !== undefined) return excess
    steps.pop()
  }
  return undefined
}

/** The problem of a list or object with too many items or members. */
export const tooMany = (value: JsonObject | Json[]): string | undefined => {
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
export const makeRoom = (room: number = limits.pageText.value): ((characters: number) => boolean) => {
  let used = 0
  let first = true
  return (characters) => {
    const fits = first || used < room
    first = false
    used += characters
    return fits
  }
}
