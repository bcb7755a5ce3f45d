import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/shared/json.ts'
import { waitFor } from '../support/waitFor.ts'
import { answered, as, paths, problem, schemaOfPg, testCaseOn, useHttp } from './support.ts'

let contract: string
const contracts = '/v1/dataContracts'

const http = useHttp({ made: schemaOfPg })

beforeAll(async () => {
  const columns = [
    { name: 'id', dataType: 'INT' },
    { name: 'note', dataType: 'TEXT' },
  ]
  const table = await http.post('/v1/tables', { name: 't', databaseSchema: 'pg.db.s', tableType: 'Regular', columns })
  await http.post('/v1/dataQuality/testSuites', { name: 'suite' })
  await http.post('/v1/dataQuality/testCases', testCaseOn('pg.db.s.t', 'rows'))
  const made = await http.post(contracts, {
    name: 'promise',
    entity: { id: table.id, type: 'table' },
    schema: columns,
    semantics: [{ name: 'is a table', rule: '{"==":[{"var":"tableType"},"Regular"]}' }],
    qualityExpectations: ['pg.db.s.t.rows'],
  })
  contract = made.id as string
})

const validate = async () => (await answered(200, http.call('POST', `${contracts}/${contract}/validate`))).body
const report = (body: unknown) => http.call('PUT', `${contracts}/${contract}/results`, body)

