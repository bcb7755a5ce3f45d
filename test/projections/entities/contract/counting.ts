import { expect, test } from 'vitest'
import {
  facetNames,
  type FacetName,
  type Facets,
  type ReferenceFacet,
} from '../../../../src/projections/search/facets.ts'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import type { SearchExpression } from '../../../../src/projections/search/query.ts'
import type { SearchHits } from '../../../../src/projections/search/port.ts'
import { facetTerm, kindTerm } from '../../../../src/projections/search/words.ts'
import fc, { examples } from '../../../support/fastCheck.ts'
import { naiveSearch } from '../../../support/naiveSearch.ts'
import { applyEntities, applyRows } from '../../../support/projecting.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { everywhere } from './corpus.ts'
import { freshWith, type MakeReadModels } from './support.ts'

const kinds = ['table', 'topic', 'glossaryTerm', 'database']
const services = ['plain', '"with.dot"', '"']
const statuses = ['Unprocessed', 'In Review', '']

export const narrowed = (name: ReferenceFacet, value: string): SearchExpression => ({
  type: 'and',
  of: [{ type: 'term', term: facetTerm(name, value), facet: { name, value } }],
})

/** What can be counted whole. */
const countable: readonly (SearchExpression | undefined)[] = [
  undefined,
  narrowed('owner', 'ann'),
  narrowed('tag', 'pii@3'),
  narrowed('domain', 'sales'),
  narrowed('service', rowId('plain', 'databaseService')),
  narrowed('service', rowId('"with.dot"', 'databaseService')),
  { type: 'term', term: kindTerm('table') },
]

/** What the rows refer to: of the others nothing is left, or another life. */
const targets = [
  makeRow('ann', { id: 'ann', kind: 'user', born: 7n }),
  makeRow('pii', { id: 'pii', kind: 'tag', born: 3n, status: 'deleted' }),
  makeRow('sales', { id: 'sales', kind: 'domain' }),
  makeRow('bob', { id: 'bob', kind: 'user', status: 'gone' }),
  makeRow('plain', { kind: 'databaseService' }),
]

const rowOf = (index: number, pick: (n: number) => number) => {
  const kind = kinds[pick(kinds.length)] as string
  const some = (names: readonly string[]) => names.filter(() => pick(2) === 0)
  return makeRow(`${services[pick(2)]}.db.s.t${index}`, {
    kind,
    description: 'common',
    status: pick(9) === 0 ? 'deleted' : 'live',
    entityStatus: statuses[pick(3)] as string,
    edges: {
      owners: some(['ann', 'bob', 'ann@7']),
      tags: some(['pii', 'pii@3']),
      'tags.columns': some(['pii']),
      domains: some(['sales']),
    },
  })
}

const sumOf = ({ kind }: Facets): number | undefined =>
  kind?.values.reduce((sum, { count }) => sum + count, kind.others)

/** The kind facet adds up to the total where it is exact; else it and the total say that there is more. */
export const mustAddUp = ({ total, atLeast, facets = {} }: SearchHits): void => {
  expect(sumOf(facets)).toBe(total)
  for (const name of Object.keys(facets)) expect(facets[name as FacetName]?.atLeast ?? false).toBe(atLeast)
}

/** Counts of hits by the values of facets. */
export const counting = (make: MakeReadModels, runs: number): void => {
  const asked = { ...everywhere, kinds, facets: facetNames, size: 0 } as const

  test('facets count what a search finds, whatever it is narrowed to', async () => {
    const fresh = freshWith(make)
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000_000)), fc.boolean(), async (numbers, deleted) => {
        const pick = (n: number): number => (numbers.next().value as number) % n
        const rows = [...targets, ...Array.from({ length: 30 }, (_, index) => rowOf(index, pick))]
        const readModels = await fresh()
        await applyRows(readModels, rows, 1n)
        for (const expression of countable) {
          const query = { ...asked, deleted, expression, kinds: kinds.filter(() => pick(4) > 0) }
          const found = await readModels.search(query)
          expect(found).toEqual(await naiveSearch(rows, query))
          mustAddUp({ facets: { kind: { values: [], others: 0 } }, ...found })
        }
      }),
      { numRuns: examples(Math.ceil(runs / 20)) },
    )
  })

  test.each([
    ['everything', undefined],
    ['words', { type: 'term', term: kindTerm('table') }],
    ['a facet', narrowed('owner', 'ann')],
  ] as const)(
    'an entity deleted before the index knows counts neither in total nor facets: %s',
    async (_, expression) => {
      const readModels = await freshWith(make)()
      const rows = ['a', 'b', 'c'].map((name) =>
        makeRow(`s.${name}`, { kind: 'table', edges: { owners: name === 'b' ? ['ann', 'bob@2'] : ['ann'] } }),
      )
      const owners = [
        makeRow('ann', { id: 'ann', kind: 'user' }),
        makeRow('bob', { id: 'bob', kind: 'user', born: 2n }),
      ]
      await applyRows(readModels, [...owners, ...rows], 1n)
      await applyEntities(readModels, [{ ...(rows[1] as EntityRow), status: 'deleted', revision: 1n }], 2n)
      for (const sort of ['relevance', 'fullyQualifiedName'] as const) {
        const query = {
          ...everywhere,
          expression,
          kinds: ['table'],
          facets: ['kind', 'owner'],
          size: 10,
          sort,
        } as const
        const { hits, ...counts } = await readModels.search(query)
        expect(hits.map(({ row }) => row.fullyQualifiedName).toSorted()).toEqual(['s.a', 's.c'])
        expect(counts).toMatchObject({
          total: 2,
          facets: {
            kind: { values: [{ value: 'table', count: 2 }], others: 0 },
            owner: { values: [{ value: 'ann', count: 2 }], others: 0 },
          },
        })
      }
    },
  )

  test('what has ended takes no place of what is there, however many hits had it', async () => {
    const readModels = await freshWith(make)()
    const ended = Array.from({ length: 60 }, (_, index) => `ended${index}`)
    const rows = [
      makeRow('s.a', { edges: { owners: [...ended, 'ann@7'] } }),
      makeRow('s.b', { edges: { owners: ended } }),
    ]
    await applyRows(readModels, [...targets, ...rows], 1n)
    const facets = { owner: { values: [{ value: 'ann@7', count: 1 }], others: 0 } }
    for (const expression of [undefined, narrowed('owner', 'ended0')])
      expect(await readModels.search({ ...everywhere, expression, facets: ['owner'], size: 0 })).toMatchObject({
        facets,
      })
  })
}
