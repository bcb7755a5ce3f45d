import type { ListedRow } from '../../projections/entities/row.ts'
import type { ListPage, ListQuery } from '../../projections/entities/port.ts'
import type { Api } from '../deps.ts'
import { pagingOf } from './paging.ts'
import type { PointInTime } from './answers/pointInTime.ts'
import type { PresentOptions } from './answers/present.ts'

/** Rows that are read at a time when a long list is streamed. */
export const streamPage = 1000

type Lists = Pick<PointInTime, 'list'>

/** The pages that make up one long page, in the order of the list. */
const pagesOf = (lists: Lists, query: ListQuery): AsyncGenerator<ListPage> =>
  query.before === undefined ? pagesAfter(lists, query) : pagesBefore(lists, query)

async function* pagesAfter(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  let { after } = query
  for (let left = query.limit; left > 0;) {
    const page = await lists.list({ ...query, after, limit: Math.min(left, streamPage) })
    yield page
    const last = page.rows.at(-1)
    if (!page.hasAfter || last === undefined) return
    left -= page.rows.length
    after = last
  }
}

/** The way back is walked first, since what comes first in the list is found last. */
async function* pagesBefore(lists: Lists, query: ListQuery): AsyncGenerator<ListPage> {
  const steps: Pick<ListQuery, 'before' | 'limit'>[] = []
  let { before } = query
  for (let left = query.limit; left > 0;) {
    const step = { before, limit: Math.min(left, streamPage) }
    steps.push(step)
    const page = await lists.list({ ...query, ...step })
    const [first] = page.rows
    if (!page.hasBefore || first === undefined) break
    left -= page.rows.length
    before = first
  }
  for (const step of steps.toReversed()) yield await lists.list({ ...query, ...step })
}

interface LongList {
  readonly options: PresentOptions
  /** What its cursors belong to, and the moment that they remember. */
  readonly scope: string
  readonly position: bigint | undefined
}

/** The text of a list answer, page by page. */
export async function* streamList(
  presenter: Api['presenter'],
  query: ListQuery,
  { options, scope, position }: LongList,
): AsyncGenerator<string> {
  const ends: ListedRow[] = []
  let whole = { total: 0, hasBefore: false, hasAfter: false }
  let separator = '{"data":['
  let begun = false
  for await (const { rows, total, hasBefore, hasAfter } of pagesOf(options.at, query)) {
    whole = { total, hasAfter, hasBefore: begun ? whole.hasBefore : hasBefore }
    begun = true
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined) continue
    ends.splice(0, 2, ends[0] ?? first, last)
    yield separator + (await presenter.texts(rows, options)).join(',')
    separator = ','
  }
  if (ends.length === 0) yield separator
  yield `],"paging":${JSON.stringify(pagingOf({ ...whole, rows: ends }, scope, position))}}`
}
