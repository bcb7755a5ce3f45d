import { describe, expect, it } from 'vitest'
import { as, testCaseOn, useHttp } from './support.ts'

const roles = `roles:
  NoContracts:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [dataContract] }
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [table] }
  NoVersions:
    - { effect: allow, operations: [view], kinds: ['*'] }
  NoHistory:
    - { effect: allow, operations: [view, versions], kinds: ['*'] }
`

const made: [path: string, body: object][] = [
  ['users', { name: 'ann' }],
  ['domains', { name: 'sales' }],
  ['classifications', { name: 'PII' }],
  ['tags', { name: 'Sensitive', classification: 'PII' }],
  ['services/databaseServices', { name: 'pg', serviceType: 'Postgres' }],
  ['databases', { name: 'db', service: 'pg' }],
  ['databaseSchemas', { name: 's', database: 'pg.db', owners: ['ann'] }],
  ['tables', { name: 't1', databaseSchema: 'pg.db.s', description: 'One', owners: ['ann'], domains: ['sales'] }],
  [
    'tables',
    {
      name: 't2',
      databaseSchema: 'pg.db.s',
      domains: ['sales'],
      columns: [{ name: 'c', dataType: 'INT', tags: ['PII.Sensitive'] }],
    },
  ],
  ['tables', { name: 't3', databaseSchema: 'pg.db.s', description: '  ' }],
  ['dataContracts', { name: 'promise', entity: { type: 'table', fullyQualifiedName: 'pg.db.s.t1' } }],
  ['dataQuality/testSuites', { name: 'suite' }],
  ['dataQuality/testCases', testCaseOn('pg.db.s.t2', 'case')],
]

const get = (path: string, options = {}) => http.get(`/v1/${path}`, options)
const names = async (query: string): Promise<string[]> =>
  (await get(`tables?${query}`)).data.map(({ name }: { name: string }) => name)
const covered = ({ measures }: { measures: Record<string, { covered: number; of: number }> }): Record<string, string> =>
  Object.fromEntries(Object.entries(measures).map(([name, { covered: has, of }]) => [name, `${has}/${of}`]))

const http = useHttp({ policies: roles, made })

const tables = { described: '1/3', owned: '1/3', classified: '1/3', contracted: '1/3', tested: '1/3' }

