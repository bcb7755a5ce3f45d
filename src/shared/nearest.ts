import leven from 'leven'

/** Whether one word is a prefix, of at least three letters, of the other. */
const isPrefix = (one: string, other: string): boolean => one.length > 2 && other.startsWith(one)

/** Known words that a misspelt one may stand for, closest first. */
const nearest = (word: string, known: readonly string[]): string[] => {
  const lower = word.toLowerCase().slice(0, 100)
  const maxDistance = Math.max(1, Math.floor(lower.length / 3))
  return known
    .map((each) => ({ each, folded: each.toLowerCase() }))
    .map(({ each, folded }) => ({ each, folded, distance: leven(lower, folded, { maxDistance: maxDistance + 1 }) }))
    .filter(({ distance, folded }) => distance <= maxDistance || isPrefix(lower, folded) || isPrefix(folded, lower))
    .toSorted((one, other) => one.distance - other.distance)
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

/** Number of unknown names that a message lists; further ones are counted. */
const maxListed = 10

/** The message for names of a list that are none of these; `undefined` if all are known. */
export const unknownNames = (given: readonly string[], known: readonly string[]): string | undefined => {
  const unknown = [...new Set(given)].filter((name) => !known.includes(name))
  if (unknown.length === 0) return undefined
  const messages = unknown.slice(0, maxListed).map((name) => `${name} ${unknownWord(name, known)}`)
  const more = unknown.length - maxListed
  return [...messages, ...(more > 0 ? [`${more} more are unknown`] : [])].join('; ')
}
