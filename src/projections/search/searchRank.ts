import { kinds } from '../../kinds/registry/kinds.ts'
import type { EntityRow } from '../entities/row.ts'

/** Kinds that say something about other entities, as test cases and contracts do. */
export const supportingKinds: readonly string[] = kinds.filter(({ dependent }) => dependent).map(({ name }) => name)

const later: ReadonlySet<string> = new Set([
  ...supportingKinds,
  ...kinds.filter(({ traits }) => traits.serving).map(({ name }) => name),
])

/** Does the kind come after others among equals? */
export const isSupporting = (kind: string): boolean => later.has(kind)

/** What an entity is ranked by, whatever is searched. */
export type SearchRank = Pick<EntityRow, 'kind' | 'since'> & {
  /** {@link popularityOf} */
  readonly popularity: number
}

const countIn = (references: string, name: string): number => {
  if (!references.includes(`"${name}":`)) return 0
  const list = (JSON.parse(references) as Record<string, readonly unknown[]>)[name]
  return list?.length ?? 0
}

/** Followers and votes for it without those against it; not below 0. */
export const popularityOf = ({ references }: Pick<EntityRow, 'references'>): number =>
  Math.max(0, countIn(references, 'followers') + countIn(references, 'upVoters') - countIn(references, 'downVoters'))

/** Popularity by powers of four: it moves a place seldom, and less the higher it is. */
const gradeOf = (popularity: number): number => (popularity >= 16 ? 3 : popularity >= 4 ? 2 : popularity >= 1 ? 1 : 0)

/** From 0, whose hits come first, to 7: popular ones, others, then kinds that come later. */
export const rankOf = ({ kind, popularity }: Omit<SearchRank, 'since'>): number =>
  (isSupporting(kind) ? 4 : 0) + 3 - gradeOf(popularity)

/**
 * The key of an entity in a search index, below 2^53. Hits are read in the order of keys, of very many only the first:
 * by rank, then by when they came to be live, or were deleted.
 */
export const keyOf = (ranked: SearchRank): number => rankOf(ranked) * 2 ** 48 + Number(ranked.since)
