import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'

const folder = temporaryDataDir()
let service: RunningService
let table = ''

beforeAll(async () => {
  service = await startBuilt(folder.path)
  const put = async (path: string, body: unknown) => (await service.call('PUT', `/v1/${path}`, body)).body
  await put('services/databaseServices', { name: 'shop', serviceType: 'Postgres' })
  await put('databases', { name: 'main', service: 'shop' })
  await put('databaseSchemas', { name: 'public', database: 'shop.main' })
  const columns = [
    { name: 'id', dataType: 'BIGINT' },
    { name: 'note', dataType: 'STRING' },
  ]
  table = (await put('tables', { name: 'orders', databaseSchema: 'shop.main.public', columns })).id
})

afterAll(async () => {
  await service.stop('SIGKILL')
  await folder.remove()
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

const send = (method: string, text: string, query = '', headers: Record<string, string> = {}, token?: string) =>
  service.call(method, `/v1/dataContracts/odcs/yaml?entityId=${table}&entityType=table${query}`, text, {
    headers: { 'content-type': 'application/yaml', ...headers },
    ...(token !== undefined && { token }),
  })

const eventsSoFar = async (): Promise<string> =>
  (await service.call('GET', '/v1/events?after=latest')).body.paging.after as string

describe('an import that is only tried', () => {
  it('answers what would be created, and writes nothing, not even the caller', async () => {
    const before = await eventsSoFar()
    for (const method of ['POST', 'PUT']) {
      const tried = await send(method, document('Orders.'), '&dryRun=true', {}, tokenFor('newcomer', ['DataSteward']))
      expect([tried.status, tried.body.message]).toEqual([200, undefined])
      expect(tried.body).toMatchObject({ description: 'Orders.', entityStatus: 'Active', version: 0.1, warnings: [] })
      expect(tried.headers.get('etag')).toBeNull()
    }
    expect(await eventsSoFar()).toBe(before)
    const query = `entityId=${table}&entityType=table`
    expect((await service.call('GET', `/v1/dataContracts/entity?${query}`)).status).toBe(404)
  })

  it('answers what would change in a contract that is there', async () => {
    const made = await send('PUT', document('Orders.'))
    expect(made.status).toBe(201)
    const before = await eventsSoFar()
    const tried = await send('PUT', document('All orders.'), '&dryRun=true&mode=replace')
    expect(tried.body).toMatchObject({ id: made.body.id, description: 'All orders.', version: 0.2 })
    const stored = await service.call('GET', `/v1/dataContracts/${made.body.id}`)
    expect([stored.body.description, stored.body.version, await eventsSoFar()]).toEqual(['Orders.', 0.1, before])
    expect((await send('PUT', document('x'), '&dryRun=true', { 'if-match': '"99"' })).status).toBe(412)
  })

  it('is refused for the same reasons as one that is meant', async () => {
    const answers = await Promise.all(
      ['', '&dryRun=true'].map((query) => send('PUT', document('Orders.', 'missing'), query)),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(answers[1]?.body.errors).toEqual(answers[0]?.body.errors)
    const reader = await send('PUT', document('x'), '&dryRun=true', {}, tokenFor('reader', []))
    expect(reader.status).toBe(403)
    expect((await send('PUT', document('x'), '&dryRun=maybe')).status).toBe(400)
  })
})
