import { expect } from 'vitest'
import type { Call } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

/** Waits until the clock shows a later millisecond than this, so that what comes next has a time of its own. */
export const nextMoment = (time: number) => waitFor(() => expect(Date.now()).toBeGreaterThan(time))

/** Where the browsers of the stories are, which count days as people there do. */
export const timeZone = 'Europe/Berlin'

/** Waits while the day is about to end there: for stories about what happens on one day. */
export const awayFromMidnight = () =>
  waitFor(() => expect(new Date().toLocaleTimeString('en-GB', { timeZone })).not.toMatch(/^23:59/))

/** Calls that must go well. */
export const must = async (answer: ReturnType<Call>): Promise<Record<string, never>> => {
  const { status, body } = await answer
  expect([status, body?.message]).toEqual([expect.toSatisfy((code: number) => code < 300), undefined])
  return body as Record<string, never>
}

const columns = [
  { name: 'order_id', dataType: 'BIGINT', constraint: 'PRIMARY_KEY', description: 'Key of the order.' },
  { name: 'customer_id', dataType: 'BIGINT' },
  { name: 'placed_at', dataType: 'TIMESTAMPZ', description: 'When it was placed, **UTC**.' },
  {
    name: 'address',
    dataType: 'STRUCT',
    children: [
      { name: 'street', dataType: 'STRING' },
      { name: 'city', dataType: 'STRING', description: 'Where it goes to.' },
    ],
  },
]

/** A small shop: one database with three tables, people, a tag, a term and a domain. */
export const fillShop = async (call: Call): Promise<void> => {
  const put = (path: string, body: unknown) => must(call('PUT', `/v1/${path}`, body))
  await put('teams', { name: 'sales', displayName: 'Sales team' })
  await put('users', { name: 'ann', displayName: 'Ann Archer', teams: ['sales'] })
  await put('classifications', { name: 'Privacy', description: 'How personal it is.' })
  await put('tags', { name: 'Personal', classification: 'Privacy' })
  await put('glossaries', { name: 'Business' })
  await put('glossaryTerms', { name: 'Order', glossary: 'Business', description: 'What a customer buys at one time.' })
  await put('domains', { name: 'Sales', domainType: 'Aggregate' })
  await put('services/databaseServices', { name: 'shop', serviceType: 'Postgres', displayName: 'Shop database' })
  await put('databases', { name: 'main', service: 'shop' })
  await put('databaseSchemas', { name: 'public', database: 'shop.main' })
  const made = {
    name: 'orders',
    displayName: 'Orders',
    databaseSchema: 'shop.main.public',
    description: 'One row for each order.',
    owners: ['sales'],
    domains: ['Sales'],
    tags: ['Privacy.Personal'],
    columns,
  }
  await put('tables', made)
  for (const name of ['customers', 'invoices']) {
    await put('tables', { name, databaseSchema: 'shop.main.public', columns: [{ name: 'id', dataType: 'BIGINT' }] })
  }
  await put('lineage/table/name/shop.main.public.orders?source=dbt', {
    edges: [{ from: 'shop.main.public.customers' }],
  })
}

export const orders = '/table/shop.main.public.orders'

/** A table of its own for a story that changes it; its address. */
export const tableFor = async (call: Call, name: string, more: Record<string, unknown> = {}): Promise<string> => {
  await must(call('PUT', '/v1/tables', { name, databaseSchema: 'shop.main.public', columns, ...more }))
  return `/table/shop.main.public.${name}`
}

/** Path below `/v1` of a table that a story has. */
export const pathOf = (address: string): string => `/v1/tables/name/${address.replace('/table/', '')}`

/** Changes members of a table, as somebody. */
export const patch = (call: Call, address: string, members: Record<string, unknown>, token?: string) =>
  must(
    call('PATCH', pathOf(address), members, {
      headers: { 'content-type': 'application/merge-patch+json' },
      ...(token !== undefined && { token }),
    }),
  )
