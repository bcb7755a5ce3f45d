import type { SqliteFile } from '../../sqlite/file.ts'

export interface Beginning {
  readonly terms: readonly string[]
  readonly all: boolean
}

/** What a search asks of the terms of an index before it asks for hits. */
export interface Terms {
  /** Terms that begin so: all, or the first of more than can be asked for one by one. */
  beginning(beginning: string): Beginning
  /** That of these terms which the fewest entities have; `undefined` when very many have each of them. */
  rarest(terms: readonly string[]): string | undefined
}

/** Beginnings of more terms are faster read as one list, although all of it is read before the first hit. */
const maxTerms = 32

/** How far it is counted how many entities have a term, in steps: the first term that ends within one is the rarest. */
const countedSteps = [1000, 10_000]

/** Terms of a file with how many were found to have each, at least; it costs only time when that is so no more. */
const frequent = new WeakMap<SqliteFile, Map<string, number>>()
const mostFrequent = 10_000

const frequentIn = (file: SqliteFile): Map<string, number> => {
  const known = frequent.get(file) ?? new Map<string, number>()
  frequent.set(file, known)
  if (known.size >= mostFrequent) known.clear()
  return known
}

/** Reads the terms from the index itself, for one search. */
export const termsIn = (file: SqliteFile): Terms => {
  const hasMore = (term: string, limit: number): boolean => {
    const count = file.statement('SELECT count(*) FROM (SELECT 1 FROM search_index WHERE search_index MATCH ? LIMIT ?)')
    return (count.get(quoted([term]), limit + 1) as [number])[0] > limit
  }
  const findRarest = (terms: readonly string[]): string | undefined => {
    const known = frequentIn(file)
    for (const limit of countedSteps) {
      for (const term of terms) {
        if ((known.get(term) ?? 0) >= limit) continue
        if (!hasMore(term, limit)) return term
        known.set(term, limit)
      }
    }
    return undefined
  }
  const findBeginning = (beginning: string): Beginning => {
    const next = file.statement('SELECT term FROM temp.search_terms WHERE term >= ? LIMIT 1')
    const terms: string[] = []
    for (let from = beginning; ;) {
      const [term] = (next.get(from) ?? []) as [string?]
      if (term?.startsWith(beginning) !== true) return { terms, all: true }
      if (terms.length === maxTerms) return { terms, all: false }
      terms.push(term)
      from = `${term} `
    }
  }
  const found = new Map<string, string | undefined>()
  const begun = new Map<string, Beginning>()
  return {
    beginning: (beginning) => {
      const known = begun.get(beginning) ?? findBeginning(beginning)
      begun.set(beginning, known)
      return known
    },
    rarest: (terms) => {
      const key = terms.join(' ')
      if (!found.has(key)) found.set(key, findRarest(terms))
      return found.get(key)
    },
  }
}

/** Terms one after the other, in the language of the index. */
export const quoted = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`
