import { beforeAll, expect, it } from 'vitest'
import { limits } from '../../src/shared/limits.ts'
import { thorough } from '../support/fastCheck.ts'
import { useHttp } from './support.ts'

let id: string
const versions = 9

/** What is on a page, beside the texts of its items. */
const frame = 20_000
const mostOnPage = limits.pageText.value + frame

const ofLetters = (index: number): string => `${index} `.padEnd(1_000_000, String.fromCharCode(97 + (index % 26)))

/** A glossary of nine versions of almost 1 MiB each: a page with all of them would be more than its room. */
const http = useHttp({ built: thorough })

beforeAll(async () => {
  for (let index = 0; index < versions; index++) {
    const description = ofLetters(index)
    const { status, body } = await http.call('PUT', '/v1/glossaries', { name: 'large', description })
    expect(status).toBe(index === 0 ? 201 : 200)
    id = body.id
    await http.call('PUT', '/v1/classifications', { name: `broad${index}`, description })
  }
})

it.each([
  ['versions', ({ versions: list }: { versions: unknown[] }) => list],
  ['history', ({ data }: { data: unknown[] }) => data],
])(
  'pages of %s end by their size, whatever limit is asked for, and the cursors lead through all',
  async (view, listOf) => {
    const found: number[] = []
    for (let after = ''; ;) {
      const at = `/v1/glossaries/${id}/${view}?limit=1000${after === '' ? '' : `&after=${after}`}`
      const body = await http.get(at)
      const items = listOf(body) as { version: number }[]
      expect(items.length).toBeGreaterThan(0)
      expect(JSON.stringify(body).length).toBeLessThan(mostOnPage)
      found.push(...items.map(({ version }) => Math.round(version * 10)))
      if (body.paging.after === undefined) break
      after = body.paging.after
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: versions }, (_, index) => index + 1))
  },
)

it.each(['/v1/classifications?limit=1000', '/v1/classifications?limit=1000&asOf=2099-01-01', '/v1/events?limit=1000'])(
  'pages of %s end by their size, and go on behind their last item',
  async (address) => {
    const found = new Set<string>()
    for (let at = address; ;) {
      const { data, paging } = await http.get(at)
      expect(JSON.stringify(data).length).toBeLessThan(mostOnPage)
      if (data.length === 0) break
      for (const item of data as { id: string }[]) found.add(item.id)
      if (paging.after === undefined) break
      at = `${address}&after=${paging.after}`
    }
    expect(found.size).toBeGreaterThanOrEqual(versions)
  },
)

it('survives four who ask for all versions at once', async () => {
  const at = `/v1/glossaries/${id}/versions?limit=1000`
  const all = await Promise.all([1, 2, 3, 4].map(() => http.call('GET', at)))
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect((await http.call('GET', '/livez')).status).toBe(200)
})

it.each(['broad*', '*'])('pages of a search for %s end by their size, and go on behind their last hit', async (q) => {
  const found: string[] = []
  let pages = 0
  for (let total = 1; found.length < total; pages += 1) {
    const at = `/v1/search/query?q=${q}&index=classification_search_index&size=1000&from=${found.length}`
    const body = await http.get(at)
    expect(body.hits.hits.length).toBeGreaterThan(0)
    expect(JSON.stringify(body).length).toBeLessThan(mostOnPage)
    found.push(...body.hits.hits.map(({ _id }: { _id: string }) => _id))
    total = body.hits.total.value
  }
  expect(pages).toBeGreaterThan(1)
  expect(new Set(found).size).toBe(found.length)
})
