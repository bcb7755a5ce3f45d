import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/shared/json.ts'
import { answered, as, byName, merge, problem, testCaseOn, useHttp } from './support.ts'

const http = useHttp()

beforeAll(async () => {
  await http.post('/v1/dataQuality/testSuites', { name: 'suite' })
})

const remove = (path: string) => http.call('DELETE', path)

const paths = {
  service: '/v1/services/databaseServices',
  database: '/v1/databases',
  schema: '/v1/databaseSchemas',
  table: '/v1/tables',
  test: '/v1/dataQuality/testCases',
  contract: '/v1/dataContracts',
}

/** A service `name` with `db.s` and two tables; the first has a test case on its column and a contract. */
const tree = async (name: string) => {
  const databaseSchema = `${name}.db.s`
  const columns = [{ name: 'id', dataType: 'INT' }]
  await http.post(paths.service, { name, serviceType: 'Postgres' })
  await http.post(paths.database, { name: 'db', service: name })
  await http.post(paths.schema, { name: 's', database: `${name}.db` })
  const { id } = await http.post(paths.table, { name: 'one', databaseSchema, columns })
  await http.post(paths.table, { name: 'two', databaseSchema })
  await http.post(paths.test, testCaseOn(`${databaseSchema}.one`, 'test', { column: 'id' }))
  await http.post(paths.contract, { name: 'promise', entity: { id, type: 'table' }, schema: columns })
  return { table: `${paths.table}/${id}`, id: id as string }
}

const at = (path: string, fqn: string) => byName({ path: path.slice('/v1/'.length) }, fqn)
const status = async (path: string) => (await http.call('GET', path)).status
const restore = (path: string, id: string) => http.call('PUT', `${path}/restore`, { id })

/** Statuses of everything in a tree. */
const all = (name: string, include = '') =>
  Promise.all(
    [
      at(paths.service, name),
      at(paths.database, `${name}.db`),
      at(paths.schema, `${name}.db.s`),
      at(paths.table, `${name}.db.s.one`),
      at(paths.table, `${name}.db.s.two`),
      at(paths.test, `${name}.db.s.one.id.test`),
      at(paths.contract, `${name}.db.s.one.promise`),
    ].map((path) => status(`${path}${include}`)),
  )

describe('dependents', () => {
  it.each(['', '?recursive=true'])('go and come back with their table: DELETE%s', async (query) => {
    const name = query === '' ? 'plain' : 'deep'
    const { table, id } = await tree(name)
    expect((await answered(200, remove(`${table}${query}`))).body.deleted).toBe(true)
    expect(await all(name)).toEqual([200, 200, 200, 404, 200, 404, 404])
    await http.refuses('BAD_REQUEST', 'PUT', `${paths.test}/restore`, {
      id: (await http.get(`${at(paths.test, `${name}.db.s.one.id.test`)}?include=all`)).id,
    })
    await http.refuses('BAD_REQUEST', 'PUT', `${paths.table}/restore?id=${id}`, { id: randomUUID() })
    await answered(200, restore(paths.table, id))
    expect(await all(name)).toEqual([200, 200, 200, 200, 200, 200, 200])
    const { data } = await http.get(
      `${paths.test}/${(await http.get(at(paths.test, `${name}.db.s.one.id.test`))).id}/history`,
    )
    expect(data.map((event: JsonObject) => event['type'])).toEqual(['Created', 'SoftDeleted', 'Restored'])
    const root = await http.get(`${table}/history`)
    expect(data[1].correlationId).toBe(root.data[1].correlationId)
    expect(data[1].causationId).toBe(root.data[1].id)
    expect(data[1].user).toBe('admin')
    await answered(204, remove(`${table}${query}${query === '' ? '?' : '&'}hardDelete=true`))
    expect(await all(name, '?include=all')).toEqual([200, 200, 200, 404, 200, 404, 404])
    await http.post(paths.table, { name: 'one', databaseSchema: `${name}.db.s` })
    expect((await all(name)).slice(5)).toEqual([404, 404])
  })

  it('a 404 for a deleted or a live one says what helps', async () => {
    const { id } = await tree('hint')
    const table = at(paths.table, 'hint.db.s.one')
    const live = await http.refuses('NOT_FOUND', 'GET', `${table}?include=deleted`)
    expect(live.message).toBe('There is no deleted table hint.db.s.one: it is live, so leave include=deleted out.')
    await answered(200, remove(table))
    const refused: Parameters<typeof http.call>[] = [
      ['GET', table],
      ['PATCH', table, { description: 'x' }, merge],
      ['DELETE', table],
    ]
    for (const request of refused)
      expect((await http.refuses('NOT_FOUND', ...request)).message).toBe(
        'There is no table hint.db.s.one. It is soft-deleted: GET shows it with ?include=deleted, ' +
          `PUT /v1/tables/restore with its id ${id} restores it.`,
      )
  })
})

