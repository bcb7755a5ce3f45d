import { limits } from './limits.ts'

/** Says of each next item, by its characters, whether the page still has room for it: always for the first. */
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
