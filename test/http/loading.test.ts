import { describe, expect, it } from 'vitest'
import { startInProcess } from '../support/running.ts'
import { answered, as, byName, merge, paths, problem, schemaOf, useHttp } from './support.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'
import type { Call } from '../support/service.ts'

const http = useHttp()

const table = kindNamed('table')

/** A schema with this many tables; its FQN is `NAME.db.s`. */
const tables = async (name: string, count: number, { call }: { readonly call: Call } = http): Promise<string[]> => {
  for (const [path, body] of schemaOf(name)) await answered(201, call('POST', `/v1/${path}`, body))
  const items = Array.from({ length: count }, (_, n) => ({ name: `t${n}`, databaseSchema: `${name}.db.s` }))
  await answered(200, call('PUT', '/v1/tables/bulk', items))
  return items.map((item) => `${name}.db.s.${item.name}`)
}

interface Item {
  readonly request: string
  readonly index: number
  readonly status: number
  readonly code: string
  readonly errors: readonly { readonly path: string }[]
}

const openRequest = async (user = 'loader') =>
  (await answered(201, http.call('POST', '/v1/requests', undefined, as(user, 'Admin')))).body as {
    correlationId: string
    token: string
  }

const joined = (token: string, user = 'loader') => ({
  ...as(user, 'Admin'),
  headers: { 'catalog-request': token },
})

describe('an item with the hash of its source', () => {
  const item = (sourceHash: string, description: string, name = 't0') => ({
    name,
    databaseSchema: 'hashed.db.s',
    sourceHash,
    description,
  })
  const load = async (...items: object[]) =>
    (await answered(200, http.call('PUT', '/v1/tables/bulk', items, as('loader', 'Ingestion')))).body
  const described = async (name = 't0') =>
    (await answered(200, http.call('GET', byName(table, `hashed.db.s.${name}`)))).body.description

  it('is skipped where that is the one that stands, also when people have changed the entity', async () => {
    await tables('hashed', 1)
    await load(item('one', 'first'))
    const head = await http.head()
    const told = await load(item('one', 'not read'), item('one', 'new', 't1'))
    expect(told).toMatchObject({ status: 'success', numberOfRowsProcessed: 2, numberOfRowsPassed: 2 })
    expect(told.successRequest.map(({ status }: { status: number }) => status).toSorted()).toEqual([200, 201])
    expect([await described(), await described('t1')]).toEqual(['first', 'new'])
    expect((await http.get(`/v1/events?after=${head}`)).data).toHaveLength(1)
  })

  it('is taken where the hash is another one, the entity is deleted, or an earlier item has its name', async () => {
    await load(item('two', 'second'))
    expect(await described()).toBe('second')
    await load(item('three', 'third'), item('two', 'second again'))
    expect(await described()).toBe('second again')
    await answered(200, http.call('DELETE', byName(table, 'hashed.db.s.t0')))
    await load(item('two', 'back'))
    expect(await described()).toBe('back')
    const { id } = (await answered(200, http.call('GET', '/v1/databaseSchemas/name/hashed.db.s'))).body
    const byId = { ...item('four', 'fourth'), databaseSchema: { id, type: 'databaseSchema' } }
    await load(byId, item('two', 'back again'))
    expect(await described()).toBe('back again')
  })

  it('tells nobody who may not change it that it stands', async () => {
    const caller = as('reader', 'DataConsumer')
    await problem(403, 'FORBIDDEN', http.call('PUT', '/v1/tables/bulk', [item('two', 'x')], caller))
  })
})

