import { compareKeys } from '../entities/page.ts'
import type { ListKey } from '../entities/port.ts'
import type { SearchExpression } from './query.ts'
import { searchParts, type SearchPart } from './words.ts'
import { exactTerms } from './queryTerms.ts'
import { scorerOf } from './score.ts'
import { isSupporting, type SearchRank } from './searchRank.ts'
import { textsIn } from './forms.ts'

/** Largest number of counted hits per query. */
export const maxHits = 10_000

/** Largest number of scored hits per tier, first in key order. */
export const maxScored = 100

/** Tiers of places for the words of a query, best first: names; outside the description; anywhere. */
const tiers: readonly (readonly SearchPart[])[] = [
  ['name', 'displayName'],
  searchParts.filter((part) => part !== 'description'),
  searchParts,
]

export interface Demand {
  readonly expression: SearchExpression
  readonly parts: readonly SearchPart[]
  /** One of these terms is required too. */
  readonly nameTerms?: readonly string[] | undefined
}

interface HitFacts<K> extends Pick<SearchRank, 'kind' | 'popularity'>, ListKey {
  readonly key: K
  readonly terms: readonly string[]
}

export interface Matcher<K> {
  /** The first matches in key order. */
  matching(demand: Demand, limit: number): Promise<readonly K[]>
  facts(keys: readonly K[]): Promise<readonly HitFacts<K>[]>
  /** Indexed words similar to a mistyped one. */
  near(words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
}

export interface Scored<K> {
  readonly key: K
  readonly score: number
}

/** The counted matches. */
export interface HitCount<K> {
  /** In key order. */
  readonly keys: readonly K[]
  readonly atLeast: boolean
}

export const count = async <K>(matcher: Matcher<K>, expression: SearchExpression): Promise<HitCount<K>> => {
  const keys = await matcher.matching({ expression, parts: searchParts }, maxHits + 1)
  return { keys: keys.slice(0, maxHits), atLeast: keys.length > maxHits }
}

const demandsOf = (expression: SearchExpression): Demand[] => {
  const nameTerms = exactTerms(expression)
  const demands = tiers.map((parts): Demand => ({ expression, parts }))
  return nameTerms === undefined ? demands : [{ expression, parts: searchParts, nameTerms }, ...demands]
}

/** Orders by score, then popularity, then supporting kinds last, then FQN and id. */
const byRank = <K>(a: HitFacts<K> & Scored<K>, b: HitFacts<K> & Scored<K>): number =>
  b.score - a.score ||
  b.popularity - a.popularity ||
  Number(isSupporting(a.kind)) - Number(isSupporting(b.kind)) ||
  compareKeys(a, b)

/**
 * The best hits, best first. Few matches are all scored; of many only the first of each tier, and the others follow in
 * key order with the last score.
 */
export const ranked = async <K>(
  matcher: Matcher<K>,
  expression: SearchExpression,
  { keys }: HitCount<K>,
  upTo: number,
): Promise<Scored<K>[]> => {
  const tiered: (readonly K[])[] = []
  if (keys.length > maxScored && textsIn(expression).length > 0) {
    const demands = demandsOf(expression).slice(0, -1)
    for (const demand of demands) tiered.push(await matcher.matching(demand, Math.max(maxScored, upTo)))
  }
  tiered.push(keys)
  const candidates = new Set(tiered.flatMap((tier) => tier.slice(0, maxScored)))
  const facts = await matcher.facts([...candidates])
  const scoreOf = scorerOf(expression)
  const scored = facts.map((each) => ({ ...each, score: scoreOf(each.terms) })).toSorted(byRank)
  const hits: Scored<K>[] = scored.map(({ key, score }) => ({ key, score }))
  const lowest = hits.at(-1)?.score ?? 0
  for (const key of hits.length < upTo ? new Set(tiered.flat()) : []) {
    if (!candidates.has(key)) hits.push({ key, score: lowest })
  }
  return hits.slice(0, upTo)
}
