import type { Served, Story } from './service.ts'

/** What happened on one day. */
interface Chapter {
  readonly daysAgo: number
  readonly acts: (served: Served) => Promise<void>
}

export const order = 'shop_postgres.shop.orders.order'

const lakehouse = 'lakehouse_snowflake.analytics'

const byName = (path: string, name: string): string => `/v1/${path}/name/${encodeURIComponent(name)}`

const merge = 'application/merge-patch+json'

const change = (served: Served, user: string, table: string, members: Record<string, unknown>): Promise<Story> =>
  served.call(user, 'PATCH', byName('tables', table), members, merge)

const columnsOf = async (served: Served, table: string): Promise<Story[]> =>
  (await served.call('amara_almeida', 'GET', byName('tables', table))).body.columns

/** Rewrites columns of a table: each given the column, or added at the end. */
const reshape = async (
  served: Served,
  user: string,
  table: string,
  rewrite: (columns: Story[]) => Story[],
): Promise<void> => {
  const columns = await columnsOf(served, table)
  await change(served, user, table, { columns: rewrite(columns) })
}

const described = `An order that a customer placed **in any channel**: web shop, app, store or telephone.

- One row for each order, from the moment it is placed; it is never deleted.
- Amounts are in the currency of the order. For reports take \`fct_order\`, which is in EUR.
- Cancelled orders stay, with \`order_status = 'cancelled'\`.`

const contract = `apiVersion: v3.1.0
kind: DataContract
id: 5f3c1a52-7c3e-4f61-9a55-0c8f8c2b6a01
name: order contract
version: 1.0.0
status: active
domain: Sales
description:
  purpose: What every team that reads orders can rely on.
  limitations: Not for decisions within the last five minutes.
schema:
  - name: order
    properties:
      - name: order_id
        logicalType: integer
        physicalType: bigint
        required: true
        primaryKey: true
      - name: customer_id
        logicalType: integer
        physicalType: bigint
        required: true
      - name: placed_at
        logicalType: timestamp
        physicalType: timestampz
        required: true
      - name: currency_code
        logicalType: string
        physicalType: char(3)
      - name: gross_amount
        logicalType: number
        physicalType: decimal(14,2)
slaProperties:
  - property: frequency
    value: 5
    unit: m
  - property: latency
    value: 10
    unit: m
  - property: availability
    value: 99.9
    unit: percent
support:
  - channel: '#orders'
    tool: slack
    url: https://example.com/orders
`

const others = ['customers.customer', 'payments.refund', 'orders.invoice', 'catalog.product', 'reviews.review']

/** What people do on any day: small things here and there. */
const smallThings = async (served: Served, day: number): Promise<void> => {
  const people = ['bjorn_petrov', 'mei_rossi', 'noah_quist', 'rania_tanaka', 'liam_castro']
  for (const [at, name] of others.entries()) {
    const user = people[(at + day) % people.length] as string
    const retention = `P${3 + ((day + at) % 6)}Y`
    await change(served, user, `shop_postgres.shop.${name}`, { retentionPeriod: retention })
  }
}

/** Eight weeks in the life of a table, and a little of everything else. */
export const chapters: readonly Chapter[] = [
  {
    daysAgo: 47,
    acts: async (served) => {
      await change(served, 'greta_rossi', order, { description: described })
      await smallThings(served, 47)
    },
  },
  {
    daysAgo: 39,
    acts: async (served) => {
      const gift = { name: 'gift_note', dataType: 'TEXT', description: 'What stands on the card of a gift.' }
      await reshape(served, 'hiro_petrov', order, (columns) => [...columns, gift])
    },
  },
  {
    daysAgo: 28,
    acts: async (served) => {
      await reshape(served, 'elif_tanaka', order, (columns) =>
        columns.map((column) =>
          column.name === 'gift_note'
            ? { ...column, tags: [{ tagFQN: 'PII.Sensitive' }] }
            : column.name === 'order_status'
              ? { ...column, description: 'One of `placed`, `paid`, `shipped`, `returned`, `cancelled`.' }
              : column,
        ),
      )
      await change(served, 'elif_tanaka', order, { tags: ['Tier.Tier1', 'Layer.Source', 'Compliance.GDPR'] })
      await smallThings(served, 28)
    },
  },
  {
    daysAgo: 16,
    acts: async (served) => {
      const owners = [
        { fullyQualifiedName: 'commerce_team', type: 'team' },
        { fullyQualifiedName: 'greta_rossi', type: 'user' },
      ]
      await change(served, 'amara_almeida', order, { owners, retentionPeriod: 'P10Y' })
    },
  },
  {
    daysAgo: 9,
    acts: async (served) => {
      const { body } = await served.call('greta_rossi', 'GET', byName('tables', order))
      const query = `entityId=${body.id}&entityType=table`
      await served.call('greta_rossi', 'PUT', `/v1/dataContracts/odcs/yaml?${query}`, contract, 'application/yaml')
      await smallThings(served, 9)
    },
  },
  {
    daysAgo: 5,
    acts: async (served) => {
      const from = ['fct_order', 'fct_store_sale', 'dim_date'].map((name) => ({ from: `${lakehouse}.core.${name}` }))
      const sales = `/v1/lineage/table/name/${lakehouse}.marts_sales.sales_daily`
      await served.call('farid_berg', 'PUT', `${sales}?source=dbt`, { edges: from })
      await reshape(served, 'farid_berg', order, (columns) =>
        columns
          .filter(({ name }) => name !== 'channel_code')
          .map((column) =>
            column.name === 'order_id' ? { ...column, dataType: 'UUID', dataTypeDisplay: 'uuid' } : column,
          ),
      )
    },
  },
  {
    daysAgo: 0,
    acts: async (served) => {
      await smallThings(served, 1)
      await change(served, 'rania_tanaka', 'shop_postgres.shop.payments.refund', { displayName: 'Refunds' })
      const { body: table } = await served.call('mei_rossi', 'GET', byName('tables', order))
      await served.call('mei_rossi', 'POST', `/v1/tables/${table.id}/proposals`, {
        patch: { description: `${table.description}\n- A gift card is not an order: see \`gift_card\`.` },
        comment: 'People look for gift cards here.',
      })
      for (const user of ['bjorn_petrov', 'mei_rossi', 'noah_quist']) {
        const { body } = await served.call(user, 'GET', byName('tables', order))
        await served.call(user, 'PUT', `/v1/tables/${body.id}/vote`, { updatedVoteType: 'votedUp' })
      }
    },
  },
]
