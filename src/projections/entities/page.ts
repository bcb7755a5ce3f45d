import type { EntityLists, ListKey, ListPage, ListQuery } from './port.ts'

/** The deepest of nested FQNs; `undefined` if they are not nested, so that nothing is below all of them. */
export const deepest = (scopes: readonly string[]): string | undefined => {
  const last = scopes.reduce((longest, scope) => (scope.length > longest.length ? scope : longest), '')
  return scopes.every((scope) => scope === last || last.startsWith(`${scope}.`)) ? last : undefined
}

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

/**
 * Compares by code points, as the engines do. JavaScript compares code units, which differs between surrogate pairs and
 * U+E000 to U+FFFF.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

const rank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x10000 : unit
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
