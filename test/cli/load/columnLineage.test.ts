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
const told = (statement: string, dialect = 'duckdb', columns: readonly string[] = []) => {
  const table = { fullyQualifiedName: 'w.shop.main.it', path: ['shop', 'main', 'it'], columns, statement, upstream }
  const { lineage, notes } = lineageOfStatements([orders, customers, table], dialect)
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

/** What statements of DuckDB tell. Behind each: its columns, and those that they come from. */
const ofDuckDb = `
of common tables and stars, as dbt projects write them
  with source as (select * from "shop"."raw"."orders"), named as (select id as order_id, amount / 100 as total from source)
  select * from named
  = order_id: orders.id, total: orders.amount

of joins, by the names of tables, and by aliases
  select o.id, c.name as customer, orders2.at from raw.orders o
  join shop.raw.customers as c on c.id = o.customer left join raw.orders orders2 using (id)
  = id: orders.id, customer: customers.name, at: orders.at

of expressions: functions, cases, casts, windows, comparisons as arguments
  select coalesce(amount = 0, false) as free, case when at > current_date then customer end as later,
  id::text, row_number() over (partition by customer order by at) as number, count(*) as rows from raw.orders group by all
  = free: orders.amount, later: orders.Customer orders.at, id: orders.id, number: orders.at orders.Customer

of columns that an alias before them is called like
  with source as (select 'é😀' as "text", * from raw.orders)
  select customer as id, id as order_id, upper(at) as amount, amount * 2 as total
  from source as s
  = id: orders.Customer, order_id: orders.id, amount: orders.at, total: orders.amount

of aliases that are not columns
  select amount * 2 as double, double + 1 as more from raw.orders
  = double: orders.amount, more: orders.amount

of unions, by their places
  select id, name from raw.customers union all (select id, customer from raw.orders)
  = id: orders.id customers.id, name: orders.Customer customers.name

of queries within expressions and within FROM
  select (select max(amount) from raw.orders o where o.customer = c.id) as most, l.double from raw.customers c,
  (select id as double from raw.customers) l
  = most: orders.amount, double: customers.id

of stars of common tables that are joined, also of columns without a qualifier, and of constants
  with p as (select * from raw.orders), c as (select * from raw.customers), one as (select 1 as n union select 2)
  select name, -- of customers
  sum(amount) as total, n from p left join c on p.customer = c.id, one group by 1, 3
  = name: customers.name, total: orders.amount

of renamed columns
  with c(number) as (select id from raw.customers) select number from c
  = number: customers.id
`

/** What statements of PostgreSQL tell. */
const ofPostgres = `
of common tables with names of their own, that are called like a table
  with orders (a, b) as (select id, amount from raw.orders), customers as not materialized (select * from customers)
  select a, name from orders, customers
  = a: orders.id, name: customers.name

of common tables of which only some columns are known
  with o as (select id, e.x from raw.orders, elsewhere e) select id from o
  = id: orders.id

of unions of stars in common tables, where constants have no origin
  with u as (select id, customer from raw.orders union distinct (select c.* from raw.customers c) union all select 1, 'x')
  select id as a, customer as b from u order by 1;
  = a: orders.id customers.id, b: orders.Customer customers.name

of renamed columns of a star
  with c (number, label) as (select * from raw.customers) select upper(label) as a from c union all select 1 from c
  = a: customers.name

of recursive tables
  with recursive r as (select id from raw.orders union all select id + 1 from r) select id as a from r
  = a: orders.id

of rows that are counted
  select id, count(o.*) as rows, count(*) as all from raw.orders o group by id
  = id: orders.id

of names that functions, values and common tables have for their columns
  with c(number) as (select id from raw.customers), d as (select 1 as one)
  select number, o.id from c, raw.orders o, lateral unnest(array[1]) u(x), (values (1, 2)) v(a, id), d
  = number: customers.id, id: orders.id

of what is left of a query
  select id from raw.orders except select id from raw.customers
  = id: orders.id customers.id
`

const casesIn = (text: string) =>
  text
    .trim()
    .split('\n\n')
    .map((block) => {
      const [title = '', ...lines] = block.split('\n')
      const columns = (lines.pop() ?? '').replace(/^ *= /, '').split(', ')
      const wanted = columns.map((each) => each.split(': ')).map(([to = '', from = '']) => [to, from.split(' ')])
      return [title, lines.join('\n'), Object.fromEntries(wanted) as Record<string, string[]>] as const
    })

describe('the columns that a statement tells', () => {
  it.each(casesIn(ofDuckDb))('%s', (_, statement, wanted) => expect(told(statement)).toEqual(wanted))

  it.each(casesIn(ofPostgres))('%s', (_, statement, wanted) => expect(told(statement, 'postgresql')).toEqual(wanted))

  it.each([
    ['bigquery', 'select * except (at, amount), struct(amount).amount as s from `shop.raw.orders`'],
    [
      'snowflake',
      'select id, customer, amount:a::int as s from shop.raw.orders qualify row_number() over (order by at) = 1',
    ],
    ['tsql', 'select top 10 [id], [Customer], amount as s, count_big(*) as n from [shop].[raw].[orders] with (nolock)'],
    ['databricks', 'select id, customer, sum(amount) as s from `shop`.`raw`.`orders` group by 1, 2'],
    ['sap-hana', 'select id, customer, amount as s from raw.orders'],
  ])('in the dialect of %s', (dialect, statement) => {
    const { id, s } = told(statement, dialect, ['id', 'Customer', 's']) as Record<string, string[]>
    expect([id, s]).toEqual([['orders.id'], ['orders.amount']])
  })

  it('are those of a star without what it leaves out, where the columns of the table are known', () => {
    const statement = 'with o as (select * exclude (at, id) from raw.orders) select *, amount as a, a * 2 as b from o'
    expect(told(statement, 'duckdb', ['customer', 'Amount', 'a', 'b'])).toEqual({
      customer: ['orders.Customer'],
      Amount: ['orders.amount'],
      a: ['orders.amount'],
      b: ['orders.amount'],
    })
    for (const changed of ['exclude (at)', 'replace (id + amount as id)', 'rename (at as since)'])
      expect(told(`select * ${changed} from raw.orders`)).toBe('it changes the columns of a star')
  })

  it('have the names that the table has', () => {
    expect(told('select id as "ID" from raw.orders', 'duckdb', ['Id'])).toEqual({ Id: ['orders.id'] })
  })

  it.each([
    ['select from where', 'Parse error at line 1, column 18: Expected table name or subquery, got Where'],
    ['delete from raw.orders', 'it is not a single query'],
    ['select 1 as a; select 2 as a', 'Parse error at line 0, column 0: Expected 1 statement, found 2'],
    ['select count(*) from raw.orders', 'it does not name all of its columns'],
    ['select * from elsewhere', 'the columns of elsewhere are not known'],
    ['select id, x from raw.orders, elsewhere', 'the columns of elsewhere are not known'],
    ['select e.x from raw.orders o, elsewhere e', 'the columns of elsewhere are not known'],
    [
      'select o.customer as id, id as k from raw.orders o join raw.customers c on true',
      'it has an alias that is called like a column of several tables',
    ],
    ['select z.at from raw.orders z(at, id)', 'it renames the columns of a table'],
    ['select name as n from (select * from raw.customers) c(name, id)', 'it renames the columns of a table'],
    [
      'with o as (select * from raw.orders) select o.id from o join o p(at, b, c) using (id)',
      'it renames the columns of a table',
    ],
    ['select id, to_jsonb(o.*) as whole from raw.orders o', 'it has whole rows as values'],
    ['select id, (select (c.*)::text from raw.customers c) as whole from raw.orders', 'it has whole rows as values'],
    ['select count(distinct o.*) as rows from raw.orders o', 'it has whole rows as values'],
    ['select number from range(10)', 'the origin of number is not known'],
    ['with r as (select * from elsewhere) select n from r', 'the columns of elsewhere are not known'],
    ['select a from raw.orders lateral view explode(x) t as a', 'the origin of a is not known'],
  ])('are all of them or none, and it is said why: %s', (statement, why) => {
    expect(told(statement, statement.includes('lateral view') ? 'hive' : 'duckdb')).toBe(why)
  })

  it('are told of other statements, too, where one has an expression that the parser could not bear', () => {
    const long = (operator: string) =>
      `select ${Array.from({ length: 3000 }, () => 'f(amount)').join(operator)} as a from raw.orders`
    for (const operator of [' + ', ' || ']) expect(told(long(operator))).toContain('AST_DEPTH_EXCEEDED')
    expect(told(long(' and '))).toEqual({ a: ['orders.amount'] })
    const wide = Array.from({ length: 1000 }, (_, at) => `amount + ${at} as c${at}`).join(', ')
    expect(Object.keys(told(`select ${wide} from raw.orders`))).toHaveLength(1000)
  })

  it('are told of unions of many tables, and where they would take too long it is said so', () => {
    const names = Array.from({ length: 40 }, (_, at) => `c${at}`)
    const shards = Array.from({ length: 60 }, (_, at): QueryTable => {
      const path = ['shop', 'raw', `shard_${at}`]
      return { fullyQualifiedName: `w.${path.join('.')}`, path, columns: names, upstream: [] }
    })
    const casts = names.map((name) => `cast(${name} as text) as ${name}`).join(', ')
    const union = shards.map(({ path }) => `(select ${casts} from ${path.join('.')})`).join(' union all ')
    const columns = names.map((name) => ({ from: [name], to: name }))
    const read = (statement: string) => {
      const path = ['shop', 'main', 'all']
      const all = { fullyQualifiedName: 'w.shop.main.all', path, columns: [], statement }
      const table = { ...all, upstream: shards.map(({ fullyQualifiedName }) => fullyQualifiedName) }
      const { lineage, notes } = lineageOfStatements([...shards, table], 'postgresql')
      const edges = lineage.at(-1)?.edges ?? []
      expect(edges).toHaveLength(60)
      const unread = notes.find(({ message }) => message.startsWith('cannot read'))
      return unread?.message ?? edges.map((edge) => edge.columns)
    }
    const all = shards.map(() => columns)
    expect(read(union)).toEqual(all)
    expect(read(`with united as (${union}), some as (select * from united) select * from some`)).toEqual(all)
    expect(read(`select * from (${union}) united`)).toContain('it is too complex')
  })

  it('are those whose names are quoted as they are, others as the dialect writes them', () => {
    const columns = ['Id', 'ID', 'id', 'Col.1']
    const path = ['shop', 'raw', 'cased']
    const cased = { fullyQualifiedName: 'w.shop.raw.cased', path, columns, upstream: [] }
    const view = { ...cased, fullyQualifiedName: 'w.shop.raw.view', path: ['shop', 'raw', 'view'] }
    const read = (statement: string, dialect: string) =>
      lineageOfStatements([cased, { ...view, statement, upstream: [cased.fullyQualifiedName] }], dialect).lineage[1]
        ?.edges[0]?.columns
    expect(read('select "Col.1", "Id", "ID" from cased', 'postgresql')).toEqual(
      ['"Col.1"', 'Id', 'ID'].map((name) => ({ from: [name], to: name })),
    )
    expect(read('select iD from cased', 'postgresql')).toEqual([{ from: ['id'], to: 'id' }])
    expect(read('select iD from cased', 'snowflake')).toEqual([{ from: ['ID'], to: 'ID' }])
  })

  it('are those of the table that needs no schema, where another one has its name', () => {
    const other = { ...orders, fullyQualifiedName: 'w.shop.two.orders', path: ['shop', 'two', 'orders'] }
    const read = (needsSchema: boolean) => {
      const tables = [orders, { ...other, needsSchema }]
      const statement = 'select a.id, b.amount from orders a join two.orders b on a.id = b.id'
      const upstream = tables.map(({ fullyQualifiedName }) => fullyQualifiedName)
      const view = { ...customers, columns: ['id', 'amount'], statement, upstream }
      const { lineage, notes } = lineageOfStatements([...tables, view], 'postgresql')
      return notes[0]?.message ?? lineage.at(-1)?.edges.map(({ columns }) => columns)
    }
    expect(read(true)).toEqual([[{ from: ['id'], to: 'id' }], [{ from: ['amount'], to: 'amount' }]])
    expect(read(false)).toContain('the columns of orders are not known')
  })

  it('are those of a table without known columns for what reads it', () => {
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
    const { lineage } = lineageOfStatements(tables, 'postgresql')
    expect(lineage[0]?.edges[0]?.columns).toEqual([{ from: ['one'], to: 'one' }])
  })
})

it('leaves out a statement that is too long to stand in all of its edges, and says so', () => {
  const statement = `select 1 as id -- ${'x'.repeat(600_000)}`
  const table = (more: readonly string[]) => ({
    fullyQualifiedName: 'w.shop.main.long',
    path: ['shop', 'main', 'long'],
    columns: [],
    statement,
    upstream: [orders.fullyQualifiedName, ...more],
  })
  const stated = (more: readonly string[]) => {
    const { lineage, notes } = lineageOfStatements([orders, customers, table(more)], 'duckdb')
    return [lineage.at(-1)?.edges.map(({ sql }) => sql), notes.map(({ message }) => message)]
  }
  expect(stated([])).toEqual([[statement], []])
  expect(stated([customers.fullyQualifiedName])).toEqual([
    [undefined, undefined],
    ['its lineage does not show its statement, which is too long for 2 edges'],
  ])
})
