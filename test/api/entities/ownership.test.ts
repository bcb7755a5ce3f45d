import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { sharedFolder } from '../../support/folders.ts'
import { useInProcess } from '../../support/running.ts'
import { tokenFor } from '../../support/service.ts'

const roles = `
roles:
  Own:
    - { effect: allow, operations: [view, search, propose, versions, history, create, edit, delete, restore, vote, follow, approve], kinds: ['*'], condition: isOwner }
    - { effect: allow, operations: [view], kinds: [user, team] }
`

type Body = Record<string, unknown> & { readonly id: string }

const policies = join(sharedFolder(), 'policies.yaml')

/** A service whose callers may do what they like to what they own, and nothing else. */
const { call } = useInProcess(() => {
  writeFileSync(policies, roles)
  return { CATALOG_POLICIES_FILE: policies }
})

const made = async (path: string, body: object) => {
  const answer = await call('POST', path, body)
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return answer.body as Body
}

const change = (address: string, body: object, options: object = {}) =>
  call('PATCH', address, body, { headers: { 'content-type': 'application/merge-patch+json' }, ...options })

const topic = async (name: string) =>
  `/v1/topics/${(await made('/v1/topics', { name, service: 'bus', owners: ['bob'] })).id}`

beforeAll(async () => {
  for (const name of ['ann', 'bob']) await made('/v1/users', { name })
  await made('/v1/services/messagingServices', { name: 'bus', serviceType: 'Kafka' })
  await topic('source')
})

const as = (user: string) => ({ token: tokenFor(user, ['Own']) })

const typesIn = async (path: string, user: string): Promise<string[]> =>
  (await call('GET', path, undefined, as(user))).body.data.map(({ type }: { type: string }) => type)

test('who may see what he owns is shown no event from before he owned it, in any order and with any filter', async () => {
  const { id } = await made('/v1/glossaries', { name: 'passed', owners: ['ann'], description: 'for ann alone' })
  const address = `/v1/glossaries/${id}`
  await change(address, { owners: ['bob'] })
  await change(address, { owners: ['ann'] })
  await change(address, { description: 'for ann again' })
  await change(address, { owners: ['bob'], description: 'for bob' })
  for (const query of ['', '?order=desc', '?type=Created,Updated', '?changed=owners,description', '?limit=1']) {
    const { status, body } = await call('GET', `${address}/history${query}`, undefined, as('bob'))
    expect([query, status, JSON.stringify(body).includes('ann')]).toEqual([query, 200, false])
    expect([query, body.paging.total]).toEqual([query, undefined])
  }
  expect(await typesIn(`${address}/history`, 'bob')).toEqual(['Updated', 'Updated'])
  const versions = (await call('GET', `${address}/versions`, undefined, as('bob'))).body.versions
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([0.5, 0.2])
  const past = async (user: string, version: string): Promise<number[]> => {
    const views = [`?asOf=${version}`, `/versions/${version}`, `/diff?from=${version}`]
    const answers = await Promise.all(views.map((view) => call('GET', address + view, undefined, as(user))))
    return answers.map(({ status }) => status)
  }
  expect(await past('bob', '0.1')).toEqual([404, 404, 404])
  expect(await past('bob', '0.2')).toEqual([200, 200, 200])
  expect(await past('ann', '0.1')).toEqual([404, 404, 404])
  for (const view of ['', '/versions'])
    expect((await call('GET', address + view, undefined, as('ann'))).status).toBe(404)
  const { body } = await call('GET', `${address}/history?limit=100`)
  expect([body.data.length, body.paging.total]).toEqual([5, 5])
})

test('nor is he shown the life of what had its name before, unless it was his, too', async () => {
  const lives = async (name: string, first: string) => {
    const { id } = await made('/v1/glossaries', { name, owners: [first], description: 'the first life' })
    await call('DELETE', `/v1/glossaries/${id}?hardDelete=true`)
    await made('/v1/glossaries', { name, owners: ['bob'] })
    return typesIn(`/v1/glossaries/${id}/history`, 'bob')
  }
  expect(await lives('of ann', 'ann')).toEqual(['Created'])
  expect(await lives('of bob', 'bob')).toEqual(['Created', 'HardDeleted', 'Created'])
})

