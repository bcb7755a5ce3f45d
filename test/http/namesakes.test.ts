import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RecordedEvent, streamName } from '../../src/events/events.ts'
import { entityId } from '../../src/kinds/names.ts'
import { collect, newEvent } from '../support/events.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openLogOf, startInProcess } from '../support/running.ts'
import type { Call } from '../support/service.ts'
import { answered, as, merge, problem } from './support.ts'

const named = '/v1/dataContracts/name/shop.orders.contract'

const contractOf = (type: string) => ({ name: 'contract', entity: { type, fullyQualifiedName: 'shop.orders' } })

const make = async (call: Call): Promise<string> => {
  const post = async (path: string, body: object) => (await answered(201, call('POST', path, body))).body
  await post('/v1/services/messagingServices', { name: 'shop', serviceType: 'Kafka' })
  await post('/v1/services/storageServices', { name: 'shop', serviceType: 'S3' })
  await post('/v1/topics', { name: 'orders', service: 'shop', partitions: 1 })
  await post('/v1/containers', { name: 'orders', service: 'shop' })
  return (await post('/v1/dataContracts', contractOf('topic'))).id
}

/** Gives the container's contract the name that the topic's has, as a log of an earlier version may have it. */
const addNamesake = async (folder: string): Promise<string> => {
  const log = await openLogOf(folder, false)
  try {
    const { data } = (await collect(log.readAll())).find(
      ({ metadata }) => metadata.kind === 'dataContract',
    ) as RecordedEvent & { type: 'Created' }
    const parent = { id: entityId('container', 'shop.orders'), type: 'container', fullyQualifiedName: 'shop.orders' }
    const id = entityId('dataContract', parent.id)
    const stream = streamName('dataContract', id)
    const event = { type: 'Created' as const, data: { ...data, parent, members: { ...data.members, entity: parent } } }
    const time = new Date().toISOString()
    const events = [newEvent(event, { stream, name: 'shop.orders.contract', time })]
    expect(await log.append([{ stream, expected: 'no_stream', events }])).toMatchObject([{ ok: true }])
    return id
  } finally {
    await log.close()
  }
}

test('a name means at any moment what had it then, whoever has it since', async () => {
  const { call } = await startInProcess()
  const now = async () => `@${(await answered(200, call('GET', '/v1/events?after=latest'))).body.paging.after}`
  const byName = (name: string, asOf: string) => call('GET', `/v1/dataContracts/name/shop.orders.${name}?asOf=${asOf}`)
  const had = async (name: string, asOf: string) => {
    const { id, entity } = (await answered(200, byName(name, asOf))).body
    return { id, type: entity.type }
  }
  const id = await make(call)
  const first = await now()
  await answered(204, call('DELETE', `${named}?hardDelete=true`))
  expect(await had('contract', first)).toEqual({ id, type: 'topic' })
  expect(await had('contract', '0.1')).toEqual({ id, type: 'topic' })
  const gone = await now()
  await problem(404, 'NOT_FOUND', byName('contract', gone))
  await answered(201, call('POST', '/v1/dataContracts', { ...contractOf('topic'), name: 'renewed' }))
  await problem(404, 'NOT_FOUND', byName('renewed', first))
  await problem(404, 'NOT_FOUND', byName('contract', '0.1'))
  expect(await had('contract', first)).toEqual({ id, type: 'topic' })
  const other = (await answered(201, call('POST', '/v1/dataContracts', contractOf('container')))).body.id
  const both = await now()
  expect(await had('contract', first)).toEqual({ id, type: 'topic' })
  expect(await had('contract', both)).toEqual({ id: other, type: 'container' })
  expect(await had('contract', '0.1')).toEqual({ id: other, type: 'container' })
  expect(await had('renewed', both)).toEqual({ id, type: 'topic' })
})