describe('cascades', () => {
  it('leave data products to themselves', async () => {
    const domain = await http.post('/v1/domains', { name: 'emptied' })
    const product = await http.post('/v1/dataProducts', { name: 'orphan', domains: ['emptied'] })
    await answered(200, remove(`/v1/domains/${domain.id}`))
    expect((await http.get(`/v1/dataProducts/${product.id}`)).domain.deleted).toBe(true)
    await answered(204, remove(`/v1/domains/${domain.id}?hardDelete=true`))
    const left = await http.get(`/v1/dataProducts/${product.id}`)
    expect([left.domain, left.domains]).toEqual([undefined, undefined])
  })
})

describe('assets of data products', () => {
  it('are added and removed, once', async () => {
    const { id: table } = await tree('assets')
    const product = await http.post('/v1/dataProducts', { name: 'product' })
    const path = `/v1/dataProducts/${product.id}`
    const assets = [
      { id: table, type: 'table' },
      { type: 'table', fullyQualifiedName: 'assets.db.s.two' },
    ]
    for (const [verb, member] of [
      ['assets', 'assets'],
      ['inputPorts', 'inputPorts'],
      ['outputPorts', 'outputPorts'],
    ]) {
      const added = await answered(200, http.call('PUT', `${path}/${verb}/add`, { assets }))
      const again = await answered(200, http.refused('PUT', `${path}/${verb}/add`, { assets: [assets[0], assets[0]] }))
      expect(again.body).toEqual(added.body)
      expect(
        (await http.get(`${path}?fields=${member}`))[member as string]
          .map((each: JsonObject) => each['fullyQualifiedName'])
          .toSorted(),
      ).toEqual(['assets.db.s.one', 'assets.db.s.two'])
      const removed = await answered(200, http.call('PUT', `${path}/${verb}/remove`, { assets: [assets[1]] }))
      expect(Math.round(removed.body.version * 10)).toBe(Math.round(added.body.version * 10) + 1)
      await answered(200, http.refused('PUT', `${path}/${verb}/remove`, { assets: [assets[1]] }))
    }
    expect((await http.get(`/v1/tables/${table}?fields=dataProducts`)).dataProducts[0].name).toBe('product')
    const types = (await http.get(`${path}/history`)).data.map((event: JsonObject) => event['type'])
    expect(types).toEqual([
      'Created',
      'AssetsAdded',
      'AssetsRemoved',
      'PortsAdded',
      'PortsRemoved',
      'PortsAdded',
      'PortsRemoved',
    ])
    await http.refuses(
      'PRECONDITION_FAILED',
      'PUT',
      `${path}/assets/add`,
      { assets },
      { headers: { 'if-match': '"99"' } },
    )
    const none = await http.refused('PUT', `${path}/assets/add`, { assets }, { headers: { 'if-match': '"one"' } })
    expect([none.status, none.body.message]).toEqual([412, expect.stringContaining('does not name a revision')])
  })

  it('are refused when malformed, and nothing is done when one is missing', async () => {
    const { id: table } = await tree('refused')
    const { id } = await http.post('/v1/dataProducts', { name: 'refusing' })
    const path = `/v1/dataProducts/${id}/assets/add`
    const known = { id: table, type: 'table' }
    const malformed: [body: unknown, path?: string, message?: string][] = [
      [{}],
      [{ assets: {} }],
      [{ assets: ['x'] }],
      [{ assets: [{ id: 'x', type: 'table' }] }],
      [{ assets: [{ id: table }] }],
      [{ assets: [known, { id: table, type: 'user' }] }, '/assets/1/type', 'must be one of'],
      [{ assets: [known, { type: 'table' }] }, '/assets/1/id', 'is required'],
      [{ assets: [{ type: 'table' }] }],
      [{ assets: [known], more: 1 }, '/more'],
      [{ assets: [{ ...known, more: 1 }] }],
      [[]],
    ]
    for (const [body, at = '', message = ''] of malformed) {
      const [first] = (await http.refuses('BAD_REQUEST', 'PUT', path, body)).errors
      expect([body, first.path.startsWith(at), first.message]).toEqual([body, true, expect.stringContaining(message)])
    }
    for (const missing of [
      { id: '00000000-0000-4000-8000-000000000000', type: 'table' },
      { id: table, type: 'topic' },
      { type: 'table', fullyQualifiedName: 'no.such.table' },
    ]) {
      await http.refuses('NOT_FOUND', 'PUT', path, { assets: [known, missing] })
    }
    expect((await http.get(`/v1/dataProducts/${id}?fields=assets`)).assets).toEqual([])
    await http.refuses('NOT_FOUND', 'PUT', '/v1/dataProducts/00000000-0000-4000-8000-000000000000/assets/add', {
      assets: [known],
    })
    await http.refuses('BAD_REQUEST', 'PATCH', `/v1/dataProducts/${id}`, { assets: [known] }, merge)
  })

  it('are paged', async () => {
    await http.post(paths.service, { name: 'paged', serviceType: 'Postgres' })
    const assets: JsonObject[] = []
    for (let n = 0; n < 5; n++)
      assets.push({ type: 'database', id: (await http.post(paths.database, { name: `d${n}`, service: 'paged' })).id })
    const { id } = await http.post('/v1/dataProducts', { name: 'pages' })
    await http.put(`/v1/dataProducts/${id}/assets/add`, { assets })
    const path = `/v1/dataProducts/${id}/assets`
    const first = await http.get(`${path}?limit=2`)
    const second = await http.get(`${path}?limit=2&after=${first.paging.after}`)
    const third = await http.get(`${path}?limit=2&after=${second.paging.after}`)
    const names = (page: { data: JsonObject[] }) => page.data.map((each) => each['name'])
    expect([names(first), names(second), names(third)]).toEqual([['d0', 'd1'], ['d2', 'd3'], ['d4']])
    expect([first.paging.total, first.paging.before, third.paging.after]).toEqual([5, undefined, undefined])
    expect(await http.get(`${path}?limit=2&before=${third.paging.before}`)).toEqual(second)
    await answered(200, remove(`${paths.database}/name/paged.d3`))
    await answered(204, remove(`${paths.database}/name/paged.d0?hardDelete=true`))
    const { data, paging } = await http.get(path)
    expect([data.map((each: JsonObject) => [each['name'], each['deleted']]), paging.total]).toEqual([
      [
        ['d1', false],
        ['d2', false],
        ['d3', true],
        ['d4', false],
      ],
      4,
    ])
    await http.refuses('BAD_REQUEST', 'GET', `${path}?after=${first.paging.after}x`)
  })
})

