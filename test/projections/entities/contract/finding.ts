import fc, { examples } from '../../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { evolve, type Entity } from '../../../../src/commands/evolve.ts'
import { kindNamed, labelKinds } from '../../../../src/kinds/registry/kinds.ts'
import { toRow } from '../../../../src/projections/entities/entityRow.ts'
import { placesBelow } from '../../../../src/projections/entities/place.ts'
import type { EntityRow, Status } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import { naiveSearch } from '../../../support/naiveSearch.ts'
import type { SearchHits, SearchPlace, SearchQuery } from '../../../../src/projections/search/port.ts'
import { facetTerm } from '../../../../src/projections/search/words.ts'
import { parseSearchQuery } from '../../../../src/projections/search/query.ts'
import { recordedEvent } from '../../../support/events.ts'
import { makeRow, rowId } from '../../../support/rows.ts'
import { corpus, everywhere, searchFor, shortNames } from './corpus.ts'
import { freshWith, type MakeReadModels } from './support.ts'
import { applyRows } from '../../../support/projecting.ts'

/** Queries and what they find, in any order. */
const queries: readonly (readonly [string, ...string[]])[] = [
  ['orders', 'CustomerOrders', 'order_items', 'orders', 'sales', 'shop'],
  ['ORDERS', 'CustomerOrders', 'order_items', 'orders', 'sales', 'shop'],
  ['order', 'CustomerOrders', 'order_items', 'orders', 'sales', 'shop'],
  ['customerorders', 'CustomerOrders'],
  ['customer_orders', 'CustomerOrders'],
  ['CustomerOrders', 'CustomerOrders'],
  ['orderitems', 'order_items'],
  ['customer orders', 'CustomerOrders', 'orders', 'shop'],
  ['"customer orders"', 'CustomerOrders'],
  ['"orders customer"'],
  ['"orders of customers"', 'CustomerOrders'],
  ['"of customers"', 'CustomerOrders'],
  ['shop.sales.orders', 'order_items', 'orders'],
  ['fullyQualifiedName:shop.sales.orders', 'order_items', 'orders'],
  ['cust*', 'shop', 'orders', 'customers', 'CustomerOrders'],
  ['"order it"'],
  ['order_it*', 'order_items'],
  ['su*'],
  ['sku*', 'order_items'],
  ['sk*'],
  ['columns:sk*', 'order_items'],
  ['email', 'customers'],
  ['e-mail', 'customers'],
  ['mail', 'customers'],
  ['server', 'customers'],
  ['httpserver*', 'customers'],
  ['amount', 'orders'],
  ['columns:order_id', 'orders', 'order_items'],
  ['fields:order'],
  ['column:sku', 'order_items'],
  ['columns.name:sku', 'order_items'],
  ['description:customer', 'orders', 'shop'],
  ['description:orders', 'orders', 'shop'],
  ['name:customer', 'CustomerOrders', 'customers'],
  ['displayName:customers', 'CustomerOrders'],
  ['tags:pii', 'order_items', 'customers'],
  ['tag:PII.Sensitive', 'customers'],
  ['tags:"pii none"', 'order_items'],
  ['owner:ada', 'customers'],
  ['owners.name:ada', 'customers'],
  ['kind:domain', 'shop', 'sales'],
  ['entityType:DOMAIN', 'shop', 'sales'],
  ['kind:domain order', 'sales', 'shop'],
  ['kind:topic'],
  ['entityStatus:"in review"', 'CustomerOrders'],
  ['entityStatus:InReview', 'CustomerOrders'],
  ['name:(order_items OR customers)', 'order_items', 'customers', 'CustomerOrders'],
  ['orders OR sku', 'CustomerOrders', 'order_items', 'orders', 'sales', 'shop'],
  ['orders AND customer', 'CustomerOrders', 'orders', 'shop'],
  ['orders NOT customer', 'order_items', 'sales', 'shop'],
  ['orders -customer', 'order_items', 'sales', 'shop'],
  ['orders AND NOT (customer OR kind:domain)', 'order_items'],
  ['NOT sales', 'shop'],
  ['-sales -customers'],
  ['NOT NOT sku', 'order_items'],
  ['* -sales', 'shop'],
  ['sku OR customers AND ada', 'order_items', 'customers'],
  ['(sku OR customers) AND ada', 'customers'],
  ['sku OR NOT sales', 'order_items', 'shop'],
  ['cafe', 'café'],
  ['CAFE\u0301', 'café'],
  ['strasse', 'café'],
  ['STRASSE', 'café'],
  ['straße', 'café'],
  ['STRAẞE', 'café'],
  ['naive', 'café'],
  ['ωμεγα'],
  ['ωmega', 'café'],
  ['οδοσ', 'café'],
  ['οδος', 'café'],
  ['fine', 'café'],
  ['北京', 'café'],
  ['京大', 'café'],
  ['北大'],
  ['ลูกค้า', 'café'],
  ['ข้อมูล', 'café'],
  ['ลูกคา'],
  ['パス', 'café'],
  ['バス'],
  ['मूल', 'café'],
  ['मिल'],
  ['odd.name', '"odd.name"'],
  ['quote paren star', '"odd.name"'],
  ['"star and paren"'],
  ['"paren and star"', '"odd.name"'],
  ['a\\:b', '"odd.name"'],
  ['"a:b"', '"odd.name"'],
  ['shop\\sales', 'CustomerOrders', '"odd.name"', 'café', 'customers', 'order_items', 'orders', 'sales'],
  ['"\\\\quote\\and"', '"odd.name"'],
  ['custmer', 'customers', 'CustomerOrders', 'orders', 'shop'],
  ['"custmer"'],
  ['oders', 'orders', 'sales', 'CustomerOrders', 'order_items', 'shop'],
  ['orders ???', 'CustomerOrders', 'order_items', 'orders', 'sales', 'shop'],
  ['!!!'],
  ['nobody'],
  ['lost'],
  ['" OR 1=1 --"'],
  ["'; DROP TABLE entities; --"],
]

