import { describe, expect, test } from 'vitest'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { readMismatches, type MismatchRow } from '../../../../src/projections/entities/hierarchy.ts'
import { makeRow, rowId, type RowOptions } from '../../../support/rows.ts'
import { fqns, freshWith, unsettledIn, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

/** What reads along edges and parents give. */
export const relating = (make: MakeReadModels): void => {
  const withRows = async (rows: readonly EntityRow[]): Promise<ReadModels> => {
    const readModels = await freshWith(make)()
    await applyRows(readModels, rows, 1n)
    return readModels
  }

  describe('references', () => {
    test('hold what is needed to show them', async () => {
      const [live, gone] = [makeRow('a', { label: '{"tagFQN":"a"}' }), makeRow('b', { status: 'gone' })]
      const readModels = await withRows([live, gone])
      const found = await readModels.getReferences([live.id, gone.id, live.id, 'nobody'])
      const { id, kind, status, born, reference, label, shownBelow } = live
      expect(found.get(id)).toEqual({ id, kind, status, born, reference, label, shownBelow })
      expect(found.get(gone.id)?.status).toBe('gone')
      expect(found.size).toBe(2)
    })

    test('references of nothing are none', async () => {
      const readModels = await withRows([makeRow('a')])
      expect(await readModels.getMany([])).toEqual(new Map())
      expect(await readModels.getReferences([])).toEqual(new Map())
      expect(await readModels.relatedTo([], 'tags', 5)).toEqual([])
      expect(await readModels.childrenOf([], 'thing', 5)).toEqual([])
      expect(await readMismatches(readModels, 5, [])).toEqual([])
    })
  })

  unsettling(withRows)
}

const unsettling = (withRows: (rows: readonly EntityRow[]) => Promise<ReadModels>): void => {
  const pairs = (unsettled: readonly MismatchRow[]) =>
    unsettled.map(({ row, parent }) => `${row.fullyQualifiedName} < ${parent.fullyQualifiedName}`).toSorted()
  const below = (fqn: string, parent: string, options: RowOptions = {}) =>
    makeRow(fqn, { parent: rowId(parent), ...options })

  /** A parent in each state, each with a child in each state. */
  const family = [
    makeRow('live'),
    makeRow('deleted', { status: 'deleted', deletion: 'd1' }),
    makeRow('gone', { status: 'gone', deletion: 'd2' }),
    makeRow('reborn', { born: 7n, revision: 7n }),
    ...['live', 'deleted', 'gone', 'reborn', 'nobody'].flatMap((parent) => [
      below(`${parent}.live`, parent),
      below(`${parent}.gone`, parent, { status: 'gone', deletion: 'd3' }),
      below(`${parent}.d1`, parent, { status: 'deleted', deletion: 'd1' }),
      below(`${parent}.with`, parent, { status: 'deleted', deletion: 'd3', inherited: true }),
      below(`${parent}.again`, parent, { restored: 'd3', kind: 'other' }),
      below(`${parent}.new`, parent, { parentBorn: 7n }),
    ]),
  ]
  const expected = [
    'deleted.live < deleted',
    'deleted.again < deleted',
    'deleted.new < deleted',
    'gone.live < gone',
    'gone.again < gone',
    'gone.new < gone',
    'gone.d1 < gone',
    'gone.with < gone',
    'live.with < live',
    'reborn.live < reborn',
    'reborn.again < reborn',
    'reborn.d1 < reborn',
    'reborn.with < reborn',
  ].toSorted()

  describe('unsettled', () => {
    test('names children whose state contradicts their parent’s, and no others', async () => {
      const readModels = await withRows(family)
      expect(pairs(await unsettledIn(readModels, 100, family))).toEqual(expected)
      expect(await unsettledIn(readModels, 3, family)).toHaveLength(3)
      const [first] = await unsettledIn(readModels, 1, family)
      expect(first?.row).toEqual(await readModels.get(first?.row.id as string))
      expect(first?.parent).toEqual(await readModels.get(first?.parent.id as string))
    })

    test('finds what is left of a former life behind however many are of the present one', async () => {
      const children = [below('p.0', 'p', { parentBorn: 7n }), below('p.1', 'p')]
      const readModels = await withRows([makeRow('p', { born: 7n, revision: 7n }), ...children])
      expect(pairs(await readMismatches(readModels, 1, [rowId('p')]))).toEqual(['p.1 < p'])
    })

    test('finds what contradicts one of many parents, however many children of others do not', async () => {
      const parents = Array.from({ length: 1500 }, (_, at) => `p${at}`)
      const rows = parents.flatMap((name, at) => {
        const ended = { status: at % 2 ? 'deleted' : 'gone', deletion: 'd' } as const
        return [makeRow(name, ended), below(`${name}.a`, name, ended)]
      })
      const readModels = await withRows([...rows, ...parents.slice(-2).map((name) => below(`${name}.b`, name))])
      const ids = parents.map((name) => rowId(name))
      expect(pairs(await readMismatches(readModels, 100, ids))).toEqual(['p1498.b < p1498', 'p1499.b < p1499'])
    })

    test('gives fewer where their texts would be too much, and at least one', async () => {
      const description = 'd'.repeat(1_500_000)
      const children = Array.from({ length: 7 }, (_, at) => below(`deleted.wide${at}`, 'deleted', { description }))
      const readModels = await withRows([makeRow('deleted', { status: 'deleted', deletion: 'd1' }), ...children])
      expect(await readMismatches(readModels, 500, [rowId('deleted')])).toHaveLength(2)
      const huge = { status: 'deleted', deletion: 'd1', description: 'h'.repeat(4_300_000) } as const
      const other = await withRows([makeRow('huge', huge), below('huge.a', 'huge'), below('huge.b', 'huge')])
      expect(pairs(await readMismatches(other, 500, [rowId('huge')]))).not.toEqual([])
    })

    test('looks among some ids, as child or as parent', async () => {
      const readModels = await withRows(family)
      const among = async (...names: string[]) =>
        pairs(
          await readMismatches(
            readModels,
            100,
            names.map((name) => rowId(name)),
          ),
        )
      expect(await among('deleted.live')).toEqual(['deleted.live < deleted'])
      expect(await among('live')).toEqual(['live.with < live'])
      expect(await among('reborn')).toEqual(expected.filter((pair) => pair.endsWith('< reborn')))
      expect(await among('reborn.d1', 'reborn.new')).toEqual(['reborn.d1 < reborn'])
      expect(await among('gone')).toEqual(expected.filter((pair) => pair.endsWith('< gone')))
      expect(await among('gone', 'gone.live', 'nobody', 'deleted.d1')).toEqual(
        expected.filter((pair) => pair.endsWith('< gone')),
      )
      expect(await among('live.live', 'nobody.live', 'nobody', 'reborn.new')).toEqual([])
      expect(await readMismatches(readModels, 2, [rowId('gone')])).toHaveLength(2)
      const many = Array.from({ length: 5000 }, (_, index) => rowId(`none${index}`))
      expect(pairs(await readMismatches(readModels, 100, [...many, rowId('deleted')]))).toEqual([
        'deleted.again < deleted',
        'deleted.live < deleted',
        'deleted.new < deleted',
      ])
    })

    test('forgets what was settled, and sees a child that comes late', async () => {
      const readModels = await withRows([makeRow('p'), below('p.a', 'p')])
      expect(await unsettledIn(readModels, 10, [{ id: rowId('p') }])).toEqual([])
      await applyRows(readModels, [makeRow('p', { revision: 1n, status: 'deleted', deletion: 'd' })], 2n)
      expect(pairs(await unsettledIn(readModels, 10, [{ id: rowId('p') }]))).toEqual(['p.a < p'])
      await applyRows(readModels, [below('p.a', 'p', { revision: 1n, status: 'deleted', deletion: 'd' })], 3n)
      expect(await unsettledIn(readModels, 10, [{ id: rowId('p') }])).toEqual([])
      await applyRows(readModels, [below('p.b', 'p')], 4n)
      expect(fqns((await unsettledIn(readModels, 10, [{ id: rowId('p') }])).map(({ row }) => row))).toEqual(['p.b'])
    })
  })
}