describe('an item with a condition', () => {
  const item = (name: string, more: object) => ({ name, databaseSchema: 'conditional.db.s', ...more })
  const load = async (...items: object[]) => {
    const { body } = await answered(200, http.call('PUT', '/v1/tables/bulk', items, as('loader', 'Ingestion')))
    return {
      passed: body.successRequest.map(({ request, status }: Item) => [request.split('.').at(-1), status]),
      failed: body.failedRequest.map(({ index, status, code }: Item) => [index, status, code]),
      errors: body.failedRequest.flatMap(({ errors }: Item) => errors.map(({ path }) => path)),
    }
  }
  const tagged = async (name: string) => {
    const path = `${byName(table, `conditional.db.s.${name}`)}?include=all`
    const { headers, body } = await answered(200, http.call('GET', path))
    return { etag: headers.get('etag'), description: body.description }
  }

  it('is written if its condition holds, and fails alone with 412 if not', async () => {
    await tables('conditional', 4)
    const [old, { etag }] = [await tagged('t0'), await tagged('t1')]
    await load(item('t0', { description: 'by somebody else', sourceHash: 'one' }))
    await answered(200, http.call('DELETE', byName(table, 'conditional.db.s.t2')))
    const deleted = await tagged('t2')
    const { passed, failed } = await load(
      item('t0', { description: 'outdated', ifMatch: old.etag }),
      item('t0', { description: 'outdated', ifMatch: old.etag, sourceHash: 'one' }),
      item('t1', { description: 'of the load', ifMatch: etag }),
      item('t1', { description: 'twice', ifMatch: etag }),
      item('t2', { description: 'restored', ifMatch: deleted.etag }),
      item('t3', { description: 'of the load', ifMatch: '*', ifNoneMatch: null }),
      item('t3', { description: 'not new', ifNoneMatch: '*' }),
      item('new', { description: 'of the load', ifNoneMatch: '*' }),
      item('new', { description: 'not new', ifNoneMatch: '*' }),
      item('none', { ifMatch: '*' }),
    )
    expect(passed).toEqual([
      ['t1', 200],
      ['t2', 200],
      ['t3', 200],
      ['new', 201],
    ])
    expect(failed).toEqual([0, 1, 3, 6, 8, 9].map((index) => [index, 412, 'PRECONDITION_FAILED']))
    const names = ['t0', 't1', 't2', 't3', 'new']
    expect(await Promise.all(names.map(async (name) => (await tagged(name)).description))).toEqual([
      'by somebody else',
      'of the load',
      'restored',
      'of the load',
      'of the load',
    ])
    await answered(404, http.call('GET', byName(table, 'conditional.db.s.none')))
  })

  it('is written by one of several requests at once that demand the same', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `raced${n}`)
    const race = async (condition: (name: string) => object): Promise<string[]> => {
      const loads = ['a', 'b', 'c', 'd'].map(async (description) => {
        const { passed } = await load(...names.map((name) => item(name, { description, ...condition(name) })))
        return passed.map(([name]: [string]) => `${name} ${description}`)
      })
      return (await Promise.all(loads)).flat().toSorted()
    }
    const written = async () =>
      (await Promise.all(names.map(async (name) => `${name} ${(await tagged(name)).description}`))).toSorted()
    expect(await race(() => ({ ifNoneMatch: '*' }))).toEqual(await written())
    const etags = new Map(await Promise.all(names.map(async (name) => [name, (await tagged(name)).etag] as const)))
    const conditions = await race((name) => ({ ifMatch: etags.get(name), displayName: crypto.randomUUID() }))
    expect(conditions).toEqual(await written())
  })

  it('fails alone with 400 if the condition is none', async () => {
    const { passed, failed, errors } = await load(
      item('t3', { ifMatch: 3 }),
      item('t3', { ifMatch: 'w/"3"' }),
      item('t3', { ifNoneMatch: '"3"', colour: 'red' }),
      item('t3', { ifMatch: null }),
    )
    expect([passed, failed]).toEqual([[['t3', 200]], [0, 1, 2].map((index) => [index, 400, 'BAD_REQUEST'])])
    expect(errors).toEqual(['/ifMatch', '/ifMatch', '/colour', '/ifNoneMatch'])
    await problem(400, 'BAD_REQUEST', http.refused('PUT', '/v1/tables', item('t3', { ifMatch: '"3"' })))
  })
})

describe('a request of several calls', () => {
  it('is one in the activity, and is taken back as one', async () => {
    await tables('joint', 2)
    const { correlationId, token } = await openRequest()
    const put = (name: string, description: string) =>
      answered(
        200,
        http.call('PUT', '/v1/tables/bulk', [{ name, databaseSchema: 'joint.db.s', description }], joined(token)),
      )
    await put('t0', 'first')
    const { headers } = await put('new', 'second')
    expect(headers.get('x-request-id')).not.toBe(correlationId)
    const all = await answered(200, http.call('GET', `/v1/requests/${correlationId}?limit=100`))
    const names = all.body.data.map((row: { entity: { fullyQualifiedName: string } }) => row.entity.fullyQualifiedName)
    expect(names.filter((name: string) => name.startsWith('joint.'))).toEqual(['joint.db.s.t0', 'joint.db.s.new'])
    const back = await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
    expect(back.body.status).toBe('success')
    expect((await answered(200, http.call('GET', byName(table, 'joint.db.s.t0')))).body.description).toBeUndefined()
    await answered(404, http.call('GET', byName(table, 'joint.db.s.new')))
  })

  it('takes no calls of others, and none with another token', async () => {
    const { token } = await openRequest()
    const body = { name: 'stranger' }
    const call = (given: string, user: string) =>
      problem(400, 'BAD_REQUEST', http.refused('PUT', '/v1/domains', body, joined(given, user)))
    await call(token, 'somebody')
    await call(`${token}x`, 'loader')
    await call('', 'loader')
  })
})

