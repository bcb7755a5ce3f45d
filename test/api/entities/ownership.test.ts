import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { startInProcess, type InProcess } from '../../support/running.ts'
import { tokenFor } from '../../support/service.ts'

const roles = `
roles:
  Own:
    - { effect: allow, operations: [view, search, propose, versions, history, create, edit, delete, restore, vote, follow, approve], kinds: ['*'], condition: isOwner }
    - { effect: allow, operations: [view], kinds: [user, team] }
`

type Body = Record<string, unknown> & { readonly id: string }

/** A service whose callers `ann` and `bob` may do what they like to what they own, and nothing else. */
const setUp = async () => {
  const policies = join(await temporaryFolder(), 'policies.yaml')
  await writeFile(policies, roles)
  const service = await startInProcess({ CATALOG_POLICIES_FILE: policies })
  const made = async (path: string, body: object) => {
    const answer = await service.call('POST', path, body)
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body as Body
  }
  const change = (address: string, body: object, options: object = {}) =>
    service.call('PATCH', address, body, { headers: { 'content-type': 'application/merge-patch+json' }, ...options })
  for (const name of ['ann', 'bob']) await made('/v1/users', { name })
  return { ...service, made, change }
}

const as = (user: string) => ({ token: tokenFor(user, ['Own']) })

const typesIn = async (call: InProcess['call'], path: string, user: string): Promise<string[]> =>
  (await call('GET', path, undefined, as(user))).body.data.map(({ type }: { type: string }) => type)

test('who may see what he owns is shown no event from before he owned it, in any order and with any filter', async () => {
  const { call, made, change } = await setUp()
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
  expect(await typesIn(call, `${address}/history`, 'bob')).toEqual(['Updated', 'Updated'])
  const versions = (await call('GET', `${address}/versions`, undefined, as('bob'))).body.versions
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([0.5, 0.2])
  const { body } = await call('GET', `${address}/history?limit=100`)
  expect([body.data.length, body.paging.total]).toEqual([5, 5])
})

test('nor is he shown the life of what had its name before, unless it was his, too', async () => {
  const { call, made } = await setUp()
  const lives = async (name: string, first: string) => {
    const { id } = await made('/v1/glossaries', { name, owners: [first], description: 'the first life' })
    await call('DELETE', `/v1/glossaries/${id}?hardDelete=true`)
    await made('/v1/glossaries', { name, owners: ['bob'] })
    return typesIn(call, `/v1/glossaries/${id}/history`, 'bob')
  }
  expect(await lives('of ann', 'ann')).toEqual(['Created'])
  expect(await lives('of bob', 'bob')).toEqual(['Created', 'HardDeleted', 'Created'])
})

test('nor can he get an entity back to a version from before he owned it', async () => {
  const { call, made, change } = await setUp()
  const { id } = await made('/v1/glossaries', { name: 'passed', owners: ['ann'], description: 'for ann alone' })
  const address = `/v1/glossaries/${id}`
  await change(address, { owners: ['bob'], description: null })
  await change(address, { description: 'for bob' })
  const revert = (version: number) => call('POST', `${address}/revert`, { version }, as('bob'))
  expect((await revert(0.1)).status).toBe(404)
  expect((await revert(0.2)).status).toBe(200)
})

test('a deleted team gives its members nothing until it is restored', async () => {
  const { call, made, change } = await setUp()
  const team = await made('/v1/teams', { name: 'crew' })
  await change('/v1/users/name/bob', { teams: ['crew'] })
  const { id } = await made('/v1/glossaries', { name: 'of the crew', owners: ['crew'] })
  const address = `/v1/glossaries/${id}`
  const asked = async () => [
    (await call('GET', address, undefined, as('bob'))).status,
    (await change(address, { displayName: crypto.randomUUID() }, as('bob'))).status,
    (await call('GET', '/v1/inbox?limit=100', undefined, as('bob'))).body.data.length > 0,
  ]
  expect(await asked()).toEqual([200, 200, true])
  expect((await call('DELETE', `/v1/teams/${team.id}`)).status).toBe(200)
  expect(await asked()).toEqual([404, 404, false])
  expect((await call('PUT', '/v1/teams/restore', { id: team.id })).status).toBe(200)
  expect(await asked()).toEqual([200, 200, true])
})

