import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { openLogOf, startInProcess } from '../support/running.ts'
import { tokenFor } from '../support/service.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CatalogEvent, NewEvent } from '../../src/events/events.ts'
import { eventHash } from '../../src/events/codec.ts'
import { entityId } from '../../src/kinds/names.ts'
import { appendOk, newEvent } from '../support/events.ts'

const names = (list: readonly { name: string }[] | undefined): string[] => (list ?? []).map(({ name }) => name)

it('whoever has the name of somebody who was deleted for good has nothing of his, and the past is as it was', async () => {
  const policies = join(await temporaryFolder(), 'policies.yaml')
  await writeFile(
    policies,
    "roles:\n  Own:\n    - { effect: allow, operations: [edit, view], kinds: ['*'], condition: isOwner }\n",
  )
  const { call } = await startInProcess({ CATALOG_POLICIES_FILE: policies })
  const made = async (path: string, body: object) => {
    const answer = await call('POST', path, body)
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body as { id: string }
  }
  const eve = await made('/v1/users', { name: 'eve' })
  const team = await made('/v1/teams', { name: 'crew' })
  const area = await made('/v1/domains', { name: 'area', domainType: 'Aggregate' })
  const glossary = await made('/v1/glossaries', { name: 'g', owners: ['eve', 'crew'], domain: 'area' })
  const address = `/v1/glossaries/${glossary.id}`
  expect((await call('PUT', `${address}/followers`, JSON.stringify(eve.id))).status).toBe(200)
  const asEve = { token: tokenFor('eve', ['DataConsumer']) }
  expect((await call('PUT', `${address}/vote`, { updatedVoteType: 'votedUp' }, asEve)).status).toBe(200)
  const asOwner = { token: tokenFor('eve', ['Own']), headers: { 'content-type': 'application/merge-patch+json' } }
  expect((await call('PATCH', address, { displayName: 'of eve' }, asOwner)).status).toBe(200)
  const then = (await call('GET', `${address}?fields=*`)).body
  const { position } = (await call('GET', `${address}/history?limit=100`)).body.data.at(-1)
  expect([names(then.owners), names(then.followers), names(then.domains)]).toEqual([['eve', 'crew'], ['eve'], ['area']])
  const found = async (query: string) => names((await call('GET', `/v1/glossaries?${query}`)).body.data)
  for (const query of ['owner=eve', 'owner=crew', 'domain=area'])
    expect([query, await found(query)]).toEqual([query, ['g']])

  const hits = async (q: string) => {
    const { body } = await call('GET', `/v1/search/query?index=glossary_search_index&q=${encodeURIComponent(q)}`)
    return body.hits.hits.map(({ _source }: { _source: { name: string } }) => _source.name) as string[]
  }
  for (const q of ['owner:eve', 'owners:crew', 'owner:ev*', 'g AND owner:(eve crew)', 'owner:eves'])
    expect([q, await hits(q)]).toEqual([q, ['g']])
  expect(await hits('g NOT owner:eve')).toEqual([])

  for (const path of [`/v1/users/${eve.id}`, `/v1/teams/${team.id}`, `/v1/domains/${area.id}`])
    expect((await call('DELETE', `${path}?hardDelete=true`)).status).toBe(204)
  await made('/v1/teams', { name: 'crew' })
  await made('/v1/users', { name: 'eve', teams: ['crew'] })
  await made('/v1/domains', { name: 'area', domainType: 'Aggregate' })

  const now = (await call('GET', `${address}?fields=*`)).body
  expect([now.owners, now.followers, now.domains, now.votes.upVotes]).toEqual([[], [], [], 0])
  for (const query of ['owner=eve', 'owner=crew', 'domain=area'])
    expect([query, await found(query)]).toEqual([query, []])
  for (const q of ['owner:eve', 'owners:crew', 'owner:ev*', 'g AND owner:(eve crew)', 'owner:eves'])
    expect([q, await hits(q)]).toEqual([q, []])
  expect(await hits('g NOT owner:eve')).toEqual(['g'])
  expect((await call('PATCH', address, { displayName: 'still of eve' }, asOwner)).status).toBeGreaterThanOrEqual(403)
  const facets = (await call('GET', '/v1/search/query?q=g&index=glossary_search_index&facets=owner,domain')).body.facets
  expect(facets).toMatchObject({ owner: [], domain: [] })

  const past = (await call('GET', `${address}?fields=*&asOf=@${position}`)).body
  expect(past).toEqual(then)
  const version = (await call('GET', `${address}/versions/${then.version}`)).body
  expect([names(version.owners), names(version.domains)]).toEqual([['eve', 'crew'], ['area']])
  expect((await call('GET', `${address}/versions`)).body.versions[0]).toEqual(version)
  const { version: first } = (await call('GET', `${address}/versions?limit=100`)).body.versions.at(-1)
  const paths = (await call('GET', `${address}/diff?from=v${first}&to=v${then.version}`)).body.map(
    ({ path }: { path: string }) => path,
  )
  expect(paths).toContain('/displayName')
  expect(paths).not.toContain('/owners')

  expect((await call('PUT', `${address}/followers`, JSON.stringify(eve.id))).body.followers).toMatchObject([
    { name: 'eve' },
  ])
  expect((await call('PUT', `${address}/vote`, { updatedVoteType: 'votedUp' }, asEve)).body.votes.upVotes).toBe(1)
  expect((await call('PATCH', address, { owners: ['eve'] }, { headers: asOwner.headers })).body.owners).toMatchObject([
    { name: 'eve' },
  ])
  expect(await found('owner=eve')).toEqual(['g'])
  expect(await hits('owner:eve')).toEqual(['g'])
  expect((await call('PATCH', address, { displayName: 'of the second eve' }, asOwner)).status).toBe(200)
})

