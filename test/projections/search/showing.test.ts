import { describe, expect, test } from 'vitest'
import { facetsCounted, facetTextsOf } from '../../../src/projections/search/facets.ts'
import { withInflections } from '../../../src/projections/search/forms.ts'
import { highlightsOf } from '../../../src/projections/search/highlight.ts'
import { parseSearchQuery, type SearchExpression } from '../../../src/projections/search/query.ts'
import { makeRow, rowId } from '../../support/rows.ts'

const expressionOf = (q: string): SearchExpression =>
  withInflections((parseSearchQuery(q) as { expression: SearchExpression }).expression)

describe('highlights', () => {
  const row = makeRow('shop.customerOrders', {
    displayName: 'Orders & <b>returns</b> of customers',
    description: `${'Nothing to see. '.repeat(20)}One row for each order that a customer placed. ${'The end. '.repeat(60)}`,
    fields: ['order_id', 'CustomerId', 'amount'],
    tags: ['PII.Sensitive'],
  })

  test('mark words, forms and parts of identifiers, and escape everything else', () => {
    expect(highlightsOf(row, expressionOf('customer order'))).toEqual({
      name: ['<em>customer</em><em>Orders</em>'],
      displayName: ['<em>Orders</em> &amp; &lt;b&gt;returns&lt;/b&gt; of <em>customers</em>'],
      fields: ['<em>order</em>_id', '<em>Customer</em>Id'],
      description: [expect.stringMatching(/^….*for each <em>order<\/em> that a <em>customer<\/em> placed\..*…$/)],
    })
  })

  test('cut no character in two', () => {
    for (const shift of ['', ' ']) {
      const emoji = '😀'.repeat(500)
      const description = `${emoji}${shift} customer ${shift}${emoji}`
      const [text = ''] = highlightsOf(makeRow('a.b', { description }), expressionOf('customer'))['description'] ?? []
      expect([text.includes('<em>customer</em>'), text.isWellFormed()]).toEqual([true, true])
    }
  })

  test('mark only where the query looks, and nothing that it excludes', () => {
    expect(highlightsOf(row, expressionOf('columns:cust* -amount'))).toEqual({ fields: ['<em>Customer</em>Id'] })
    expect(highlightsOf(row, expressionOf('kind:table'))).toEqual({})
  })
})

test('facets count what hits have and has not ended, the most frequent first', async () => {
  const hits = [
    makeRow('warehouse.db.s.a', { kind: 'table', edges: { owners: ['o1', 'o2', 'gone'], tags: ['t'] } }),
    makeRow('warehouse.db.s.b', { kind: 'table', edges: { owners: ['o2'] }, entityStatus: 'Approved' }),
    makeRow('Business.a', { kind: 'glossaryTerm', entityStatus: '' }),
  ]
  const counted = hits.flatMap(facetTextsOf).map((text): [string, number] => [text, 1])
  const asked = ['kind', 'owner', 'tag', 'domain', 'service', 'entityStatus'] as const
  const standingAmong = async (all: readonly string[]) => new Set(all.filter((each) => each !== 'gone'))
  expect(await facetsCounted(counted, asked, standingAmong)).toEqual({
    kind: {
      values: [
        { value: 'table', count: 2 },
        { value: 'glossaryTerm', count: 1 },
      ],
      others: 0,
    },
    owner: {
      values: [
        { value: 'o2', count: 2 },
        { value: 'o1', count: 1 },
      ],
      others: 0,
    },
    tag: { values: [{ value: 't', count: 1 }], others: 0 },
    domain: { values: [], others: 0 },
    service: { values: [{ value: rowId('warehouse', 'databaseService'), count: 2 }], others: 0 },
    entityStatus: {
      values: [
        { value: 'Approved', count: 1 },
        { value: 'Unprocessed', count: 1 },
      ],
      others: 0,
    },
  })
})
