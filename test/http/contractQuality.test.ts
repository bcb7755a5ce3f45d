import { beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/waitFor.ts'
import { answered, schemaOfPg, testCaseOn, useHttp } from './support.ts'

let table: string

const tests = '/v1/dataQuality/testCases'
const begin = Date.UTC(2026, 0, 1)

const testCase = (name: string) => http.post(tests, testCaseOn('pg.db.s.t', name))
const report = (name: string, body: object) =>
  answered(200, http.call('PUT', `${tests}/name/pg.db.s.t.${name}/results`, body))
const read = (path: string) => http.get(path)

const document = `apiVersion: v3.1.0
kind: DataContract
id: promise
name: promise
version: 1.0.0
status: active
schema:
  - name: t
    properties: [{ name: id, logicalType: integer, physicalType: INT }]
    quality:
      - { type: library, name: rows, metric: rowCount, mustBeGreaterThan: 0 }
      - { type: library, name: fresh, metric: rowCount, mustBeGreaterThan: 0 }
`

let contract: string
const validated = async () =>
  (await answered(200, http.call('POST', `/v1/dataContracts/${contract}/validate`))).body.latestResult
const quality = ({ promises }: { promises: { part: string; promise: string; outcome: string; reason?: string }[] }) =>
  promises.flatMap(({ part, ...rest }) => (part === 'quality' ? rest : []))
const stands = async () => (await read(`/v1/dataContracts/${contract}`)).latestResult

const http = useHttp({ made: schemaOfPg })

beforeAll(async () => {
  table = (
    await http.post('/v1/tables', { name: 't', databaseSchema: 'pg.db.s', columns: [{ name: 'id', dataType: 'INT' }] })
  ).id
  await http.post('/v1/dataQuality/testSuites', { name: 'suite' })
  await testCase('rows')
  const path = `/v1/dataContracts/odcs/yaml?entityId=${table}&entityType=table`
  const sent = await http.call('POST', path, document, { headers: { 'content-type': 'application/yaml' } })
  expect([sent.status, sent.body?.message]).toEqual([201, undefined])
  contract = sent.body.id
})

it('a quality rule goes by the last result of the test case that it names', async () => {
  const missing = { promise: 'pg.db.s.t.rows', outcome: 'notChecked', reason: 'no result has been reported' }
  expect(quality(await validated())).toContainEqual(missing)
  await report('rows', { status: 'Failed', timestamp: begin, message: 'no rows' })
  expect(quality(await validated())).toContainEqual({
    promise: 'pg.db.s.t.rows',
    outcome: 'failed',
    reason: 'no rows',
  })
  await report('rows', { status: 'Success', timestamp: begin + 1000 })
  expect(quality(await validated())).toContainEqual({ promise: 'pg.db.s.t.rows', outcome: 'passed' })
})

it('also of a test case that was made after the contract', async () => {
  const unknown = { promise: 'fresh', outcome: 'notChecked', reason: 'no test case of this name stands for the rule' }
  expect(quality(await validated())).toContainEqual(unknown)
  await testCase('fresh')
  const named = { promise: 'pg.db.s.t.fresh', outcome: 'notChecked', reason: 'no result has been reported' }
  await waitFor(async () => expect(quality(await stands())).toContainEqual(named))
  await report('fresh', { status: 'Success', timestamp: begin })
  expect(quality(await validated())).toEqual([
    { promise: 'pg.db.s.t.rows', outcome: 'passed' },
    { promise: 'pg.db.s.t.fresh', outcome: 'passed' },
  ])
})

it('what an outside validator says of a test counts where it is newer', async () => {
  const outside = async (status: string, timestamp: number) => {
    const testResults = [{ testCase: 'pg.db.s.t.rows', status, timestamp }]
    await http.put(`/v1/dataContracts/${contract}/results`, { status, testResults })
    return quality(await validated())
  }
  expect(await outside('Failed', begin)).toContainEqual({ promise: 'pg.db.s.t.rows', outcome: 'passed' })
  expect(await outside('Failed', begin + 2000)).toMatchObject([{ outcome: 'failed' }, { outcome: 'passed' }])
  await report('rows', { status: 'Success', timestamp: begin + 3000 })
  expect(quality(await validated())).toMatchObject([{ outcome: 'passed' }, { outcome: 'passed' }])
})

it('a result that changes what is kept validates the Active contract by itself, and one that does not changes nothing', async () => {
  const events = async () =>
    (await read(`/v1/dataContracts/${contract}/history?limit=1000`)).data.filter(
      (each: any) => each.type === 'Validated',
    )
  const before = (await events()).length
  const { latestResult } = (await report('rows', { status: 'Failed', timestamp: begin + 4000 })).body
  expect(latestResult.status).toBe('Failed')
  await waitFor(async () => expect((await stands()).status).toBe('Failed'))
  await report('rows', { status: 'Failed', timestamp: begin + 5000 })
  await report('rows', { status: 'Success', timestamp: begin + 6000 })
  await waitFor(async () =>
    expect(quality(await stands())).toContainEqual({ promise: 'pg.db.s.t.rows', outcome: 'passed' }),
  )
  expect((await events()).length).toBe(before + 2)
})

it('a contract that expects a test of another asset follows its results and its deletion by itself', async () => {
  await http.post('/v1/domains', { name: 'd', domainType: 'Aggregate', description: 'd' })
  await http.post('/v1/dataProducts', { name: 'p', domains: ['d'], description: 'p' })
  const { id: test } = await testCase('other')
  const { id } = await http.post('/v1/dataContracts', {
    name: 'of p',
    entity: { type: 'dataProduct', fullyQualifiedName: 'p' },
    entityStatus: 'Active',
    qualityExpectations: ['pg.db.s.t.other'],
  })
  const becomes = (outcome: string) =>
    waitFor(async () => {
      const { latestResult } = await read(`/v1/dataContracts/${id}`)
      expect(quality(latestResult)).toMatchObject([{ promise: 'pg.db.s.t.other', outcome }])
    })
  await report('other', { status: 'Success' })
  await becomes('passed')
  await report('other', { status: 'Failed' })
  await becomes('failed')
  await answered(200, http.call('DELETE', `${tests}/${test}`))
  await becomes('notChecked')
})

const outcomeOf = async (name: string) =>
  quality(await stands()).find(({ promise }) => promise === name || promise === `pg.db.s.t.${name}`)

it('a result that is taken back counts no longer, and what the test said before counts again', async () => {
  await report('fresh', { status: 'Success', timestamp: begin + 7000 })
  const { headers } = await report('fresh', { status: 'Failed', timestamp: begin + 8000 })
  await waitFor(async () => expect(await outcomeOf('fresh')).toMatchObject({ outcome: 'failed' }))
  await answered(200, http.call('POST', `/v1/requests/${headers.get('x-correlation-id')}/revert`))
  await waitFor(async () => expect(await outcomeOf('fresh')).toMatchObject({ outcome: 'passed' }))
})

it('a test that is deleted is not checked, and what it said counts again once it is restored', async () => {
  const { id } = await http.get(`${tests}/name/pg.db.s.t.rows`)
  await http.call('DELETE', `${tests}/${id}`)
  await waitFor(async () => expect(await outcomeOf('rows')).toMatchObject({ reason: 'the test case is deleted' }))
  await http.put(`${tests}/restore`, { id })
  await waitFor(async () => expect(await outcomeOf('rows')).toMatchObject({ outcome: 'passed' }))
})

it('neither results nor reports of a test that is gone count for a new one of its name', async () => {
  const testResults = [{ testCase: 'pg.db.s.t.rows', status: 'Success', timestamp: begin + 9000 }]
  await http.put(`/v1/dataContracts/${contract}/results`, { status: 'Success', testResults })
  const before = await validated()
  expect(quality(before)).toContainEqual({ promise: 'pg.db.s.t.rows', outcome: 'passed' })
  expect(before.testResults).toContainEqual({ ...testResults[0], external: true })
  const { id } = await http.get(`${tests}/name/pg.db.s.t.rows`)
  await http.call('DELETE', `${tests}/${id}?hardDelete=true`)
  await waitFor(async () => expect(await outcomeOf('rows')).toMatchObject({ reason: 'the test case is gone' }))
  await testCase('rows')
  const unknown = { promise: 'pg.db.s.t.rows', outcome: 'notChecked', reason: 'no result has been reported' }
  expect(quality(await validated())).toContainEqual(unknown)
  const [again] = testResults
  await http.put(`/v1/dataContracts/${contract}/results`, { status: 'Success', testResults: [again] })
  expect(quality(await validated())).toContainEqual({ promise: 'pg.db.s.t.rows', outcome: 'passed' })
})

it('the rules of a column, and the tests that stand for them, go with the column, and come back with it', async () => {
  const columns = ['id', 'code'].map((name) => ({ name, dataType: 'INT' }))
  const ruled = await http.post('/v1/tables', { name: 'ruled', databaseSchema: 'pg.db.s', columns })
  for (const name of ['filled', 'known']) await http.post(tests, testCaseOn('pg.db.s.ruled', name, { column: 'code' }))
  await answered(200, http.call('PUT', `${tests}/name/pg.db.s.ruled.code.filled/results`, { status: 'Failed' }))
  const properties = ['id', 'code'].map(
    (name) => `
      - name: ${name}
        logicalType: integer
        quality: [{ name: filled, metric: nullValues, mustBe: 0 }]`,
  )
  const text = document.replace(/schema:.*/s, `schema:\n  - name: ruled\n    properties:${properties.join('')}\n`)
  const path = `/v1/dataContracts/odcs/yaml?entityId=${ruled.id}&entityType=table`
  const options = { headers: { 'content-type': 'application/yaml' } }
  const { id } = (await answered(201, http.call('POST', path, text, options))).body
  const at = `/v1/dataContracts/${id}`
  const expected = async () =>
    (await read(at)).qualityExpectations?.map((each: { fullyQualifiedName: string }) => each.fullyQualifiedName)
  const promised = async () =>
    quality((await http.call('POST', `${at}/validate`)).body.latestResult).map(({ promise }) => promise)
  expect(await expected()).toEqual(['pg.db.s.ruled.code.filled'])
  const [idColumn, code] = (await read(at)).schema
  const known = { type: 'testCase', fullyQualifiedName: 'pg.db.s.ruled.code.known' }
  const filled = { type: 'testCase', fullyQualifiedName: 'pg.db.s.ruled.code.filled' }
  await http.patch(at, { qualityExpectations: [filled, known] })

  await http.patch(at, { schema: [idColumn] })
  expect(await expected()).toEqual([known.fullyQualifiedName])
  expect(await promised()).toEqual([known.fullyQualifiedName, 'id: filled'])
  expect((await http.call('GET', `${at}/odcs/yaml`)).body).not.toContain('name: code')

  await http.patch(at, { schema: [idColumn, code] })
  expect(await promised()).toEqual([known.fullyQualifiedName, filled.fullyQualifiedName, 'id: filled'])
  expect((await http.call('GET', `${at}/odcs/yaml`)).body.match(/name: filled/g)).toHaveLength(2)
})
