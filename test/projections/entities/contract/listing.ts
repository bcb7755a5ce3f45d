import { describe, expect, test } from 'vitest'
import type { EntityRow, ListRow } from '../../../../src/projections/entities/row.ts'
import type { ListQuery } from '../../../../src/projections/entities/port.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { fqnOf, makeRow, rowId, type RowOptions } from '../../../support/rows.ts'
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
  const found = async (readModels: ReadModels, some: Partial<ListQuery>): Promise<string[]> => {
    const page = await readModels.list(listOf({ limit: 100, ...some }))
    expect(page.total).toBe(page.rows.length)
    return fqns(page.rows)
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

    test('shows what include asks for, in one order', async () => {
      const readModels = await withRows(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) =>
          makeRow(name, { status: (['live', 'deleted', 'gone'] as const)[index % 3] ?? 'live' }),
        ),
      )
      expect(await found(readModels, {})).toEqual(['a', 'd'])
      expect(await found(readModels, { include: 'deleted' })).toEqual(['b', 'e'])
      expect(await found(readModels, { include: 'all' })).toEqual(['a', 'b', 'd', 'e'])
      expect(await found(readModels, { kind: 'other', include: 'all' })).toEqual([])
    })

    test('narrows to what is below scopes, and only that', async () => {
      const names = [
        ['a'],
        ['a', 'b'],
        ['a', 'b', 'c'],
        ['a', 'bb'],
        ['a', 'b.c'],
        ['a/', 'b'],
        ['a-', 'b'],
        ['A', 'b'],
        ['a.b', 'c'],
        ['a', 'b', 'd', 'e'],
      ]
      const readModels = await withRows(names.map((parts) => makeRow(fqnOf(...parts))))
      expect(await found(readModels, { scopes: ['a'] })).toEqual(
        inCodePointOrder(['a.b', 'a.b.c', 'a.bb', 'a."b.c"', 'a.b.d.e']),
      )
      expect(await found(readModels, { scopes: ['a.b'] })).toEqual(['a.b.c', 'a.b.d.e'])
      expect(await found(readModels, { scopes: ['a.b', 'a'] })).toEqual(['a.b.c', 'a.b.d.e'])
      expect(await found(readModels, { scopes: ['a', 'A'] })).toEqual([])
      expect(await found(readModels, { scopes: ['"a.b"'] })).toEqual(['"a.b".c'])
      expect(await found(readModels, { scopes: ['nobody'] })).toEqual([])
      expect(await found(readModels, { scopes: ['a.b'], entityStatus: 'Unprocessed' })).toEqual(['a.b.c', 'a.b.d.e'])
    })

    test('narrows to direct children', async () => {
      const readModels = await withRows([
        makeRow('a'),
        makeRow('a.c', { parent: rowId('a') }),
        makeRow('a.b', { parent: rowId('a'), entityStatus: 'Draft' }),
        makeRow('a.b.c', { parent: rowId('a.b') }),
        makeRow('a.d', { parent: rowId('a'), status: 'deleted' }),
        makeRow('a.e', { parent: rowId('a'), kind: 'other' }),
      ])
      expect(await found(readModels, { parent: rowId('a') })).toEqual(['a.b', 'a.c'])
      expect(await found(readModels, { parent: rowId('a'), include: 'all' })).toEqual(['a.b', 'a.c', 'a.d'])
      expect(await found(readModels, { parent: rowId('a'), entityStatus: 'Draft' })).toEqual(['a.b'])
      expect(await found(readModels, { parent: rowId('a'), scopes: ['a.b'] })).toEqual([])
      const page = await readModels.list(
        listOf({ parent: rowId('a'), limit: 1, after: { fullyQualifiedName: 'a.b', id: rowId('a.b') } }),
      )
      expect(page).toMatchObject({ total: 2, hasBefore: true, hasAfter: false })
      expect(fqns(page.rows)).toEqual(['a.c'])
    })

    test('filters by entity status', async () => {
      const readModels = await withRows([
        makeRow('a', { entityStatus: 'Draft' }),
        makeRow('b'),
        makeRow('c', { entityStatus: 'Draft', status: 'deleted' }),
        makeRow('d', { entityStatus: '' }),
      ])
      expect(await found(readModels, { entityStatus: 'Draft' })).toEqual(['a'])
      expect(await found(readModels, { entityStatus: 'Draft', include: 'all' })).toEqual(['a', 'c'])
      expect(await found(readModels, { entityStatus: '' })).toEqual(['d'])
      expect(await found(readModels, { entityStatus: 'draft' })).toEqual([])
    })

    test('filters by any combination of edges', async () => {
      const all: [string, RowOptions][] = [
        ['a', { edges: { owners: ['u1'], tags: ['t1', 't2'] } }],
        ['b', { edges: { owners: ['u1', 'u2'], tags: ['t1'] } }],
        ['c', { edges: { tags: ['t1'], other: ['u1'] } }],
        ['d', { edges: { owners: ['u1'], tags: ['t1'] }, status: 'deleted' }],
        ['s.e', { edges: { owners: ['u1'], tags: ['t1'] }, entityStatus: 'Draft', parent: rowId('s') }],
      ]
      const readModels = await withRows(all.map(([fqn, options]) => makeRow(fqn, options)))
      const [u1, u2, t1, t2] = [
        ['owners', 'u1'],
        ['owners', 'u2'],
        ['tags', 't1'],
        ['tags', 't2'],
      ].map(([rel, target]) => ({ rel, target }) as { rel: string; target: string })
      const edges = (...wanted: (typeof u1)[]) => ({ edges: wanted.filter((edge) => edge !== undefined) })
      expect(await found(readModels, edges(u1))).toEqual(['a', 'b', 's.e'])
      expect(await found(readModels, edges(t1))).toEqual(['a', 'b', 'c', 's.e'])
      expect(await found(readModels, edges(u1, t2))).toEqual(['a'])
      expect(await found(readModels, edges(t1, u1, u2))).toEqual(['b'])
      expect(await found(readModels, edges(u2, t2))).toEqual([])
      expect(await found(readModels, { ...edges(u1, t1), include: 'all' })).toEqual(['a', 'b', 'd', 's.e'])
      expect(await found(readModels, { ...edges(u1), scopes: ['s'] })).toEqual(['s.e'])
      expect(await found(readModels, { ...edges(u1), entityStatus: 'Draft' })).toEqual(['s.e'])
      expect(await found(readModels, { ...edges(t1, u1), parent: rowId('s') })).toEqual(['s.e'])
      expect(await found(readModels, { edges: [{ rel: 'owners', target: 't1' }] })).toEqual([])
      const page = await readModels.list(
        listOf({ ...edges(t1, u1), limit: 1, after: { fullyQualifiedName: 'a', id: rowId('a') } }),
      )
      expect(page).toMatchObject({ total: 3, hasBefore: true, hasAfter: true })
      expect(fqns(page.rows)).toEqual(['b'])
    })

    test('filters by whether there is a live child of a kind', async () => {
      const child = (name: string, parent: string, options: RowOptions = {}) =>
        makeRow(name, { kind: 'contract', parent: rowId(parent), ...options })
      const readModels = await withRows([
        ...['a', 'b', 'c', 'd'].map((name) => makeRow(name, { edges: { owners: name < 'c' ? ['u1'] : [] } })),
        child('a.x', 'a'),
        child('b.x', 'b', { status: 'deleted' }),
        child('c.x', 'c'),
        makeRow('c.y', { kind: 'test', parent: rowId('c') }),
        makeRow('e', { kind: 'contract' }),
      ])
      const having = (...asked: [kind: string, some: boolean][]): Partial<ListQuery> => ({
        children: asked.map(([kind, some]) => ({ kind, some })),
      })
      const owned = { edges: [{ rel: 'owners', target: 'u1' }] }
      expect(await found(readModels, having(['contract', true]))).toEqual(['a', 'c'])
      expect(await found(readModels, having(['contract', false]))).toEqual(['b', 'd'])
      expect(await found(readModels, having(['contract', true], ['test', false]))).toEqual(['a'])
      expect(await found(readModels, { ...having(['contract', false]), ...owned })).toEqual(['b'])
      expect((await readModels.list(listOf({ ...having(['contract', true]), limit: 0 }))).total).toBe(2)
      await applyRows(
        readModels,
        [child('b.x', 'b', { revision: 1n }), child('a.x', 'a', { revision: 1n, status: 'gone' })],
        2n,
      )
      expect(await found(readModels, having(['contract', true]))).toEqual(['b', 'c'])
    })

    test('an edge that a row names twice counts once', async () => {
      const readModels = await withRows([makeRow('a', { edges: { tags: ['t', 't'] } })])
      expect(await found(readModels, { edges: [{ rel: 'tags', target: 't' }] })).toEqual(['a'])
      await applyRows(readModels, [makeRow('a', { revision: 1n })], 2n)
      expect(await found(readModels, { edges: [{ rel: 'tags', target: 't' }] })).toEqual([])
    })

    test('counts what was deleted, restored, hard-deleted and created again', async () => {
      const readModels = await freshWith(make)()
      const totals = async () => {
        const of = async (some: Partial<ListQuery>) => (await readModels.list(listOf({ limit: 0, ...some }))).total
        return [
          await of({}),
          await of({ include: 'deleted' }),
          await of({ include: 'all', scopes: ['s'] }),
          await readModels.countBelow('thing', 's'),
        ]
      }
      const steps: [EntityRow['status'], number[]][] = [
        ['live', [1, 0, 1, 1]],
        ['deleted', [0, 1, 1, 0]],
        ['live', [1, 0, 1, 1]],
        ['gone', [0, 0, 0, 0]],
        ['live', [1, 0, 1, 1]],
        ['deleted', [0, 1, 1, 0]],
        ['gone', [0, 0, 0, 0]],
      ]
      for (const [index, [status, expected]] of steps.entries()) {
        await applyRows(readModels, [makeRow('s.t', { status, revision: BigInt(index) })], BigInt(index))
        expect(await totals()).toEqual(expected)
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

  test('a cursor holds when its row is gone, and at either end', async () => {
    const readModels = await withRows(['a', 'b', 'c', 'd'].map((name) => makeRow(name)))
    await applyRows(readModels, [makeRow('b', { revision: 1n, status: 'gone' })], 2n)
    const key = (fullyQualifiedName: string) => ({ fullyQualifiedName, id: rowId(fullyQualifiedName) })
    const pageOf = async (some: Partial<ListQuery>) => {
      const { rows, hasBefore, hasAfter } = await readModels.list(listOf(some))
      return [fqns(rows), hasBefore, hasAfter]
    }
    expect(await pageOf({ after: key('b') })).toEqual([['c', 'd'], true, false])
    expect(await pageOf({ before: key('b') })).toEqual([['a'], false, true])
    expect(await pageOf({ after: key('d') })).toEqual([[], true, false])
    expect(await pageOf({ before: key('a') })).toEqual([[], false, true])
    expect(await pageOf({ after: key('0') })).toEqual([['a', 'c', 'd'], false, false])
    expect(await pageOf({ after: key('a'), limit: 1 })).toEqual([['c'], true, true])
  })

  test('a limit of 0 gives the total alone', async () => {
    const readModels = await withRows([makeRow('a'), makeRow('b')])
    expect(await readModels.list(listOf({ limit: 0 }))).toEqual({
      rows: [],
      total: 2,
      hasBefore: false,
      hasAfter: false,
    })
    expect(await (await withRows([])).list(listOf())).toEqual({ rows: [], total: 0, hasBefore: false, hasAfter: false })
  })

  test('getByFqn finds a live one first, then the lowest id', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-5000-8000-000000000000`)
    const named = (id: string | undefined, status: EntityRow['status']) =>
      makeRow('same', { ...(id !== undefined && { id }), status })
    const readModels = await withRows([named(first, 'deleted'), named(second, 'live'), named(third, 'live')])
    expect((await readModels.getByFqn('thing', 'same'))?.id).toBe(second)
    const others = await withRows([named(third, 'deleted'), named(second, 'deleted'), named(first, 'gone')])
    expect((await others.getByFqn('thing', 'same'))?.id).toBe(second)
    expect(await others.getByFqn('other', 'same')).toBeUndefined()
  })
}
