import fc, { thorough } from '../support/fastCheck.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { readDocument } from '../attack/document.ts'
import { jsonPatch, merge, paths, problem, useHttp, type Http } from './support.ts'

let id: string

const http = useHttp()

beforeAll(async () => {
  const body = await http.post('/v1/glossaries', { name: 'known' })
  id = body.id
  for (let n = 0; n < 3; n++) await http.post('/v1/glossaries', { name: `page${n}` })
  await http.post('/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
})

const post = (body: unknown, path = '/v1/glossaries', options?: Parameters<Http['call']>[3]) =>
  http.refused('POST', path, body, options)
const bad = async (body: unknown, path?: string) => problem(400, 'BAD_REQUEST', post(body, path))

it('no write of many ignores a condition: it is refused', async () => {
  const item = { name: 'pg', serviceType: 'Postgres' }
  for (const header of ['if-match', 'if-none-match']) {
    const refused = http.refused('PUT', '/v1/services/databaseServices/bulk', [item], { headers: { [header]: '*' } })
    await problem(400, 'BAD_REQUEST', refused)
  }
})

it('what takes no body ignores none: only an empty one is taken', async () => {
  const user = await http.post('/v1/users', { name: 'kept', displayName: 'Kept' })
  const forget = `/v1/users/${user.id}/forget`
  for (const path of [forget, `/v1/requests/${crypto.randomUUID()}/revert`])
    expect((await bad({ dryRun: true }, path)).message).toContain('parameters stand in the query')
  await http.refuses('BAD_REQUEST', 'DELETE', `/v1/users/${user.id}?hardDelete=true`, { dryRun: true })
  expect((await http.get(`/v1/users/${user.id}`)).displayName).toBe('Kept')
  await http.post('/v1/requests', {})
})

describe('bodies that are not JSON', () => {
  it('a body that is not JSON in one item of a bulk request fails that item alone', async () => {
    const text =
      '[{"name":"fine","serviceType":"Kafka"},{"name":"n\\u0000","serviceType":"Kafka"},{"name":"big","serviceType":"Kafka","extension":{"n":1e999}}]'
    const body = await http.put('/v1/services/messagingServices/bulk', text)
    expect(body).toMatchObject({ status: 'partialSuccess', successRequest: [{ request: 'fine', status: 201 }] })
    expect(
      body.failedRequest.map((item: { request: string; errors: { path: string }[] }) => [item.request, ...paths(item)]),
    ).toEqual([
      ['n\0', '/name'],
      ['big', '/extension/n'],
    ])
  })

  it('bodies that are too large are refused', async () => {
    const text = JSON.stringify({ name: 'x', description: 'x'.repeat(5 * 1024 * 1024) })
    await problem(413, 'PAYLOAD_TOO_LARGE', post(text))
    await http.refuses('PAYLOAD_TOO_LARGE', 'PATCH', `/v1/glossaries/${id}`, text, merge)
    await http.refuses('PAYLOAD_TOO_LARGE', 'PUT', `/v1/glossaries/${id}/vote`, text)
    await http.refuses(
      'PAYLOAD_TOO_LARGE',
      'POST',
      '/v1/dataContracts/odcs/parse/yaml',
      Buffer.alloc(5 * 1024 * 1024 + 1, 'x'),
      {
        headers: { 'content-type': 'application/yaml' },
      },
    )
    const many = JSON.stringify(Array.from({ length: 10_001 }, () => ({})))
    expect((await http.refuses('BAD_REQUEST', 'PUT', '/v1/databases/bulk', many)).message).toContain('10000')
  })
})

describe('bodies that are not entities', () => {
  it('operator objects are refused as values', async () => {
    for (const operator of [{ $gt: '' }, { $ne: null }, { $where: '1' }, { $regex: '.*' }]) {
      expect(paths(await bad({ name: operator }))).toEqual(['/name'])
      await bad({ name: 'x', owners: [operator] })
      await bad({ name: 'x', tags: [operator] })
      await bad({ name: 'x', database: operator }, '/v1/databaseSchemas')
      await http.refuses('BAD_REQUEST', 'PUT', '/v1/glossaries/restore', { id: operator })
      await http.refuses('BAD_REQUEST', 'PUT', `/v1/glossaries/${id}/vote`, { updatedVoteType: operator })
    }
    expect(paths(await bad({ name: 'x', extension: { a: [{ $sealed: 'x' }] } }))).toEqual(['/extension/a/0/$sealed'])
    const body = await http.post('/v1/glossaries', {
      name: '$gt',
      extension: { $gt: '', 'a.b': 1, constructor: 2, toString: 3 },
    })
    expect(body.extension).toMatchObject({ $gt: '', 'a.b': 1, constructor: 2, toString: 3 })
  })

  it('names may be anything else, in paths too', async () => {
    for (const name of [
      'constructor',
      'toString',
      '__proto__',
      'hasOwnProperty',
      '*',
      '%',
      ' ',
      '..',
      '.',
      '/',
      '\\',
      '<script>',
      "'; drop table entities; --",
      'a.b',
      '"quoted"',
      'ü ß 🙂',
      '%2F?x=1&y#z',
    ]) {
      const body = await http.post('/v1/glossaries', { name })
      expect((await http.get(`/v1/glossaries/${body.id}`)).name).toBe(name)
      expect(
        (await http.get(`/v1/glossaries/name/${encodeURIComponent(body.fullyQualifiedName).replaceAll('.', '%2E')}`))
          .id,
      ).toBe(body.id)
    }
  })

  it('a fully qualified name has at most 3072 characters', async () => {
    let parent: string | undefined
    let status = 201
    for (let level = 0; level < 20 && status === 201; level++) {
      const answer = await http.call('POST', '/v1/domains', {
        name: String(level).padEnd(255, 'x'),
        ...(parent !== undefined && { parent }),
      })
      status = answer.status
      if (status === 201) parent = answer.body.fullyQualifiedName
      else expect(paths(answer.body)).toEqual(['/name'])
    }
    expect([status, (parent as string).length]).toEqual([400, 12 * 256 - 1])
  })
})

it('an item of a bulk request that nobody can measure fails alone, and so does any such body', async () => {
  const odd = { length: { toString: 1 } }
  const items = ['one', 'two', 'three'].map((name, at) => ({
    name,
    service: 'pg',
    ...(at === 1 && { retentionPeriod: odd }),
  }))
  const { successRequest, failedRequest } = await http.put('/v1/databases/bulk', items)
  expect(successRequest).toHaveLength(2)
  expect(failedRequest).toMatchObject([{ request: 'pg.two', status: 400, errors: [{ path: '/retentionPeriod' }] }])
  expect(paths(await bad({ ids: odd }, '/v1/databases/changes'))).toEqual(['/ids'])
  const statements = [
    { entity: 'pg.one', edges: odd },
    { entity: 'pg.three', edges: [] },
  ]
  expect(await http.put('/v1/lineage/database/bulk', statements)).toMatchObject({
    processed: 2,
    failed: [{ entity: 'pg.one' }],
  })
})

it('an entity that a patch spoils in some part stays as it is, and the answer says where', async () => {
  await http.post('/v1/databases', { name: 'db', service: 'pg' })
  await http.post('/v1/databaseSchemas', { name: 's', database: 'pg.db' })
  const columns = [{ name: 'c', dataType: 'STRUCT', children: [{ name: 'd', dataType: 'INT' }] }]
  const before = await http.post('/v1/tables', { name: 't', databaseSchema: 'pg.db.s', columns })
  const at = `/v1/tables/${before.id}`
  const odd = { toString: 1 }
  const refused = async (method: string, path: string, body: unknown, options?: Parameters<Http['call']>[3]) =>
    paths(await problem(400, 'BAD_REQUEST', http.refused(method, path, body, options)))
  const child = '/columns/0/children/0'
  expect(await refused('PATCH', at, [{ op: 'replace', path: child, value: null }], jsonPatch)).toEqual([child])
  expect(await refused('PATCH', at, { columns: [null] }, merge)).toEqual(['/columns/0'])
  expect(await refused('POST', `${at}/impact`, { columns: [null] }, merge)).toEqual(['/columns/0'])
  expect(await refused('POST', `${at}/proposals`, { patch: { columns: [null] } })).toEqual(['/columns/0'])
  expect(await refused('PATCH', at, { owners: [{ id: odd }] }, merge)).toEqual(['/owners/0/id'])
  expect(await refused('PATCH', at, { tags: [{ tagFQN: odd }] }, merge)).toEqual(['/tags/0/tagFQN'])
  expect(await refused('PATCH', at, { tags: [{ tagFQN: 'none.x', source: odd }] }, merge)).toEqual(['/tags/0'])
  expect(await http.get(at)).toEqual(before)
})

describe('paths', () => {
  it('paths of names that are very long, or nothing but dots, are 404', async () => {
    for (const name of ['x'.repeat(20_000), '.'.repeat(5000)])
      await http.refuses('NOT_FOUND', 'GET', `/v1/glossaries/name/${encodeURIComponent(name)}`)
  })
})

describe('queries', () => {
  it.each([
    ['GET', '', 'limit', ['1e2', '0x10', ' 1', '99999999999999999999']],
    ['GET', '', 'include', ['none', 'ALL', '']],
    ['GET', '', 'fields', ['owners,x', 'constructor', '__proto__', 'name.x', '$gt']],
    ['GET', '/{id}', 'asOf', ['x', '.1', '1.2.3', '-1']],
    ['DELETE', '/{id}', 'recursive', ['yes', '1']],
    ['DELETE', '/{id}', 'hardDelete', ['maybe']],
  ])('%s%s takes as %s none of %j', async (method, at, name, values) => {
    const path = `/v1/glossaries${at.replace('{id}', id)}`
    for (const value of values) {
      const { errors } = await http.refuses('BAD_REQUEST', method, `${path}?${name}=${encodeURIComponent(value)}`)
      expect([value, errors.length]).toEqual([value, 1])
    }
  })

  it('no operation takes one that it does not have', async () => {
    const { operations } = readDocument((await http.call('GET', '/api/openapi.json')).body)
    const taken: string[] = []
    for (const { method, path, open } of operations) {
      if (open) continue
      const target = path.replaceAll(/\{\w+\}/g, id)
      const { status, body } = await http.service.call(method, `${target}?nonsense=2024-01-01`)
      if (status !== 400 || body.errors[0]?.path !== '?nonsense') taken.push(`${method} ${path} ${status}`)
    }
    expect(taken).toEqual([])
  })

  it('operators are texts', async () => {
    expect((await http.get('/v1/glossaries?owner=%7B%22%24ne%22%3A1%7D')).data).toEqual([])
    for (const owner of ['', '"', 'a..b', '.', '%00', '🙂', 'x'.repeat(5000)]) {
      const { status } = await http.refused('GET', `/v1/glossaries?owner=${encodeURIComponent(owner)}`)
      expect([owner.slice(0, 9), status < 500]).toEqual([owner.slice(0, 9), true])
    }
    for (const scope of ['', '"', 'a..b', '.'])
      expect([400, 200]).toContain(
        (await http.refused('GET', `/v1/databases?service=${encodeURIComponent(scope)}`)).status,
      )
  })
})

describe('anything at all', () => {
  it('read with any query is answered, and never with a 5xx', async () => {
    const { operations } = readDocument((await http.call('GET', '/api/openapi.json')).body)
    const reads = operations.filter(({ method, open, path }) => method === 'GET' && !open && !path.includes('stream'))
    const pairs = fc.array(fc.tuple(fc.nat(), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), pairs, async ({ path, parameters }, said) => {
        const names = parameters.filter((one) => one.in === 'query' && one.name !== 'wait').map(({ name }) => name)
        const query = said.map(([at, value]): [string, string] => [names[at % names.length] ?? 'nothing', value])
        const target = path.replaceAll(/\{\w+\}/g, id)
        const { status } = await http.call('GET', `${target}?${new URLSearchParams(query).toString()}`)
        expect(status).toBeLessThan(500)
      }),
      { seed: 13, numRuns: thorough ? 400 : 130 },
    )
  })
})