describe('the results of a contract', () => {
  it('name what the asset does not keep, and a test case that nobody has reported', async () => {
    const before = await http.get(`${contracts}/${contract}`)
    const { latestResult, version, updatedAt } = await validate()
    expect(latestResult).toMatchObject({
      status: 'PartialSuccess',
      message: '5 of 6 promises were checked and are kept. Not checked: pg.db.s.t.rows.',
      contractVersion: 0.1,
      assetVersion: 0.1,
      counts: { passed: 5, failed: 0, notChecked: 1, total: 6 },
      schemaValidation: { passed: 2, failed: 0, total: 2, failedFields: [], typeMismatchFields: [] },
      semanticsValidation: { passed: 1, failed: 0, total: 1 },
      qualityValidation: {
        passed: 0,
        failed: 0,
        notChecked: 1,
        total: 1,
        failedTests: [],
      },
    })
    expect(Math.abs((latestResult.timestamp as number) - Date.now())).toBeLessThan(60_000)
    expect([version, updatedAt]).toEqual([before.version, before.updatedAt])
    expect((await http.get(`${contracts}/${contract}`)).latestResult).toEqual(latestResult)
  })

  it('come from an outside validator too, and its test results count from then on', async () => {
    const reported = {
      status: 'PartialSuccess',
      message: 'One of two.',
      timestamp: (await http.get(`${contracts}/${contract}`)).latestResult.timestamp,
      testResults: [{ testCase: 'pg.db.s.t.rows', status: 'Success' }],
    }
    const testResults = reported.testResults.map((one) => ({ timestamp: reported.timestamp, ...one }))
    expect((await answered(200, report(reported))).body.latestResult).toEqual({
      ...reported,
      testResults,
      contractVersion: 0.1,
      assetVersion: 0.1,
    })
    expect((await validate()).latestResult).toMatchObject({ status: 'Success', qualityValidation: { passed: 1 } })
    expect((await validate()).latestResult).toMatchObject({ status: 'Success', testResults })
  })

  it('change when the asset changes', async () => {
    const columns = [{ name: 'id', dataType: 'VARCHAR', dataLength: 9 }]
    await http.patch('/v1/tables/name/pg.db.s.t', { columns, tableType: 'View' })
    expect((await validate()).latestResult).toMatchObject({
      status: 'Failed',
      message: 'The asset does not keep what is promised: id is INT, note exists, is a table.',
      assetVersion: 1.1,
      schemaValidation: { failedFields: ['note'], typeMismatchFields: ['id: expected INT, got VARCHAR'] },
      semanticsValidation: { failedRules: [{ ruleName: 'is a table', reason: 'it does not hold' }] },
    })
  })

  it('stand in the history, and earlier ones can be read', async () => {
    const { data } = await http.get(`${contracts}/${contract}/history?limit=100`)
    const validated = data.filter(({ type }: JsonObject) => type === 'Validated')
    expect(validated.length).toBe(5)
    const at = `${contracts}/${contract}?asOf=${validated[1].position}`
    expect((await http.get(at)).latestResult).toMatchObject({ status: 'PartialSuccess', message: 'One of two.' })
  })

  it('are stale as soon as the contract or its asset has another version, now and then', async () => {
    const at = `${contracts}/${contract}`
    const { latestResult, latestResultStale } = await validate()
    expect([latestResult.contractVersion, latestResult.assetVersion, latestResultStale]).toEqual([0.1, 1.1, false])
    const etag = (await answered(200, http.call('GET', at))).headers.get('etag') as string
    const moment = await http.head()
    await http.patch('/v1/tables/name/pg.db.s.t', { description: 'Moved.' })
    const moved = await answered(200, http.call('GET', at, undefined, { headers: { 'if-none-match': etag } }))
    expect(moved.body.latestResultStale).toBe(true)
    expect((await http.get(`${at}?asOf=${moment}`)).latestResultStale).toBe(false)
    expect((await validate()).latestResultStale).toBe(false)
    await http.patch(at, { description: 'Said otherwise.' })
    expect((await http.get(at)).latestResultStale).toBe(true)
  })

  const of = (status: string, testCase = 'pg.db.s.t.rows') => ({ testCase, status })
  const failedRules = [{ ruleName: 'a' }, { ruleName: 'b' }]

  it.each([
    [{ status: 'Success', schemaValidation: { passed: 1, failed: 1, total: 2 } }, '/status'],
    [{ status: 'Success', timestamp: 1_700_000_000_000_000 }, '/timestamp'],
    [{ status: 'Success', timestamp: 1_700_000_000 }, '/timestamp'],
    [{ status: 'Success', testResults: [{ ...of('Success'), timestamp: 2 ** 52 }] }, '/testResults/0/timestamp'],
    [{ status: 'PartialSuccess', testResults: [of('Failed')] }, '/status'],
    [{ status: 'Failed', qualityValidation: { passed: 1, failed: 0, total: 1 } }, '/status'],
    [{ status: 'Success', testResults: [of('Aborted')] }, '/status'],
    [{ status: 'Failed', schemaValidation: { passed: 2, failed: 2, total: 3 } }, '/schemaValidation/total'],
    [
      { status: 'Failed', semanticsValidation: { passed: 0, failed: 1, total: 2, failedRules } },
      '/semanticsValidation/failed',
    ],
    [{ status: 'Failed', testResults: [of('Success'), of('Failed')] }, '/testResults/1/status'],
    [{ status: 'Success', testResults: [of('Success', 'pg.db.s.t.nothing')] }, '/testResults/0/testCase'],
    [
      {
        status: 'Failed',
        qualityValidation: { passed: 0, failed: 1, total: 1, failedTests: [{ testCase: 'nowhere' }] },
      },
      '/qualityValidation/failedTests/0/testCase',
    ],
  ])('are refused when they contradict themselves or name no test case: %j', async (body, at) => {
    const refused = await http.refuses('BAD_REQUEST', 'PUT', `${contracts}/${contract}/results`, body)
    expect(paths(refused)).toEqual([at])
  })

  it('of an Active contract follow each change of its asset, as an event that the change caused', async () => {
    await http.patch(`${contracts}/${contract}`, { entityStatus: 'Active' })
    const before = (await http.get(`${contracts}/${contract}/history?limit=100`)).data.length
    const columns = [
      { name: 'id', dataType: 'INT' },
      { name: 'note', dataType: 'TEXT' },
    ]
    await http.patch('/v1/tables/name/pg.db.s.t', { columns, tableType: 'Regular' })
    const caused = await waitFor(async () => {
      const event = (await http.get(`${contracts}/${contract}/history?limit=100`)).data[before]
      expect(event).toBeDefined()
      return event
    })
    const table = await http.get('/v1/tables/name/pg.db.s.t')
    const change = (await http.get(`/v1/tables/${table.id}/history?limit=100`)).data.at(-1)
    expect(caused).toMatchObject({
      type: 'Validated',
      user: 'system',
      causationId: change.id,
      correlationId: change.correlationId,
    })
    const { latestResult, latestResultStale } = await http.get(`${contracts}/${contract}`)
    expect([latestResult.status, latestResult.assetVersion, latestResultStale]).toEqual([
      'Success',
      table.version,
      false,
    ])
  })

  it('show as a badge, which is another one as soon as they are stale', async () => {
    const badge = () => answered(200, http.call('GET', `${contracts}/${contract}/badge`))
    await validate()
    const { body, headers } = await badge()
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(body).toContain('aria-label="data contract: kept"')
    await http.patch(`${contracts}/${contract}`, { description: 'Again.' })
    expect((await badge()).body).toContain('aria-label="data contract: stale"')
    const fresh = await http.post('/v1/topics', {
      name: 'k',
      service: (await http.post('/v1/services/messagingServices', { name: 'm', serviceType: 'Kafka' })).name,
    })
    const other = await http.post(contracts, { name: 'none', entity: { id: fresh.id, type: 'topic' } })
    const at = `${contracts}/name/${encodeURIComponent(other.fullyQualifiedName)}/badge`
    expect(await http.get(at)).toContain('data contract: not validated')
  })

  it('that ended before the newest one are recorded, and the newest one stays, now and when read later', async () => {
    const { body } = await answered(200, report({ status: 'Failed' }))
    const ended = (body.latestResult.timestamp as number) - 24 * 60 * 60 * 1000
    const late = await answered(200, report({ status: 'Success', timestamp: ended }))
    expect(late.body.latestResult).toEqual(body.latestResult)
    const at = `${contracts}/${contract}`
    const position = late.headers.get('catalog-position')
    expect((await http.get(`${at}?asOf=@${position}`)).latestResult).toEqual(body.latestResult)
    const { data } = await http.get(`${at}/history?limit=100`)
    expect(data.at(-1)).toMatchObject({ type: 'Validated', data: { result: { timestamp: ended }, late: true } })
    for (const then of ['', `&asOf=@${position}`]) {
      const found = (await http.get(`${contracts}?validation=Failed${then}`)).data
      expect(found.map(({ name }: JsonObject) => name)).toEqual(['promise'])
    }
  })

  it('of an outside validator count from when it ended, also against an earlier result of a test', async () => {
    const [test, testCase] = ['/v1/dataQuality/testCases/name/pg.db.s.t.rows/results', 'pg.db.s.t.rows']
    await http.put(test, { status: 'Success', timestamp: Date.now() - 24 * 60 * 60 * 1000 })
    await answered(200, report({ status: 'Failed', testResults: [{ testCase, status: 'Failed', message: 'outside' }] }))
    expect((await validate()).latestResult).toMatchObject({ status: 'Failed', qualityValidation: { failed: 1 } })
    await http.put(test, { status: 'Success' })
    expect((await validate()).latestResult).toMatchObject({ status: 'Success', qualityValidation: { passed: 1 } })
  })

  it('narrow lists, also of the past, and search, each with its total', async () => {
    const found = async (query: string) => {
      const { data, paging } = await http.get(`${contracts}?${query}`)
      expect(paging.total).toBe(data.length)
      return data.map(({ name }: JsonObject) => name)
    }
    const searched = async (query: string) => {
      const { hits, facets } = await http.get(
        `/v1/search/query?index=data_contract_search_index&facets=validation&${query}`,
      )
      expect(hits.total.value).toBe(hits.hits.length)
      return [hits.hits.map(({ _source }: { _source: JsonObject }) => _source['name']), facets.validation]
    }
    const reported = await answered(200, report({ status: 'Failed' }))
    const then = `asOf=@${reported.headers.get('catalog-position')}`
    expect([await found('validation=Failed'), await found('validation=none')]).toEqual([['promise'], ['none']])
    const failed = [['promise'], [{ value: 'Failed', count: 1 }]]
    expect(await searched('validation=Failed')).toMatchObject(failed)
    expect(await searched('q=validation:failed')).toMatchObject(failed)

    await answered(200, report({ status: 'Success' }))
    expect([await found('validation=Failed'), await found('validation=Success')]).toEqual([[], ['promise']])
    expect([await found(`validation=Failed&${then}`), await found(`validation=Success&${then}`)]).toEqual([
      ['promise'],
      [],
    ])
    expect(await found(`validation=none&${then}`)).toEqual(['none'])
    expect((await searched('validation=Failed'))[0]).toEqual([])
    expect((await searched('validation=Success&q=promise'))[0]).toEqual(['promise'])
    for (const path of [`${contracts}?validation=Broken`, '/v1/search/query?validation=Broken'])
      await http.refuses('BAD_REQUEST', 'GET', path)
  })

  it('are refused when they say nothing, and to those who may not edit', async () => {
    expect(paths(await problem(400, 'BAD_REQUEST', report({ state: 'fine' })))).toEqual(['/status', '/state'])
    const reader = as('zoe', 'DataConsumer')
    await http.refuses('FORBIDDEN', 'POST', `${contracts}/${contract}/validate`, undefined, reader)
    await http.refuses('FORBIDDEN', 'PUT', `${contracts}/${contract}/results`, { status: 'Success' }, reader)
    const nobody = '00000000-0000-4000-8000-000000000000'
    await http.refuses('NOT_FOUND', 'POST', `${contracts}/${nobody}/validate`)
  })
})

