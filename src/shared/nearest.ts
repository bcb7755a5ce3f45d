import leven from 'leven'

/** Letters by which a word may differ from one that it was meant to be. */
const farthest = (word: string): number => Math.max(1, Math.floor(word.length / 3))

/** Does one begin with the other, from three letters on? */
const isBeginning = (one: string, other: string): boolean => one.length > 2 && other.startsWith(one)

/** The known words that a misspelt one may have been meant to be, the most alike first. */
const nearest = (word: string, known: readonly string[]): string[] => {
  const lower = word.toLowerCase().slice(0, 100)
  const far = farthest(lower)
  return known
    .map((each) => ({ each, apart: leven(lower, each.toLowerCase()), folded: each.toLowerCase() }))
    .filter(({ apart, folded }) => apart <= far || isBeginning(lower, folded) || isBeginning(folded, lower))
    .toSorted((one, other) => one.apart - other.apart)
    .map(({ each }) => each)
}

/** `; did you mean a or b?`, or nothing where no known word is near. @param before stands before each of them */
export const didYouMean = (word: string, known: readonly string[], before = ''): string => {
  const near = nearest(word, known)
    .slice(0, 3)
    .map((each) => `${before}${each}`)
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
}

/** Words up to which a list is named whole, though one of them is near. */
const shortList = 12

/** What to say of a value that is none of these words. */
export const unknownWord = (value: unknown, known: readonly string[]): string => {
  const hint = typeof value === 'string' ? didYouMean(value, known) : ''
  if (hint !== '' && known.length > shortList) return `is none of the ${known.length} words that may stand here${hint}`
  return `must be one of ${known.join(', ')}${hint}`
}
