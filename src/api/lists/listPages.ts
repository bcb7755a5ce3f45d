import type { ListPage, ListQuery } from '../../projections/entities/port.ts'
import type { PointInTime } from '../entities/answers/pointInTime.ts'

/** Number of rows read at a time for a streamed list. */
export const streamPage = 1000

type Lists = Pick<PointInTime, 'list'>

/** The parts of one long page, in list order. */
export const pagesOf = (lists: Lists, query: ListQuery): AsyncGenerator<ListPage> =>
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

/** A backward page: its start is found first by walking back. */
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
