import { listKey, readPage } from '../../src/api/http/queryParameters.ts'
import { allTables, someTables } from '../catalog.ts'
import { call, compareLine, type Bench, type Section } from '../context.ts'
import { whole } from '../report.ts'

/** One after the other, and from the beginning again only where there are no more. */
const inTurn = <T>(all: readonly T[]): (() => T) => {
  let turn = 0
  return () => all[turn++ % all.length] as T
}

const get: Section = {
  name: 'get',
  title: 'one entity',
  loaded: true,
  measure: async (bench) => {
    const tables = someTables(bench.shape, 500)
    await compareLine(bench, 'get by id', 'get-id', {
      method: 'GET',
      requests: tables.map(({ id }) => ({ path: `/api/v1/tables/${id}` })),
    })
    await compareLine(bench, 'get by name', 'get-name', {
      method: 'GET',
      requests: tables.map(({ fullyQualifiedName }) => ({ path: `/api/v1/tables/name/${fullyQualifiedName}` })),
    })
    const cold = inTurn(allTables(bench.shape))
    await compareLine(bench, 'get by id, each for the first time', 'get-cold', {
      method: 'GET',
      requests: () => ({ path: `/api/v1/tables/${cold().id}?include=all` }),
    })
  },
}

interface Page {
  readonly data: readonly unknown[]
  readonly paging: { readonly total: number; readonly after?: string }
}

const pageAt = async (bench: Bench, path: string): Promise<Page> =>
  (await call(bench, 'GET', path)).json() as unknown as Page

/** Walks a list to its end. @returns the cursor of the page that begins so many entities before the end, and how fast it went */
const walk = async (
  bench: Bench,
  step: number,
): Promise<{ cursor: string; entities: number; seconds: number; slowest: number; first: number }> => {
  const begun = performance.now()
  let page = await pageAt(bench, `/api/v1/tables?limit=${step}`)
  let entities = page.data.length
  const times: number[] = [performance.now() - begun]
  let cursor = ''
  while (page.paging.after !== undefined) {
    cursor = page.paging.after
    const at = performance.now()
    page = await pageAt(bench, `/api/v1/tables?limit=${step}&after=${encodeURIComponent(cursor)}`)
    times.push(performance.now() - at)
    entities += page.data.length
  }
  return {
    cursor,
    entities,
    seconds: (performance.now() - begun) / 1000,
    slowest: Math.max(...times.slice(1)),
    first: times[0] as number,
  }
}

const list: Section = {
  name: 'list',
  title: 'lists',
  loaded: true,
  measure: async (bench) => {
    const walked = await walk(bench, 1000)
    bench.add({
      operation: 'walk all tables by cursors of 1,000',
      value: `${whole(walked.entities / walked.seconds)} entities/s`,
      note: `${whole(walked.entities)} entities; slowest page ${walked.slowest.toFixed(0)} ms`,
    })
    const places = inTurn(allTables(bench.shape))
    const { cursorAt } = readPage({ route: 'list_table', params: {}, query: new Map() }, listKey)
    for (const limit of [10, 100])
      await compareLine(bench, `list ${limit}, each for the first time`, `list-${limit}-cold`, {
        method: 'GET',
        requests: () => {
          const after = cursorAt(places())
          return { path: `/api/v1/tables?limit=${limit}&after=${encodeURIComponent(after)}` }
        },
      })
    for (const limit of [10, 100]) {
      const first = await compareLine(bench, `list ${limit}, first page`, `list-${limit}`, {
        method: 'GET',
        requests: [{ path: `/api/v1/tables?limit=${limit}` }],
      })
      const path = `/api/v1/tables?limit=${limit}&after=${encodeURIComponent(walked.cursor)}`
      const { ours } = await compareLine(bench, `list ${limit}, far end`, `list-${limit}-far`, {
        method: 'GET',
        requests: [{ path }],
      })
      bench.add({
        operation: `list ${limit}, far end of first page`,
        value: (ours.perSecond / first.ours.perSecond).toFixed(2),
        note: 'share of the first page’s speed',
      })
    }
  },
}

export const readSections: readonly Section[] = [get, list]
