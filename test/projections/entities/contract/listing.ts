import { describe, expect, test } from 'vitest'
import type { EntityRow, ListRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { fqnOf, makeRow } from '../../../support/rows.ts'
import {
  fqns,
  freshWith,
  inCodePointOrder,
  keyOf,
  listOf,
  walkBackwards,
  walkForwards,
  type MakeReadModels,
} from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

/** Names that sort differently by code units, in quotes, with separators, signs and emoji. */
const oddNames = [
  'a',
  'A',
  'a b',
  'a.b',
  'a"b',
  "a'b",
  'a/b',
  'a-b',
  'a_b',
  'a+',
  'ab',
  'aé',
  'ae\u0301',
  'z',
  '~',
  '!',
  '%',
  '\\',
  '$where',
  '\u{1f600}',
  '\u{1f388}x',
  '\ue000',
  '\uffee',
  'ﬀ',
  '中文',
  'ß',
  '0',
  '10',
  '9',
]

/** How lists page, filter and count. */
export const listing = (make: MakeReadModels): void => {
  const withRows = async (rows: readonly EntityRow[]): Promise<ReadModels> => {
    const readModels = await freshWith(make)()
    await applyRows(readModels, rows, 1n)
    return readModels
  }

  describe('list', () => {
    paging(withRows)

    test('tells the total that it is given, instead of counting', async () => {
      const readModels = await withRows([makeRow('a'), makeRow('b')])
      expect((await readModels.list(listOf({ limit: 1 }))).total).toBe(2)
      expect((await readModels.list(listOf({ limit: 1, total: 7 }))).total).toBe(7)
    })

    test('ends a page where its texts are too much, and goes on from there, both ways', async () => {
      const large = 'x'.repeat(1_500_000)
      const rows = Array.from({ length: 9 }, (_, index) => {
        const row = makeRow(`r${index}`, { status: index % 2 === 0 ? 'live' : 'deleted' })
        return index === 8 ? row : { ...row, shownAlways: JSON.stringify({ description: large }) }
      })
      const readModels = await withRows(rows)
      for (const include of ['all', 'non-deleted', 'deleted'] as const) {
        const query = listOf({ include, limit: 1000 })
        const page = await readModels.list(query)
        expect(page.rows.length).toBe(2)
        const wanted = rows.filter(
          ({ status }) => include === 'all' || (status === 'deleted') === (include === 'deleted'),
        )
        expect(fqns(await walkForwards(readModels, query))).toEqual(fqns(wanted))
        const last = wanted.at(-1) as EntityRow
        expect(fqns(await walkBackwards(readModels, query, last))).toEqual(fqns(wanted.slice(0, -1)))
      }
    })
  })
}

const paging = (withRows: (rows: readonly EntityRow[]) => Promise<ReadModels>): void => {
  test.each([1, 2, 7, 100])(
    'pages of %i go through odd FQNs forwards and backwards in code point order',
    async (limit) => {
      const names = oddNames.map((name) => fqnOf(name))
      const readModels = await withRows(
        names.map((name, index) => makeRow(name, { status: index % 4 === 3 ? 'deleted' : 'live' })),
      )
      const live = names.filter((_, index) => index % 4 !== 3)
      for (const [include, expected] of [
        ['all', names],
        ['non-deleted', live],
      ] as const) {
        const query = listOf({ include, limit })
        const rows = await walkForwards(readModels, query)
        expect(fqns(rows)).toEqual(inCodePointOrder(expected))
        const last = rows.at(-1) as EntityRow
        expect(fqns([...(await walkBackwards(readModels, query, last)), last])).toEqual(inCodePointOrder(expected))
      }
    },
  )

  test('rows of one FQN are ordered by id, and a cursor stands between them', async () => {
    const ids = ['c', 'a', 'b', 'd'].map((letter) => `${letter.repeat(8)}-0000-5000-8000-000000000000`)
    const readModels = await withRows(ids.map((id) => makeRow('same', { id })))
    const all = (await readModels.list(listOf())).rows
    expect(all.map(({ id }) => id)).toEqual(ids.toSorted())
    const after = await readModels.list(listOf({ after: keyOf(all[1] as ListRow) }))
    expect(after.rows.map(({ id }) => id)).toEqual(ids.toSorted().slice(2))
    const before = await readModels.list(listOf({ before: keyOf(all[2] as ListRow), limit: 1 }))
    expect(before.rows.map(({ id }) => id)).toEqual(ids.toSorted().slice(1, 2))
    expect(before).toMatchObject({ hasBefore: true, hasAfter: true, total: 4 })
  })
}