describe('a sweep', () => {
  const sweep = (body: object, options = as('loader', 'Admin')) => http.call('POST', '/v1/tables/sweep', body, options)

  it('takes as many seen names as fit into its body', async () => {
    const [seen = ''] = await tables('wide', 1)
    const names = Array.from({ length: 100_001 }, (_, at) => `wide.db.s.t${at}`)
    const { body } = await answered(200, sweep({ scope: 'wide.db', seen: [seen, ...names], dryRun: true }))
    expect(body).toMatchObject({ total: 1, data: [] })
  })

  it('deletes what was not seen below the scope, and nothing else', async () => {
    const [gone, ...seen] = await tables('swept', 4)
    const others = await tables('spared', 1)
    const preview = await answered(200, sweep({ scope: 'swept.db', seen, dryRun: true }))
    expect(preview.body).toMatchObject({
      total: 4,
      dryRun: true,
      data: [{ fullyQualifiedName: gone, outcome: 'deleted' }],
    })
    await answered(200, http.call('GET', byName(table, gone as string)))
    const done = await answered(200, sweep({ scope: 'swept.db', seen }))
    expect(done.body.data).toHaveLength(1)
    await answered(404, http.call('GET', byName(table, gone as string)))
    for (const name of [...seen, ...others]) await answered(200, http.call('GET', byName(table, name)))
    const id = done.headers.get('x-request-id')
    await answered(200, http.call('POST', `/v1/requests/${id}/revert`))
    await answered(200, http.call('GET', byName(table, gone as string)))
  })

  it.each([false, true])(
    'tells what is nested and goes with its parent as deleted (hardDelete: %s)',
    async (hardDelete) => {
      const service = `store ${hardDelete}`
      await http.post('/v1/services/storageServices', { name: service, serviceType: 'S3' })
      const kept = await http.post('/v1/containers', { name: 'kept', service })
      const top = await http.post('/v1/containers', { name: 'top', service })
      const inner = await http.post('/v1/containers', { name: 'inner', service, parent: top.fullyQualifiedName })
      const last = await http.post('/v1/containers', { name: 'last', service, parent: inner.fullyQualifiedName })
      const gone = [top, inner, last].map(({ id, fullyQualifiedName }) => ({
        id,
        fullyQualifiedName,
        outcome: 'deleted',
      }))
      const body = { scope: service, seen: [kept.fullyQualifiedName], confirm: true, hardDelete }
      for (const dryRun of [true, false])
        expect((await answered(200, http.call('POST', '/v1/containers/sweep', { ...body, dryRun }))).body.data).toEqual(
          gone,
        )
      for (const { id } of gone) await answered(404, http.call('GET', `/v1/containers/${id}`))
      await http.get(`/v1/containers/${kept.id}`)
    },
  )

  it('counts as found what something found stands in, which would go with it', async () => {
    await http.post('/v1/services/storageServices', { name: 'nested', serviceType: 'S3' })
    for (const name of ['outer', 'gone']) await http.post('/v1/containers', { name, service: 'nested' })
    const inner = await http.post('/v1/containers', { name: 'inner', service: 'nested', parent: 'nested.outer' })
    const body = { scope: 'nested', seen: [inner.fullyQualifiedName], hardDelete: true }
    const done = await answered(200, http.call('POST', '/v1/containers/sweep', { ...body, confirm: true }))
    expect(done.body.data.map((one: { fullyQualifiedName: string }) => one.fullyQualifiedName)).toEqual(['nested.gone'])
    await http.get(`/v1/containers/${inner.id}`)
  })

  it('refuses to delete more than a third, unless that is confirmed', async () => {
    const [first] = await tables('third', 6)
    const body = { scope: 'third', seen: [first] }
    const told = await problem(409, 'CONFLICT', http.refused('POST', '/v1/tables/sweep', body))
    expect(told.message).toContain('5 of 6')
    const preview = (await answered(200, sweep({ ...body, dryRun: true }))).body
    expect(preview.data).toHaveLength(5)
    expect(told.message).toContain(preview.refusal)
    expect((await answered(200, sweep({ ...body, dryRun: true, confirm: true }))).body.refusal).toBeUndefined()
    expect((await answered(200, sweep({ ...body, confirm: true }))).body.data).toHaveLength(5)
  })

  it('refuses another share where a setting says so', async () => {
    const strict = await startInProcess({ CATALOG_SWEEP_SHARE: '10' })
    const [, ...seen] = await tables('tenth', 6, strict)
    const [, , ...fewer] = seen
    const swept = (names: readonly string[]) =>
      strict.call('POST', '/v1/tables/sweep', { scope: 'tenth', seen: names }, as('loader', 'Admin'))
    const { message } = await problem(409, 'CONFLICT', swept(fewer))
    expect(message).toContain('3 of 6 were not seen, more than 10 %')
    // One may always go.
    expect((await answered(200, swept(seen))).body.data).toHaveLength(1)
  })

  it('deletes only what the caller may delete', async () => {
    const [, ...seen] = await tables('owned', 4)
    const { status } = await sweep({ scope: 'owned', seen }, as('reader', 'DataConsumer'))
    expect(status).toBe(403)
  })

  it('names what is wrong with the body', async () => {
    const told = await problem(400, 'BAD_REQUEST', http.refused('POST', '/v1/tables/sweep', { scope: 'a..b' }))
    expect(told.errors.map(({ path }: { path: string }) => path)).toEqual(['/scope', '/seen'])
  })

  it('takes no scope for another one that is named almost like it, however long the body is', async () => {
    const [standing = ''] = await tables('odd\ufffd', 1)
    const names = Array.from({ length: 100_000 }, (_, at) => `odd.db.s.t${at}`)
    for (const [scope, seen] of [
      ['odd\0', []],
      ['odd\ud800', names],
    ] as const)
      expect(paths(await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/sweep', { scope, seen }))).toEqual(['/scope'])
    const told = await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/sweep', { scope: 'odd', seen: ['a\0'] })
    expect(paths(told)).toEqual(['/seen/0'])
    await http.get(byName(table, standing))
  })

  it('takes no name that is longer than any can be, and says so of each', async () => {
    const long = `odd${'.a'.repeat(1536)}`
    const body = { scope: long, seen: [] }
    expect(paths(await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/sweep', body))).toEqual(['/scope'])
    const { errors } = await http.refuses('BAD_REQUEST', 'POST', '/v1/tables/sweep', {
      scope: 'odd',
      seen: [long, 1, long],
    })
    expect(errors).toEqual([
      { path: '/seen/0', message: 'must have at most 3072 characters' },
      { path: '/seen/1', message: 'must be a string' },
      { path: '/seen/2', message: 'must have at most 3072 characters' },
    ])
    for (const path of [`/v1/dataQuality/testCases?entityFQN=${long}`, `/v1/events?domain=${long}`])
      await http.refuses('BAD_REQUEST', 'GET', path)
  })
})

it('tells who wrote what stands, column by column', async () => {
  await tables('authors', 1)
  const path = byName(table, 'authors.db.s.t0')
  const columns = [{ name: 'a', dataType: 'INT', description: 'loaded' }]
  await answered(200, http.call('PATCH', path, { columns }, { ...as('loader', 'Admin'), ...merge }))
  const patched = [{ ...columns[0], displayName: 'A' }]
  await answered(200, http.call('PATCH', path, { columns: patched }, { ...as('steward', 'Admin'), ...merge }))
  const users = async (query: string) => {
    const { provenance } = (await answered(200, http.call('GET', `${path}?provenance=true${query}`))).body
    return ['description', 'displayName'].map((name) => provenance[`columns.a.${name}`]?.user)
  }
  expect(await users('')).toEqual(['loader', 'steward'])
  expect(await users('&asOf=v0.2')).toEqual(['loader', undefined])
  expect((await http.call('GET', path)).body.provenance).toBeUndefined()
  const reader = as('reader', 'DataConsumer')
  expect((await http.call('GET', `${path}?provenance=true`, undefined, reader)).status).toBe(403)
  await answered(200, http.call('GET', `${path}?provenance=false`, undefined, reader))
  await answered(200, http.call('GET', `${path}?provenance=true`, undefined, as('nightly', 'Ingestion')))
})