it('whoever has the name of somebody who was deleted for good has made neither his proposals nor his requests', async () => {
  const { call } = await startInProcess()
  const made = async (path: string, body: object, options = {}) => {
    const answer = await call('POST', path, body, options)
    expect([path, answer.status]).toEqual([path, 201])
    return answer
  }
  const { id } = (await made('/v1/glossaries', { name: 'g' })).body
  const asNed = { token: tokenFor('ned', ['Ingestion']) }
  const change = async (name: string) => (await made('/v1/glossaries', { name }, asNed)).headers.get('x-correlation-id')
  const proposal = async () =>
    (await made(`/v1/glossaries/${id}/proposals`, { patch: { description: 'better' } }, asNed)).body.id as string
  const [former, formerly] = [await change('one'), await proposal()]
  const own = async (request: string | null, proposed: string) => [
    (await call('POST', `/v1/requests/${request}/revert?dryRun=true`, undefined, asNed)).status,
    (await call('PUT', `/v1/proposals/${proposed}/withdraw`, {}, asNed)).status,
  ]
  const { body: ned } = await call('GET', '/v1/users/name/ned')
  expect((await call('DELETE', `/v1/users/${ned.id}?hardDelete=true`)).status).toBe(204)
  expect(await own(former, formerly)).toEqual([404, 403])
  await made('/v1/users', { name: 'ned' })
  expect(await own(former, formerly)).toEqual([404, 403])
  expect(await own(await change('two'), await proposal())).toEqual([200, 200])
})

