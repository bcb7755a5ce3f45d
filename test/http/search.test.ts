import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/shared/json.ts'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import { answered, as, paths, useHttp, type Http } from './support.ts'

const http = useHttp()

beforeAll(async () => {
  const bodies: [string, JsonObject][] = [
    ['/v1/users', { name: 'keeper' }],
    ['/v1/classifications', { name: 'Privacy' }],
    ['/v1/tags', { name: 'Personal', classification: 'Privacy' }],
    ['/v1/services/databaseServices', { name: 'warehouse', serviceType: 'Postgres' }],
    ['/v1/databases', { name: 'shop', service: 'warehouse' }],
    ['/v1/databaseSchemas', { name: 'public', database: 'warehouse.shop' }],
    [
      '/v1/tables',
      {
        name: 'orders',
        databaseSchema: 'warehouse.shop.public',
        description: 'What customers bought',
        columns: [
          { name: 'order_id', dataType: 'INT' },
          { name: 'placedAt', dataType: 'TIMESTAMP' },
        ],
        tags: ['Privacy.Personal'],
        owners: ['keeper'],
        extension: { entityType: 'x' },
      },
    ],
    [
      '/v1/tables',
      {
        name: 'returns',
        databaseSchema: 'warehouse.shop.public',
        description: 'Orders that came back',
        displayName: 'Retouren',
      },
    ],
    ['/v1/services/messagingServices', { name: 'bus', serviceType: 'Kafka' }],
    ['/v1/topics', { name: 'orders', service: 'bus' }],
    ['/v1/glossaries', { name: 'words' }],
    ['/v1/glossaryTerms', { name: 'Customer', glossary: 'words', synonyms: ['buyer'] }],
  ]
  for (const [path, body] of bodies) await http.post(path, body)
})

const query = async (q: string, more = '', options?: Parameters<Http['call']>[3]) =>
  await http.get(`/v1/search/query?q=${encodeURIComponent(q)}${more}`, options)
const found = async (q: string, more = '', options?: Parameters<Http['call']>[3]): Promise<string[]> =>
  (await query(q, more, options)).hits.hits.map(({ _source }: { _source: JsonObject }) => _source['fullyQualifiedName'])