const tag = (fqn: string) => ({ id: rowId(fqn, 'tag'), type: 'tag', fullyQualifiedName: fqn })
const sensitive = tag('PII.Sensitive')

/** A table with tags on itself and on columns at two depths. */
const taggedTable = (): EntityRow => {
  const members = {
    displayName: 'Where addresses are',
    description: 'One address each',
    tags: [tag('PII.None')],
    owners: [{ id: rowId('ada', 'user'), type: 'user', fullyQualifiedName: 'ada' }],
    columns: [
      {
        name: 'address',
        dataType: 'STRUCT',
        children: [{ name: 'zip.code', displayName: 'Of the address', dataType: 'INT', tags: [sensitive] }],
      },
      { name: 'email', dataType: 'TEXT', tags: [sensitive] },
    ],
  }
  const name = 'shop.base.part.addresses'
  const [id, created] = [rowId(name, 'table'), { type: 'Created', data: { name: 'addresses', members } } as const]
  const event = recordedEvent(created, { stream: `table-${id}`, name, position: 0n })
  return toRow(evolve(id, undefined, event) as Entity, kindNamed('table'))
}

/** What search finds. */
export const finding = (make: MakeReadModels, runs: number): void => {
  const fresh = freshWith(make)
  const withCorpus = async (): Promise<ReadModels> => {
    const readModels = await fresh()
    await applyRows(readModels, corpus, 1n)
    return readModels
  }

  describe('search', () => {
    test('finds what the query describes', async () => {
      const readModels = await withCorpus()
      const found: [string, string[]][] = []
      for (const [q] of queries) found.push([q, shortNames(await searchFor(readModels, q)).toSorted()])
      expect(found).toEqual(queries.map(([q, ...names]) => [q, names.toSorted()]))
    })

    test('finds among some ids alone, with and without words, and counts their facets', async () => {
      const readModels = await withCorpus()
      const { hits: all } = await searchFor(readModels, '*')
      const some = all.filter((_, at) => at % 2 === 0).map(({ row }) => row)
      const found = await searchFor(readModels, '*', { ids: some.map(({ id }) => id), facets: ['kind'] })
      expect(found.total).toBe(some.length)
      expect(found.hits.map(({ row }) => row.id).toSorted()).toEqual(some.map(({ id }) => id).toSorted())
      const counted = found.facets?.kind?.values.reduce((sum, { count }) => sum + count, 0)
      expect(counted).toBe(some.length)
      const [first] = (await searchFor(readModels, 'orders')).hits
      const only = await searchFor(readModels, 'orders', { ids: [String(first?.row.id), 'nobody'] })
      expect(only.hits.map(({ row }) => row.id)).toEqual([first?.row.id])
      expect(await searchFor(readModels, 'orders', { ids: [] })).toMatchObject({ total: 0, hits: [] })
    })

    test('finds below a name alone, with and without words, in every order, and counts facets of that', async () => {
      const readModels = await withCorpus()
      const within = placesBelow('shop.sales')
      for (const sort of ['fullyQualifiedName', 'name', 'updatedAt'] as const)
        for (const descending of [false, true])
          for (const q of ['*', 'orders OR sku']) {
            const sorted = { sort, descending }
            const all = shortNames(await searchFor(readModels, q, sorted))
            const below = all.filter((name) => name !== 'shop' && name !== 'sales')
            const pages: string[] = []
            let next: SearchPlace | undefined = { from: 0 }
            while (next !== undefined) {
              const page = await searchFor(readModels, q, { ...sorted, ...next, within, size: 2 })
              expect(page.total).toBe(below.length)
              pages.push(...shortNames(page))
              next = page.next
            }
            expect(pages).toEqual(below)
          }
      const { total, facets } = await searchFor(readModels, '*', { within, facets: ['kind'] })
      expect(facets?.kind?.values.reduce((sum, { count }) => sum + count, 0)).toBe(total)
      expect((await searchFor(readModels, '*', { within: placesBelow('shop.sale') })).total).toBe(0)
    })

    test('looks in the field that is asked for, and in no other', async () => {
      const readModels = await fresh()
      const table = { displayName: 'shown', tags: ['marked'], owners: ['held'], description: 'told' }
      const [called, heard, meant] = ['house.base.part.called', 'house.heard', 'book.meant'] as const
      const rows = [
        makeRow(called, { kind: 'table', ...table, fields: ['counted'] }),
        makeRow(heard, { kind: 'topic', fields: ['noted'] }),
        makeRow(meant, { kind: 'glossaryTerm', fields: ['alias'] }),
      ]
      await applyRows(readModels, rows, 1n)
      const fields: readonly (readonly [field: string, word: string, ...names: string[]])[] = [
        ['name', 'called', called],
        ['displayName', 'shown', called],
        ['fqn', 'base', called],
        ['service', 'house', called, heard],
        ['columns', 'counted', called],
        ['fields', 'noted', heard],
        ['synonyms', 'alias', meant],
        ['tags', 'marked', called],
        ['owners', 'held', called],
        ['description', 'told', called],
      ]
      const kinds = ['table', 'topic', 'glossaryTerm']
      const find = async (q: string) =>
        (await searchFor(readModels, q, { kinds })).hits.map(({ row }) => row.fullyQualifiedName).toSorted()
      for (const [field, word, ...names] of fields) {
        expect([word, await find(word)]).toEqual([word, names])
        for (const [other] of fields) {
          // Everything that stands in a name, or is the service, stands in the FQN too.
          const isThere = other === field || (other === 'fqn' && ['name', 'service'].includes(field))
          expect([other, word, await find(`${other}:"${word}"`)]).toEqual([other, word, isThere ? names : []])
        }
      }
    })

    test('a phrase or an identifier stands within one column, synonym or tag', async () => {
      const readModels = await fresh()
      const rows = [
        makeRow('a.columns', { kind: 'table', fields: ['passport', 'number_of_visits', 'order_id', 'sku_id'] }),
        makeRow('a.identifier', { kind: 'table', fields: ['passport_number'] }),
        makeRow('a.tags', { kind: 'table', tags: ['Tier.Tier1', 'PII.Sensitive'] }),
        makeRow('a.synonyms', { kind: 'glossaryTerm', fields: ['quick', 'brown fox'] }),
      ]
      await applyRows(readModels, rows, 1n)
      for (const [q, ...names] of [
        ['columns:passport_number', 'a.identifier'],
        ['"orderid skuid"'],
        ['"tier1 pii"'],
        ['tags:"tier tier1"', 'a.tags'],
        ['synonyms:"quick brown"'],
        ['"brown fox"', 'a.synonyms'],
      ]) {
        const { hits } = await searchFor(readModels, q as string, { kinds: ['table', 'glossaryTerm'] })
        expect([q, ...hits.map(({ row }) => row.fullyQualifiedName)]).toEqual([q, ...names])
      }
    })

    test('all names of the columns of a wide table are found', async () => {
      const readModels = await fresh()
      const fields = Array.from({ length: 5000 }, (_, at) => `customer_lifetime_feature_value_window_x${at}`)
      await applyRows(readModels, [makeRow('a.wide', { kind: 'table', fields })], 1n)
      for (const word of ['x0', 'x4999']) expect((await searchFor(readModels, `columns:${word}`)).total).toBe(1)
    })

    test('an entity is found by all that it has, however long its description is', async () => {
      const readModels = await fresh()
      const more = { owners: ['me'], tags: ['T.x'], entityStatus: 'Odd', edges: { owners: [rowId('me', 'user')] } }
      const description = `${'long text '.repeat(50_000)} last`
      await applyRows(readModels, [makeRow('a.long', { kind: 'table', description, ...more })], 1n)
      const found = ['owner:me', 'tag:x', 'entityStatus:Odd', 'kind:table a', 'last', '"text last"', 'a -other', 'las*']
      for (const q of found) expect([q, (await searchFor(readModels, q)).total]).toEqual([q, 1])
      for (const q of ['a -last', 'a -entityStatus:Odd', '"long last"'])
        expect([q, (await searchFor(readModels, q)).total]).toEqual([q, 0])
    })

    describe('owners and tags that are looked up', () => {
      const owned = (name: string, owner: string, more: object = {}) =>
        makeRow(name, { kind: 'table', owners: [owner], edges: { owners: [rowId(owner, 'user')] }, ...more })
      const user = (name: string, more: object = {}) => makeRow(name, { kind: 'user', ...more })
      const find = async (readModels: ReadModels, q: string, seen: readonly string[], more: object = {}) =>
        searchFor(readModels, q, { kinds: ['table'], size: 1000, labelKinds: seen, ...more })
      const some = ['user', 'tag', 'glossaryTerm']

      test('all count, however many there are, where others are hidden', async () => {
        const readModels = await fresh()
        const names = Array.from({ length: 230 }, (_, at) => `contractor-${at}`)
        const rows = names.flatMap((name, at) => [user(name), owned(`own-${at}`, name)])
        await applyRows(readModels, [...rows, makeRow('own-none', { kind: 'table' })], 1n)
        for (const kinds of [some, labelKinds])
          for (const [q, total] of [
            ['owners:contractor', 230],
            ['contractor', 230],
            ['own -owners:contractor', 1],
            ['own -contractor', 1],
          ] as const)
            expect([q, (await find(readModels, q, kinds)).total]).toEqual([q, total])
        expect((await find(readModels, 'contractor', ['tag'])).total).toBe(0)
        expect((await find(readModels, 'own -contractor', ['tag'])).total).toBe(231)
      })

      test('what is hard-deleted is neither found nor named, nor is what had been before another life', async () => {
        const readModels = await fresh()
        const rows = [
          user('max.mustermann', { status: 'gone' }),
          user('ann.mustermann', { born: 7n, revision: 7n }),
          owned('gd1', 'max.mustermann'),
          owned('gd2', 'ann.mustermann'),
        ]
        await applyRows(readModels, rows, 1n)
        for (const kinds of [some, labelKinds]) {
          expect(await find(readModels, 'mustermann', kinds, { highlight: true })).toMatchObject({ total: 0 })
          expect((await find(readModels, 'gd* -mustermann', kinds)).total).toBe(2)
          const { hits } = await find(readModels, 'gd1 OR mustermann', kinds, { highlight: true })
          expect(hits.map(({ matchedIn, highlights }) => [matchedIn, highlights])).toEqual([
            [['name'], { name: ['<em>gd1</em>'] }],
          ])
        }
      })

      test('those that there are are found and marked, also with a typing error', async () => {
        const readModels = await fresh()
        await applyRows(readModels, [user('max.mustermann'), owned('gd1', 'max.mustermann')], 1n)
        for (const q of ['mustermann', 'owners:mustermann', 'mustermnan'])
          for (const kinds of [some, labelKinds]) {
            const { hits } = await find(readModels, q, kinds, { highlight: true })
            expect([q, ...hits.map(({ highlights }) => highlights)]).toEqual([
              q,
              { labels: ['max.<em>mustermann</em>'] },
            ])
          }
      })
    })

    test('a hit says where the words, tags and owners stand', async () => {
      const readModels = await fresh()
      await applyRows(readModels, [taggedTable(), makeRow('shop.base.part.other', { kind: 'table' })], 1n)
      const places = async (q: string) =>
        (await searchFor(readModels, q, { kinds: ['table'] })).hits.map(({ matchedIn }) => matchedIn)
      expect(await places('addresses')).toEqual([
        ['name', 'displayName', 'description', 'columns.address', 'columns.address."zip.code"'],
      ])
      expect(await places('columns:"zip code"')).toEqual([['columns.address."zip.code"']])
      expect(await places('adresses')).toEqual(await places('addresses'))
      expect(await places('addr* base')).toEqual([
        ['name', 'displayName', 'fullyQualifiedName', 'description', 'columns.address', 'columns.address."zip.code"'],
      ])
      expect(await places('sensitive')).toEqual([['columns.address."zip.code".tags', 'columns.email.tags']])
      expect(await places('tags:PII.None')).toEqual([['tags']])
      expect(await places('sensitive ada -other')).toEqual([
        ['columns.address."zip.code".tags', 'columns.email.tags', 'owners'],
      ])
      const tagged = { type: 'term' as const, term: facetTerm('tag', sensitive.id) }
      const [hit] = (await searchFor(readModels, '*', { kinds: ['table'], expression: tagged })).hits
      expect(hit?.matchedIn).toEqual(['columns.address."zip.code".tags', 'columns.email.tags'])
      expect(await places('kind:table')).toEqual([[], []])
      expect(await places('*')).toEqual([undefined, undefined])
    })

    test('finds what was applied a moment ago, as it is now', async () => {
      const readModels = await withCorpus()
      const step = async (revision: bigint, options: Parameters<typeof makeRow>[1]) =>
        applyRows(readModels, [makeRow('shop.sales.orders', { kind: 'table', revision, ...options })], revision)
      const total = async (q: string, deleted = false) => (await searchFor(readModels, q, { deleted })).total
      await step(1n, { description: 'invoices' })
      expect([await total('invoices'), await total('amount'), await total('name:orders')]).toEqual([1, 0, 3])
      await step(2n, { description: 'invoices', entityStatus: 'Approved' })
      expect([
        await total('invoices'),
        await total('entityStatus:approved'),
        await total('orders entityStatus:unprocessed'),
      ]).toEqual([1, 1, 3])
      await step(3n, { status: 'deleted', description: 'invoices' })
      expect([await total('invoices'), await total('invoices', true)]).toEqual([0, 1])
      await step(4n, { description: 'bills' })
      expect([await total('invoices', true), await total('bills'), await total('orders', true)]).toEqual([0, 1, 1])
      await step(5n, { status: 'gone' })
      expect([await total('bills'), await total('bills', true)]).toEqual([0, 0])
      await step(6n, { description: 'again' })
      expect([await total('again'), await total('bills')]).toEqual([1, 0])
    })

    test('finds what has a very value of a facet, also when nothing else has changed', async () => {
      const readModels = await withCorpus()
      const step = (revision: bigint, owner: string) =>
        applyRows(
          readModels,
          [makeRow('shop.sales.orders', { kind: 'table', revision, edges: { owners: [owner] } })],
          revision,
        )
      const ownedBy = async (owner: string) => {
        const expression = { type: 'term' as const, term: facetTerm('owner', owner) }
        return shortNames(await searchFor(readModels, '*', { expression }))
      }
      await step(1n, 'ada')
      expect([await ownedBy('ada'), await ownedBy('ada@4')]).toEqual([['orders'], []])
      await step(2n, 'ada@4')
      expect([await ownedBy('ada'), await ownedBy('ada@4')]).toEqual([[], ['orders']])
    })

    test('an older row that comes late is not found', async () => {
      const readModels = await fresh()
      await applyRows(readModels, [makeRow('a', { revision: 2n, description: 'newer' })], 1n)
      await applyRows(readModels, [makeRow('a', { revision: 1n, description: 'older' })], 2n)
      expect((await searchFor(readModels, 'older')).total).toBe(0)
      expect((await searchFor(readModels, 'newer')).hits[0]?.row.id).toBe(rowId('a'))
    })

    const words = ['order', 'orders', 'ordItem', 'item', 'day', 'by', 'Ärger', '注文表', 'snake_case']
    const kinds = ['table', 'glossaryTerm']
    const text = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((some) => some.join(' '))
    const row = fc
      .record({
        name: fc.constantFrom(...words),
        fields: text,
        labels: text,
        description: text,
        updatedAt: fc.nat(5),
        kind: fc.constantFrom(...kinds),
        entityStatus: fc.constantFrom('Draft', 'Active'),
        status: fc.constantFrom<Status>('live', 'live', 'live', 'deleted', 'gone'),
        id: fc.uuid(),
      })
      .map(({ name, fields, labels, ...rest }) => makeRow(`s.${name}`, { ...rest, fields: [fields], tags: [labels] }))
    const leaf = fc.oneof(
      fc.constantFrom(...words, ...words.map((word) => `${word.slice(0, 3)}*`)),
      fc.constantFrom('"order item"', '"day by*"', '"by day order"', 'ord_item', '*', 'description:"day by"'),
      fc.constantFrom('name:order', 'tags:day', 'columns:(item or)', 'kind:table', 'entityStatus:draft'),
    )
    const { query } = fc.letrec<{ query: string }>((tie) => ({
      query: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc
          .tuple(tie('query'), fc.constantFrom(' AND ', ' OR ', ' ', ' AND NOT ', ' -'), tie('query'))
          .map(([a, join, b]) => `(${a})${join}(${b})`),
        tie('query').map((inner) => `NOT (${inner})`),
      ),
    }))
    const shown = ({ total, hits }: SearchHits) => [total, hits.map(({ row: { id }, score }) => [id, score])]

    test('agrees with the plain rule on random queries, whatever they are sorted by', async () => {
      const rows = fc.sample(row, { numRuns: 300, seed: 42 })
      const readModels = await fresh()
      await applyRows(readModels, rows, 1n)
      const asked = fc.record({
        kinds: fc.oneof(fc.constant(kinds), fc.subarray([...kinds, 'unknown'])),
        sort: fc.constantFrom<SearchQuery['sort']>('relevance', 'name', 'updatedAt', 'fullyQualifiedName'),
        descending: fc.boolean(),
        deleted: fc.boolean(),
        from: fc.nat(5),
        size: fc.constantFrom(300, 300, 3, 0),
      })
      await fc.assert(
        fc.asyncProperty(fc.oneof(query, query, fc.constant('*')), asked, async (q, more) => {
          const parsed = parseSearchQuery(q)
          if ('error' in parsed) return
          const [found, expected] = [
            await readModels.search({ ...parsed, ...more }),
            await naiveSearch(rows, { ...parsed, ...more }),
          ]
          expect(shown(found)).toEqual(shown(expected))
        }),
        { numRuns: examples(2 * runs) },
      )
    })

    test('agrees with the plain rule when only some of the hits are scored', async () => {
      const many = Array.from({ length: 700 }, (_, index) => {
        const where = [
          { displayName: 'zebra crossing' },
          { fields: ['zebra crossing'] },
          { description: 'zebra crossing' },
        ]
        const position = BigInt(1000 + ((index * 11) % 700))
        return makeRow(`z.${String(index).padStart(4, '0')}`, { kind: 'topic', position, ...where[index % 3] })
      })
      const rows = [...many, makeRow('z.Zebra', { kind: 'topic' })]
      const readModels = await fresh()
      await applyRows(readModels, rows, 1n)
      for (const q of ['zebra', 'zeb*', '"zebra crossing"', 'zebra-crossing', 'zebra crossing', 'kind:topic'])
        for (const page of [
          { from: 0, size: 1000 },
          { from: 230, size: 20 },
        ]) {
          const { expression } = parseSearchQuery(q) as { expression: SearchQuery['expression'] }
          const asked = { expression, ...everywhere, kinds: ['topic'], ...page }
          expect([q, ...shown(await readModels.search(asked))]).toEqual([q, ...shown(await naiveSearch(rows, asked))])
        }
    })
  })
}
