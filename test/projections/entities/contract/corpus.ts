import type { EntityRow } from '../../../../src/projections/entities/row.ts'
import type { ReadModels } from '../../../../src/projections/readModels/readModels.ts'
import type { SearchHits, SearchQuery } from '../../../../src/projections/search/port.ts'
import { parseSearchQuery, withoutTerms } from '../../../../src/projections/search/query.ts'
import { makeRow } from '../../../support/rows.ts'

/** A small catalog with everything that search has to tell apart. */
export const corpus: readonly EntityRow[] = [
  makeRow('shop', { kind: 'domain', description: 'Where customers order' }),
  makeRow('shop.sales', { kind: 'domain', displayName: 'Sales & Orders' }),
  makeRow('shop.sales.orders', {
    description: 'One row per order of a customer',
    fields: ['order_id', 'customerId', 'totalAmount'],
    updatedAt: 500,
  }),
  makeRow('shop.sales.order_items', { fields: ['order_id', 'sku'], tags: ['PII.None'], updatedAt: 400 }),
  makeRow('shop.sales.customers', {
    fields: ['id', 'e-mail', 'HTTPServerName'],
    tags: ['PII.Sensitive'],
    owners: ['ada'],
    updatedAt: 300,
  }),
  makeRow('shop.sales.CustomerOrders', {
    displayName: 'Orders of customers',
    updatedAt: 200,
    entityStatus: 'In Review',
  }),
  makeRow('shop.sales.café', {
    displayName: 'CAFÉ Straße 北京大学',
    description: 'naïve Ωmega ΟΔΟΣ ﬁne ข้อมูลลูกค้า パス मूल',
    updatedAt: 100,
  }),
  makeRow('shop.sales."odd.name"', { description: 'quote " and (paren) AND * star', fields: ['a:b'], updatedAt: 50 }),
  makeRow('shop.old_orders', { status: 'deleted', description: 'orders nobody wants', updatedAt: 10 }),
  makeRow('shop.lost', { status: 'gone', revision: 3n }),
]

/** A search among all of it, for the best hits. */
export const everywhere = {
  kinds: ['thing', 'table', 'domain'],
  deleted: false,
  from: 0,
  size: 100,
  sort: 'relevance',
  descending: false,
} as const

/** Parses the text, which must be well formed, and searches. */
export const searchFor = (
  readModels: Pick<ReadModels, 'search'>,
  q: string,
  some: Partial<SearchQuery> = {},
): Promise<SearchHits> => {
  const parsed = parseSearchQuery(q)
  if ('error' in parsed) throw new Error(`${q}: ${parsed.error.message}`)
  const { expression } = parsed
  const { kinds } = { ...everywhere, ...some }
  return readModels.search({
    expression,
    fuzzy: { expression: withoutTerms(expression), kinds },
    ...everywhere,
    ...some,
  })
}

/** FQNs of hits without what all have in common. */
export const shortNames = ({ hits }: SearchHits): string[] =>
  hits.map(({ row }) => row.fullyQualifiedName.replace(/^shop\.(sales\.)?/, ''))

/** The same with scores. */
export const scoredNames = ({ hits }: SearchHits): string[] =>
  hits.map(({ row, score }) => `${row.fullyQualifiedName.replace(/^shop\.(sales\.)?/, '')} ${score}`)