test('nor can he get an entity back to a version from before he owned it', async () => {
  const { id } = await made('/v1/glossaries', { name: 'reverted', owners: ['ann'], description: 'for ann alone' })
  const address = `/v1/glossaries/${id}`
  await change(address, { owners: ['bob'], description: null })
  await change(address, { description: 'for bob' })
  const revert = (version: number) => call('POST', `${address}/revert`, { version }, as('bob'))
  expect((await revert(0.1)).status).toBe(404)
  expect((await revert(0.2)).status).toBe(200)
})

test('nor does he see proposals about what had its name before', async () => {
  const { id } = await made('/v1/glossaries', { name: 'reborn', owners: ['ann'] })
  const { id: proposal } = await made(`/v1/glossaries/${id}/proposals`, { patch: { description: 'for ann alone' } })
  const seen = async (user: string) => (await call('GET', `/v1/proposals/${proposal}`, undefined, as(user))).status
  expect([await seen('ann'), await seen('bob')]).toEqual([200, 404])
  await call('DELETE', `/v1/glossaries/${id}?hardDelete=true`)
  await made('/v1/glossaries', { name: 'reborn', owners: ['bob'] })
  expect([await seen('ann'), await seen('bob')]).toEqual([404, 404])
  expect((await call('GET', `/v1/proposals/${proposal}`)).status).toBe(200)
})

test('a deleted team gives its members nothing until it is restored', async () => {
  const team = await made('/v1/teams', { name: 'crew' })
  await made('/v1/users', { name: 'cat', teams: ['crew'] })
  const { id } = await made('/v1/glossaries', { name: 'of the crew', owners: ['crew'] })
  const address = `/v1/glossaries/${id}`
  const create = async (user: string) =>
    (await call('POST', '/v1/glossaries', { name: `new of ${user}`, owners: ['crew'] }, as(user))).status
  expect([await create('cat'), await create('max')]).toEqual([201, 403])
  const asked = async () => [
    (await call('GET', address, undefined, as('cat'))).status,
    (await change(address, { displayName: crypto.randomUUID() }, as('cat'))).status,
    (await call('GET', '/v1/inbox?limit=100', undefined, as('cat'))).body.data.length > 0,
  ]
  expect(await asked()).toEqual([200, 200, true])
  expect((await call('DELETE', `/v1/teams/${team.id}`)).status).toBe(200)
  expect(await asked()).toEqual([404, 404, false])
  expect((await call('PUT', '/v1/teams/restore', { id: team.id })).status).toBe(200)
  expect(await asked()).toEqual([200, 200, true])
})

test('activity and inbox say of what a caller may not view any more only what its events say', async () => {
  const { id } = await made('/v1/glossaries', { name: 'told', displayName: 'of ann', owners: ['ann'] })
  const address = `/v1/glossaries/${id}`
  await change(address, { description: 'for ann' })
  const shown = async () => {
    const paths = [`/v1/activity?entityId=${id}`, '/v1/inbox?limit=100']
    const entries = await Promise.all(paths.map((path) => call('GET', path, undefined, as('ann'))))
    const told = entries.flatMap(({ body }) => body.data.map(({ entity }: { entity: Body }) => entity)) as Body[]
    return told.filter((entity) => entity.id === id)
  }
  const about = { id, type: 'glossary', name: 'told', fullyQualifiedName: 'told', deleted: false }
  const own = await shown()
  expect(own).toEqual(own.map(() => ({ ...about, displayName: 'of ann' })))
  await change(address, { owners: ['bob'] })
  await change(address, { displayName: 'of bob' })
  for (const query of ['', '?hardDelete=true']) {
    const former = await shown()
    expect(former).toEqual(Array.from({ length: own.length + 2 }, () => about))
    await call('DELETE', `${address}${query}`)
  }
  expect(await shown()).toEqual(Array.from({ length: own.length + 2 }, () => about))
})

/** Types of the events by bob after a position. */
const doneByBob = async (position: string): Promise<string[]> =>
  (await call('GET', `/v1/events?user=bob&limit=1000&after=${position}`)).body.data.map(
    ({ type }: { type: string }) => type,
  )

/** What bob asks of a topic of his, after what it needs is there. */
type Asking = (path: string) => Promise<() => Promise<unknown>>

const bob = as('bob')

const merely =
  (ask: (path: string) => Promise<unknown>): Asking =>
  async (path) =>
  () =>
    ask(path)

const deciding =
  (verb: string): Asking =>
  async (path) => {
    const { id } = await made(`${path}/proposals`, { patch: { description: 'better' } })
    return () => call('PUT', `/v1/proposals/${id}/${verb}`, {}, bob)
  }

