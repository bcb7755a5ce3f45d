import { beforeAll, expect, test } from 'vitest'
import { useInProcess } from '../../support/running.ts'

const { call } = useInProcess()

const ask = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await call(method, path, body)
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body])
  return answer.body
}
const post = (path: string, body: object) => ask('POST', path, body)
const get = (path: string) => ask('GET', path)
const names = async (path: string): Promise<string[]> =>
  (await get(path)).data.map(({ fullyQualifiedName }: { fullyQualifiedName: string }) => fullyQualifiedName)

const ids: Record<string, string> = {}
let before: string

/** A table whose owner is a team, below a dashboard, where both names are also those of others. */
beforeAll(async () => {
  await post('/v1/services/databaseServices', { name: 'store', serviceType: 'Postgres' })
  await post('/v1/databases', { name: 'db', service: 'store' })
  await post('/v1/databaseSchemas', { name: 's', database: 'store.db' })
  ids['team'] = (await post('/v1/teams', { name: 'finance' })).id
  await post('/v1/tables', { name: 't', databaseSchema: 'store.db.s', columns: [], owners: ['finance'] })
  await post('/v1/services/dashboardServices', { name: 'prod', serviceType: 'Looker' })
  ids['dashboard'] = (await post('/v1/dashboards', { name: 'x', service: 'prod' })).id
  await ask('PUT', '/v1/lineage/table/name/store.db.s.t', { edges: [{ from: 'prod.x' }] })
  before = `@${(await get('/v1/events?after=latest')).paging.after}`
  await post('/v1/services/messagingServices', { name: 'prod', serviceType: 'Kafka' })
  ids['topic'] = (await post('/v1/topics', { name: 'x', service: 'prod', partitions: 1 })).id
  ids['user'] = (await post('/v1/users', { name: 'finance' })).id
})

const table = ['store.db.s.t']

test('a filter by a name that several have is refused, and one by id is not', async () => {
  const refused = async (path: string) => {
    const { status, body } = await call('GET', path)
    return [status, body.errors?.[0]]
  }
  const several = (name: string, kinds: string) =>
    `${name} is the name of several entities (${kinds}): say which one by its id`
  const owners = several('finance', 'user, team')
  const assets = several('prod.x', 'topic, dashboard')
  expect(await refused('/v1/tables?owner=finance')).toEqual([400, { path: '?owner', message: owners }])
  expect(await refused('/v1/coverage?owner=finance')).toEqual([400, { path: '?owner', message: owners }])
  for (const name of ['downstreamOf', 'upstreamOf'])
    expect(await refused(`/v1/tables?${name}=prod.x`)).toEqual([400, { path: `?${name}`, message: assets }])
  const path = '/v1/lineage/table/name/store.db.s.t/path'
  expect(await refused(`${path}?to=prod.x`)).toEqual([400, { path: '?to', message: assets }])
  expect(await names(`/v1/tables?owner=${ids['team']}`)).toEqual(table)
  expect(await names(`/v1/tables?owner=${ids['user']}`)).toEqual([])
  expect(await names(`/v1/tables?downstreamOf=${ids['dashboard']}`)).toEqual(table)
  expect(await names(`/v1/tables?downstreamOf=${ids['topic']}`)).toEqual([])
})

test('a filter by service, and a search, mean all that have the name', async () => {
  const { status, body } = await call('GET', '/v1/search/query?q=*&owner=finance')
  expect([status, body.hits.total.value]).toEqual([200, 1])
  expect((await get('/v1/coverage?service=prod')).total).toBe(2)
})

test('a document names an owner whose name several have: the contract keeps whom it has, and a new one gets nobody', async () => {
  const document = (title: string) => ({
    apiVersion: 'v3.0.1',
    kind: 'DataContract',
    id: 'd',
    version: '1.0.0',
    status: 'active',
    name: title,
    description: { purpose: title },
    team: [{ username: 'finance', role: 'owner' }],
  })
  const imported = async (kind: string, id: string, title: string) =>
    await ask('PUT', `/v1/dataContracts/odcs?entityType=${kind}&entityId=${id}`, document(title))
  const { id } = (await call('GET', '/v1/tables/name/store.db.s.t')).body
  const fresh = await imported('table', id, 'first')
  const warning = {
    path: '/team',
    message: 'not in the catalog, or the name of several, kept in the document: finance',
  }
  expect([fresh.owners ?? [], fresh.warnings]).toEqual([[], [warning]])
  await ask('PUT', '/v1/dataContracts', {
    name: 'first',
    entity: { id, type: 'table' },
    owners: [{ id: ids['team'], type: 'team' }],
  })
  const again = await imported('table', id, 'second')
  expect([again.owners, again.warnings]).toEqual([[expect.objectContaining({ id: ids['team'] })], []])
})

test('a tag gives way to the term of its name, and what else a label says stays read-only', async () => {
  await ask('POST', '/v1/classifications', { name: 'both' })
  await ask('POST', '/v1/tags', { name: 'x', classification: 'both' })
  await ask('POST', '/v1/glossaries', { name: 'both' })
  await ask('POST', '/v1/glossaryTerms', { name: 'x', glossary: 'both' })
  const path = '/v1/tables/name/store.db.s.t'
  const patch = (...tags: object[]) =>
    call('PATCH', path, { tags }, { headers: { 'content-type': 'application/merge-patch+json' } })
  const [tag, term] = ['Classification', 'Glossary'].map((source) => ({ tagFQN: 'both.x', source })) as [object, object]
  for (const tags of [[tag], [term], [tag, term], [tag]]) {
    expect((await patch(...tags)).status).toBe(200)
    expect((await get(path)).tags).toMatchObject(tags)
  }
  for (const said of [tag, { tagFQN: 'both.x' }]) {
    const { status, body } = await patch({ ...said, name: 'y' })
    expect([status, body.errors]).toEqual([400, [{ path: '/tags/0/name', message: 'is read-only' }]])
  }
  const columns = [{ name: 'c', dataType: 'INT', tags: [tag, term] }]
  await ask('PUT', '/v1/tables', { name: 't', databaseSchema: 'store.db.s', columns })
  const json = { headers: { 'content-type': 'application/json-patch+json' } }
  await call('PATCH', path, [{ op: 'add', path: '/columns/0/description', value: 'of both' }], json)
  expect((await get(path)).columns).toMatchObject([{ description: 'of both', tags: [tag, term] }])
})

test('a filter means the one that is live, and of the past the one that was there', async () => {
  expect(await names(`/v1/tables?owner=finance&asOf=${before}`)).toEqual(table)
  expect(await names(`/v1/tables?downstreamOf=prod.x&asOf=${before}`)).toEqual(table)
  await ask('DELETE', '/v1/users/name/finance')
  await ask('DELETE', '/v1/topics/name/prod.x')
  expect(await names('/v1/tables?owner=finance')).toEqual(table)
  expect(await names('/v1/tables?downstreamOf=prod.x')).toEqual(table)
})
