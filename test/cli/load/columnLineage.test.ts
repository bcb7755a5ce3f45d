import { describe, expect, it } from 'vitest'
import { lineageOfStatements, type QueryTable } from '../../../src/cli/load/columnLineage.ts'

const orders: QueryTable = {
  fullyQualifiedName: 'w.shop.raw.orders',
  path: ['shop', 'raw', 'orders'],
  columns: ['id', 'Customer', 'amount', 'at'],
  upstream: [],
}
const customers: QueryTable = {
  fullyQualifiedName: 'w.shop.raw.customers',
  path: ['shop', 'raw', 'customers'],
  columns: ['id', 'name'],
  upstream: [],
}
const upstream = [orders.fullyQualifiedName, customers.fullyQualifiedName]

/** What a statement tells: `column: upstream columns`, or why it tells nothing. */
const told = async (statement: string, dialect = 'duckdb', columns: readonly string[] = []) => {
  const table = { fullyQualifiedName: 'w.shop.main.it', path: ['shop', 'main', 'it'], columns, statement, upstream }
  const { lineage, notes } = await lineageOfStatements([orders, customers, table], dialect)
  const [note] = notes ?? []
  if (note !== undefined) return note.message.replace('cannot read the lineage of columns from its statement: ', '')
  const edges = lineage.at(-1)?.edges ?? []
  expect(edges.map(({ from, sql }) => [from, sql])).toEqual(upstream.map((from) => [from, statement]))
  const found = new Map<string, string[]>()
  for (const { from, columns = [] } of edges)
    for (const { from: read, to } of columns)
      found.set(to, [...(found.get(to) ?? []), ...read.map((each) => `${from.split('.').at(-1)}.${each}`)])
  return Object.fromEntries(found)
}

describe('the columns that a statement tells', () => {
  it.each([
    [
      'of common tables and stars, as dbt projects write them',
      `with source as (select * from "shop"."raw"."orders"), named as (select id as order_id, amount / 100 as total from source)
       select * from named`,
      { order_id: ['orders.id'], total: ['orders.amount'] },
    ],
    [
      'of joins, by the names of tables, and by aliases',
      `select o.id, c.name as customer, orders2.at from raw.orders o
       join shop.raw.customers as c on c.id = o.customer left join raw.orders orders2 using (id)`,
      { id: ['orders.id'], customer: ['customers.name'], at: ['orders.at'] },
    ],
    [
      'of expressions: functions, cases, casts, windows, comparisons as arguments',
      `select coalesce(amount = 0, false) as free, case when at > current_date then customer end as later,
         id::text, row_number() over (partition by customer order by at) as number, count(*) as rows from raw.orders group by all`,
      {
        free: ['orders.amount'],
        later: ['orders.at', 'orders.Customer'],
        id: ['orders.id'],
        number: ['orders.Customer', 'orders.at'],
      },
    ],
    [
      'of unions, by their places',
      'select id, name from raw.customers union all (select id, customer from raw.orders)',
      { id: ['orders.id', 'customers.id'], name: ['orders.Customer', 'customers.name'] },
    ],
    [
      'of queries within expressions and within FROM, also of those that read what stands before them',
      `select (select max(amount) from raw.orders o where o.customer = c.id) as most, l.double from raw.customers c,
         lateral (select c.id as double) l`,
      { most: ['orders.amount'], double: ['customers.id'] },
    ],
    [
      'of stars with exceptions, and of names that stand before them in the same list',
      'select * exclude (at) replace (amount + 1 as amount), amount as a, a * 2 as b from raw.orders',
      {
        id: ['orders.id'],
        Customer: ['orders.Customer'],
        amount: ['orders.amount'],
        a: ['orders.amount'],
        b: ['orders.amount'],
      },
    ],
    [
      'of renamed columns',
      'with c(number) as (select id from raw.customers) select number from c',
      { number: ['customers.id'] },
    ],
  ])('%s', async (_, statement, wanted) => {
    expect(await told(statement)).toEqual(wanted)
  })

  it.each([
    ['bigquery', 'select * except (at, amount), struct(amount).amount as s from `shop.raw.orders`'],
    [
      'snowflake',
      'select id, customer, amount:a::int as s from shop.raw.orders qualify row_number() over (order by at) = 1',
    ],
    ['mssql', 'select top 10 [id], [Customer], amount as s from [shop].[raw].[orders] with (nolock)'],
    ['databricks', 'select id, customer, sum(amount) as s from `shop`.`raw`.`orders` group by 1, 2'],
    ['sap-hana', 'select id, customer, amount as s from raw.orders'],
  ])('in the dialect of %s', async (dialect, statement) => {
    const { id, s } = (await told(statement, dialect)) as Record<string, string[]>
    expect([id, s]).toEqual([['orders.id'], ['orders.amount']])
  })

  it('have the names that the table has', async () => {
    expect(await told('select id as "ID" from raw.orders', 'duckdb', ['Id'])).toEqual({ Id: ['orders.id'] })
  })

  it.each([
    ['select from where', 'sql parser error: Expected an expression, found: from at Line: 1, Column: 13'],
    ['delete from raw.orders', 'it is no single query'],
    ['select 1 as a; select 2 as a', 'it is no single query'],
    ['select count(*) from raw.orders', 'it does not name all of its columns'],
    ['select * from elsewhere', 'the columns of elsewhere are not known'],
    ['select id, x from raw.orders, elsewhere', 'the columns of elsewhere are not known'],
    ['select e.x from raw.orders o, elsewhere e', 'the columns of e are not known'],
    ['select number from range(10)', 'the columns of range are not known'],
    [
      'with recursive r as (select 1 as n union all select n + 1 from r) select n from r',
      'the columns of r are not known',
    ],
    ['select a from raw.orders lateral view explode(x) t as a', 'the columns of a lateral view are not known'],
  ])('are all of them or none, and it is said why: %s', async (statement, why) => {
    expect(await told(statement, statement.includes('lateral view') ? 'hive' : 'duckdb')).toBe(why)
  })

  it('are told of other statements, too, where one has an expression that the parser could not bear', async () => {
    const long = (operator: string) =>
      `select ${Array.from({ length: 3000 }, () => 'f(amount)').join(operator)} as a from raw.orders`
    for (const operator of [' + ', ' || ', ' and '])
      expect(await told(long(operator))).toBe('an expression has more than 400 operators')
    const wide = Array.from({ length: 1000 }, (_, at) => `amount + ${at} as c${at}`).join(', ')
    expect(Object.keys(await told(`select ${wide} from raw.orders`))).toHaveLength(1000)
  })

  it('are those of a table without known columns for what reads it', async () => {
    const first = { ...orders, fullyQualifiedName: 'w.shop.main.first', path: ['shop', 'main', 'first'], columns: [] }
    const tables = [
      {
        ...first,
        fullyQualifiedName: 'w.shop.main.last',
        statement: 'select * from main.first',
        upstream: ['w.shop.main.first'],
        path: ['shop', 'main', 'last'],
      },
      { ...first, statement: 'select id as one from raw.orders', upstream: ['w.shop.raw.orders'] },
      orders,
    ]
    const { lineage } = await lineageOfStatements(tables, 'postgresql')
    expect(lineage[0]?.edges[0]?.columns).toEqual([{ from: ['one'], to: 'one' }])
  })
})