it('the life before a deletion for good is shown only to who may read histories, also when the name exists again', async () => {
  const { call } = await startInProcess()
  const told = 'What nobody should have written down.'
  const { body: made } = await call('POST', '/v1/glossaries', { name: 'g', description: told })
  const { body: product } = await call('POST', '/v1/domains', { name: 'd', domainType: 'Aggregate', description: told })
  const { data } = (await call('GET', `/v1/domains/${product.id}/history`)).body
  const at = `@${data[0].position}`
  for (let life = 0; life < 2; life++)
    for (const [path, id, body] of [
      ['glossaries', made.id, { name: 'g' }],
      ['domains', product.id, { name: 'd', domainType: 'Aggregate' }],
    ]) {
      expect((await call('DELETE', `/v1/${path}/${id}?hardDelete=true`)).status).toBe(204)
      expect((await call('POST', `/v1/${path}`, body)).status).toBe(201)
    }
  const paths = [
    `/v1/glossaries/${made.id}?asOf=${at}`,
    `/v1/glossaries/name/g?asOf=${at}&include=all`,
    `/v1/glossaries/${made.id}/diff?from=${at}&form=members`,
    `/v1/glossaries?asOf=${at}`,
    `/v1/domains?asOf=${at}&fields=*`,
    `/v1/glossaries/export?asOf=${at}`,
  ]
  const consumer = { token: tokenFor('co', ['DataConsumer']) }
  const auditor = { token: tokenFor('au', ['Auditor']) }
  const showing = async (options: { token: string }) => {
    const shown: string[] = []
    for (const path of paths)
      if (JSON.stringify((await call('GET', path, undefined, options)).body).includes(told)) shown.push(path)
    return shown
  }
  expect(await showing(auditor)).toEqual(paths)
  expect(await showing(consumer)).toEqual([])
  const total = async (options: { token: string }) =>
    (await call('GET', `/v1/glossaries?asOf=${at}&limit=0`, undefined, options)).body.paging.total as number
  expect([await total(auditor), await total(consumer)]).toEqual([1, 0])
  const { status } = await call('GET', `/v1/glossaries/${made.id}?asOf=@999999999`, undefined, consumer)
  expect(status).toBe(400)
})

it('what a question about the past names is what had the name then', async () => {
  const { call } = await startInProcess()
  const made = async (path: string, body: object) => {
    const answer = await call('POST', `/v1/${path}`, body)
    expect([path, answer.status]).toEqual([path, 201])
    return answer.body as { id: string }
  }
  await made('users', { name: 'otto' })
  await made('services/messagingServices', { name: 'bus', serviceType: 'Kafka' })
  await made('topics', { name: 'source', service: 'bus', owners: ['otto'] })
  const target = await made('topics', { name: 'target', service: 'bus' })
  const edges = [{ from: { type: 'topic', fullyQualifiedName: 'bus.source' } }]
  const { status, headers } = await call('PUT', '/v1/lineage/topic/name/bus.target', { edges })
  expect(status).toBe(200)
  const at = `asOf=@${headers.get('catalog-position')}`
  const asked = async () => [
    (await call('GET', `/v1/lineage/topic/name/bus.source/path?to=bus.target&${at}`)).body.edges?.length as number,
    (await call('GET', `/v1/coverage?owner=otto&${at}`)).body.total as number,
  ]
  expect(await asked()).toEqual([1, 1])
  const user = (await call('GET', '/v1/users/name/otto')).body as { id: string }
  for (const path of [`users/${user.id}`, `topics/${target.id}`])
    expect((await call('DELETE', `/v1/${path}?hardDelete=true`)).status).toBe(204)
  expect(await asked()).toEqual([1, 1])
  await made('users', { name: 'otto' })
  await made('topics', { name: 'target', service: 'bus' })
  expect(await asked()).toEqual([1, 1])
})

/** A log that version 0.1 wrote, of which each stream was appended in parts. */
const writeOldLog = async (folder: string, parts: readonly (readonly [string, string, readonly CatalogEvent[]])[]) => {
  await mkdir(folder)
  const log = await openLogOf(folder, false)
  const heads = new Map<string, { revision: bigint; hash: string }>()
  for (const [kind, name, events] of parts) {
    const stream = `${kind}-${entityId(kind, name)}`
    const expected = heads.get(stream)?.revision ?? 'no_stream'
    const made = events.map((event): NewEvent => {
      const head = heads.get(stream)
      const place = { stream, revision: (head?.revision ?? -1n) + 1n }
      const of = { ...place, name, ...(head && { previousHash: head.hash }) }
      const { hash: _, ...metadata } = newEvent(event, of).metadata
      const old = { ...metadata, schemaVersion: 1 }
      const id = crypto.randomUUID()
      const hash = eventHash({ ...event, id, ...place, metadata: old })
      heads.set(stream, { revision: place.revision, hash })
      return { ...event, id, metadata: { ...old, hash } }
    })
    await appendOk(log, { stream, expected, events: made })
  }
  await log.close()
}