const taken: [string, Asking][] = [
  ['a patch', merely((path) => change(path, { description: 'of bob' }, bob))],
  ['a revert', merely((path) => call('POST', `${path}/revert`, { version: 0.1 }, bob))],
  ['a vote', merely((path) => call('PUT', `${path}/vote`, { updatedVoteType: 'votedUp' }, bob))],
  ['a confirmation', merely((path) => call('PUT', `${path}/confirm`, {}, bob))],
  ['a deletion', merely((path) => call('DELETE', path, undefined, bob))],
  ['the acceptance of a proposal', deciding('accept')],
  ['the refusal of a proposal', deciding('refuse')],
  [
    'the taking back of a request',
    async (path) => {
      const { headers } = await change(path, { description: 'of bob' }, bob)
      const id = headers.get('x-correlation-id')
      return () => call('POST', `/v1/requests/${id}/revert`, undefined, bob)
    },
  ],
  [
    'a statement of lineage',
    merely((path) => {
      const edges = [{ from: { type: 'topic', fullyQualifiedName: 'bus.source' } }]
      return call('PUT', path.replace('topics', 'lineage/topic'), { edges }, bob)
    }),
  ],
]

test.each(taken)('%s by who owns the entity no more when it is decided is refused', async (what, prepare) => {
  for (let turns = 0; turns < 10; turns++) {
    const path = await topic(`${what} ${turns}`)
    await change(path, { displayName: 'changed' })
    const ask = await prepare(path)
    const taking = change(path, { owners: ['ann'] })
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    const [{ status, headers }] = await Promise.all([taking, ask()])
    // A deletion may come before.
    if (status === 200) expect(await doneByBob(headers.get('catalog-position') ?? '')).toEqual([])
  }
})

test('no run is reported of a pipeline that has another owner by the time of the decision', async () => {
  for (let turns = 0; turns < 10; turns++) {
    const report = (runId: string, options?: object) => {
      const [run, job] = [{ runId }, { namespace: 'scheduler', name: `job${turns}` }]
      return call(
        'POST',
        '/v1/openlineage',
        { eventType: 'START', eventTime: '2026-01-01T00:00:00Z', run, job },
        options,
      )
    }
    expect((await report('5355b91b-32b4-4477-b660-3adadee198b2')).status).toBe(200)
    const path = `/v1/pipelines/name/scheduler.job${turns}`
    expect((await change(path, { owners: ['bob'] })).status).toBe(200)
    const taking = change(path, { owners: ['ann'] })
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    const [{ headers }] = await Promise.all([taking, report('5355b91b-32b4-4477-b660-3adadee198b3', bob)])
    expect(await doneByBob(headers.get('catalog-position') ?? '')).toEqual([])
  }
})

test('a change of many tells those as failed whose owner is another by the time they are decided', async () => {
  const names = Array.from({ length: 1500 }, (_, at) => `g${at}`)
  const { body } = await call(
    'PUT',
    '/v1/databases/bulk',
    await made('/v1/services/databaseServices', { name: 's', serviceType: 'Postgres' }).then(() =>
      names.map((name) => ({ name, service: 's', owners: ['bob'] })),
    ),
  )
  expect(body.numberOfRowsPassed).toBe(names.length)
  const idOf = async (name: string) => (await call('GET', `/v1/databases/name/s.${name}`)).body.id as string
  const [first, last] = [`/v1/databases/name/s.g0`, `/v1/databases/${await idOf('g1499')}`]
  const changing = call('POST', '/v1/databases/changes?owner=bob', { set: { description: 'of bob' } }, as('bob'))
  while ((await call('GET', first)).body.description === undefined);
  expect((await change(last, { owners: ['ann'] })).status).toBe(200)
  const result = (await changing).body
  const { data: past } = (await call('GET', `${last}/history`)).body
  expect(past.at(-1).user).toBe('admin')
  const failed = result.data.filter(({ outcome }: { outcome: string }) => outcome !== 'changed')
  const isTaken = (await call('GET', last)).body.description === undefined
  expect(result).toMatchObject(isTaken ? { changed: 1499, failed: 1 } : { changed: 1500, failed: 0 })
  const refused = { outcome: 'refused', errors: [{ message: 'There is no database s.g1499.' }] }
  expect(failed).toMatchObject(isTaken ? [refused] : [])
})
