import { beforeAll, describe, expect, it } from 'vitest'
import { answered, as, schemaOfPg, useHttp } from './support.ts'

let table = ''
const http = useHttp({ made: schemaOfPg })

beforeAll(async () => {
  const columns = [
    { name: 'id', dataType: 'BIGINT' },
    { name: 'note', dataType: 'STRING' },
  ]
  table = (await http.post('/v1/tables', { name: 'orders', databaseSchema: 'pg.db.s', columns })).id
})

const document = (purpose: string, column = 'id') => `apiVersion: v3.1.0
kind: DataContract
id: 0d1c9c9e-9f0a-4a6e-8d3b-6f0f7c9f0a11
version: 1.0.0
status: active
description:
  purpose: ${purpose}
schema:
  - name: orders
    properties:
      - name: ${column}
        logicalType: integer
`

const path = (query = '') => `/v1/dataContracts/odcs/yaml?entityId=${table}&entityType=table${query}`
const yaml = { 'content-type': 'application/yaml' }
const tried = (method: string, text: string, query = '', token?: object, headers = {}) =>
  http.refused(method, path(`&dryRun=true${query}`), text, { headers: { ...yaml, ...headers }, ...token })

describe('an import that is only tried', () => {
  it('answers what would be created, and writes nothing, not even the caller', async () => {
    for (const method of ['POST', 'PUT']) {
      const { body, headers } = await answered(
        200,
        tried(method, document('Orders.'), '', as('newcomer', 'DataSteward')),
      )
      expect(body).toMatchObject({ description: 'Orders.', entityStatus: 'Active', version: 0.1, warnings: [] })
      expect(headers.get('etag')).toBeNull()
    }
    await http.refuses('NOT_FOUND', 'GET', `/v1/dataContracts/entity?entityId=${table}&entityType=table`)
  })

  it('answers what would change in a contract that is there', async () => {
    const { body: made } = await answered(201, http.call('PUT', path(), document('Orders.'), { headers: yaml }))
    const { body } = await answered(200, tried('PUT', document('All orders.'), '&mode=replace'))
    expect(body).toMatchObject({ id: made.id, description: 'All orders.', version: 0.2 })
    expect(await http.get(`/v1/dataContracts/${made.id}`)).toMatchObject({ description: 'Orders.', version: 0.1 })
    await answered(412, tried('PUT', document('x'), '', {}, { 'if-match': '"99"' }))
  })

  it('is refused for the same reasons as one that is meant', async () => {
    const wrong = document('Orders.', 'missing')
    const meant = await http.refuses('BAD_REQUEST', 'PUT', path(), wrong, { headers: yaml })
    expect((await answered(400, tried('PUT', wrong))).body.errors).toEqual(meant.errors)
    await answered(403, tried('PUT', document('x'), '', as('reader')))
    await answered(400, http.refused('PUT', path('&dryRun=maybe'), document('x'), { headers: yaml }))
  })
})
