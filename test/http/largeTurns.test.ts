import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { skippedAsTooLarge } from '../support/external.ts'
import { manyNames as names, startMeasured, type Measured } from './measured.ts'
import { expectShortTurns } from './shortTurns.ts'

let service: Measured
let table = ''
let contract = ''

/** Milliseconds of a turn that are allowed for the largest requests: it is done in slices of 10 to 50. */
const longestTurn = 75

const columns = (tag: string) => names.map((name) => ({ name, dataType: 'INT', tags: [{ tagFQN: `k.${tag}` }] }))

/** Another tag each time, so that there is always something to do. */
let times = 0
const others = () => columns((times += 1) % 2 === 0 ? 'a' : 'b')

const merge = { headers: { 'content-type': 'application/merge-patch+json' } }

/** Puts columns that must be refused. */
const refused = async (columns: readonly object[]) => {
  const { status } = await service.call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', columns })
  return { status: status === 400 ? 200 : status }
}

const asked: Record<string, () => Promise<{ readonly status: number }>> = {
  'a table of 9,000 columns with a tag each is replaced': () =>
    service.call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', columns: others() }),
  'such a table is patched': () => service.call('PATCH', `/v1/tables/${table}`, { columns: others() }, merge),
  'such a table is patched by 9,000 operations': () => {
    times += 1
    const operations = names.map((name) => ({ op: 'add', path: `/extension/${name}`, value: times }))
    const patch = [{ op: 'add', path: '/extension', value: {} }, ...operations]
    return service.call('PATCH', `/v1/tables/${table}`, patch, {
      headers: { 'content-type': 'application/json-patch+json' },
    })
  },
  'such a table is read with everything': () => service.call('GET', `/v1/tables/${table}?fields=*`),
  'the versions of such a table are read': () => service.call('GET', `/v1/tables/${table}/versions`),
  'a contract of 9,000 columns is compared with its table': () =>
    service.call('POST', `/v1/dataContracts/${contract}/validate`),
  'a table of 9,000 columns in each of which four things are wrong is refused': () => {
    const wrong = names.map((name) => ({
      name,
      dataType: 'INT',
      description: 1,
      displayName: 2,
      dataLength: 'x',
      scale: '',
    }))
    return refused(wrong)
  },
  'a table of 9,000 columns with three unknown tags each is refused': () => {
    const tags = ['a.b', 'a.c', 'a.d']
    return refused(names.map((name) => ({ name, dataType: 'INT', tags })))
  },
  'such a contract is replaced': () =>
    service.call('PUT', '/v1/dataContracts', {
      name: 'k',
      entity: { type: 'table', id: table },
      schema: names.map((name) => ({ name, dataType: 'INT', description: `as of ${(times += 1)}` })),
    }),
  'what 300 names of 1,500 levels stand in is looked for by a sweep': () => {
    const seen = Array.from({ length: 300 }, (_, at) => `s.d.c${'.a'.repeat(1500)}${at}`)
    return service.call('POST', '/v1/tables/sweep', { scope: 's.d.c', seen, dryRun: true })
  },
  'such a contract is exported as JSON': () => service.call('GET', `/v1/dataContracts/${contract}/odcs`),
  'such a contract is exported as YAML': () => service.call('GET', `/v1/dataContracts/${contract}/odcs/yaml`),
}

const tooLarge = skippedAsTooLarge('the largest requests')

const tables = (description: string) =>
  names.map((name) => ({ name, databaseSchema: 's.d.c', description, columns: [{ name: 'a', dataType: 'INT' }] }))

describe.skipIf(tooLarge)('a dry run of taking back a request that', () => {
  const requests = new Map<string, string>()
  let measured: Measured
  beforeAll(async () => {
    measured = await startMeasured()
    const { call } = measured
    const done = async (name: string, asked: ReturnType<typeof call>): Promise<void> => {
      const answer = await asked
      expect([answer.status, answer.body.status]).toEqual([200, name === 'deleted' ? undefined : 'success'])
      requests.set(name, answer.headers.get('x-request-id') as string)
    }
    await done('created', call('PUT', '/v1/tables/bulk', tables('one')))
    await done('changed', call('PUT', '/v1/tables/bulk', tables('two')))
    await done('deleted', call('DELETE', '/v1/databases/name/s.d?recursive=true'))
  })

  afterAll(() => measured?.stop())

  test.each([
    ['created', 9000],
    ['changed', 9000],
    ['deleted', 9002],
  ])('%s 9,000 tables holds nobody up', async (name, entities) => {
    await expectShortTurns(longestTurn, () =>
      measured.turns.longest(async () => {
        const answer = await measured.call('POST', `/v1/requests/${requests.get(name)}/revert?dryRun=true`)
        expect([answer.status, answer.body.data.length]).toEqual([200, entities])
      }),
    )
  })
})

describe.skipIf(tooLarge)('the largest requests', () => {
  beforeAll(async () => {
    service = await startMeasured()
    await service.put('classifications', { name: 'k' })
    for (const name of ['a', 'b']) await service.put('tags', { name, classification: 'k' })
    table = await service.put('tables', { name: 't', databaseSchema: 's.d.c', columns: columns('a') })
    const schema = names.map((name) => ({ name, dataType: 'INT' }))
    contract = await service.put('dataContracts', { name: 'k', entity: { type: 'table', id: table }, schema })
    await service.call('POST', `/v1/dataContracts/${contract}/validate`)
  })

  afterAll(() => service?.stop())

  test.each(Object.entries(asked))('nobody is held up while %s', async (_, ask) => {
    await expectShortTurns(longestTurn, () => service.turns.longest(async () => expect((await ask()).status).toBe(200)))
  })
})
