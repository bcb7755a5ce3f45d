import { describe, expect, it } from 'vitest'
import { answered, as, byName, merge, pagesOf, problem, schemaOf, testCaseOn, useHttp } from './support.ts'
import { kindNamed } from '../../src/kinds/registry/kinds.ts'

const policies = `
roles:
  TablesOnly:
    - { effect: allow, operations: [view, versions, search], kinds: [table, databaseSchema, database, databaseService, lineage] }
    - { effect: allow, operations: [create, edit], kinds: [lineage] }
  TablesWithoutLineage:
    - { effect: allow, operations: [view], kinds: [table] }
`

const http = useHttp({ policies })

const table = kindNamed('table')

/** A schema with tables of these names; gives their FQNs. */
const tables = async (service: string, ...names: string[]): Promise<Record<string, string>> => {
  for (const [path, body] of schemaOf(service)) await http.post(`/v1/${path}`, body)
  const items = names.map((name) => ({ name, databaseSchema: `${service}.db.s` }))
  await http.put('/v1/tables/bulk', items)
  return Object.fromEntries(names.map((name) => [name, `${service}.db.s.${name}`]))
}

const at = (fqn: string, rest = ''): string => `/v1/lineage/table/name/${fqn}${rest}`

const state = async (fqn: string, from: readonly (string | object)[], source = 'manual') =>
  await http.put(at(fqn, `?source=${encodeURIComponent(source)}`), {
    edges: from.map((each) => (typeof each === 'string' ? { from: each } : each)),
  })

const graph = (fqn: string, query = '', options = {}) => http.get(at(fqn, query), options)

const short = (fqn: string | undefined): string => fqn?.split('.').at(-1) ?? '?'

/** `a > b` for each edge. */
const arrows = (body: { nodes: any[]; edges: any[] }): string[] => {
  const names = new Map(body.nodes.map(({ id, fullyQualifiedName }) => [id, short(fullyQualifiedName)]))
  return body.edges.map(({ from, to }) => `${names.get(from)} > ${names.get(to)}`).toSorted()
}

const head = async (): Promise<string> => {
  const { headers } = await answered(201, http.call('POST', '/v1/glossaries', { name: `g${crypto.randomUUID()}` }))
  return headers.get('catalog-position') as string
}

