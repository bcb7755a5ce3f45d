import leven from 'leven'

/** Whether one word is a prefix, of at least three letters, of the other. */
const isBeginning = (one: string, other: string): boolean => one.length > 2 && other.startsWith(one)

/** Known words that a misspelt one may stand for, closest first. */
const nearest = (word: string, known: readonly string[]): string[] => {
  const lower = word.toLowerCase().slice(0, 100)
  const far = Math.max(1, Math.floor(lower.length / 3))
  return known
    .map((each) => ({ each, folded: each.toLowerCase() }))
    .map(({ each, folded }) => ({ each, folded, apart: leven(lower, folded, { maxDistance: far + 1 }) }))
    .filter(({ apart, folded }) => apart <= far || isBeginning(lower, folded) || isBeginning(folded, lower))
    .toSorted((one, other) => one.apart - other.apart)
    .map(({ each }) => each)
}

/** `; did you mean a or b?`, or an empty text if no known word is close. @param before prefix of each suggestion */
export const didYouMean = (word: string, known: readonly string[], before = ''): string => {
  const near = nearest(word, known)
    .slice(0, 3)
    .map((each) => `${before}${each}`)
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
}

/** Up to this number of known words all are listed, even if one is close. */
const shortList = 12

/** The message for a value that is none of these words. */
export const unknownWord = (value: unknown, known: readonly string[]): string => {
  const hint = typeof value === 'string' ? didYouMean(value, known) : ''
  if (hint !== '' && known.length > shortList) return `is not one of the ${known.length} allowed values${hint}`
  return `must be one of ${known.join(', ')}${hint}`
}

/** Unknown names of a list that a message is about; the others are counted. */
const named = 10

/** The message for names of a list that are none of these; `undefined` if all are known. */
export const unknownNames = (given: readonly string[], known: readonly string[]): string | undefined => {
  const unknown = [...new Set(given)].filter((name) => !known.includes(name))
  if (unknown.length === 0) return undefined
  const messages = unknown.slice(0, named).map((name) => `${name} ${unknownWord(name, known)}`)
  return [...messages, ...(unknown.length > named ? [`${unknown.length - named} more are unknown`] : [])].join('; ')
}
