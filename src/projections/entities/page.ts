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

type Lists = Pick<EntityLists, 'list'>

/** The parts of one long page, in list order, counted once. @param query its `limit` is that of the whole */
export const pagesOf = (lists: Lists, query: ListQuery): AsyncGenerator<ListPage> =>
  query.before === undefined ? pagesAfter(lists, query) : pagesBefore(lists, query)

async function* pagesAfter(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  let { after, total } = query
  for (let left = query.limit; left > 0;) {
    const page = await lists.list({ ...query, after, total, limit: Math.min(left, streamPage) })
    yield page
    const last = page.rows.at(-1)
    if (!page.hasAfter || last === undefined) return
    left -= page.rows.length
    after = last
    total = page.total
  }
}

/** A backward page: its start is found first, then it is read forwards, so that new entities push none out of it. */
async function* pagesBefore(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  let [start, total, left] = [query.before as ListKey, query.total, query.limit]
  let page: ListPage | undefined
  while (left > 0 && (page === undefined || (page.hasBefore && page.rows.length > 0))) {
    page = await lists.list({ ...query, before: start, total, limit: Math.min(left, streamPage) })
    total = page.total
    left -= page.rows.length
    start = page.rows[0] ?? start
  }
  if (start === query.before) return yield* page === undefined ? [] : [page]
  // A shortened id is ordered before the whole one, so the start is included.
  const after = { ...start, id: start.id.slice(0, -1) }
  for await (const next of pagesAfter(lists, { ...query, before: undefined, after, total, limit: Infinity })) {
    const rows = next.rows.filter((row) => compareKeys(row, query.before as ListKey) < 0)
    const isEnd = rows.length < next.rows.length
    yield { ...next, rows, hasAfter: isEnd || next.hasAfter }
    if (isEnd) return
  }
}
