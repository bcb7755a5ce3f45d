import type { ListKey, ListQuery } from './port.ts'

export interface KeyBound {
  readonly key: ListKey
  readonly inclusive: boolean
}

/** A part of a list. */
export interface KeyRange {
  readonly from?: KeyBound | undefined
  readonly to?: KeyBound | undefined
}

/** The lowest of FQNs that stand one above the other; `undefined` when they do not: nothing is below them all. */
export const deepest = (scopes: readonly string[]): string | undefined => {
  const last = scopes.reduce((longest, scope) => (scope.length > longest.length ? scope : longest), '')
  return scopes.every((scope) => scope === last || last.startsWith(`${scope}.`)) ? last : undefined
}

interface Walked<R> {
  /** Nearest first, one more than the limit where there are more. */
  readonly found: readonly R[]
  /** There was no room for more. */
  readonly cut?: boolean
  /** Does anything stand where the walk came from? */
  readonly behind: boolean
}

/** The page of a walk from one of its ends: with `before` it went backwards. */
export const pageOfWalk = <R>(
  { limit, before }: Pick<ListQuery, 'limit' | 'before'>,
  { found, cut = false, behind }: Walked<R>,
) => {
  const more = cut || found.length > limit
  const rows = found.slice(0, limit)
  if (before === undefined) return { rows, hasBefore: behind, hasAfter: more }
  return { rows: rows.reverse(), hasBefore: more, hasAfter: behind }
}