describe('coverage', () => {
  it('is counted by kind, and what applies to few kinds is a share of those', async () => {
    const { total, data, measures } = await get('coverage')
    expect(total).toBe(5)
    const byKind = Object.fromEntries(data.map((each: any) => [each.group.kind, covered(each)]))
    expect(byKind['table']).toEqual(tables)
    expect(byKind['databaseSchema']).toMatchObject({ owned: '1/1', described: '0/1' })
    expect(measures.owned).toEqual({ covered: 2, of: 5 })
    expect(measures.tested).toEqual({ covered: 1, of: 3 })
  })

  it('is in the metrics: entities by kind, and assets that lack a description or an owner', async () => {
    const text = String((await http.call('GET', '/metrics')).body)
    for (const line of ['{kind="table"} 3', '_undescribed{kind="table"} 2', '_unowned{kind="table"} 2'])
      expect(text).toContain(`catalog_entities${line}`)
    expect(text).not.toContain('catalog_entities_unowned{kind="user"}')
  })

  it('is counted by domain, service and owner', async () => {
    const groups = async (by: string): Promise<unknown[]> =>
      (await get(`coverage?by=${by}&kind=table`)).data.map((each: any) => [
        each.group.name,
        each.total,
        covered(each).described,
      ])
    expect(await groups('domain')).toEqual([['sales', 2, '1/2']])
    expect(await groups('owner')).toEqual([['ann', 1, '1/1']])
    expect(await groups('service')).toEqual([['pg', 3, '1/3']])
    expect((await get('coverage?by=domain')).groupsAsOf).toBe('now')
    expect(await get('coverage')).not.toHaveProperty('groupsAsOf')
    expect(covered(await get('coverage?domain=sales&owner=ann'))).toMatchObject({ contracted: '1/1', tested: '0/1' })
  })

  it('the groups of a moment are those of today with their numbers of then', async () => {
    await http.post('/v1/domains', { name: 'left' })
    await http.post('/v1/services/databaseServices', { name: 'old', serviceType: 'Postgres' })
    const { id } = await http.post('/v1/databases', { name: 'db', service: 'old', domains: ['left'], owners: ['ann'] })
    const before = (await get('tables?limit=0&snapshot=true')).paging.asOf
    const groups = async (by: string): Promise<string[]> => {
      const { data, ...whole } = await get(`coverage?by=${by}&kind=database&asOf=${before}`)
      expect(whole).toMatchObject({ total: 2, groupsAsOf: 'now' })
      return data.map((each: any) => `${each.group.name} ${each.total} ${each.group.deleted}`)
    }
    await http.patch(`/v1/databases/${id}`, { owners: null })
    expect(await groups('domain')).toEqual(['left 1 false'])
    expect((await groups('service')).toSorted()).toEqual(['old 1 false', 'pg 1 false'])
    expect(await groups('owner')).toEqual([])
    await http.patch('/v1/domains/name/left', { displayName: 'Renamed' })
    await http.remove('/v1/domains/name/left')
    const [left] = (await get(`coverage?by=domain&kind=database&asOf=${before}`)).data
    expect(left.group).not.toHaveProperty('displayName', 'Renamed')
    expect(left.group.deleted).toBe(false)
    await http.patch(`/v1/databases/${id}`, { domains: null })
    await http.remove('/v1/domains/name/left?hardDelete=true')
    await http.remove('/v1/services/databaseServices/name/old?recursive=true')
    expect(await groups('domain')).toEqual([])
    expect(await groups('service')).toEqual(['pg 1 false'])
    await http.remove('/v1/services/databaseServices/name/old?recursive=true&hardDelete=true')
  })

  it('each number is the length of a list', async () => {
    expect(await names('described=false')).toEqual(['t2', 't3'])
    expect(await names('owned=true')).toEqual(['t1'])
    expect(await names('classified=false&domain=sales')).toEqual(['t1'])
    expect(await names('contracted=true')).toEqual(['t1'])
    expect(await names('contracted=false&tested=false')).toEqual(['t3'])
    for (const asOf of ['2001-01-01', '@0'])
      expect(await get(`coverage?by=service&asOf=${asOf}`)).toMatchObject({ total: 0, asOf: '@0' })
    await http.refuses('BAD_REQUEST', 'GET', '/v1/tables?owned=perhaps')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/domains?owned=true')
    for (const path of ['/v1/coverage', '/v1/coverage/history']) {
      await http.refuses('BAD_REQUEST', 'GET', `${path}?asOf=x&to=x&owner=nobody`)
      await http.refuses('NOT_FOUND', 'GET', `${path}?owner=nobody`)
    }
  })

  it('a change, a deletion and its end count at once, and the past stays as it was', async () => {
    const before = (await get('tables?limit=0&snapshot=true')).paging.asOf
    const since = new Date().toISOString()
    const id = (await get('tables/name/pg.db.s.t3')).id
    await http.patch(`/v1/tables/${id}`, { description: 'Three', owners: ['ann'] })
    const contract = (await get('dataContracts')).data[0]
    await http.remove(`/v1/dataContracts/${contract.id}`)
    expect(covered(await get('coverage?kind=table'))).toEqual({
      ...tables,
      described: '2/3',
      owned: '2/3',
      contracted: '0/3',
    })
    expect(await names('described=true')).toEqual(['t1', 't3'])
    expect(covered(await get(`coverage?kind=table&asOf=${before}`))).toEqual(tables)
    expect(await names(`contracted=true&asOf=${before}`)).toEqual(['t1'])
    expect(await names(`tested=false&asOf=${before}`)).toEqual(['t1', 't3'])
    await http.put('/v1/dataContracts/restore', { id: contract.id })
    expect(await names('contracted=true')).toEqual(['t1'])
    const { data } = await get(`coverage/history?kind=table&points=2&from=${since}`)
    expect(data.map(covered)).toEqual([tables, { ...tables, described: '2/3', owned: '2/3' }])
    const owned = (await get(`coverage/history?kind=table&owner=ann&points=2&from=${since}`)).data
    expect(owned.map(({ total }: { total: number }) => total)).toEqual([1, 2])
    const hour = 3_600_000
    const early = new Date(Date.parse(since) - 24 * hour).toISOString()
    expect((await get(`coverage/history?from=${early}&points=2`)).data[0]).toMatchObject({ total: 0, measures: {} })
  })

  it('nothing is told of what the caller may not view', async () => {
    const blind = as('vic', 'NoContracts')
    expect(covered(await get('coverage?kind=table', blind))).not.toHaveProperty('contracted')
    await http.refuses('FORBIDDEN', 'GET', '/v1/tables?contracted=true', undefined, blind)
    expect((await get('coverage', as('tom', 'NoTables'))).total).toBe(2)
    const { asOf } = (await get('tables?limit=0&snapshot=true')).paging
    const past = await get(`coverage?kind=table&asOf=${asOf}`, as('nora', 'NoHistory'))
    expect(covered(past)).toEqual({ described: '2/3', owned: '2/3', classified: '1/3' })
    await http.refuses('FORBIDDEN', 'GET', `/v1/tables?tested=true&asOf=${asOf}`, undefined, as('nora', 'NoHistory'))
    await http.refuses('FORBIDDEN', 'GET', '/v1/coverage?kind=table', undefined, as('tom', 'NoTables'))
    for (const path of [`/v1/coverage?asOf=${asOf}`, '/v1/coverage/history?points=2'])
      await http.refuses('FORBIDDEN', 'GET', path, undefined, as('val', 'NoVersions'))
    expect((await get('coverage', as('val', 'NoVersions'))).total).toBe(5)
  })
})

