import { describe, expect, it } from 'vitest'
import { limits } from '../../src/shared/limits.ts'
import { answered, problem, schemaOf, useHttp } from './support.ts'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

const table = (name: string, more: object = {}) => ({ name, databaseSchema: 's.db.s', columns: [], ...more })

const http = useHttp({ made: schemaOf('s') })

const bulk = (items: unknown) => http.call('PUT', '/v1/tables/bulk', items)

describe('A list without end', () => {
  it('a list of assets without end is refused too', async () => {
    await answered(201, http.call('PUT', '/v1/domains', { name: 'sales', domainType: 'Aggregate' }))
    const product = await answered(201, http.call('PUT', '/v1/dataProducts', { name: 'p', domain: 'sales' }))
    const add = (count: number) =>
      http.refused('PUT', `/v1/dataProducts/${product.body.id}/assets/add`, {
        assets: times(count, (at) => ({ type: 'table', fullyQualifiedName: `s.db.s.t${at}` })),
      })
    await problem(400, 'BAD_REQUEST', add(limits.references.value + 1))
    await problem(400, 'BAD_REQUEST', add(limits.list.value + 1))
    await problem(404, 'NOT_FOUND', add(limits.references.value))
  })

  it('so many secrets that sealing them would hold up everybody are refused, and counted', async () => {
    const config = (count: number) => ({ type: 'Mysql', ...Object.fromEntries(times(count, (at) => [`s${at}`, 'x'])) })
    const service = (count: number) => ({ name: 'z', serviceType: 'Mysql', connection: { config: config(count) } })
    const path = '/v1/services/databaseServices'
    const most = limits.secrets.value
    await answered(201, http.call('PUT', path, service(most)))
    const body = await http.refuses('BAD_REQUEST', 'PUT', path, service(most + 1))
    const message = `must have at most ${most} secret values and has ${most + 1}`
    expect(body.errors).toEqual([{ path: '/connection', message }])
  })
})

describe('A bulk request', () => {
  it('fails the item that is too large, alone and without reading it', async () => {
    const large = table('large', { tags: times(2_000_000, () => 'x.y') })
    const { body } = await answered(200, bulk([table('a'), large, table('b')]))
    expect(body).toMatchObject({
      status: 'partialSuccess',
      successRequest: [{ request: 's.db.s.a' }, { request: 's.db.s.b' }],
      failedRequest: [
        {
          request: 's.db.s.large',
          index: 1,
          status: 413,
          code: 'PAYLOAD_TOO_LARGE',
          message: expect.stringContaining('at most 1048576 bytes'),
        },
      ],
    })
  })

  it('fails an item alone whose text JSON cannot keep, and writes the others', async () => {
    const odd = [
      '{"name":"long","retentionPeriod":1234567890123456789}',
      '{"name":"doubled","databaseSchema":"s.db.s","name":"other"}',
      `{"name":"deep","extension":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`,
    ]
    const items = [table('kept'), ...odd, table('kept too')].map((item) =>
      typeof item === 'string' ? item : JSON.stringify(item),
    )
    const { body } = await answered(200, bulk(`[${items.join()}]`))
    expect(body.successRequest.map(({ request }: { request: string }) => request)).toEqual([
      's.db.s.kept',
      's.db.s.kept too',
    ])
    expect(body.failedRequest).toMatchObject([
      { request: 'long', index: 1, status: 400, code: 'BAD_REQUEST', errors: [{ path: '/retentionPeriod' }] },
      { request: 's.db.s.other', index: 2, status: 400, errors: [{ path: '/name' }] },
      { request: 'deep', index: 3, status: 400, message: expect.stringContaining('nested more than 100 levels') },
    ])
  })

  it('tells an item that is too large by its name, shortened, where no fully qualified name can be made of it', async () => {
    const tags = times(300_000, () => 'x.y')
    const items = [
      table('n'.repeat(300), { tags }),
      table('unplaced', { databaseSchema: { id: 'x' }, tags }),
      table('deep', { databaseSchema: 's'.repeat(4000), tags }),
    ]
    const { body } = await answered(200, bulk(items))
    const named = body.failedRequest.map(({ request }: { request: string }) => request)
    expect(named).toEqual([`${'n'.repeat(255)}…`, 'unplaced', 'deep'])
  })

  it('fails the item whose entity would be too long', async () => {
    const deep = 'n'.repeat(250)
    const column = (at: number) => ({ name: `${at}${deep}`, dataType: 'STRUCT' })
    const nested = (depth: number): object =>
      depth === 0 ? { ...column(0), children: times(1800, column) } : { ...column(0), children: [nested(depth - 1)] }
    const { body } = await answered(200, bulk([table('long', { columns: [nested(25)] }), table('short')]))
    expect(body.failedRequest[0]).toMatchObject({ status: 413, message: expect.stringContaining('as JSON') })
    expect(body.numberOfRowsPassed).toBe(1)
  })

  it('tells of further messages the beginning alone, once many long ones are told, and names each item whole', async () => {
    const nowhere = `s.db.${'n'.repeat(2500)}`
    const lost = times(5000, (at) => table(`t${at}`, { databaseSchema: nowhere }))
    const failed: { request: string; message: string }[] = (await answered(200, bulk(lost))).body.failedRequest
    expect(failed[0]?.message.length).toBe(300)
    expect(failed.at(-1)?.message).toBe(`${failed[0]?.message.slice(0, 199)}…`)
    expect(failed.at(-1)?.request).toBe(`${nowhere}.t4999`)
  })

  it('names a bounded number of problems in all', async () => {
    const bad = table('bad', Object.fromEntries(times(200, (at) => [`m${at}`, 0])))
    const { body } = await answered(200, bulk(times(300, () => bad)))
    expect(body.numberOfRowsFailed).toBe(300)
    const named = body.failedRequest.map(({ errors }: { errors: unknown[] }) => errors.length)
    expect(named[0]).toBe(101)
    expect(named.at(-1)).toBe(1)
  })

  it('lets others through while it is worked on', async () => {
    const columns = times(1500, (at) => ({ name: `column_${at}`, dataType: 'INT' }))
    let working = true
    const written = bulk(times(40, (at) => table(`wide${at}`, { columns }))).finally(() => (working = false))
    let seen = 0
    while (working) {
      const { body } = await http.service.call('GET', '/v1/tables?limit=1')
      expect(body.data).toHaveLength(1)
      seen += 1
    }
    expect((await written).body.numberOfRowsPassed).toBe(40)
    expect(seen).toBeGreaterThan(20)
  })
})