describe('the contract in force', () => {
  const effective = (id: string, type = 'table') =>
    http.call('GET', `${paths.contract}/entity?entityId=${id}&entityType=${type}`)
  const inheritable = {
    termsOfUse: 'Of the product',
    security: { policies: [] },
    sla: { availability: 99 },
    semantics: [{ name: 'fresh' }],
  }

  it('is the own one, completed from the product, or the product’s', async () => {
    const { id } = await tree('force')
    const two = await http.get(at(paths.table, 'force.db.s.two'))
    await problem(404, 'NOT_FOUND', effective(two.id))
    const own = await answered(200, effective(id))
    expect(own.body).toMatchObject({ name: 'promise', inherited: false, entity: { id } })
    expect(own.headers.get('etag')).toBeNull()
    const product = await http.post('/v1/dataProducts', { name: 'inForce' })
    await http.put(`/v1/dataProducts/${product.id}/assets/add`, {
      assets: [
        { id, type: 'table' },
        { id: two.id, type: 'table' },
      ],
    })
    const contract = await http.post(paths.contract, {
      name: 'general',
      entity: { id: product.id, type: 'dataProduct' },
      ...inheritable,
      owners: ['admin'],
    })
    await problem(404, 'NOT_FOUND', effective(two.id))
    await http.patch(`${paths.contract}/${contract.id}`, { entityStatus: 'active' })
    const joined = (await answered(200, effective(id))).body
    expect(joined).toMatchObject({ name: 'promise', inherited: false, schema: [{ name: 'id' }], ...inheritable })
    expect(joined.owners).toBeUndefined()
    const whole = (await answered(200, effective(two.id))).body
    expect(whole).toMatchObject({ name: 'general', inherited: true, ...inheritable })
    expect(whole.entity).toMatchObject({ id: two.id, type: 'table', fullyQualifiedName: 'force.db.s.two' })
    expect((await http.get(`${paths.contract}/${contract.id}`)).inherited).toBe(false)
    expect((await http.get(paths.contract)).data.every((each: JsonObject) => each['inherited'] === false)).toBe(true)
    expect([whole.owners, whole.schema]).toEqual([undefined, undefined])
    expect((await http.get(`${paths.contract}/name/force.db.s.one.promise`)).termsOfUse).toBeUndefined()
    await http.patch(at(paths.contract, 'force.db.s.one.promise'), { termsOfUse: 'Mine' })
    expect((await effective(id)).body).toMatchObject({ termsOfUse: 'Mine', sla: inheritable.sla })
    const second = await http.post('/v1/dataProducts', { name: 'also' })
    await http.put(`/v1/dataProducts/${second.id}/assets/add`, { assets: [{ id: two.id, type: 'table' }] })
    await problem(404, 'NOT_FOUND', effective(two.id))
  })

  it('needs to know the entity', async () => {
    const { id } = await tree('asked')
    for (const query of ['', `?entityId=${id}`, '?entityType=table'])
      await http.refuses('BAD_REQUEST', 'GET', `${paths.contract}/entity${query}`)
    await problem(404, 'NOT_FOUND', effective(id, 'topic'))
    await problem(404, 'NOT_FOUND', effective('00000000-0000-4000-8000-000000000000'))
    await problem(404, 'NOT_FOUND', effective('x'))
  })

  it('is one for each entity, about columns that are there', async () => {
    const { id } = await tree('single')
    const contract = at(paths.contract, 'single.db.s.one.promise')
    const another = { name: 'another', entity: { id, type: 'table' } }
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', paths.contract, another)
    for (const state of ['live', 'soft-deleted']) {
      if (state !== 'live') await answered(200, remove(contract))
      const renamed = await http.refuses('BAD_REQUEST', 'PUT', paths.contract, another)
      const message = 'cannot be changed: there is already a dataContract named promise'
      expect(renamed.errors).toEqual([{ path: '/name', message }])
    }
    await http.put(paths.contract, { ...another, name: 'promise' })
    const schema = ['id', 'none'].map((name) => ({ name, dataType: 'INT' }))
    const { errors } = await http.refuses('BAD_REQUEST', 'PATCH', contract, { schema }, merge)
    expect(errors[0].path).toBe('/schema/1/name')
    const entity = { type: 'glossary', fullyQualifiedName: 'single' }
    await http.refuses('BAD_REQUEST', 'POST', paths.contract, { name: 'x', entity })
    for (const entityStatus of ['Active', 'Deprecated', 'Draft'])
      expect((await http.patch(contract, { entityStatus })).entityStatus).toBe(entityStatus)
    await http.refuses('BAD_REQUEST', 'PATCH', contract, { entityStatus: 'Approved' }, merge)
  })
})

describe('the caller', () => {
  it('a caller with dots and quotes in its name is one part', async () => {
    await http.post(
      '/v1/glossaries',
      { name: 'dotted', owners: ['first.last@example.org'] },
      as('first.last@example.org', 'Admin'),
    )
    expect((await http.get('/v1/users/name/first.last@example.org')).fullyQualifiedName).toBe(
      '"first.last@example.org"',
    )
    expect((await http.get('/v1/glossaries?owner=first.last@example.org')).paging.total).toBe(1)
  })
})

describe('Catalog-Position', () => {
  it('is waited for, and refused when the log has no such place', async () => {
    const { headers } = await answered(201, http.call('POST', '/v1/glossaries', { name: 'positioned' }))
    const position = headers.get('catalog-position') as string
    await http.get('/v1/glossaries/name/positioned', { headers: { 'catalog-position': position } })
    const beyond = String(BigInt(position) + 10n ** 15n)
    for (const wrong of ['x', '-1', beyond, '1.5', '']) {
      await http.refuses('BAD_REQUEST', 'GET', '/v1/glossaries', undefined, { headers: { 'catalog-position': wrong } })
    }
  })
})
