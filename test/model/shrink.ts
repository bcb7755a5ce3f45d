import type { Step } from './operations.ts'

/** Does this list of steps still fail? */
export type Fails = (steps: readonly Step[]) => Promise<boolean>

/**
 * Delta debugging: leaves parts of a list out, ever smaller ones, as long as what is left still fails. What fails only
 * sometimes may end longer than it must be, never as a list that did not fail.
 * @param until epoch milliseconds after which no more is tried
 */
export const shrink = async (steps: readonly Step[], fails: Fails, until: number): Promise<readonly Step[]> => {
  let left = steps
  for (let size = Math.ceil(left.length / 2); size >= 1;) {
    let shorter = false
    for (let start = 0; start < left.length && Date.now() < until;) {
      const rest = [...left.slice(0, start), ...left.slice(start + size)]
      if (rest.length > 0 && (await fails(rest))) {
        left = rest
        shorter = true
      } else start += size
    }
    if (Date.now() >= until) return left
    if (size === 1 && !shorter) return left
    size = size === 1 ? 1 : Math.ceil(size / 2)
  }
  return left
}
