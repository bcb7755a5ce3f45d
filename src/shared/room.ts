import { limits } from './limits.ts'

/**
 * The function that says of each next item, by the characters of its texts, whether the page still has room for it:
 * always for the first, and until those before it have filled the page.
 */
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
