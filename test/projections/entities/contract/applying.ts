import { describe, expect, test } from 'vitest'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import { headOf, longTexts } from '../../../../src/projections/entities/row.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { freshWith, listOf, underTestWith, type MakeReadModels } from './support.ts'
import { applyEntities, applyRows, checkpointOf, newestOf } from '../../../support/projecting.ts'

/** What `apply` keeps, and by which rule. */
export const applying = (make: MakeReadModels): void => {
  const fresh = freshWith(make)

  describe('apply', () => {
    test('keeps rows as they are', async () => {
      const readModels = await fresh()
      const row: EntityRow = {
        ...makeRow('a."b.c".🎈', {
          status: 'deleted',
          revision: 2n ** 60n + 1n,
          position: 2n ** 63n - 1n,
          parent: rowId('a."b.c"'),
          deletion: 'd1',
          restored: 'd0',
          inherited: true,
          born: 1n,
          parentBorn: 3n,
          edges: { owners: ['u1', 'u2'], 'odd:rel': ['x:y', '"q"'] },
          label: '{"tagFQN":"x"}',
          displayName: 'Grüße',
          description: `line\nline\ttab “quoted” \u{1f600}${'Ä\u0000\ud800'.repeat(50_000)}`,
          fields: ['one', 'two'],
          tags: ['t'],
        }),
        shownBelow: '{"serviceType":"Odd"}',
        references: '{"owners":[]}',
      }
      await applyEntities(readModels, [row], 1n)
      expect(await readModels.get(row.id)).toEqual(row)
      expect(await readModels.getMany([row.id])).toEqual(new Map([[row.id, row]]))
      expect(await readModels.getByFqn(row.kind, 'a."b.c".🎈')).toEqual(row)
    })

    test('gives the heads of rows, which say where each stands and whether its texts are long', async () => {
      const readModels = await fresh()
      const options = { status: 'deleted', parent: rowId('a'), deletion: 'd', born: 2n, parentBorn: 3n } as const
      const [small, large] = [makeRow('a.b', options), makeRow('a.c', { description: 'x'.repeat(longTexts) })]
      const repetitive = makeRow('a.d', { description: 'x'.repeat(100 * longTexts) })
      const rows = [small, large, repetitive]
      await applyRows(readModels, rows, 1n)
      // Once as they are stored, and once as they are remembered.
      for (const remembered of [false, true]) {
        if (remembered) await readModels.getMany(rows.map(({ id }) => id))
        const heads = await readModels.getHeads([...rows.map(({ id }) => id), 'nobody'])
        expect(heads).toEqual(new Map(rows.map((row) => [row.id, { ...headOf(row), isLarge: row !== small }])))
      }
      const after = makeRow('a.b', { revision: 1n, status: 'gone' })
      await applyRows(readModels, [after], 2n)
      expect(await readModels.getHeads([small.id])).toEqual(new Map([[small.id, headOf(after)]]))
    })

    test('replaces a row only by one with a higher revision', async () => {
      const readModels = await fresh()
      const [older, newer] = [makeRow('a', { revision: 3n }), makeRow('a', { revision: 4n, description: 'newer' })]
      await applyRows(readModels, [newer], 1n)
      await applyRows(readModels, [older], 2n)
      expect(await readModels.get(newer.id)).toEqual(newer)
      await applyRows(readModels, [makeRow('a', { revision: 4n, description: 'another' })], 3n)
      expect(await readModels.get(newer.id)).toEqual(newer)
      expect((await readModels.list(listOf())).total).toBe(1)
    })

    test('leaves nothing of a row that moved to another FQN, parent and edges', async () => {
      const readModels = await fresh()
      const before = makeRow('a.x', {
        id: rowId('fixed'),
        parent: 'p1',
        edges: { tags: ['t1', 't2'] },
        entityStatus: 'Draft',
      })
      await applyRows(readModels, [before], 1n)
      await applyRows(
        readModels,
        [makeRow('b.y', { id: before.id, revision: 1n, parent: 'p2', edges: { tags: ['t2'] } })],
        2n,
      )
      const totalOf = async (some: Parameters<typeof listOf>[0]) => (await readModels.list(listOf(some))).total
      expect(await totalOf({ scopes: ['a'] })).toBe(0)
      expect(await totalOf({ scopes: ['b'] })).toBe(1)
      expect(await totalOf({ parent: 'p1' })).toBe(0)
      expect(await totalOf({ parent: 'p2' })).toBe(1)
      expect(await totalOf({ edges: [{ rel: 'tags', target: 't1' }] })).toBe(0)
      expect(await totalOf({ edges: [{ rel: 'tags', target: 't2' }] })).toBe(1)
      expect(await totalOf({ entityStatus: 'Draft' })).toBe(0)
      expect(await totalOf({})).toBe(1)
      expect(await readModels.getByFqn('thing', 'a.x')).toBeUndefined()
    })

    test('remembers the newest event with the checkpoint: one that is left out or older changes nothing', async () => {
      const readModels = await fresh()
      const markAt = (position: bigint) => ({ position, tag: position.toString(16).padStart(16, '0') })
      expect(await newestOf(readModels)).toBeUndefined()
      await applyRows(readModels, [], 3n)
      expect(await newestOf(readModels)).toBeUndefined()
      await applyRows(readModels, [makeRow('a')], 7n, markAt(5n))
      expect(await newestOf(readModels)).toEqual(markAt(5n))
      await applyRows(readModels, [], 9n)
      await applyRows(readModels, [], 6n, markAt(4n))
      expect([await checkpointOf(readModels), await newestOf(readModels)]).toEqual([9n, markAt(5n)])
      await applyRows(readModels, [], 10_000n, markAt(9_999n))
      await applyRows(readModels, [], 20_000n, markAt(20_000n))
      expect(await newestOf(readModels)).toEqual(markAt(20_000n))
    })

    test('takes 5,000 rows at once, and none', async () => {
      const readModels = await fresh()
      const rows = Array.from({ length: 5000 }, (_, index) => makeRow(`s.t${String(index).padStart(4, '0')}`))
      await applyEntities(readModels, rows, 5n)
      await applyEntities(readModels, [], 6n)
      const ids = rows.map(({ id }) => id)
      expect((await readModels.list(listOf({ limit: 0 }))).total).toBe(5000)
      expect((await readModels.getMany([...ids, 'nobody'])).size).toBe(5000)
      expect((await readModels.getReferences(ids)).size).toBe(5000)
      expect(await checkpointOf(readModels)).toBe(6n)
    })
  })

  checkpoints(make)
}