describe('lineage', () => {
  it('is stated by source, and the same again appends no event', async () => {
    const { a, b, c } = (await tables('stated', 'a', 'b', 'c')) as Record<'a' | 'b' | 'c', string>
    expect(await state(c, [a, b])).toMatchObject({ changed: true, source: 'manual', entity: { fullyQualifiedName: c } })
    expect(await state(c, [b, a])).toMatchObject({ changed: false })
    await state(c, [{ from: a, sql: 'select 1', columns: [{ from: ['x', 'y'], to: 'z', function: 'sum' }] }], 'dbt')
    await state(c, [b])
    const found = await graph(c, '?columns=true')
    expect(arrows(found)).toEqual(['a > c', 'b > c'])
    const dbt = found.edges.find(({ source }: { source: string }) => source === 'dbt')
    expect(dbt).toMatchObject({ sql: 'select 1', columns: [{ from: ['x', 'y'], to: 'z', function: 'sum' }] })
    expect(dbt.since).toMatchObject({ position: expect.stringMatching(/^\d+$/), user: expect.any(String) })
    expect(arrows(await graph(c, '?source=manual'))).toEqual(['b > c'])
    await state(c, [], 'dbt')
    expect(arrows(await graph(c))).toEqual(['b > c'])
    expect(arrows(await graph(b))).toEqual(['b > c'])
    expect(arrows(await graph(a))).toEqual([])
  })

  it('is answered with the revision that If-Match takes, and begun by one alone who asks with If-None-Match', async () => {
    const { a, b } = (await tables('revisions', 'a', 'b')) as Record<'a' | 'b', string>
    const put = (edges: object[], revision: string | null) =>
      http.call('PUT', at(b), { edges }, { headers: revision ? { 'if-match': revision } : { 'if-none-match': '*' } })
    const first = await answered(200, put([{ from: a }], null))
    await problem(412, 'PRECONDITION_FAILED', put([{ from: a }], null))
    const etag = first.headers.get('etag')
    expect(etag).toMatch(/^"\d+-/)
    const second = await answered(200, put([], etag))
    expect(second.headers.get('etag')).not.toBe(etag)
    await problem(412, 'PRECONDITION_FAILED', put([{ from: a }], etag))
  })

  it('is stated for many assets at once in a large body: what stands appends no event, and one that is refused stops no other', async () => {
    const { a, b, c } = (await tables('bulk', 'a', 'b', 'c')) as Record<'a' | 'b' | 'c', string>
    const put = (statements: unknown[]) => http.call('PUT', '/v1/lineage/table/bulk?source=dbt', statements)
    const sql = `select ${'x'.repeat(700_000)}`
    const many = [
      { entity: b, edges: [{ from: a, sql }] },
      { entity: c, edges: [{ from: 'bulk.db.s.nothing' }] },
      { entity: 'bulk.db.s.gone', edges: [] },
      { entity: '"bulk".db.s.c', edges: [{ from: b, sql }] },
    ]
    const first = await answered(200, put(many))
    expect(first.body).toMatchObject({ processed: 4, changed: 2 })
    expect(first.body.failed.map(({ entity }: { entity: string }) => entity)).toEqual([c, 'bulk.db.s.gone'])
    expect(arrows(await graph(c))).toEqual(['a > b', 'b > c'])
    const before = await http.head()
    expect((await answered(200, put(many))).body).toMatchObject({ changed: 0 })
    expect(await http.head()).toBe(before)
    const body = await http.get(`/v1/lineages/name/${c}.tableLineage`)
    expect(body.fullyQualifiedName).toBe(`${c}.tableLineage`)
    const nothing = [{ entity: a, edges: [] }]
    expect((await answered(200, put(nothing))).body).toEqual({ processed: 1, changed: 0, failed: [] })
    expect(await http.head()).toBe(before)
    const malformed = [{ entity: b, edges: 5 }, 7, ...nothing]
    expect((await answered(200, put(malformed))).body).toEqual({
      processed: 3,
      changed: 0,
      failed: [
        { entity: b, message: '/edges: must be an array' },
        { entity: '', message: 'must be an object' },
      ],
    })
    const twice = [{ entity: a, edges: [{ from: c }] }, ...nothing]
    expect((await answered(200, put(twice))).body).toMatchObject({ processed: 2, changed: 2 })
    expect(arrows(await graph(c))).toEqual(['a > b', 'b > c'])
  })

  it('goes on behind an asset that is both up and down', async () => {
    const { a, b, c } = (await tables('circle', 'a', 'b', 'c')) as Record<'a' | 'b' | 'c', string>
    await state(a, [b])
    await state(b, [a])
    await state(c, [b])
    expect(arrows(await graph(a, '?up=1&down=2'))).toEqual(['a > b', 'b > a', 'b > c'])
    const { body } = await answered(200, http.call('GET', at(a, '/csv?up=1&down=2')))
    const lines = body.split('\r\n').map((line: string) => line.split(',').slice(0, 4).join())
    const behind = ['down,1,table,circle.db.s.b', 'down,2,table,circle.db.s.c', '']
    expect(lines.slice(1)).toEqual(['up,1,table,circle.db.s.b', ...behind])
  })

  it('is followed up and down as far as wanted, page by page', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const some = await tables('walked', ...names)
    for (const [n, name] of names.entries())
      if (n > 0) await state(some[name] as string, [some[names[n - 1] as string] as string])
    const c = some['c'] as string
    expect(arrows(await graph(c, '?up=1&down=1'))).toEqual(['b > c', 'c > d'])
    const whole = await graph(c)
    expect(arrows(whole)).toEqual(['a > b', 'b > c', 'c > d', 'd > e'])
    expect(whole.nodes.map(({ depth }: { depth: number }) => depth)).toEqual([0, -1, -2, 1, 2])
    const pages = await Array.fromAsync(pagesOf((after) => graph(c, `?limit=2${after}`)))
    expect(pages.map(({ nodes }) => nodes.length)).toEqual([2, 2, 1])
    expect(arrows({ nodes: pages.flatMap(({ nodes }) => nodes), edges: pages.flatMap(({ edges }) => edges) })).toEqual(
      arrows(whole),
    )
    await http.refuses('BAD_REQUEST', 'GET', at(c, '?up=11'))
    const csv = await answered(200, http.call('GET', at(c, '/csv?down=1&up=0')))
    expect(csv.body.split('\r\n').slice(0, 2)).toEqual([
      'direction,depth,type,fullyQualifiedName,displayName,deleted,id',
      expect.stringMatching(/^down,1,table,walked\.db\.s\.d,,false,/),
    ])
    const way = await answered(200, http.call('GET', at(some['e'] as string, `/path?to=${some['a']}`)))
    expect(way.body.edges).toHaveLength(4)
    expect(arrows(way.body)).toEqual(arrows(whole))
    const none = await tables('apart', 'x')
    expect((await http.get(at(c, `/path?to=${none['x']}`))).edges).toEqual([])
  })

  it('is followed to its end for an impact and for a path', async () => {
    const names = Array.from({ length: 13 }, (_, n) => `n${n}`)
    const some = await tables('long', ...names)
    const fqns = names.map((name) => some[name] as string)
    const columns = [{ name: 'id', dataType: 'INT' }]
    await http.put('/v1/tables', { name: 'n0', databaseSchema: 'long.db.s', columns })
    for (const [n, fqn] of fqns.entries()) if (n > 0) await state(fqn, [fqns[n - 1] as string])
    const first = `/v1/tables/name/${fqns[0]}`
    const { body } = await answered(200, http.call('POST', `${first}/impact`, { columns: [] }, merge))
    expect([body.assets.length, body.truncated]).toEqual([13, false])
    for (const [from = '', to] of [fqns, fqns.toReversed()].map((way) => [way[0], way.at(-1)])) {
      const { nodes, edges, paging } = await http.get(at(from, `/path?to=${to}`))
      expect([nodes.length, edges.length, paging.truncated]).toEqual([13, 12, false])
    }
  })

  it('is asked about any moment, and what changed between two is told', async () => {
    const { a, b, c } = (await tables('moments', 'a', 'b', 'c')) as Record<'a' | 'b' | 'c', string>
    const before = await head()
    await state(c, [a])
    const first = await head()
    await state(c, [{ from: a, description: 'other' }, b])
    const second = await head()
    const diff = (from: string, to = '') => http.get(at(c, `/diff?from=@${from}${to}`))
    for (const [name, query] of Object.entries({ from: 'from=x', to: `from=@1&to=@${10n ** 18n}` }))
      expect((await http.refuses('BAD_REQUEST', 'GET', at(c, `/diff?${query}`))).errors[0].path).toBe(`?${name}`)
    const begun = await http.get(at(c, `/diff?from=2001-01-01&to=@${first}`))
    expect([begun.from, begun.added.length, begun.removed.length]).toEqual(['@0', 1, 0])
    const changed = await diff(first, `&to=@${second}`)
    expect([changed.added.length, changed.removed.length, changed.changed.length]).toEqual([1, 0, 1])
    await state(c, [])
    await state(c, [{ from: a, description: 'other' }, b])
    const same = await diff(second)
    expect([same.added.length, same.removed.length, same.changed.length]).toEqual([0, 0, 0])
    await http.remove(`${byName(table, b)}?hardDelete=true`)
    const ended = await diff(second)
    expect([ended.added.length, ended.removed.length, ended.changed.length]).toEqual([0, 1, 0])
    expect(arrows(await graph(c, `?asOf=@${before}`))).toEqual([])
    expect(arrows(await graph(c, `?asOf=@${first}`))).toEqual(['a > c'])
    expect(arrows(await graph(c, `?asOf=@${second}`))).toEqual(['a > c', 'b > c'])
    expect(arrows(await graph(c))).toEqual(['a > c'])
    // Another asset of the same name is another one.
    await http.post('/v1/tables', { name: 'b', databaseSchema: 'moments.db.s' })
    expect(arrows(await graph(b))).toEqual([])
    await state(c, [a, b])
    expect(arrows(await graph(c))).toEqual(['a > c', 'b > c'])
  })

  it('names pipeline and query of an edge as other references: as they are at the moment, and none of another life', async () => {
    const { a, b } = (await tables('loaded', 'a', 'b')) as Record<'a' | 'b', string>
    await http.post('/v1/services/pipelineServices', { name: 'loads', serviceType: 'Airflow' })
    const pipeline = await http.post('/v1/pipelines', { name: 'nightly', service: 'loads', displayName: 'Nightly' })
    const query = await http.post('/v1/queries', { name: 'q', service: 'loaded', query: 'select 1' })
    await state(b, [{ from: a, pipeline: 'loads.nightly', query: query.fullyQualifiedName }])
    const named = async (asOf = '', path = '') => {
      const { edges, removed } = await http.get(at(b, `${path}?${asOf}`))
      return [...(edges ?? removed)].map((edge) =>
        [edge.pipeline, edge.query].map(
          (one) => one && `${one.displayName ?? one.name} ${one.deleted ? 'deleted' : 'live'}`,
        ),
      )
    }
    expect(await named()).toEqual([['Nightly live', 'q live']])
    const before = await head()
    await http.remove(`/v1/queries/${query.id}`)
    const softly = await head()
    expect(await named()).toEqual([['Nightly live', 'q deleted']])
    await http.remove(`/v1/queries/${query.id}?hardDelete=true`)
    await http.remove(`/v1/pipelines/${pipeline.id}?hardDelete=true`)
    expect(await named()).toEqual([[undefined, undefined]])
    await http.post('/v1/pipelines', { name: 'nightly', service: 'loads', displayName: 'Another one' })
    expect(await named()).toEqual([[undefined, undefined]])
    expect(await named(`asOf=@${before}`)).toEqual([['Nightly live', 'q live']])
    expect(await named(`asOf=@${softly}`)).toEqual([['Nightly live', 'q deleted']])
    await state(b, [{ from: a, pipeline: 'loads.nightly' }])
    expect(await named()).toEqual([['Another one live', undefined]])
    await state(b, [])
    expect(await named(`from=@${before}`, '/diff')).toEqual([['Nightly live', 'q live']])
  })

  it('ends with what it is about, and comes back with it', async () => {
    const { a, b } = (await tables('ends', 'a', 'b')) as Record<'a' | 'b', string>
    await state(b, [a])
    await answered(200, http.call('DELETE', byName(table, b)))
    expect((await graph(a)).nodes.map(({ deleted }: { deleted: boolean }) => deleted)).toEqual([false, true])
    await http.refuses('NOT_FOUND', 'PUT', at(b), { edges: [] })
    const body = await http.get(`${byName(table, b)}?include=all`)
    await http.put('/v1/tables/restore', { id: body.id })
    await state(b, [a])
    expect(arrows(await graph(a))).toEqual(['a > b'])
    await http.remove(`${byName(table, b)}?hardDelete=true`)
    expect((await graph(a)).nodes).toHaveLength(1)
  })

  it('refuses what is not there, itself, other kinds, and too much, by name', async () => {
    const { a } = (await tables('refused', 'a')) as Record<'a', string>
    const put = (edges: unknown) => http.call('PUT', at(a), { edges })
    const missing = await problem(400, 'BAD_REQUEST', put([{ from: 'refused.db.s.nothing' }]))
    expect(missing.errors).toEqual([{ path: '/edges/0/from', message: expect.stringContaining('does not exist') }])
    expect((await problem(400, 'BAD_REQUEST', put([{ from: a }]))).message).toContain('itself')
    await problem(400, 'BAD_REQUEST', put([{ from: { type: 'glossary', fullyQualifiedName: 'x' } }]))
    await problem(400, 'BAD_REQUEST', put(Array.from({ length: 1001 }, () => ({ from: a }))))
    await http.refuses('NOT_FOUND', 'PUT', at('refused.db.s.nothing'), { edges: [] })
    await http.refuses('NOT_FOUND', 'GET', '/v1/lineage/glossary/name/x')
    await http.refuses('BAD_REQUEST', 'PUT', at(a, '?source=a,b'), { edges: [] })
    expect(await state(a, [])).toMatchObject({ edges: [] })
  })

  it('is in history, activity and the feed, and a request of it is taken back', async () => {
    const { a, b, c } = (await tables('undone', 'a', 'b', 'c')) as Record<'a' | 'b' | 'c', string>
    const begun = await http.call('PUT', at(c), { edges: [{ from: a }] })
    const sent = await http.call('PUT', at(c), { edges: [{ from: b }] })
    const request = sent.headers.get('x-request-id') as string
    expect(arrows(await graph(c))).toEqual(['b > c'])
    const done = await http.get(`/v1/requests/${request}`)
    expect(done.data[0].entity.type).toBe('lineage')
    const history = await answered(200, http.call('GET', `/v1/lineages/${done.data[0].entity.id}/history`))
    expect(history.body.data.map(({ type }: { type: string }) => type)).toEqual([
      'Created',
      'LineageStated',
      'LineageStated',
    ])
    const feed = await answered(200, http.call('GET', '/v1/events?type=LineageStated&limit=1000'))
    expect(feed.body.data.at(-1)).toMatchObject({ type: 'catalog.lineage.LineageStated', data: { source: 'manual' } })
    expect((await answered(200, http.call('POST', `/v1/requests/${request}/revert`))).body.status).toBe('success')
    expect(arrows(await graph(c))).toEqual(['a > c'])
    await answered(200, http.call('POST', `/v1/requests/${begun.headers.get('x-request-id')}/revert`))
    expect(arrows(await graph(c))).toEqual([])
    await state(c, [b])
    expect(arrows(await graph(c))).toEqual(['b > c'])
  })

  it('proves each statement on request', async () => {
    const { a, b } = (await tables('proven', 'a', 'b')) as Record<'a' | 'b', string>
    await state(b, [a])
    const [edge] = (await graph(b, '?proof=true')).edges
    const direct = await answered(
      200,
      http.call('GET', `/v1/audit/inclusion?position=${edge.since.position}&size=${edge.proof.treeSize}`),
    )
    expect(edge.proof).toEqual(direct.body)
  })

  it('narrows lists and searches to what is up or down of an asset, now and then', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const some = await tables('narrowed', ...names)
    const [a, b, c, d, e] = names.map((name) => some[name] as string) as [string, string, string, string, string]
    await state(b, [a])
    await state(c, [b])
    await state(d, [c])
    const then = await head()
    await state(e, [c])
    await state(d, [])
    const listed = async (query: string) => {
      const { data, paging } = await http.get(`/v1/tables?service=narrowed&${query}`)
      expect(paging.total).toBe(data.length)
      return data.map(({ name }: { name: string }) => name).join('')
    }
    const found = async (query: string) => {
      const { hits } = await http.get(`/v1/search/query?${query}`)
      return hits.hits
        .map(({ _source }: { _source: { name: string } }) => _source.name)
        .toSorted()
        .join('')
    }
    expect(await listed(`upstreamOf=${c}`)).toBe('ab')
    expect(await listed(`downstreamOf=${a}`)).toBe('bce')
    expect(await listed(`downstreamOf=${a}&upstreamOf=${e}`)).toBe('bc')
    expect(await listed(`downstreamOf=${a}&asOf=@${then}`)).toBe('bcd')
    expect(await listed(`upstreamOf=${a}`)).toBe('')
    expect(await listed('upstreamOf=narrowed.db.s.nowhere')).toBe('')
    expect(await found(`q=*&downstreamOf=${a}`)).toBe('bce')
    expect(await found(`q=name:b&downstreamOf=${a}&index=table_search_index`)).toBe('b')
    expect(await found(`q=*&downstreamOf=${a}&index=topic_search_index`)).toBe('')
    const first = await http.get(`/v1/tables?downstreamOf=${a}&limit=2`)
    const rest = `/v1/tables?downstreamOf=${a}&limit=2&after=${encodeURIComponent(first.paging.after)}`
    expect((await http.get(rest)).data).toMatchObject([{ name: 'e' }])
    await http.refuses('BAD_REQUEST', 'GET', `/v1/glossaries?upstreamOf=${a}`)
  })

  it('tells what a patch would break below, by column, with owners, contracts and tests, and writes nothing', async () => {
    const { a, b, c, d } = (await tables('broken', 'a', 'b', 'c', 'd')) as Record<'a' | 'b' | 'c' | 'd', string>
    const columns = ['id', 'amount'].map((name) => ({ name, dataType: 'INT' }))
    const change = (fqn: string, members: object) =>
      answered(200, http.call('PATCH', `/v1/tables/name/${fqn}`, members, merge))
    await change(a, { columns })
    await change(b, {
      columns: [{ name: 'total', dataType: 'INT' }],
      owners: [{ type: 'user', fullyQualifiedName: 'admin' }],
    })
    await state(b, [{ from: a, columns: [{ from: ['amount'], to: 'total' }] }])
    await state(c, [{ from: a, columns: [{ from: ['id'], to: 'id' }] }])
    await state(d, [b])
    await http.post('/v1/dataContracts', {
      name: 'promise',
      entity: { type: 'table', fullyQualifiedName: b },
      schema: [{ name: 'total', dataType: 'INT' }],
    })
    await http.post('/v1/dataQuality/testSuites', { name: 'broken' })
    for (const column of ['amount', 'id'])
      await http.post('/v1/dataQuality/testCases', testCaseOn(a, `${column}IsThere`, { column, testSuite: 'broken' }))
    const before = await http.head()
    const patched = {
      columns: [
        { name: 'id', dataType: 'INT' },
        { name: 'amount', dataType: 'STRING' },
      ],
    }
    const told = (await answered(200, http.call('POST', `/v1/tables/name/${a}/impact`, patched, merge))).body
    expect(told).toMatchObject({
      breaking: true,
      changes: [{ column: 'amount', change: 'typeChanged', from: 'INT', to: 'STRING' }],
      truncated: false,
    })
    const shown = told.assets.map(({ name, columns: reached, owners, contract, tests }: any) => ({
      name,
      reached,
      owners: owners?.map((owner: any) => owner.name),
      contract: contract?.columns,
      tests: tests?.map((test: any) => test.name),
    }))
    expect(shown).toEqual([
      { name: 'a', reached: ['amount'], owners: [], contract: undefined, tests: ['amountIsThere'] },
      { name: 'b', reached: ['total'], owners: ['admin'], contract: ['total'], tests: undefined },
      { name: 'd', reached: undefined, owners: [], contract: undefined, tests: undefined },
    ])
    const { id } = await http.get(`/v1/tables/name/${a}`)
    const dropped = [{ op: 'remove', path: '/columns/0' }]
    const gone = await answered(
      200,
      http.call('POST', `/v1/tables/${id}/impact`, dropped, {
        headers: { 'content-type': 'application/json-patch+json' },
      }),
    )
    expect(gone.body.assets.map(({ name }: { name: string }) => name)).toEqual(['a', 'c'])
    expect(
      (await answered(200, http.call('POST', `/v1/tables/${id}/impact`, { description: 'new' }, merge))).body,
    ).toEqual({ breaking: false, changes: [], assets: [], truncated: false })
    expect(await http.head()).toBe(before)
    await http.refuses('FORBIDDEN', 'POST', `/v1/tables/${id}/impact`, patched, {
      ...merge,
      ...as('carl', 'DataConsumer'),
    })
  })

  it('shows what may not be viewed as a node without a name, in every answer', async () => {
    const { a, b } = (await tables('masked', 'a', 'b')) as Record<'a' | 'b', string>
    await http.post('/v1/services/dashboardServices', { name: 'veil', serviceType: 'Superset' })
    const { id: hidden } = await http.post('/v1/dashboards', { name: 'secretBoard', service: 'veil' })
    await http.put('/v1/lineage/dashboard/name/veil.secretBoard', {
      edges: [{ from: { type: 'table', fullyQualifiedName: a }, sql: 'secretSql' }],
    })
    await state(b, [{ from: { type: 'dashboard', fullyQualifiedName: 'veil.secretBoard' }, sql: 'secretSql' }])
    const from = `?from=@1&columns=true`
    const blind = as('tess', 'TablesOnly')
    const answers = await Promise.all(
      [
        at(a, '?columns=true'),
        at(a, '/csv'),
        at(a, `/diff${from}`),
        at(a, `/path?to=${b}&columns=true`),
        at(b, '?proof=false&columns=true'),
      ].map((path) => http.get(path, blind)),
    )
    const walked = []
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await http.get(at(a, `?limit=1${after && `&after=${encodeURIComponent(after)}`}`), blind)
      walked.push(...page.nodes)
      after = page.paging.after
      expect(Buffer.from(after?.split('.')[0] ?? '', 'base64url').toString()).not.toContain(hidden)
    }
    expect(walked).toEqual(answers[0].nodes)
    for (const body of answers) {
      const text = JSON.stringify(body)
      expect(text).toContain('dashboard')
      expect(text).not.toMatch(/secret|veil/i)
    }
    expect(answers[0].nodes).toHaveLength(3)
    const { id } = answers[0].nodes.find(({ type }: { type: string }) => type === 'dashboard')
    const repeated = await http.put(at(b), { edges: [{ from: { type: 'dashboard', id } }] }, blind)
    expect(repeated).toMatchObject({ edges: [{ from: { id, type: 'dashboard' } }], changed: true })
    expect(JSON.stringify(repeated)).not.toMatch(/secret|veil/i)
    const listed = await http.get(`/v1/tables?downstreamOf=${a}`, blind)
    expect(listed.data).toMatchObject([{ name: 'b' }])
    await http.refuses('FORBIDDEN', 'GET', `/v1/dashboards?downstreamOf=${a}`, undefined, blind)
    await http.refuses('NOT_FOUND', 'GET', at(a, '/path?to=veil.secretBoard'), undefined, blind)
    const named = await answered(200, http.call('GET', '/v1/tables?downstreamOf=veil.secretBoard', undefined, blind))
    expect(named.body.data).toEqual([])
    await http.refuses('FORBIDDEN', 'GET', `/v1/tables?downstreamOf=${a}`, undefined, as('rob', 'TablesWithoutLineage'))
  })
})