it('services of one name are groups of their own, each with what stands below it', async () => {
  await http.post('/v1/services/mlmodelServices', { name: 'twin', serviceType: 'Mlflow' })
  await http.post('/v1/services/messagingServices', { name: 'twin', serviceType: 'Kafka' })
  await http.post('/v1/mlmodels', { name: 'model', service: 'twin' })
  for (const name of ['one', 'two']) await http.post('/v1/topics', { name, service: 'twin' })
  const groups = async (moment: string) =>
    (await get(`coverage?by=service${moment}`)).data.flatMap(({ group, total }: any) =>
      group.name === 'twin' ? `${group.type} ${total}` : [],
    )
  const expected = ['messagingService 2', 'mlmodelService 1']
  expect((await groups('')).toSorted()).toEqual(expected)
  const { asOf } = (await get('topics?limit=0&snapshot=true')).paging
  expect((await groups(`&asOf=${asOf}`)).toSorted()).toEqual(expected)
})

it('has the groups of what it is narrowed to, also where 50 others are larger', async () => {
  const many = Array.from({ length: 51 }, (_, at) => `u${at}`)
  for (const name of many) await http.post('/v1/users', { name })
  for (const name of ['m1', 'm2']) await http.post('/v1/tables', { name, databaseSchema: 'pg.db.s', owners: many })
  await http.post('/v1/users', { name: 'ben' })
  await http.post('/v1/topics', { name: 'three', service: 'twin', owners: ['ben'] })
  const { total, data } = await get('coverage?by=owner&service=twin')
  expect([total, data]).toMatchObject([4, [{ group: { name: 'ben' }, total: 1 }]])
})