test('a name answers for the past as the id does, also when its life has ended, until another life has it', async () => {
  const { call } = await startInProcess()
  const id = await make(call)
  const pasts = ['history', 'versions', 'versions/0.1', 'diff?from=0.1&to=0.1']
  const past = async (address: string) =>
    Promise.all(pasts.map(async (what) => (await answered(200, call('GET', `${address}/${what}`))).body))
  const before = await past(named)
  expect(before).toEqual(await past(`/v1/dataContracts/${id}`))
  await answered(204, call('DELETE', `${named}?hardDelete=true`))
  expect(await past(named)).toEqual(await past(`/v1/dataContracts/${id}`))
  await problem(404, 'NOT_FOUND', call('GET', named))
  for (const what of pasts)
    await problem(404, 'NOT_FOUND', call('GET', `/v1/dataContracts/name/shop.orders.no/${what}`))
  const other = (await answered(201, call('POST', '/v1/dataContracts', contractOf('container')))).body.id
  expect(await past(named)).toEqual(await past(`/v1/dataContracts/${other}`))
  await answered(204, call('DELETE', `${named}?hardDelete=true`))
  expect(await past(named)).toEqual(await past(`/v1/dataContracts/${other}`))
})

test('a PUT is never 409: of a name that another contract has it is 400, which says whose it is to who may view that', async () => {
  const file = join(await temporaryFolder(), 'policies.yaml')
  writeFileSync(
    file,
    `roles:
  NoTopics:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [topic] }
`,
  )
  const { call } = await startInProcess({ CATALOG_POLICIES_FILE: file })
  await make(call)
  const { id } = (await answered(200, call('GET', '/v1/containers/name/shop.orders'))).body
  const document = {
    apiVersion: 'v3.1.0',
    kind: 'DataContract',
    id: 'c',
    version: '1',
    status: 'active',
    name: 'contract',
  }
  const message = 'The name shop.orders.contract belongs to the dataContract of topic shop.orders: choose another name.'
  for (const [path, body] of [
    ['/v1/dataContracts', contractOf('container')],
    [`/v1/dataContracts/odcs?entityId=${id}&entityType=container`, document],
  ] as const)
    expect((await problem(400, 'BAD_REQUEST', call('PUT', path, body))).errors).toMatchObject([
      { path: '/name', message },
    ])
  await problem(409, 'ENTITY_ALREADY_EXISTS', call('POST', '/v1/dataContracts', contractOf('container')))
  const request = call('POST', '/v1/dataContracts', contractOf('container'), as('max', 'NoTopics'))
  const { message: hidden } = await problem(409, 'ENTITY_ALREADY_EXISTS', request)
  expect(hidden).toBe('The name shop.orders.contract belongs to the dataContract: choose another name.')
})

test('where an old log has two of one name, a request by name changes and shows neither', async () => {
  const first = await startInProcess()
  const own = await make(first.call)
  await first.close()
  const other = await addNamesake(first.folder)
  const { call } = await startInProcess({}, first.folder)
  const ambiguous = async (method: string, path: string, body?: object) => {
    const { message } = await problem(409, 'CONFLICT', call(method, path, body, body && merge))
    expect(message).toContain(own)
    expect(message).toContain(other)
  }
  await ambiguous('GET', named)
  const shown = async (asOf: string): Promise<string> =>
    (await answered(200, call('GET', `${named}?asOf=${asOf}`))).body.id
  const { body } = await answered(200, call('GET', `/v1/dataContracts/${other}/history`))
  const second = BigInt(body.data[0].position)
  expect(await shown(`@${second - 1n}`)).toBe(own)
  await ambiguous('GET', `${named}?asOf=@${second}`)
  await ambiguous('GET', `${named}?asOf=0.1`)
  await ambiguous('PATCH', named, { description: 'whose?' })
  await ambiguous('DELETE', named)
  await ambiguous('GET', `${named}/odcs`)
  await ambiguous('GET', `${named}/versions`)
  await ambiguous('GET', `${named}/history`)
  await answered(200, call('DELETE', `/v1/dataContracts/${other}`))
  await ambiguous('GET', named)
  await answered(204, call('DELETE', `/v1/dataContracts/${other}?hardDelete=true`))
  expect((await answered(200, call('GET', named))).body.id).toBe(own)
  expect(await shown('0.1')).toBe(own)
  await ambiguous('GET', `${named}?asOf=@${second}`)
})
