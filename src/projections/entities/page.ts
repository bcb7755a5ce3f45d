import { compareCodePoints } from './place.ts'
import type { EntityLists, ListKey, ListPage, ListQuery } from './port.ts'

interface Walked<R> {
  /** Nearest first, one more than the limit if there are more. */
  readonly found: readonly R[]
  readonly cut?: boolean
  /** Whether anything is on the other side of the start. */
  readonly behind: boolean
}

/** Turns the result of a walk into a page; with `before` the walk went backwards. */
export const pageOfWalk = <R>(
  { limit, before }: Pick<ListQuery, 'limit' | 'before'>,
  { found, cut = false, behind }: Walked<R>,
) => {
  const more = cut || found.length > limit
  const rows = found.slice(0, limit)
  if (before === undefined) return { rows, hasBefore: behind, hasAfter: more }
  return { rows: rows.reverse(), hasBefore: more, hasAfter: behind }
}

/** The order of lists: by FQN, then by id. */
export const compareKeys = (a: ListKey, b: ListKey): number =>
  compareCodePoints(a.fullyQualifiedName, b.fullyQualifiedName) || compareCodePoints(a.id, b.id)

/** Number of rows read at a time of a long list. */
export const streamPage = 1000

/** The parts of one long page, in list order, counted once. @param query its `limit` is that of the whole */
export async function* pagesOf(lists: Pick<EntityLists, 'list'>, query: Omit<ListQuery, 'before'>) {
  let { after, total } = query
  for (let left = query.limit; left > 0;) {
    const page: ListPage = await lists.list({ ...query, after, total, limit: Math.min(left, streamPage) })
    yield page
    const last = page.rows.at(-1)
    if (!page.hasAfter || last === undefined) return
    left -= page.rows.length
    after = last
    total = page.total
  }
}
