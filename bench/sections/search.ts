import { call, compareLine, NotThere, type Section } from '../context.ts'

const queries: readonly [string, string][] = [
  ['search a name', 'q=table_0042&index=table_search_index'],
  ['search a prefix', 'q=tab*&index=table_search_index'],
  ['search two words in all kinds', 'q=legacy%20customer'],
]

/** Full text. */
export const search: Section = {
  name: 'search',
  title: 'search',
  loaded: true,
  measure: async (bench) => {
    for (const [title, query] of queries) {
      const path = `/api/v1/search/query?${query}&size=10`
      const { hits } = (await call(bench, 'GET', path)).json() as {
        hits: { total: { value: number; relation: string } }
      }
      await compareLine(
        bench,
        title,
        title.replaceAll(' ', '-'),
        { method: 'GET', requests: [{ path }] },
        { note: `${hits.total.relation === 'gte' ? 'at least ' : ''}${hits.total.value} hits` },
      )
    }
    const suggest = '/api/v1/search/suggest?q=tab'
    await call(bench, 'GET', suggest).then(
      () => compareLine(bench, 'suggest', 'suggest', { method: 'GET', requests: [{ path: suggest }] }),
      (error: unknown) => {
        if (!(error instanceof NotThere)) throw error
        bench.add({ operation: 'suggest', value: 'not there' })
      },
    )
  },
}
