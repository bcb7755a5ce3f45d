import { describe, expect, test } from 'vitest'
import type { ListRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { searchFor } from './corpus.ts'
import { fqns, freshWith, listOf, underTestWith, unsettledIn, type MakeReadModels } from './support.ts'
import { applyRows, checkpointOf } from '../../../support/projecting.ts'

const versionOf = ({ shownAlways }: ListRow): number => (JSON.parse(shownAlways) as { version: number }).version

/** How read models are built anew beside those that are read. */
export const rebuilding = (make: MakeReadModels): void => {
  const everything = {
    expression: undefined,
    kinds: ['thing'],
    deleted: false,
    from: 0,
    size: 10,
    sort: 'relevance',
    descending: false,
  } as const

  describe('startRebuild', () => {
    test('gives empty read models that the others know nothing of, until they are swapped', async () => {
      const { readModels, reopen } = await underTestWith(make)()
      await applyRows(readModels, [makeRow('old', { edges: { tags: ['t'] } })], 9n)
      const { fresh, swap } = await readModels.startRebuild()
      expect(await checkpointOf(fresh)).toBeUndefined()
      expect(await fresh.get(rowId('old'))).toBeUndefined()
      await applyRows(
        fresh,
        [makeRow('s.new', { parent: rowId('s'), edges: { tags: ['t'] } }), makeRow('s', { revision: 2n })],
        3n,
      )
      await applyRows(
        fresh,
        [
          makeRow('s', { revision: 1n }),
          makeRow('s.new', { revision: 1n, parent: rowId('s'), edges: { tags: ['u'] } }),
        ],
        4n,
      )
      expect(fqns((await readModels.list(listOf())).rows)).toEqual(['old'])
      expect(await readModels.get(rowId('old'))).toBeDefined()
      await swap()
      const expectNew = async (current: ReadModels) => {
        expect(await checkpointOf(current)).toBe(4n)
        expect(fqns((await current.list(listOf())).rows)).toEqual(['s', 's.new'])
        expect((await current.list(listOf({ edges: [{ rel: 'tags', target: 't' }] }))).total).toBe(0)
        expect((await current.list(listOf({ edges: [{ rel: 'tags', target: 'u' }] }))).total).toBe(1)
        expect(await current.countBelow('thing', 's')).toBe(1)
        expect(await current.get(rowId('old'))).toBeUndefined()
        expect((await current.search(everything)).total).toBe(2)
        expect((await searchFor(current, 'new')).hits.map(({ row }) => row.fullyQualifiedName)).toEqual(['s.new'])
        expect((await current.suggest('ne', ['thing'], 10)).map(({ id }) => id)).toEqual([rowId('s.new')])
      }
      await expectNew(readModels)
      if (reopen) await expectNew(await reopen())
    })

    test('the read models go on after a swap: they apply, guard and find', async () => {
      const readModels = await freshWith(make)()
      const { fresh, swap } = await readModels.startRebuild()
      await applyRows(fresh, [makeRow('a', { revision: 5n })], 5n)
      await swap()
      await applyRows(readModels, [makeRow('a', { revision: 4n, status: 'deleted' }), makeRow('b')], 6n)
      expect(fqns((await readModels.list(listOf({ include: 'all' }))).rows)).toEqual(['a', 'b'])
      expect((await readModels.get(rowId('a')))?.status).toBe('live')
      expect((await readModels.search(everything)).hits.map(({ row }) => row.fullyQualifiedName)).toEqual(['a', 'b'])
      expect(await checkpointOf(readModels)).toBe(6n)
    })

    test('the fresh ones answer every read of entities while they are filled', async () => {
      const readModels = await freshWith(make)()
      const { fresh, discard } = await readModels.startRebuild()
      await applyRows(
        fresh,
        [
          makeRow('p', { status: 'deleted', deletion: 'd' }),
          makeRow('p.a', { parent: rowId('p'), edges: { tags: ['t'] } }),
        ],
        1n,
      )
      expect((await fresh.list(listOf({ edges: [{ rel: 'tags', target: 't' }] }))).total).toBe(1)
      expect((await fresh.getByFqn('thing', 'p.a'))?.parent).toBe(rowId('p'))
      expect(await unsettledIn(fresh, 10, [{ id: rowId('p') }])).toHaveLength(1)
      await applyRows(fresh, [makeRow('p.b', { parent: rowId('p'), edges: { tags: ['t'] } })], 2n)
      expect((await fresh.list(listOf({ edges: [{ rel: 'tags', target: 't' }], scopes: ['p'] }))).total).toBe(2)
      await discard()
    })

    test('a swap first lets the fresh ones catch up with what is shown', async () => {
      const readModels = await freshWith(make)()
      const { fresh, swap } = await readModels.startRebuild()
      await applyRows(readModels, [makeRow('a')], 3n)
      const asked: (bigint | undefined)[] = []
      await swap(async (shown) => {
        asked.push(shown)
        await applyRows(fresh, [makeRow('a'), makeRow('b')], 4n)
      })
      expect(new Set(asked)).toEqual(new Set([3n]))
      expect(fqns((await readModels.list(listOf())).rows)).toEqual(['a', 'b'])
      expect(await checkpointOf(readModels)).toBe(4n)
    })

    test('discarding leaves everything as it was, and one can begin again', async () => {
      const readModels = await freshWith(make)()
      await applyRows(readModels, [makeRow('a')], 1n)
      const first = await readModels.startRebuild()
      await applyRows(first.fresh, [makeRow('b')], 2n)
      await first.discard()
      expect(fqns((await readModels.list(listOf())).rows)).toEqual(['a'])
      const second = await readModels.startRebuild()
      expect(await second.fresh.get(rowId('b'))).toBeUndefined()
      await applyRows(second.fresh, [makeRow('c')], 1n)
      await second.swap()
      expect(fqns((await readModels.list(listOf())).rows)).toEqual(['c'])
    })

    test('discarding after a swap, and closing twice, does no harm', async () => {
      const readModels = await freshWith(make)()
      const { fresh, swap, discard } = await readModels.startRebuild()
      await applyRows(fresh, [makeRow('a')], 1n)
      await swap()
      await discard()
      expect(fqns((await readModels.list(listOf())).rows)).toEqual(['a'])
    })

    test('readers see the old or the new whole, never less', async () => {
      const readModels = await freshWith(make)()
      const rows = (revision: bigint) => Array.from({ length: 300 }, (_, index) => makeRow(`s.t${index}`, { revision }))
      await applyRows(readModels, rows(0n), 1n)
      const { fresh, swap } = await readModels.startRebuild()
      await applyRows(fresh, rows(1n), 2n)
      let swapped = false
      const swapping = swap().then(() => void (swapped = true))
      const seen = new Set<string>()
      while (!swapped) {
        const { total, rows: page } = await readModels.list(listOf({ limit: 300 }))
        // Nothing is searched while files are replaced.
        if (readModels.lease !== undefined) expect((await searchFor(readModels, 't*')).total).toBe(300)
        seen.add(`${total} ${page.length} ${[...new Set(page.map(versionOf))].join(' and ')}`)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await swapping
      const { rows: after } = await readModels.list(listOf({ limit: 300 }))
      expect(after.every((row) => versionOf(row) === 0.2)).toBe(true)
      for (const view of seen) expect(['300 300 0.1', '300 300 0.2']).toContain(view)
    })
  })
}
