import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Region } from '../../../src/projections/entities/pending.ts'
import type { SearchHits, SearchQuery } from '../../../src/projections/search/port.ts'
import { parseSearchQuery } from '../../../src/projections/search/query.ts'
import { settledSearch } from '../../../src/projections/search/searchEngine.ts'
import { openSqliteReadModels, type SqliteReadModels } from '../../../src/projections/embedded/readModels.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { applyRows } from '../../support/projecting.ts'
import { makeRow, rowId } from '../../support/rows.ts'

const called = (scope: string, count: number, some: Parameters<typeof makeRow>[1] = {}) =>
  Array.from({ length: count }, (_, at) =>
    makeRow(`${scope}.${String(at).padStart(4, '0')}`, { kind: 'term', description: 'word', ...some }),
  )

/** Of these the first have their events. */
const below = called('g', 350)
const others = called('h', 150)
const deletedOthers = called('i', 20, { status: 'deleted' })

const region: Region = {
  id: rowId('g', 'glossary'),
  kind: 'glossary',
  fullyQualifiedName: 'g',
  status: 'deleted',
  kinds: new Set(['term']),
}

const opened = async (reached: number): Promise<SqliteReadModels> => {
  const readModels = await openSqliteReadModels({ path: join(await temporaryFolder(), 'readModels.db') })
  onTestFinished(() => readModels.close())
  const rows = below.map((row, at) => (at < reached ? { ...row, status: 'deleted' as const } : row))
  await applyRows(readModels, [...rows, ...others, ...deletedOthers], 1n)
  return readModels
}

const query: SearchQuery = {
  expression: undefined,
  kinds: ['term'],
  deleted: false,
  from: 0,
  size: 10,
  sort: 'fullyQualifiedName',
  descending: false,
}

const namesOf = ({ hits }: SearchHits): string[] => hits.map(({ row }) => row.fullyQualifiedName)

const expressionOf = (q: string): SearchQuery['expression'] => {
  const parsed = parseSearchQuery(q)
  if ('error' in parsed) throw parsed.error
  return parsed.expression
}

describe('A search while children follow a deletion', () => {
  it.each([0, 1, 170, 350])('finds everything once, when %i of 350 have their events', async (reached) => {
    const readModels = await opened(reached)
    let asked = 0
    const counting = {
      suggest: readModels.suggest,
      search: (some: SearchQuery) => {
        asked += 1
        return readModels.search(some)
      },
    }
    const settled = settledSearch(counting, () => [region])
    for (const q of ['*', 'word', 'description:word']) {
      const expression = expressionOf(q)
      const live = await settled.search({ ...query, expression, facets: ['kind'] })
      expect(live).toMatchObject({
        total: 150,
        atLeast: false,
        facets: { kind: { values: [{ value: 'term', count: 150 }], others: 0 } },
      })
      expect(namesOf(live)).toEqual(others.slice(0, 10).map(({ fullyQualifiedName }) => fullyQualifiedName))
      const deleted = await settled.search({ ...query, expression, deleted: true, from: 345 })
      expect(deleted).toMatchObject({ total: 370, atLeast: false })
      expect(namesOf(deleted)).toEqual([
        ...below.slice(345).map(({ fullyQualifiedName }) => fullyQualifiedName),
        ...deletedOthers.slice(0, 5).map(({ fullyQualifiedName }) => fullyQualifiedName),
      ])
      expect(new Set(deleted.hits.map(({ row }) => row.status))).toEqual(new Set(['deleted']))
    }
    expect(asked).toBe(6)
  })

  it('shows nothing that is gone for good with what it stood below', async () => {
    const settled = settledSearch(await opened(100), () => [{ ...region, status: 'gone' }])
    expect(await settled.search(query)).toMatchObject({ total: 150 })
    expect(await settled.search({ ...query, deleted: true })).toMatchObject({ total: 20 })
    const best = await settled.search({ ...query, expression: expressionOf('word'), sort: 'relevance' })
    expect(best.hits.map(({ row }) => row.fullyQualifiedName.charAt(0))).toEqual(Array(10).fill('h'))
  })

  it.each([
    ['live', 'before', [], ['g.0005', 'h.0005']],
    ['deleted', 'before', [], ['i.0005']],
    ['live', 'during', [region], ['h.0005']],
    ['deleted', 'during', [region], ['g.0005', 'i.0005']],
  ])('suggests what is %s, %s the deletion', async (status, _, regions, expected) => {
    const settled = settledSearch(await opened(0), () => regions)
    const suggested = await settled.suggest('0005', ['term'], 10, status === 'deleted')
    expect(suggested.map(({ reference }) => (JSON.parse(reference) as JsonObject)['fullyQualifiedName'])).toEqual(
      expected,
    )
  })
})