test('activity and inbox say of what a caller may not view any more only what its events say', async () => {
  const { call, made, change } = await setUp()
  const { id } = await made('/v1/glossaries', { name: 'passed', displayName: 'of ann', owners: ['ann'] })
  const address = `/v1/glossaries/${id}`
  await change(address, { description: 'for ann' })
  const shown = async () => {
    const paths = [`/v1/activity?entityId=${id}`, '/v1/inbox?limit=100']
    const entries = await Promise.all(paths.map((path) => call('GET', path, undefined, as('ann'))))
    return entries.flatMap(({ body }) => body.data.map(({ entity }: { entity: object }) => entity)) as object[]
  }
  const about = { id, type: 'glossary', name: 'passed', fullyQualifiedName: 'passed', deleted: false }
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

/** Users and types of the events of an entity from the one on that took it away from bob. */
const sinceTaken = async (call: InProcess['call'], path: string): Promise<string[]> => {
  const { data } = (await call('GET', `${path}/history?limit=1000`)).body
  const events = data as { user: string; type: string; data: { set?: { owners?: { name: string }[] } } }[]
  const taken = events.findIndex(({ user, data: { set } }) => user === 'admin' && set?.owners !== undefined)
  return (taken === -1 ? [] : events.slice(taken + 1)).map(({ user, type }) => `${user} ${type}`)
}

const attempts = 20

test.each<[string, (service: Awaited<ReturnType<typeof setUp>>, path: string) => Promise<unknown>]>([
  ['a patch', ({ change }, path) => change(path, { description: 'of bob' }, as('bob'))],
  ['a revert', ({ call }, path) => call('POST', `${path}/revert`, { version: 0.1 }, as('bob'))],
  ['a vote', ({ call }, path) => call('PUT', `${path}/vote`, { updatedVoteType: 'votedUp' }, as('bob'))],
  ['a confirmation', ({ call }, path) => call('PUT', `${path}/confirm`, {}, as('bob'))],
  ['a deletion', ({ call }, path) => call('DELETE', path, undefined, as('bob'))],
])('%s by who owns the entity no more when it is decided is refused', async (_, asked) => {
  const service = await setUp()
  const { made, change } = service
  const paths: string[] = []
  for (let one = 0; one < attempts; one++) {
    const { id } = await made('/v1/glossaries', { name: `g${one}`, owners: ['bob'] })
    await change(`/v1/glossaries/${id}`, { displayName: 'changed' })
    paths.push(`/v1/glossaries/${id}`)
  }
  for (const path of paths) await Promise.all([change(path, { owners: ['ann'] }), asked(service, path)])
  for (const path of paths) expect([path, await sinceTaken(service.call, path)]).toEqual([path, []])
})

test.each([
  ['accepts', 'accept'],
  ['refuses', 'refuse'],
])('who owns the entity no more when it is decided %s no proposal', async (_, verb) => {
  const { call, made, change } = await setUp()
  const outcomes: unknown[] = []
  for (let one = 0; one < attempts; one++) {
    const path = `/v1/glossaries/${(await made('/v1/glossaries', { name: `g${one}`, owners: ['bob'] })).id}`
    const { id } = await made(`${path}/proposals`, { patch: { description: 'better' } })
    const taking = change(path, { owners: ['ann'] })
    for (let turns = 0; turns < one; turns++) await nextTurn()
    const decide = call('PUT', `/v1/proposals/${id}/${verb}`, {}, as('bob'))
    const [taken] = await Promise.all([taking, decide])
    const position = taken.headers.get('catalog-position')
    const { data } = (await call('GET', `/v1/events?user=bob&after=${position}`)).body
    outcomes.push(data.map(({ type }: { type: string }) => type))
  }
  expect(outcomes).toEqual(outcomes.map(() => []))
})

test('who owns the asset no more when it is decided states no lineage of it', async () => {
  const { call, made, change } = await setUp()
  await made('/v1/services/messagingServices', { name: 'bus', serviceType: 'Kafka' })
  const topic = (name: string) => made('/v1/topics', { name, service: 'bus', owners: ['bob'] })
  await topic('source')
  const edges = [{ from: { type: 'topic', fullyQualifiedName: 'bus.source' } }]
  const outcomes: unknown[] = []
  for (let one = 0; one < attempts; one++) {
    const { id } = await topic(`t${one}`)
    const taking = change(`/v1/topics/${id}`, { owners: ['ann'] })
    for (let turns = 0; turns < one; turns++) await nextTurn()
    const state = call('PUT', `/v1/lineage/topic/${id}`, { edges }, as('bob'))
    const [taken] = await Promise.all([taking, state])
    const position = taken.headers.get('catalog-position')
    const { data } = (await call('GET', `/v1/events?user=bob&after=${position}`)).body
    outcomes.push(data.map(({ type }: { type: string }) => type))
  }
  expect(outcomes).toEqual(outcomes.map(() => []))
})

test('a change of many tells those as failed whose owner is another by the time they are decided', async () => {
  const { call, made, change } = await setUp()
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
  expect(await sinceTaken(call, last)).toEqual([])
  const failed = result.data.filter(({ outcome }: { outcome: string }) => outcome !== 'changed')
  const isTaken = (await call('GET', last)).body.description === undefined
  expect(result).toMatchObject(isTaken ? { changed: 1499, failed: 1 } : { changed: 1500, failed: 0 })
  const refused = { outcome: 'refused', errors: [{ message: 'There is no database s.g1499.' }] }
  expect(failed).toMatchObject(isTaken ? [refused] : [])
})
