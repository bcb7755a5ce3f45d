import { afterAll, beforeAll, expect, test } from 'vitest'
import { atThisPace } from '../support/processorTime.ts'
import { manyNames as names, startMeasured, type Measured } from './measured.ts'

let service: Measured
let table = ''
let contract = ''

const rules = (count: number, rule: object) =>
  Array.from({ length: count }, (_, at) => ({ name: `r${at}`, rule: JSON.stringify(rule) }))

beforeAll(async () => {
  service = await startMeasured()
  const columns = [{ name: 'id', dataType: 'INT' }]
  table = await service.put('tables', { name: 't', databaseSchema: 's.d.c', columns })
  const semantics = rules(1, { '==': [{ var: 'name' }, 't'] })
  contract = await service.put('dataContracts', { name: 'k', entity: { type: 'table', id: table }, semantics })
})

afterAll(() => service?.stop())

const document = {
  apiVersion: 'v3.1.0',
  kind: 'DataContract',
  id: 'd',
  name: 'd',
  version: '1.0.0',
  status: 'active',
  schema: [{ name: 't', logicalType: 'object', properties: [{ name: 'id', logicalType: 'integer' }] }],
}

const firsts: Record<string, () => Promise<{ readonly status: number }>> = {
  'contract that is compared with its asset': () => service.call('POST', `/v1/dataContracts/${contract}/validate`),
  'contract that is exported': () => service.call('GET', `/v1/dataContracts/${contract}/odcs`),
  'document that is imported': () =>
    service.call('PUT', `/v1/dataContracts/odcs?entityId=${table}&entityType=table`, document),
}

test.each(Object.entries(firsts))('the first %s after a start holds up nobody', async (_, ask) => {
  expect(await service.turns.longest(async () => expect((await ask()).status).toBe(200))).toBeLessThan(atThisPace(75))
})

test('a document that names sixty thousand people holds up nobody', async () => {
  const team = Array.from({ length: 60_000 }, (_item, at) => ({ username: `person${at}`, role: 'owner' }))
  let status = 0
  const longest = await service.turns.longest(async () => {
    const path = `/v1/dataContracts/odcs?entityId=${table}&entityType=table`
    ;({ status } = await service.call('PUT', path, { ...document, team }))
  })
  expect(status).toBeLessThan(500)
  expect(longest).toBeLessThan(100)
})

test('ten thousand rules about nine thousand columns hold up nobody, and end', async () => {
  const columns = names.map((name) => ({ name, dataType: 'INT' }))
  const id = await service.put('tables', { name: 'wide', databaseSchema: 's.d.c', columns })
  const semantics = rules(9900, { none: [{ var: 'columns' }, { var: 'x' }] })
  const wide = await service.put('dataContracts', { name: 'k', entity: { type: 'table', id }, semantics })
  let status = 0
  const longest = await service.turns.longest(async () => {
    ;({ status } = await service.call('POST', `/v1/dataContracts/${wide}/validate`))
  })
  // All of them hold, unless the machine is too slow for so many.
  expect([200, 400]).toContain(status)
  expect(longest).toBeLessThan(atThisPace(100))
})
