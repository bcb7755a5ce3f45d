import { queryTerms, type QueryTerms, type Form, type Sequence } from './queryTerms.ts'
import type { SearchExpression, Text } from './query.ts'
import { supportingKinds } from './searchRank.ts'
import { gap, kindTerm, searchParts, type SearchPart } from './words.ts'

/** Weight of a word by its part. The best part counts. */
const weights: Readonly<Record<SearchPart, number>> = {
  name: 10,
  displayName: 10,
  columns: 5,
  fields: 5,
  synonyms: 5,
  path: 4,
  service: 4,
  tags: 4,
  owners: 4,
  description: 3,
}

/** Factor for words that differ from the query. */
const factors: Readonly<Record<Form | 'prefix', number>> = { exact: 1, inflected: 0.9, near: 0.7, prefix: 0.85 }

/** Bonuses for the matched share of the name, for adjacent words, and for the complete name. */
const coverageBonus = 6
const adjacencyBonus = 3
const exactNameBonus = 3

/** Factor for supporting kinds: a test case is named like the column that it tests. */
const supportingFactor = 0.4

const supportingTerms: ReadonlySet<string> = new Set(supportingKinds.map(kindTerm))

/** The terms of an entity, with the places of the requested ones. */
interface Document {
  readonly query: QueryTerms
  readonly terms: readonly string[]
  readonly places: ReadonlyMap<string, readonly number[]>
}

const documentOf = (query: QueryTerms, terms: readonly string[]): Document => {
  const places = new Map<string, number[]>()
  for (const [place, term] of terms.entries()) {
    if (!query.terms.has(term)) continue
    const known = places.get(term)
    if (known === undefined) places.set(term, [place])
    else known.push(place)
  }
  return { query, terms, places }
}

const placesOf = ({ terms: wanted, prefix }: Sequence, { terms, places }: Document): readonly number[] => {
  const last = wanted.length - 1
  if (prefix && last === 0) {
    const found: number[] = []
    for (const [place, term] of terms.entries()) if (term.startsWith(wanted[0] as string)) found.push(place)
    return found
  }
  const starts = places.get(wanted[0] as string) ?? []
  if (last === 0) return starts
  return starts.filter((start) =>
    wanted.every((term, at) => {
      const found = terms[start + at]
      return prefix && at === last ? found?.startsWith(term) === true : found === term
    }),
  )
}

interface Occurrence {
  readonly place: number
  readonly length: number
  readonly part: SearchPart
}

interface Match {
  /** Sum over its texts. */
  readonly worth: number
  /** Places of each text, in query order. */
  readonly texts: readonly (readonly Occurrence[])[]
}

const nothingAsked: Match = { worth: 0, texts: [] }

const matchText = (text: Text, document: Document, parts: readonly SearchPart[]): Match | undefined => {
  let worth = 0
  const found: Occurrence[] = []
  for (const sequence of document.query.sequences(text, parts)) {
    const { part, form, prefix, terms } = sequence
    const places = placesOf(sequence, document)
    if (places.length === 0) continue
    worth = Math.max(worth, weights[part] * factors[form] * (prefix ? factors.prefix : 1))
    for (const place of places) found.push({ place, length: terms.length, part })
  }
  return found.length === 0 ? undefined : { worth, texts: [found] }
}

const matchAll = (of: readonly SearchExpression[], document: Document, parts: readonly SearchPart[]) => {
  const texts: (readonly Occurrence[])[] = []
  let worth = 0
  for (const part of of) {
    const match = matchExpression(part, document, parts)
    if (match === undefined) return undefined
    worth += match.worth
    texts.push(...match.texts)
  }
  return { worth, texts }
}

const share = ({ worth, texts }: Match): number => worth / Math.max(1, texts.length)

const matchExpression = (
  expression: SearchExpression,
  document: Document,
  parts: readonly SearchPart[],
): Match | undefined => {
  const matchIf = (matches: boolean): Match | undefined => (matches ? nothingAsked : undefined)
  switch (expression.type) {
    case 'all':
      return nothingAsked
    case 'text':
      return matchText(expression, document, parts)
    case 'and':
      return matchAll(expression.of, document, parts)
    case 'or':
      return expression.of
        .map((part) => matchExpression(part, document, parts))
        .reduce((best, match) => (match && (!best || share(match) > share(best)) ? match : best), undefined)
    case 'not':
      return matchIf(matchExpression(expression.of, document, searchParts) === undefined)
    case 'term':
      return matchIf(document.places.has(expression.term))
  }
}

const nameParts: ReadonlySet<SearchPart> = new Set(['name', 'displayName'])

/** The largest matched share of the name or display name; each text covers one place. */
const coverageOf = ({ terms }: Document, texts: Match['texts']): number => {
  let best = 0
  for (let from = 0, names = 0; names < 2; names++) {
    const to = terms.indexOf(gap, from)
    const isIn = ({ part, place }: Occurrence): boolean => nameParts.has(part) && place >= from && place < to
    const covered = texts.reduce(
      (sum, found) => sum + Math.max(0, ...found.filter(isIn).map(({ length }) => length)),
      0,
    )
    if (to > from) best = Math.max(best, Math.min(1, covered / (to - from)))
    from = to + 1
  }
  return best
}

/** From 1 (the texts are adjacent in the name, in query order) down to 0. */
const closenessOf = (texts: Match['texts']): number => {
  if (texts.length < 2) return 0
  let sum = 0
  for (const [at, found] of texts.entries()) {
    const before = texts[at - 1]
    if (before === undefined) continue
    let best = 0
    for (const { place, part } of found) {
      for (const other of before) {
        if (other.part !== part) continue
        const distance = place - other.place - other.length
        const near = distance === 0 ? 1 : Math.abs(distance) <= 3 ? 0.5 : 0
        best = Math.max(best, (near * weights[part]) / weights.name)
      }
    }
    sum += best
  }
  return sum / (texts.length - 1)
}

/**
 * Makes the scorer: the average weight of the best places of the query's texts, plus bonuses for the name. Equal in
 * every engine.
 * @returns the score of an entity by its `searchTerms`; 1 without text in the query, 0 without a match
 */
export const scorerOf = (expression: SearchExpression): ((terms: readonly string[]) => number) => {
  const query = queryTerms(expression)
  return (terms) => {
    const document = documentOf(query, terms)
    const match = matchExpression(expression, document, searchParts)
    if (match === undefined) return 0
    if (match.texts.length === 0) return 1
    const isExactName = query.nameTerms?.some((term) => document.places.has(term)) === true
    const coverage = isExactName ? 1 : coverageOf(document, match.texts)
    const base = share(match) + coverageBonus * coverage + adjacencyBonus * closenessOf(match.texts)
    const score = base + (isExactName ? exactNameBonus : 0)
    return Math.round((supportingTerms.has(terms.at(-3) ?? '') ? supportingFactor : 1) * score * 100) / 100
  }
}

/** Makes the check whether an entity's terms match within these parts. */
export const matcherOf = (
  expression: SearchExpression,
): ((terms: readonly string[], parts: readonly SearchPart[]) => boolean) => {
  const query = queryTerms(expression)
  return (terms, parts) => matchExpression(expression, documentOf(query, terms), parts) !== undefined
}
