import { describe, expect, it } from 'vitest'
import type { Ended } from '../../../src/projections/entities/unreached.ts'
import type { Search, SearchQuery } from '../../../src/projections/search/port.ts'
import { settledSearch } from '../../../src/projections/search/settledSearch.ts'
import { makeRow, rowId } from '../../support/rows.ts'

const all = Array.from({ length: 3500 }, (_, index) => makeRow(`g.${String(index).padStart(4, '0')}`, { kind: 'term' }))
const others = Array.from({ length: 1500 }, (_, index) =>
  makeRow(`h.${String(index).padStart(4, '0')}`, { kind: 'term' }),
)

const ended: Ended = {
  id: rowId('g', 'glossary'),
  fullyQualifiedName: 'g',
  status: 'deleted',
  kinds: new Set(['term']),
}

/** A search whose deletion comes on between any two questions, with pages that may be shorter than asked for. */
const searchOf = ({ reachedAtOnce, longest }: { reachedAtOnce: number; longest: number }): Search => {
  let reached = 0
  return {
    search: async ({ deleted, from, size }) => {
      reached = Math.min(all.length, reached + reachedAtOnce)
      const rows = deleted
        ? all.slice(0, reached).map((row) => ({ ...row, status: 'deleted' as const }))
        : [...all.slice(reached), ...others]
      const hits = rows.slice(from, from + Math.min(size, longest)).map((row) => ({ row, score: 1 }))
      return { total: rows.length, atLeast: false, hits }
    },
    suggest: async () => [],
  }
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

describe('A search while a deletion that was cut short is finished', () => {
  it.each([
    { reachedAtOnce: 0, longest: 1000 },
    { reachedAtOnce: 250, longest: 1000 },
    { reachedAtOnce: 1000, longest: 1000 },
    { reachedAtOnce: 100, longest: 300 },
  ])('finds everything once, whatever is reached meanwhile: %o', async (given) => {
    const settled = () => settledSearch(searchOf(given), { ended: () => [ended] })
    const deleted = await settled().search({ ...query, deleted: true })
    expect(deleted).toMatchObject({ total: all.length, atLeast: false })
    expect(deleted.hits.map(({ row }) => row.fullyQualifiedName)).toEqual(
      all.slice(0, 10).map(({ fullyQualifiedName }) => fullyQualifiedName),
    )
    const live = await settled().search(query)
    expect(live).toMatchObject({ total: others.length, atLeast: false })
    expect(live.hits[0]?.row.fullyQualifiedName).toBe('h.0000')
  })
})