describe('search', () => {
  it('answers in the shape that clients of catalogs read', async () => {
    const answer = await query('orders', '&index=table_search_index')
    expect(answer).toMatchObject({
      took: expect.any(Number),
      timed_out: false,
      hits: { total: { value: 2, relation: 'eq' }, max_score: expect.any(Number) },
    })
    const [first] = answer.hits.hits
    expect(first).toMatchObject({
      _index: 'table_search_index',
      _id: first._source.id,
      _score: answer.hits.max_score,
      _source: { name: 'orders', entityType: 'table', columns: [{ name: 'order_id' }, {}] },
    })
    expect(await query('nothing_like_it')).toMatchObject({ hits: { total: { value: 0 }, max_score: null, hits: [] } })
  })

  it('marks the words in the hits when asked', async () => {
    const { hits } = await query('customer order', '&index=table_search_index&highlight=true')
    expect(hits.hits[0].highlight).toEqual({
      name: ['<em>orders</em>'],
      fields: ['<em>order</em>_id'],
      description: ['What <em>customers</em> bought'],
    })
    expect((await query('orders')).hits.hits[0]).not.toHaveProperty('highlight')
  })

  it('counts hits by what is asked for', async () => {
    const answer = await query('orders', '&size=0&facets=kind,owner,tag,domain,service,entityStatus')
    expect(answer.facets).toEqual({
      kind: [
        { value: 'table', count: 2 },
        { value: 'topic', count: 1 },
      ],
      owner: [{ value: 'keeper', count: 1 }],
      tag: [{ value: 'Privacy.Personal', count: 1 }],
      domain: [],
      service: [
        { value: 'warehouse', count: 2 },
        { value: 'bus', count: 1 },
      ],
      entityStatus: expect.any(Array),
    })
    expect(answer.aggregations.service).toEqual({
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 0,
      buckets: [
        { key: 'warehouse', doc_count: 2 },
        { key: 'bus', doc_count: 1 },
      ],
    })
    expect((await query('*', '&size=0&facets=kind&index=table_search_index')).facets).toEqual({
      kind: [{ value: 'table', count: 2 }],
    })
    expect(await query('*', '&size=0')).not.toHaveProperty('facets')
  })

  it('is narrowed to values of facets, as many hits as the facet has counted', async () => {
    const table = 'warehouse.shop.public.orders'
    expect(await found('orders', '&owner=keeper')).toEqual([table])
    expect(await found('*', '&owner=keeper&tag=Privacy.Personal&service=warehouse&index=dataAsset')).toEqual([table])
    expect(await found('*', '&service=bus&tag=Privacy.Personal')).toEqual([])
    expect(await found('*', '&owner=nobody')).toEqual([])
    const { facets } = await query('orders', '&facets=kind,owner,tag,service,entityStatus')
    for (const name of ['owner', 'tag', 'service', 'entityStatus'])
      for (const { value, count } of facets[name])
        expect([name, value, await found('orders', `&${name}=${encodeURIComponent(value)}`)]).toEqual([
          name,
          value,
          expect.toSatisfy((hits: string[]) => hits.length === count),
        ])
    const plain = await query('orders', '&index=table_search_index&size=1')
    const narrow = await query('orders', '&index=table_search_index&size=1&owner=keeper')
    expect(narrow.hits.hits[0]._score).toBe(plain.hits.hits[0]._score)
    await http.refuses('BAD_REQUEST', 'GET', '/v1/search/query?q=x&service=%22open')
  })

  it('counts what belongs to each of two services of one name, as the filter by its id finds it', async () => {
    const { id: one } = await http.post('/v1/services/databaseServices', { name: 'twin', serviceType: 'Postgres' })
    const { id: other } = await http.post('/v1/services/messagingServices', { name: 'twin', serviceType: 'Kafka' })
    await http.post('/v1/databases', { name: 'twinned', service: 'twin' })
    await http.post('/v1/topics', { name: 'twinned', service: 'twin' })
    const { facets, aggregations } = await query('twinned', '&facets=service')
    const [first, second] = [
      { value: one, count: 1, displayName: 'twin (databaseService)' },
      { value: other, count: 1, displayName: 'twin (messagingService)' },
    ]
    expect(facets.service).toEqual(one < other ? [first, second] : [second, first])
    expect(aggregations.service.buckets).toEqual([one, other].toSorted().map((key) => ({ key, doc_count: 1 })))
    expect(await found('twinned', '&service=twin')).toEqual(['twin.twinned', 'twin.twinned'])
    expect(await found('twinned', `&service=${one}`)).toEqual(['twin.twinned'])
  })

  it('counts a hit once for each tag and each term that it has, also where both have one name', async () => {
    for (const path of ['classifications', 'glossaries']) await http.post(`/v1/${path}`, { name: 'Both' })
    const { id: tag } = await http.post('/v1/tags', { name: 'pii', classification: 'Both' })
    const { id: term } = await http.post('/v1/glossaryTerms', { name: 'pii', glossary: 'Both' })
    const tags = ['Classification', 'Glossary'].map((source) => ({ tagFQN: 'Both.pii', source }))
    await http.post('/v1/topics', { name: 'labelled', service: 'bus', tags })
    const { facets, hits } = await query('labelled', '&facets=tag&tag=Both.pii')
    const values = facets.tag.map(({ value, count }: { value: string; count: number }) => [value, count])
    expect([hits.total.value, values]).toEqual([1, [tag, term].toSorted().map((id) => [id, 1])])
  })

  it('counts the services that there are, not those that were', async () => {
    await http.post('/v1/services/messagingServices', { name: 'reborn', serviceType: 'Kafka' })
    await http.post('/v1/topics', { name: 'once', service: 'reborn' })
    await http.remove('/v1/topics/name/reborn.once')
    const once = (more = '') => found('once', `&index=topic_search_index${more}`)
    expect([await once(), await once('&deleted=true')]).toEqual([[], ['reborn.once']])
    await http.remove('/v1/services/messagingServices/name/reborn?recursive=true&hardDelete=true')
    const { id } = await http.post('/v1/services/messagingServices', { name: 'reborn', serviceType: 'Kafka' })
    await http.post('/v1/topics', { name: 'again', service: 'reborn' })
    expect(await found('*', `&service=${id}`)).toEqual(['reborn.again'])
    expect((await query('again', '&facets=service')).facets.service).toEqual([{ value: 'reborn', count: 1 }])
  })

  it('refuses a kind or an outcome that there is not, and names those that there are', async () => {
    const { errors } = await http.refuses('BAD_REQUEST', 'GET', '/v1/search/query?q=orders+kind:tabel')
    expect(errors).toEqual([
      { path: '?q', message: expect.stringMatching(/^column 13: There is no kind "tabel", only .*, table, /) },
    ])
    await http.refuses('BAD_REQUEST', 'GET', '/v1/topics?q=kind:topics')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/search/query?q=validation:passed')
  })

  it('refuses orders that it does not give', async () => {
    for (const order of ['sort_field=displayName.keyword', 'sort_field=_score&sort_order=asc', 'sort_order=asc'])
      await http.refuses('BAD_REQUEST', 'GET', `/v1/search/query?q=orders&${order}`)
    const best = await query('orders')
    expect((await query('orders', '&sort_order=desc')).hits).toEqual(best.hits)
  })

  it('finds owners and tags by the display names that they have now', async () => {
    const user = await answered(201, http.call('POST', '/v1/users', { name: 'u17', displayName: 'Grace Hopper' }))
    await http.post('/v1/topics', { name: 'compilers', service: 'bus', owners: ['u17'] })
    const called = async (name: string) =>
      Promise.all([`owners:${name}`, `tags:${name}`, `compilers ${name}`].map((q) => found(q)))
    const hit = ['bus.compilers']
    expect(await called('hopper')).toEqual([hit, [], hit])
    expect(await called('"grace hopper"')).toEqual([hit, [], hit])
    const renamed = { displayName: 'Grace Murray' }
    await http.patch(`/v1/users/${user.body.id}`, renamed)
    expect(await called('hopper')).toEqual([[], [], []])
    expect(await called('murray')).toEqual([hit, [], hit])
  })

  it('gives what is liked before its equals', async () => {
    for (const name of ['equal_a', 'equal_b'])
      await http.post('/v1/topics', { name, service: 'bus', displayName: 'Equals' })
    const equals = async () => (await found('equals')).slice(0, 2)
    expect(await equals()).toEqual(['bus.equal_a', 'bus.equal_b'])
    const body = await http.get('/v1/topics/name/bus.equal_b')
    await http.put(`/v1/topics/${body.id}/vote`, { updatedVoteType: 'votedUp' })
    expect(await equals()).toEqual(['bus.equal_b', 'bus.equal_a'])
  })

  it('obeys the policies', async () => {
    expect(await found('buyer', '', as('ro', 'DataConsumer'))).toEqual(['words.Customer'])
    await http.refuses('FORBIDDEN', 'GET', '/v1/search/query?q=buyer', undefined, as('x', 'Nobody'))
    await http.refuses('FORBIDDEN', 'GET', '/v1/search/suggest?q=b', undefined, as('x', 'Nobody'))
  })

  it('knows an index for each kind, and no other', async () => {
    for (const { name } of kinds)
      await query('x', `&index=${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_search_index`)
    for (const index of ['table', 'tables_search_index', 'constructor', ''])
      await http.refuses('NOT_FOUND', 'GET', `/v1/search/query?q=x&index=${index}`)
  })

  it('names what is wrong with the other parameters', async () => {
    for (const [name, value] of [
      ['size', '1001'],
      ['size', '-1'],
      ['from', '10001'],
      ['from', 'x'],
      ['sort_field', 'x'],
      ['sort_field', 'constructor'],
      ['sort_order', 'up'],
      ['deleted', 'maybe'],
      ['highlight', 'maybe'],
      ['facets', 'kind,colour'],
    ]) {
      expect(paths(await http.refuses('BAD_REQUEST', 'GET', `/v1/search/query?q=x&${name}=${value}`))).toEqual([
        `?${name}`,
      ])
    }
    await http.refuses('BAD_REQUEST', 'GET', `/v1/search/query?q=${'x'.repeat(2000)}`)
    await http.refuses('BAD_REQUEST', 'GET', `/v1/search/query?q=${encodeURIComponent('('.repeat(400))}`)
    for (const q of ['', ' ', '🙂', '%00', '*:*', '-', '--', '\\', '%', '_', 'a*b', '**', '?', "'"]) {
      const { status } = await http.call('GET', `/v1/search/query?q=${encodeURIComponent(q)}`)
      expect([q, status < 500]).toEqual([q, true])
    }
  })
})

