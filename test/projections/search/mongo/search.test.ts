import fc from '../../../support/fastCheck.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseSearchQuery } from '../../../../src/projections/search/query.ts'
import { naiveSearch } from '../../../support/naiveSearch.ts'
import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import type { SearchQuery } from '../../../../src/projections/search/port.ts'
import { describeMongo, freshDatabase, type MongoDatabase } from '../../entities/mongo/support.ts'
import { fqnOf, makeRow } from '../../../support/rows.ts'
import { applyRows } from '../../../support/projecting.ts'

const words = ['order', 'orders', 'ordItem', 'item', 'day', 'by', 'Ärger', '注文表', 'snake_case']

const text = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(' '))

const row: fc.Arbitrary<EntityRow> = fc
  .record({
    name: fc.constantFrom(...words),
    fields: text,
    labels: text,
    description: text,
    updatedAt: fc.nat(5),
    kind: fc.constantFrom('table', 'glossaryTerm'),
    entityStatus: fc.constantFrom('Draft', 'Active'),
    status: fc.constantFrom('live', 'live', 'live', 'deleted', 'gone'),
  })
  .map(({ name, fields, labels, ...rest }) =>
    makeRow(`s.${name}`, { ...rest, id: crypto.randomUUID(), fields: [fields], tags: [labels] }),
  )

const leaf = fc.oneof(
  fc.constantFrom(...words, ...words.map((word) => `${word.slice(0, 3)}*`)),
  fc.constantFrom('"order item"', '"day by*"', '"by day order"', 'ord_item', '*', 'description:"day by"'),
  fc.constantFrom('name:order', 'tags:day', 'columns:(item or)', 'kind:table', 'entityStatus:draft'),
)
const query = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a} ${b})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a} OR ${b})`),
    tie('any').map((a) => `NOT ${a}`),
  ),
})).any

const nameIn = (reference: string): string => (JSON.parse(reference) as { name: string }).name

const shown = (hits: readonly { row: EntityRow; score: number }[]) => hits.map(({ row: hit, score }) => [hit.id, score])

describeMongo('search on MongoDB', () => {
  let fresh: MongoDatabase
  let readModels: ReadModels
  const rows = fc.sample(row, { numRuns: 300, seed: 42 })

  beforeAll(async () => {
    fresh = await freshDatabase()
    readModels = await fresh.open()
    await applyRows(readModels, rows, 1n)
  })
  afterAll(() => fresh.dispose())

  test('finds what a search without an index finds, in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.constantFrom('relevance', 'updatedAt', 'fullyQualifiedName'),
        fc.boolean(),
        fc.boolean(),
        fc.nat(5),
        async (q, sort, descending, deleted, from) => {
          const parsed = parseSearchQuery(q)
          if ('error' in parsed) throw new Error(`${q}: ${parsed.error.message}`)
          const asked = {
            ...parsed,
            kinds: ['table', 'glossaryTerm'],
            deleted,
            from,
            size: 300,
            sort,
            descending,
          } as const
          const [found, expected] = [await readModels.search(asked), await naiveSearch(rows, asked)]
          expect(found).toMatchObject({ total: expected.total, atLeast: false })
          expect(shown(found.hits)).toEqual(shown(expected.hits))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('finds the same when only some of the hits are scored', async () => {
    const many = Array.from({ length: 700 }, (_, index) => {
      const words = 'zebra crossing'
      const where = [{ displayName: words }, { fields: [words] }, { description: words }][index % 3]
      const position = BigInt(1000 + ((index * 7) % 700))
      return makeRow(`z.${String(index).padStart(4, '0')}`, { kind: 'topic', position, ...where })
    })
    const named = makeRow('z.Zebra', { kind: 'topic' })
    await applyRows(readModels, [...many, named], 2n)
    for (const q of ['zebra', 'zeb*', '"zebra crossing"', 'zebra-crossing', 'zebra crossing', 'kind:topic']) {
      const { expression } = parseSearchQuery(q) as { expression: SearchQuery['expression'] }
      const asked = { expression, kinds: ['topic'], deleted: false, sort: 'relevance', descending: false } as const
      for (const page of [
        { from: 0, size: 1000 },
        { from: 230, size: 20 },
      ]) {
        const [found, expected] = [
          await readModels.search({ ...asked, ...page }),
          await naiveSearch([...many, named], { ...asked, ...page }),
        ]
        expect([q, found.total, shown(found.hits)]).toEqual([q, expected.total, shown(expected.hits)])
      }
    }
  })

  test('suggests names whatever their case, signs and planes', async () => {
    const names = ['Order Items', 'order-items 2', 'Örder', '\u{20BB7}野家', '~~']
    const named = names.map((name) => makeRow(fqnOf(name), { kind: 'shop' }))
    await applyRows(readModels, named, 3n)
    const suggested = async (prefix: string, limit = 10) =>
      (await readModels.suggest(prefix, ['shop'], limit)).map(({ reference }) => nameIn(reference))
    expect(await suggested('ORD')).toEqual(['Örder', 'Order Items', 'order-items 2'])
    expect(await suggested('order i', 1)).toEqual(['Order Items'])
    expect(await suggested('\u{20BB7}')).toEqual(['\u{20BB7}野家'])
    expect(await suggested('~')).toEqual(['~~'])
    expect(await suggested('')).toEqual([])
  })
})