const ann = { id: entityId('user', 'ann'), type: 'user', fullyQualifiedName: 'ann' }
const glossary = (name: string): readonly [string, string, readonly CatalogEvent[]] => [
  'glossary',
  name,
  [{ type: 'Created', data: { name, members: { owners: [ann] } } }],
]
const createdAnn = { type: 'Created', data: { name: 'ann', members: {} } } as const
const endedAnn = { type: 'HardDeleted', data: { deletion: ann.id } } as const

it('nor has he in a log from before lives were told apart, where its owner was deleted for good', async () => {
  const folder = join(await temporaryFolder(), 'data')
  await writeOldLog(folder, [glossary('g'), ['user', 'ann', [createdAnn, endedAnn]]])
  const { call } = await startInProcess({}, folder)
  const owned = async () => (await call('GET', '/v1/glossaries/name/g?fields=*')).body.owners as unknown
  expect(await owned()).toEqual([])
  expect((await call('POST', '/v1/users', { name: 'ann' })).status).toBe(201)
  expect(await owned()).toEqual([])
  expect(names((await call('GET', '/v1/glossaries?owner=ann')).body.data)).toEqual([])
  const { body } = await call('GET', '/v1/users/name/ann/usedBy')
  expect(body.data).toEqual([])
})

it('a revert that is decided together with a deletion for good takes nothing from the life before', async () => {
  const { call } = await startInProcess()
  for (let turn = 0; turn < 10; turn++) {
    const name = `reborn${turn}`
    const { body } = await call('POST', '/v1/users', { name })
    const change = (description: string) => call('PUT', '/v1/users', { name, description })
    await change('old')
    const asked = [change('last')]
    asked.push(call('DELETE', `/v1/users/${body.id}?hardDelete=true`))
    asked.push(call('POST', '/v1/users', { name, description: 'new' }))
    for (let n = 0; n < 3; n++) asked.push(call('POST', `/v1/users/${body.id}/revert`, { version: '0.2' }))
    const answers = await Promise.all(asked)
    const now = (await call('GET', `/v1/users/${body.id}`)).body
    if (answers.some(({ status }) => status === 201)) expect(now.description).not.toBe('old')
  }
})

it('nor had the next of his name who came to be in that log himself, now and at every moment of it', async () => {
  const folder = join(await temporaryFolder(), 'data')
  await writeOldLog(folder, [
    ['user', 'ann', [createdAnn]],
    glossary('former'),
    ['user', 'ann', [endedAnn, createdAnn]],
    glossary('latter'),
    ['glossary', 'former', [{ type: 'Updated', data: { set: { description: 'of the first ann' }, unset: [] } }]],
  ])
  const { call } = await startInProcess({}, folder)
  const owners = async (name: string, asOf = '') =>
    names((await call('GET', `/v1/glossaries/name/${name}?fields=*${asOf}`)).body.owners)
  const of = async (asOf = '') => names((await call('GET', `/v1/glossaries?owner=ann${asOf}`)).body.data)
  const answers = async () => [await owners('former'), await owners('latter'), await of()]
  expect(await answers()).toEqual([[], ['ann'], ['latter']])
  const { data } = (await call('GET', '/v1/events?limit=6')).body
  const [, second, , fourth, fifth] = data.map(({ position }: { position: string }) => `&asOf=@${position}`)
  expect([await owners('former', second), await owners('former', fourth)]).toEqual([['ann'], []])
  expect([await of(fifth), await owners('latter', fifth)]).toEqual([['latter'], ['ann']])
  expect((await call('GET', '/v1/users/name/ann/usedBy')).body.data).toMatchObject([{ entity: { name: 'latter' } }])
  expect((await call('GET', '/v1/search/query?q=owner:ann')).body.hits.total.value).toBe(1)
  const merge = { headers: { 'content-type': 'application/merge-patch+json' } }
  // What is written now says which life it means, and what was written goes on as it was.
  expect((await call('PATCH', '/v1/glossaries/name/latter', { displayName: 'x' }, merge)).status).toBe(200)
  expect(await answers()).toEqual([[], ['ann'], ['latter']])
})
