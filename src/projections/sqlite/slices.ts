/** Milliseconds that a slice of work behind everything else should take. */
const sliceTime = 10
/** Milliseconds that others have before the next one. */
export const pauseBetweenSlices = 100

/** What the first slice is given, and every one at least. */
const first = 100
const least = 20

/** Does a slice of work, given how much of it: as much as fits into the time, at most `most`. */
export const makeSlices = (most: number): (<T>(work: (size: number) => T) => T) => {
  let size = first
  return (work) => {
    const begun = performance.now()
    const result = work(size)
    size = Math.min(most, Math.max(least, Math.round((size * sliceTime) / (performance.now() - begun))))
    return result
  }
}
