import { describe, expect, test } from 'vitest'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import type { SearchPlace, SearchQuery } from '../../../../src/projections/search/port.ts'
import { mustAddUp, narrowed } from './counting.ts'
import { maxHits, maxScored } from '../../../../src/projections/search/rank.ts'
import { parseSearchQuery } from '../../../../src/projections/search/query.ts'
import { placesBelow } from '../../../../src/projections/entities/place.ts'
import { kindTerm } from '../../../../src/projections/search/words.ts'
import { makeRow } from '../../../support/rows.ts'
import { corpus, everywhere, scoredNames, searchFor, shortNames } from './corpus.ts'
import { freshWith, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

/** Queries, and what they find with its score, the best first. */
const scored: readonly (readonly [q: string, ...hits: string[]])[] = [
  ['orders', 'orders 19', 'sales 13', 'CustomerOrders 13', 'order_items 12', 'shop 2.7'],
  ['order', 'orders 18', 'order_items 13', 'sales 12', 'CustomerOrders 12', 'shop 3'],
  ['customer', 'customers 18', 'CustomerOrders 13', 'orders 5', 'shop 2.7'],
  ['customer orders', 'CustomerOrders 22', 'orders 13.5', 'shop 3.6'],
  ['customerOrders', 'CustomerOrders 19'],
  ['orders of customers', 'CustomerOrders 22', 'orders 12.51'],
  ['shop.sales.orders', 'orders 13', 'order_items 3.6'],
  [
    'shop',
    'shop 19',
    'sales 4',
    '"odd.name" 4',
    'CustomerOrders 4',
    'café 4',
    'customers 4',
    'order_items 4',
    'orders 4',
  ],
  ['pii', 'customers 4', 'order_items 4'],
  ['orders sku', 'order_items 10.75'],
  ['order sku', 'order_items 11.25'],
  ['row', 'orders 3'],
  ['orders row', 'orders 12.95'],
  ['sales -customer', 'sales 19', '"odd.name" 4', 'café 4', 'customers 4', 'order_items 4'],
  ['ord*', 'orders 14.5', 'sales 11.5', 'CustomerOrders 11.5', 'order_items 11.5', 'shop 2.55'],
  ['description:order', 'shop 3', 'orders 3'],
  ['name:orders', 'orders 19', 'CustomerOrders 13', 'order_items 12'],
  ['NOT sales', 'shop 1'],
  ['kind:domain', 'shop 1', 'sales 1'],
  ['ada OR customers', 'customers 16', 'CustomerOrders 13', 'orders 4.5', 'shop 3'],
  ['custmer', 'customers 0.16', 'CustomerOrders 0.1', 'orders 0.04', 'shop 0.02'],
  ['"custmer"'],
  ['oders', 'orders 0.16', 'sales 0.1', 'CustomerOrders 0.1', 'order_items 0.1', 'shop 0.02'],
  [
    'salse',
    'sales 0.16',
    '"odd.name" 0.03',
    'CustomerOrders 0.03',
    'café 0.03',
    'customers 0.03',
    'order_items 0.03',
    'orders 0.03',
  ],
  ['CUSTOMER orders', 'CustomerOrders 22', 'orders 13.5', 'shop 3.6'],
  ['item orders', 'order_items 16.5'],
]

/** In which order hits come. */
export const ranking = (make: MakeReadModels): void => {
  const withCorpus = async (): Promise<ReadModels> => {
    const readModels = await freshWith(make)()
    await applyRows(readModels, corpus, 1n)
    return readModels
  }

  describe('order of hits', () => {
    test('is that of their scores', async () => {
      const readModels = await withCorpus()
      for (const [q, ...expected] of scored) {
        const hits = await searchFor(readModels, q)
        expect([q, ...scoredNames(hits)]).toEqual([q, ...expected])
        expect(hits).toMatchObject({ total: expected.length, atLeast: false })
      }
    })

    test('equal FQNs are ordered by id', async () => {
      const readModels = await freshWith(make)()
      const rows = ['b', 'a', 'c'].map((letter) =>
        makeRow('same', { id: `${letter.repeat(8)}-0000-5000-8000-000000000000` }),
      )
      await applyRows(readModels, rows, 1n)
      expect((await searchFor(readModels, 'same')).hits.map(({ row }) => row.id[0])).toEqual(['a', 'b', 'c'])
    })

    const walks = (['fullyQualifiedName', 'name', 'updatedAt'] as const).flatMap((sort) =>
      [false, true].flatMap((descending) => ['*', 'walked'].map((q) => ({ q, sort, descending }))),
    )

    test.each(walks)('a walk of %o skips and repeats nothing, whatever comes and goes before it', async (walk) => {
      const readModels = await freshWith(make)()
      const row = (name: string, more: object = {}) =>
        makeRow(name, { description: 'walked', updatedAt: name < 'c' ? 1 : 2, ...more })
      const names = ['a', 'b', 'b.b', 'c', 'c.c', 'd']
      const inOrder = walk.descending ? names.toReversed() : names
      const [first = ''] = inOrder
      await applyRows(
        readModels,
        names.map((name) => row(name)),
        1n,
      )
      const walked: string[] = []
      for (let [place, step]: [SearchPlace | undefined, bigint] = [{ from: 0 }, 2n]; place !== undefined; step++) {
        const { q, ...sorting } = walk
        const found = await searchFor(readModels, q, { ...sorting, size: 1, ...place })
        walked.push(...shortNames(found))
        const come = row(`${walk.descending ? 'z' : '0'}${step}`, { updatedAt: walk.descending ? 3 : 0 })
        const gone = row(first, { status: step % 2n === 0n ? 'deleted' : 'live', revision: step })
        await applyRows(readModels, [come, gone], step)
        place = found.next
      }
      expect(walked).toEqual(inOrder)
    })

    test('pages go through the scores without a gap', async () => {
      const readModels = await withCorpus()
      for (const q of ['shop', 'ord*', 'order', '*', 'customer* OR sku']) {
        const whole = scoredNames(await searchFor(readModels, q))
        for (const size of [1, 2, 3]) {
          const paged: string[] = []
          for (let from = 0; from < whole.length; from += size) {
            const hits = await searchFor(readModels, q, { from, size })
            expect(hits.total).toBe(whole.length)
            paged.push(...scoredNames(hits))
          }
          expect(paged).toEqual(whole)
        }
        expect(await searchFor(readModels, q, { from: whole.length })).toEqual({
          total: whole.length,
          atLeast: false,
          hits: [],
        })
        expect(await searchFor(readModels, q, { size: 0 })).toEqual({ total: whole.length, atLeast: false, hits: [] })
      }
    })

    test('pages show what matches exactly once and first, and what only similar words match once and marked', async () => {
      const readModels = await freshWith(make)()
      const near = Array.from({ length: 150 }, (_, at) => `harbour_log_${String(at).padStart(3, '0')}`)
      await applyRows(
        readModels,
        [...near, 'harbor_1', 'harbor_2'].map((name, at) => makeRow(name, { position: BigInt(at) })),
        1n,
      )
      for (const [size, q] of [
        [8, 'harbor'],
        [19, 'harbor -absent'],
        [76, 'harbor'],
        [1000, 'harbor'],
      ] as const) {
        const walked: string[] = []
        for (let from = 0; from < 160; from += size) {
          const { total, hits } = await searchFor(readModels, q, { from, size })
          expect(total).toBe(152)
          walked.push(...hits.map(({ row, fuzzy }) => `${row.fullyQualifiedName}${fuzzy ? '?' : ''}`))
        }
        expect(walked).toEqual(['harbor_1', 'harbor_2', ...near.map((name) => `${name}?`)])
      }
    })

    test('similar words are searched for relevance alone, and where the query as a whole finds little', async () => {
      const readModels = await freshWith(make)()
      const names = ['retail_1', 'retail_2', 'retail_3'].map((name) => makeRow(name, { kind: 'table' }))
      await applyRows(
        readModels,
        [...names, ...['retail', 'detail'].map((name) => makeRow(name, { kind: 'domain' }))],
        1n,
      )
      const { total, facets } = await searchFor(readModels, 'retail', { facets: ['kind'] })
      expect([total, facets?.kind?.values]).toEqual([
        4,
        [
          { value: 'table', count: 3 },
          { value: 'domain', count: 1 },
        ],
      ])
      const { expression } = parseSearchQuery('retail') as { expression: SearchQuery['expression'] }
      const fuzzy = { expression, kinds: everywhere.kinds }
      expect(shortNames(await searchFor(readModels, 'retail', { kinds: ['domain'], fuzzy }))).toEqual(['retail'])
      expect(shortNames(await searchFor(readModels, 'retial kind:domain'))).toEqual(['retail'])
      for (const sort of ['name', 'fullyQualifiedName', 'updatedAt'] as const)
        expect(await searchFor(readModels, 'retial', { sort })).toMatchObject({ total: 0, hits: [] })
      const mistyped = parseSearchQuery('retial') as { expression: SearchQuery['expression'] }
      expect(await readModels.search({ ...everywhere, ...mistyped })).toMatchObject({ total: 0, hits: [] })
    })

    test('an entity named exactly so is the first of many, whatever the query excludes', async () => {
      const readModels = await freshWith(make)()
      const many = Array.from({ length: 150 }, (_, at) => makeRow(`budget_p${String(at).padStart(3, '0')}`))
      await applyRows(readModels, [...many, makeRow('budget', { position: 2n ** 45n })], 1n)
      for (const q of ['budget', '"budget"', 'budget -draft', 'budget*'])
        for (const labelKinds of [undefined, ['tag']])
          expect([q, shortNames(await searchFor(readModels, q, { ...(labelKinds && { labelKinds }) }))[0]]).toEqual([
            q,
            'budget',
          ])
    })

    test('of more hits than are counted the better ones still come first', async () => {
      const readModels = await freshWith(make)()
      const rows = Array.from({ length: maxHits + 500 }, (_, index) =>
        makeRow(`s.t${String(index).padStart(5, '0')}`, {
          description: 'common',
          position: BigInt((index * 7919) % (maxHits + 500)),
          updatedAt: (index * 7919) % (maxHits + 500),
          edges: { owners: ['ann', `o${index % 3}`], tags: ['pii@3'], domains: ['sales'] },
        }),
      )
      const owners = ['ann', 'o0', 'o1', 'o2'].map((id) => makeRow(id, { id, kind: 'user' }))
      await applyRows(readModels, owners, 0n)
      for (let at = 0; at < rows.length; at += 2000) await applyRows(readModels, rows.slice(at, at + 2000), BigInt(at))
      const late = { position: 99_999n, updatedAt: -1 }
      await applyRows(
        readModels,
        [makeRow('z.common', late), makeRow('y', { ...late, position: 100_000n, fields: ['common'] })],
        99_999n,
      )
      const hits = await searchFor(readModels, 'common', { size: 5 })
      expect(hits).toMatchObject({ total: maxHits, atLeast: true })
      expect(scoredNames(hits).slice(0, 2)).toEqual(['z.common 19', 'y 5'])
      const newest = rows
        .toSorted((a, b) => b.updatedAt - a.updatedAt)
        .map(({ fullyQualifiedName }) => fullyQualifiedName)
      for (const asked of [{}, { expression: narrowed('owner', 'ann') }, { within: placesBelow('s') }]) {
        const sorted = { ...asked, sort: 'updatedAt', descending: true } as const
        const { hits: begun, next } = await searchFor(readModels, 'common', { ...sorted, size: 2 })
        const { hits: gone } = await searchFor(readModels, 'common', { ...sorted, size: 1, ...next })
        const { hits: skipped } = await searchFor(readModels, 'common', { ...sorted, size: 1, from: 10_300 })
        const walked = [...begun, ...gone, ...skipped].map(({ row }) => row.fullyQualifiedName)
        expect(walked).toEqual([...newest.slice(0, 3), newest[10_300]])
      }
      const first = rows
        .toSorted((a, b) => Number(a.since - b.since))
        .slice(0, maxScored)
        .map(({ fullyQualifiedName }) => fullyQualifiedName)
        .toSorted()
      expect(hits.hits.slice(2).map(({ row }) => first.indexOf(row.fullyQualifiedName))).toEqual([0, 1, 2])
      const deep = await searchFor(readModels, 'common', { from: maxScored, size: 50 })
      const further = await searchFor(readModels, 'common', { from: maxScored + 50, size: 50 })
      expect(new Set([...deep.hits, ...further.hits].map(({ row }) => row.id)).size).toBe(100)
      expect((await searchFor(readModels, '*', { size: 0 })).total).toBe(maxHits + 502)
      const facets = ['kind', 'owner', 'tag', 'domain', 'entityStatus'] as const
      const cut = await searchFor(readModels, 'common', { size: 0, facets })
      expect([cut.total, cut.atLeast]).toEqual([maxHits, true])
      mustAddUp(cut)
      const all = { value: 'thing', count: maxHits + 500 }
      for (const expression of [narrowed('owner', 'ann'), narrowed('tag', 'pii@3'), narrowed('domain', 'sales')]) {
        const counted = await readModels.search({ ...everywhere, expression, facets, size: 0 })
        expect([counted.total, counted.atLeast, counted.facets?.kind?.values]).toEqual([all.count, false, [all]])
        expect(counted.facets?.owner?.values.map(({ count }) => count)).toEqual([10_500, 3500, 3500, 3500])
        mustAddUp(counted)
        const { total, atLeast } = await readModels.search({ ...everywhere, expression, size: 0 })
        expect([total, atLeast]).toEqual([all.count, false])
      }
      const ofKind = { type: 'term', term: kindTerm('thing') } as const
      expect((await readModels.search({ ...everywhere, expression: ofKind, size: 0 })).total).toBe(maxHits + 501)
      mustAddUp(await searchFor(readModels, '*', { size: 0, facets }))
      expect(shortNames(await searchFor(readModels, 's.t00042'))).toEqual(['s.t00042'])
    })
  })
}