it('rules see what an asset loses with other entities', async () => {
  await http.post('/v1/users', { name: 'keeper' })
  await http.post('/v1/classifications', { name: 'kept' })
  await http.post('/v1/tags', { name: 'here', classification: 'kept' })
  for (const name of ['around', 'elsewhere']) await http.post('/v1/domains', { name, domainType: 'Aggregate' })
  const product = await http.post('/v1/dataProducts', { name: 'offered', domain: 'elsewhere' })
  const table = await http.post('/v1/tables', {
    name: 'ruled',
    databaseSchema: 'pg.db.s',
    columns: [{ name: 'id', dataType: 'INT', tags: ['kept.here'] }],
    owners: ['keeper'],
    domains: ['around'],
  })
  const rule = (name: string, path = name) => ({ name, rule: JSON.stringify({ '!!': [{ var: path }] }) })
  const { id } = await http.post(contracts, {
    name: 'rules',
    entity: { id: table.id, type: 'table' },
    semantics: [rule('owners'), rule('domains'), rule('dataProducts'), rule('tags', 'columns.0.tags')],
    entityStatus: 'Active',
  })
  await answered(200, http.call('POST', `${contracts}/${id}/validate`))
  const fails = (...names: string[]) =>
    waitFor(async () => {
      const { latestResult } = await http.get(`${contracts}/${id}`)
      const failed = latestResult.semanticsValidation.failedRules as JsonObject[]
      expect(failed.map(({ ruleName }) => ruleName)).toEqual(names)
    })
  await fails('dataProducts')
  const assets = { assets: [{ id: table.id, type: 'table' }] }
  await answered(200, http.call('PUT', `/v1/dataProducts/${product.id}/assets/add`, assets))
  await fails()
  await answered(200, http.call('PUT', `/v1/dataProducts/${product.id}/assets/remove`, assets))
  await fails('dataProducts')
  await answered(200, http.call('PUT', `/v1/dataProducts/${product.id}/assets/add`, assets))
  await fails()
  const lose = (path: string) => answered(204, http.call('DELETE', `${path}?hardDelete=true`))
  await lose('/v1/dataProducts/name/offered')
  await fails('dataProducts')
  await lose('/v1/users/name/keeper')
  await fails('owners', 'dataProducts')
  await lose('/v1/tags/name/kept.here')
  await fails('owners', 'dataProducts', 'tags')
  await lose('/v1/domains/name/around')
  await fails('owners', 'domains', 'dataProducts', 'tags')
})
