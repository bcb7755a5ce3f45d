import { afterAll, beforeAll, expect, test } from 'vitest'
import { manyNames as names, startMeasured, type Measured } from './measured.ts'
import { expectShortTurns } from './shortTurns.ts'

/** A service that has just been started, with a table and its contract. */
interface Started extends Measured {
  readonly table: string
  readonly contract: string
}

let service: Started

const rules = (count: number, rule: object) =>
  Array.from({ length: count }, (_, at) => ({ name: `r${at}`, rule: JSON.stringify(rule) }))

const start = async (): Promise<Started> => {
  const measured = await startMeasured()
  const columns = [{ name: 'id', dataType: 'INT' }]
  const table = await measured.put('tables', { name: 't', databaseSchema: 's.d.c', columns })
  const semantics = rules(1, { '==': [{ var: 'name' }, 't'] })
  const contract = await measured.put('dataContracts', { name: 'k', entity: { type: 'table', id: table }, semantics })
  return { ...measured, table, contract }
}

beforeAll(async () => {
  service = await start()
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

const importing = ({ call, table }: Started, what: object) =>
  call('PUT', `/v1/dataContracts/odcs?entityId=${table}&entityType=table`, what)

const firsts: Record<string, (fresh: Started) => Promise<{ readonly status: number }>> = {
  'contract that is compared with its asset': ({ call, contract }) =>
    call('POST', `/v1/dataContracts/${contract}/validate`),
  'contract that is exported': ({ call, contract }) => call('GET', `/v1/dataContracts/${contract}/odcs`),
  'document that is imported': (fresh) => importing(fresh, document),
}

test.each(Object.entries(firsts))('the first %s after a start holds up nobody', async (_, ask) => {
  await expectShortTurns(75, async () => {
    const fresh = await start()
    try {
      return await fresh.turns.longest(async () => expect((await ask(fresh)).status).toBe(200))
    } finally {
      await fresh.stop()
    }
  })
})

test('a document that names sixty thousand people holds up nobody', async () => {
  const team = Array.from({ length: 60_000 }, (_item, at) => ({ username: `person${at}`, role: 'owner' }))
  await expectShortTurns(100, () =>
    service.turns.longest(async () =>
      expect((await importing(service, { ...document, team })).status).toBeLessThan(500),
    ),
  )
})

test('ten thousand rules about nine thousand columns hold up nobody, and end', async () => {
  const columns = names.map((name) => ({ name, dataType: 'INT' }))
  const id = await service.put('tables', { name: 'wide', databaseSchema: 's.d.c', columns })
  const semantics = rules(9900, { none: [{ var: 'columns' }, { var: 'x' }] })
  const wide = await service.put('dataContracts', { name: 'k', entity: { type: 'table', id }, semantics })
  await expectShortTurns(100, () =>
    service.turns.longest(async () => {
      const { status } = await service.call('POST', `/v1/dataContracts/${wide}/validate`)
      // All of them hold, unless the machine is too slow for so many.
      expect([200, 400]).toContain(status)
    }),
  )
})
