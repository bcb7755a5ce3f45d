import { isDeepStrictEqual } from 'node:util'
import fc, { thorough } from '../support/fastCheck.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
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

describe('bodies that are no JSON', () => {
  it('bodies that hold what no text may are refused', async () => {
    expect(paths(await bad('{"name":"a","__proto__":{"x":1}}'))).toEqual(['/__proto__'])
    expect(paths(await bad('{"name":"a","extension":{"\\u005f_proto__":1}}'))).toEqual(['/extension/__proto__'])
    expect(paths(await bad('{"name":"a","description":"\\u0000"}'))).toEqual(['/description'])
    expect(paths(await bad('{"name":"a","description":"\\ud800"}'))).toEqual(['/description'])
    expect(paths(await bad('{"name":"a","extension":{"big":1e999}}'))).toEqual(['/extension/big'])
    const many =
      '{"name":"a","description":"\\u0000","owner":"nobody","displayName":7,"extension":{"__proto__":1,"b":1e999,"c\\u0000":1}}'
    expect(paths(await bad(many)).toSorted()).toEqual([
      '/description',
      '/displayName',
      '/extension/__proto__',
      '/extension/b',
      '/extension/c\uFFFD',
      '/owner',
    ])
    expect((await bad(Buffer.from([0x7b, 0xff, 0x7d]))).message).toContain('UTF-8')
    const utf16 = Buffer.from('\ufeff{"name":"x"}', 'utf16le')
    await bad(utf16)
  })

  it('a body that is no JSON in one item of a bulk request fails that item alone', async () => {
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

describe('bodies that are no entity', () => {
  it.each(['null', '[]', '1', '"x"', 'true'])('%s', async (text) => {
    expect(paths(await bad(text))).toEqual([''])
    expect(paths(await http.refuses('BAD_REQUEST', 'PUT', '/v1/glossaries', text))).toEqual([''])
  })

  it('operator objects are no values', async () => {
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

  it('names have their bounds', async () => {
    for (const name of ['', 'a::b', 'a\u0007b', 'a\nb', 'x'.repeat(257), 7, null, undefined, ['x'], '\u007f'])
      expect(paths(await bad({ name }))).toEqual(['/name'])
    await http.post('/v1/glossaries', { name: 'x'.repeat(256) })
    await bad({ name: 'x', database: 'x'.repeat(5000) }, '/v1/databaseSchemas')
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

  it('no list has more than a hundred names', async () => {
    const { operations } = readDocument((await http.call('GET', '/api/openapi.json')).body)
    const lists = operations.flatMap(({ method, path, parameters }) =>
      parameters
        .filter((each) => each.in === 'query' && /comma-separated/.test(each.description))
        .map(({ name }) => ({ method, name, target: path.replaceAll(/\{\w+\}/g, id) })),
    )
    expect(lists.length).toBeGreaterThan(100)
    const many = Array.from({ length: 101 }, (_, at) => `x${at}`).join(',')
    const taken: string[] = []
    for (const { method, name, target } of lists) {
      const { status, body } = await http.service.call(method, `${target}?${name}=${many}`)
      const problem = { path: `?${name}`, message: 'must have at most 100 names and has 101' }
      if (status !== 400 || !body.errors.some((each: object) => isDeepStrictEqual(each, problem)))
        taken.push(`${method} ${target} ${name}: ${status}`)
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

describe('patches', () => {
  it('never reach what is no member', async () => {
    const at = `/v1/glossaries/${id}`
    const operations = [
      [{ op: 'add', path: '/__proto__/x', value: 1 }],
      [{ op: 'add', path: '/constructor/prototype/x', value: 1 }],
      [{ op: 'replace', path: '/extension/__proto__', value: {} }],
      [{ op: 'copy', from: '/__proto__', path: '/extension' }],
      [{ op: 'add', path: '/tags/99', value: 'x' }],
      [{ op: 'add', path: '/tags/-1', value: 'x' }],
      [{ op: 'move', from: '', path: '/extension' }],
      [{ op: 'add', path: '/description', value: { $gt: '' } }],
      [{ op: 'remove', path: '' }],
      [{ op: 'remove', path: '/name' }],
      [{ op: 'add' }],
      [{ op: 'add', path: '/description' }],
      [{ op: 'replace', path: 'description', value: 1 }],
      [{ op: 'jump', path: '/description' }],
      [{ op: 'replace', path: '', value: 3 }],
      [7],
      [null],
    ]
    for (const operation of operations) await http.refuses('BAD_REQUEST', 'PATCH', at, operation, jsonPatch)
    await http.refuses('BAD_REQUEST', 'PATCH', at, '{"__proto__":{"x":1}}', merge)
    await http.refuses('BAD_REQUEST', 'PATCH', at, { description: { $gt: '' } }, merge)
    const many = Array.from({ length: 40 }, (_, n) => ({ op: 'copy', from: '/extension', path: `/extension/x${n}` }))
    await http.patch(at, { extension: { a: 'x'.repeat(1000) } })
    await http.refuses('PAYLOAD_TOO_LARGE', 'PATCH', at, many, jsonPatch)
  })
})

describe('anything at all', () => {
  const writes = kinds.flatMap(({ path }) => ['POST', 'PUT'].map((method) => [method, `/v1/${path}`] as const))
  const members = [...new Set(kinds.flatMap(({ fields }) => Object.keys(fields)))]
  const bodies = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc
      .tuple(
        fc.oneof(fc.string({ maxLength: 20 }), fc.jsonValue()),
        fc.dictionary(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 12 }),
      )
      .map(([name, more]) => ({ ...more, name })),
  )

  it('written to any path is answered, and never with a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...writes), bodies, async ([method, path], body) => {
        const { status } = await http.call(method, path, JSON.stringify(body))
        expect(status).toBeLessThan(500)
      }),
      { seed: 7, numRuns: thorough ? 600 : 200 },
    )
    expect((await http.call('GET', '/readyz', undefined)).status).toBe(200)
  })

  it('patched onto an entity is answered, and never with a 5xx', async () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: fc.constantFrom(
          '',
          '/',
          '/description',
          '/extension',
          '/extension/a',
          '/owners/0',
          '/tags/-',
          '/x/y',
          '/~2',
        ),
        from: fc.constantFrom('/description', '/extension', ''),
        value: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['op'] },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.tuple(fc.constant(jsonPatch), fc.array(operation, { maxLength: 4 })),
          fc.tuple(fc.constant(merge), fc.jsonValue({ maxDepth: 3 })),
        ),
        async ([type, body]) => {
          const { status } = await http.call('PATCH', '/v1/glossaries/name/page0', JSON.stringify(body), type)
          expect(status).toBeLessThan(500)
        },
      ),
      { seed: 11, numRuns: thorough ? 250 : 80 },
    )
  })

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
