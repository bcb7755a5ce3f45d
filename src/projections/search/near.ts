import leven from 'leven'

/** Only the beginning of a word says where to look: what is found there is compared as a whole. */
const beginning = 7
/** Shorter words are too near each other. */
const shortest = 3
const longest = 32
/** A word of so many letters may have two errors, and one with as many less the two may be meant by it. */
const forTwo = 8

const letters = /^\p{L}+$/u

/** Is the word one that a query with a typing error may have meant? Numbers and codes are not. */
export const canBeMeant = (word: string): boolean =>
  word.length >= shortest && word.length <= longest && letters.test(word)

const withoutOne = (word: string): string[] =>
  Array.from({ length: word.length }, (_, at) => word.slice(0, at) + word.slice(at + 1))

const shortened = (word: string, times: number): Set<string> => {
  const all = new Set([word.slice(0, beginning)])
  let last: Iterable<string> = [...all]
  for (let time = 0; time < times; time++) {
    const next = [...last].flatMap(withoutOne)
    for (const each of next) all.add(each)
    last = next
  }
  return all
}

/** How many errors a word of a query may have: none below four letters, one, and two from eight letters on. */
const errorsIn = (word: string): 0 | 1 | 2 => (word.length < 4 ? 0 : word.length < forTwo ? 1 : 2)

/** May a word of a query have an error that is forgiven? */
export const mayHaveErrors = (word: string): boolean => errorsIn(word) > 0 && letters.test(word)

/** Keys of a word: two that differ by few letters share one when so many are left out of the beginning of each. */
export const keysOf = (word: string): Set<string> => shortened(word, word.length >= forTwo - 2 ? 2 : 1)

/** Under which of these keys the words may stand that a word of a query means. */
export const keysNear = (word: string): Set<string> => {
  const errors = errorsIn(word)
  return errors === 0 ? new Set() : shortened(word, errors)
}

const swapped = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let at = 0
  while (a[at] === b[at]) at++
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
}

/** Number of letters that were added, left out, changed or swapped with their neighbour. */
const errorsBetween = (a: string, b: string): number => (swapped(a, b) ? 1 : leven(a, b))

/** So many words may be meant by one. */
const mostMeant = 20

/** The words that a word of a query may mean, nearest first; without the word itself. */
export const nearest = (word: string, candidates: Iterable<string>): string[] =>
  [...new Set(candidates)]
    .filter((candidate) => candidate !== word)
    .map((candidate) => ({ candidate, errors: errorsBetween(word, candidate) }))
    .filter(({ errors }) => errors <= errorsIn(word))
    .sort((a, b) => a.errors - b.errors || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, mostMeant)
    .map(({ candidate }) => candidate)