describe('suggestions', () => {
  it('are references to what begins so', async () => {
    const body = await http.get('/v1/search/suggest?q=ord')
    expect(body.data.map((each: JsonObject) => each['fullyQualifiedName']).toSorted()).toEqual([
      'bus.orders',
      'warehouse.shop.public.orders',
    ])
    expect(body.data[0]).toMatchObject({
      id: expect.any(String),
      type: expect.any(String),
      name: 'orders',
      deleted: false,
    })
    expect((await http.get('/v1/search/suggest?q=ord&index=topic_search_index')).data).toHaveLength(1)
    const both = (await http.get('/v1/search/suggest?q=ord&index=topic_search_index,%20table_search_index')).data
    expect(new Set(both.map(({ type }: { type: string }) => type))).toEqual(new Set(['topic', 'table']))
    expect((await http.get('/v1/search/suggest?q=ord&limit=1')).data).toHaveLength(1)
    expect((await http.get('/v1/search/suggest?q=zzz')).data).toEqual([])
    await http.refuses('BAD_REQUEST', 'GET', '/v1/search/suggest')
    await http.refuses('BAD_REQUEST', 'GET', '/v1/search/suggest?q=x&limit=101')
    await http.refuses('NOT_FOUND', 'GET', '/v1/search/suggest?q=x&index=x')
    await http.refuses('NOT_FOUND', 'GET', '/v1/search/suggest?q=x&index=topic_search_index,x')
  })

  it('find by the beginning of every word of name, display name, synonyms and what stands above', async () => {
    for (const [path, body] of [
      ['classifications', { name: 'Zone' }],
      ['tags', { name: 'Inner', classification: 'Zone', description: 'Nobody may know velvet.' }],
      ['glossaries', { name: 'Ledger' }],
      [
        'glossaryTerms',
        { name: 'NR', glossary: 'Ledger', displayName: 'Net Revenue', synonyms: ['Turnover of sales'] },
      ],
      ['glossaryTerms', { name: 'net_revenue_gross', glossary: 'Ledger' }],
    ] as const)
      await http.post(`/v1/${path}`, body)
    const suggested = async (q: string, kind: string, limit = 10) => {
      const query = new URLSearchParams({ q, index: `${kind}_search_index`, limit: String(limit) })
      const body = await http.get(`/v1/search/suggest?${query}`)
      return body.data.map((each: JsonObject) => each['fullyQualifiedName'])
    }
    expect(await suggested('zon', 'tag')).toEqual(['Zone.Inner'])
    expect(await suggested('zone in', 'tag')).toEqual(['Zone.Inner'])
    expect(await suggested('rev net', 'glossary_term')).toEqual(['Ledger.NR', 'Ledger.net_revenue_gross'])
    expect(await suggested('net', 'glossary_term')).toEqual(['Ledger.net_revenue_gross', 'Ledger.NR'])
    expect(await suggested('net', 'glossary_term', 1)).toEqual(['Ledger.net_revenue_gross'])
    expect(await suggested('sales turn', 'glossary_term')).toEqual(['Ledger.NR'])
    expect(await suggested('velvet', 'tag')).toEqual([])
    expect(await suggested('zon velvet', 'tag')).toEqual([])
  })
})
