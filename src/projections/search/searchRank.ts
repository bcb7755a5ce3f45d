import { kinds } from '../../kinds/registry/kinds.ts'
import type { EntityRow } from '../entities/row.ts'

/** Kinds about other entities, such as test cases and contracts. */
export const supportingKinds: readonly string[] = kinds.filter(({ dependent }) => dependent).map(({ name }) => name)

const later: ReadonlySet<string> = new Set([
  ...supportingKinds,
  ...kinds.filter(({ traits }) => traits.serving).map(({ name }) => name),
])

/** Whether the kind comes last among equal hits. */
export const isSupporting = (kind: string): boolean => later.has(kind)

/** The query-independent rank of an entity. */
export type SearchRank = Pick<EntityRow, 'kind' | 'since'> & {
  /** {@link popularityOf} */
  readonly popularity: number
}

const countIn = (references: string, name: string): number => {
  if (!references.includes(`"${name}":`)) return 0
  const list = (JSON.parse(references) as Record<string, readonly unknown[]>)[name]
  return list?.length ?? 0
}

/** Followers and upvotes minus downvotes; at least 0. */
export const popularityOf = ({ references }: Pick<EntityRow, 'references'>): number =>
  Math.max(0, countIn(references, 'followers') + countIn(references, 'upVoters') - countIn(references, 'downVoters'))

/** Popularity grade in powers of four, so that it rarely changes. */
const gradeOf = (popularity: number): number => (popularity >= 16 ? 3 : popularity >= 4 ? 2 : popularity >= 1 ? 1 : 0)

/** Rank from 0 (first) to 7: popular ones, others, then supporting kinds. */
const rankOf = ({ kind, popularity }: Omit<SearchRank, 'since'>): number =>
  (isSupporting(kind) ? 4 : 0) + 3 - gradeOf(popularity)

const keysOfRank = 2 ** 48

/**
 * The key of an entity in a search index, below 2^53. Hits are read in key order, of very many only the first: by rank,
 * then by the time of creation. It follows from the entity alone, so that the order is the same in every index.
 */
export const keyOf = (ranked: SearchRank): number => rankOf(ranked) * keysOfRank + Number(ranked.since)
