import leven from 'leven'

/** Length of the prefix by which similar words are looked up; candidates are compared completely. */
const beginning = 7
/** Shorter words are too similar to each other. */
const shortest = 3
const longest = 32
/** Length from which two errors are tolerated. */
const twoErrorsFrom = 8

const letters = /^\p{L}+$/u

/** Whether the word can be meant by a mistyped query; numbers and codes cannot. */
export const isTypoTarget = (word: string): boolean =>
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

/** Tolerated errors: none below four letters, then one, and two from eight letters on. */
const errorsIn = (word: string): 0 | 1 | 2 => {
  // A syllable of Hangul is one letter, though stored as two or three.
  const { length } = word.normalize('NFC')
  return length < 4 ? 0 : length < twoErrorsFrom ? 1 : 2
}

/** Whether errors are tolerated in a word. */
export const allowsTypos = (word: string): boolean => errorsIn(word) > 0 && letters.test(word)

/** Deletion keys of a word: similar words share a key. */
export const deletionKeys = (word: string): Set<string> => shortened(word, word.length >= twoErrorsFrom - 2 ? 2 : 1)

/** Keys under which similar words of a query word can be found. */
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

/** Edit distance (insertion, deletion, substitution, transposition). */
const errorsBetween = (a: string, b: string): number => (swapped(a, b) ? 1 : leven(a, b))

/** Most similar words considered per query word. */
const maxSimilarWords = 20

/** Similar words of a query word, closest first, without the word itself. */
export const nearest = (word: string, candidates: Iterable<string>): string[] =>
  [...new Set(candidates)]
    .filter((candidate) => candidate !== word)
    .map((candidate) => ({ candidate, errors: errorsBetween(word, candidate) }))
    .filter(({ errors }) => errors <= errorsIn(word))
    .sort((a, b) => a.errors - b.errors || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxSimilarWords)
    .map(({ candidate }) => candidate)