const checkpoints = (make: MakeReadModels): void => {
  describe('checkpoint', () => {
    test('is undefined before anything was applied, and 0n is one', async () => {
      const readModels = await freshWith(make)()
      expect(await checkpointOf(readModels)).toBeUndefined()
      await applyRows(readModels, [], 0n)
      expect(await checkpointOf(readModels)).toBe(0n)
    })

    test('never goes back', async () => {
      const readModels = await freshWith(make)()
      await applyRows(readModels, [makeRow('a')], 2n ** 62n)
      await applyRows(readModels, [makeRow('b')], 5n)
      expect(await checkpointOf(readModels)).toBe(2n ** 62n)
      expect((await readModels.list(listOf())).total).toBe(2)
    })

    test('is still there after the read models were opened anew, with the rows', async () => {
      const { readModels, reopen } = await underTestWith(make)()
      if (reopen === undefined) return
      await applyRows(readModels, [makeRow('a'), makeRow('b', { status: 'deleted' })], 42n)
      const again = await reopen()
      expect(await checkpointOf(again)).toBe(42n)
      expect((await again.list(listOf({ include: 'all' }))).total).toBe(2)
      await applyRows(again, [makeRow('b', { revision: 1n })], 43n)
      expect((await again.list(listOf())).total).toBe(2)
    })

    test('the read models answer a ping', async () => {
      await expect((await freshWith(make)()).ping()).resolves.toBeUndefined()
    })
  })
}
