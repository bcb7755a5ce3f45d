import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answered, as, merge, problem, startHttp, type Http } from './support.ts'

interface Item {
  readonly entity: { readonly type: string; readonly fullyQualifiedName: string }
  readonly undo: string
  readonly outcome: string
  readonly changed: readonly string[]
  readonly code?: string
  readonly message?: string
}

let http: Http

beforeAll(async () => {
  http = await startHttp()
})

afterAll(() => http.stop())

let requests = 0

/** A call as one request that can be named. */
const asked = async (status: number, method: string, path: string, body?: unknown, user = 'ann') => {
  const id = `request-${requests++}`
  const type = method === 'PATCH' ? merge.headers : {}
  const options = { ...as(user, 'Admin'), headers: { ...type, 'X-Correlation-ID': id } }
  const { body: answer } = await answered(status, http.call(method, path, body, options))
  return { id, answer }
}

const revert = async (id: string, query = '', user = 'bob', role = 'Admin') => {
  const path = `/v1/requests/${id}/revert${query}`
  const answer = await answered(200, http.call('POST', path, undefined, as(user, role)))
  return { ...(answer.body as unknown as { status: string; data: Item[] }), headers: answer.headers }
}

const shown = ({ data }: { data: readonly Item[] }) =>
  data.map(({ entity, undo, outcome }) => `${undo} ${entity.fullyQualifiedName}: ${outcome}`)

const get = async (path: string) => (await answered(200, http.call('GET', path))).body

const service = async (name: string): Promise<void> => {
  await asked(201, 'POST', '/v1/services/databaseServices', { name, serviceType: 'Postgres' })
}

const tree = async (name: string): Promise<void> => {
  await service(name)
  await asked(201, 'POST', '/v1/databases', { name: 'db', service: name })
  await asked(201, 'POST', '/v1/databaseSchemas', { name: 's', database: `${name}.db` })
  for (const table of ['t1', 't2'])
    await asked(201, 'POST', '/v1/tables', { name: table, databaseSchema: `${name}.db.s` })
}

describe('GET /v1/requests/{correlationId}', () => {
  it('tells all that a recursive deletion did, in its order, by page', async () => {
    await tree('told')
    const { id } = await asked(200, 'DELETE', '/v1/services/databaseServices/name/told?recursive=true')
    const all = await get(`/v1/requests/${id}?limit=100`)
    expect(all.correlationId).toBe(id)
    const lines = all.data.map(
      ({ type, entity }: { type: string; entity: { fullyQualifiedName: string } }) =>
        `${type} ${entity.fullyQualifiedName}`,
    )
    // What one append takes, such as two tables of a schema, a log may have in either order.
    expect([...lines.slice(0, 3), ...lines.slice(3).toSorted()]).toEqual([
      'SoftDeleted told',
      'SoftDeleted told.db',
      'SoftDeleted told.db.s',
      'SoftDeleted told.db.s.t1',
      'SoftDeleted told.db.s.t2',
    ])
    expect(all.paging).toEqual({})
    const walked: unknown[] = []
    for (let after = ''; ;) {
      const page = await get(`/v1/requests/${id}?limit=2${after}`)
      walked.push(...page.data)
      if (page.paging.after === undefined) break
      after = `&after=${page.paging.after}`
    }
    expect(walked).toEqual(all.data)
  })

  it('is 404 for what is unknown, and 403 without the permission', async () => {
    await problem(404, 'NOT_FOUND', http.call('GET', '/v1/requests/nothing'))
    await problem(404, 'NOT_FOUND', http.call('POST', '/v1/requests/nothing/revert'))
    const reader = as('carl', 'DataConsumer')
    await problem(403, 'FORBIDDEN', http.call('GET', '/v1/requests/nothing', undefined, reader))
    await problem(403, 'FORBIDDEN', http.call('POST', '/v1/requests/nothing/revert', undefined, reader))
  })
})

describe('POST /v1/requests/{correlationId}/revert', () => {
  it('takes a bulk back as one: what it changed and what it created', async () => {
    await service('kept')
    await asked(200, 'PATCH', '/v1/services/databaseServices/name/kept', { description: 'before' })
    const items = [
      { name: 'kept', serviceType: 'Postgres', description: 'after', displayName: 'Kept' },
      { name: 'made', serviceType: 'Postgres' },
    ]
    const { id } = await asked(200, 'PUT', '/v1/services/databaseServices/bulk', items)
    const before = await get('/v1/events?after=latest')
    const foreseen = await revert(id, '?dryRun=true')
    expect(foreseen).toMatchObject({ dryRun: true, status: 'success' })
    expect(shown(foreseen)).toEqual(['change kept: reverted', 'delete made: reverted'])
    expect((await get('/v1/events?after=latest')).paging).toEqual(before.paging)
    const done = await revert(id)
    expect(shown(done)).toEqual(shown(foreseen))
    expect(Number(done.headers.get('catalog-position'))).toBeGreaterThan(Number(before.paging.after))
    const kept = await get('/v1/services/databaseServices/name/kept')
    expect(kept.description).toBe('before')
    expect(kept.displayName).toBeUndefined()
    await problem(404, 'NOT_FOUND', http.call('GET', '/v1/services/databaseServices/name/made'))
    expect(shown(await revert(id))).toEqual(['change kept: unchanged', 'none made: unchanged'])
  })

  it('takes a recursive deletion back, and that again', async () => {
    await tree('gone')
    const { id } = await asked(200, 'DELETE', '/v1/services/databaseServices/name/gone?recursive=true')
    const names = ['gone', 'gone.db', 'gone.db.s', 'gone.db.s.t1', 'gone.db.s.t2']
    expect(shown(await revert(id, '?dryRun=true'))).toEqual(names.map((name) => `restore ${name}: reverted`))
    const answer = await answered(200, http.call('POST', `/v1/requests/${id}/revert`, undefined, as('bob', 'Admin')))
    await get('/v1/tables/name/gone.db.s.t2')
    const back = answer.headers.get('x-correlation-id') as string
    expect(shown(await revert(back))).toEqual(names.map((name) => `delete ${name}: reverted`))
    await problem(404, 'NOT_FOUND', http.call('GET', '/v1/tables/name/gone.db.s.t2'))
  })

  it('names what was changed since as conflicts, writes nothing then, and leaves them out on demand', async () => {
    for (const name of ['one', 'two', 'three']) await asked(201, 'POST', '/v1/glossaries', { name })
    const shared = {
      ...as('ann', 'Admin'),
      headers: { 'content-type': 'application/merge-patch+json', 'X-Correlation-ID': 'shared' },
    }
    for (const name of ['one', 'two', 'three'])
      await answered(200, http.call('PATCH', `/v1/glossaries/name/${name}`, { description: 'shared' }, shared))
    await asked(200, 'PATCH', '/v1/glossaries/name/two', { description: 'other' }, 'carl')
    await asked(200, 'PATCH', '/v1/glossaries/name/three', { displayName: 'Three' }, 'carl')
    const foreseen = await revert('shared', '?dryRun=true')
    expect(shown(foreseen).toSorted()).toEqual([
      'change one: reverted',
      'change three: reverted',
      'change two: conflict',
    ])
    expect(foreseen.status).toBe('partialSuccess')
    expect(foreseen.data.find(({ outcome }) => outcome === 'conflict')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/description.*carl/),
    })
    const refused = await problem(409, 'CONFLICT', http.call('POST', '/v1/requests/shared/revert'))
    expect(refused.errors).toEqual([{ path: '', message: expect.stringMatching(/^glossary two: .*description/) }])
    expect((await get('/v1/glossaries/name/one')).description).toBe('shared')
    expect(shown(await revert('shared', '?skipConflicts=true')).toSorted()).toEqual(shown(foreseen).toSorted())
    expect((await get('/v1/glossaries/name/one')).description).toBeUndefined()
    expect((await get('/v1/glossaries/name/two')).description).toBe('other')
    expect(await get('/v1/glossaries/name/three')).toMatchObject({ displayName: 'Three' })
    expect((await get('/v1/glossaries/name/three')).description).toBeUndefined()
  })

  it('deletes nothing that has got children since, or was changed', async () => {
    const { id } = await asked(201, 'POST', '/v1/services/databaseServices', {
      name: 'parent',
      serviceType: 'Postgres',
    })
    await asked(201, 'POST', '/v1/databases', { name: 'child', service: 'parent' })
    expect(shown(await revert(id, '?dryRun=true'))).toEqual(['delete parent: conflict'])
    const { id: word } = await asked(201, 'POST', '/v1/glossaries', { name: 'word' })
    await asked(200, 'PATCH', '/v1/glossaries/name/word', { description: 'more' })
    expect((await revert(word, '?dryRun=true')).data).toMatchObject([{ undo: 'none', outcome: 'conflict' }])
  })

  it('says what cannot be taken back', async () => {
    const { answer } = await asked(201, 'POST', '/v1/glossaries', { name: 'lost' })
    const { id } = await asked(204, 'DELETE', `/v1/glossaries/${answer.id}?hardDelete=true`)
    expect((await revert(id, '?dryRun=true')).data).toMatchObject([
      { outcome: 'conflict', message: 'It was deleted for good, which nothing takes back.' },
    ])
    const { answer: liked } = await asked(201, 'POST', '/v1/glossaries', { name: 'liked' })
    const { id: vote } = await asked(200, 'PUT', `/v1/glossaries/${liked.id}/vote`, { updatedVoteType: 'votedUp' })
    expect((await revert(vote)).data).toMatchObject([{ undo: 'none', outcome: 'unchanged' }])
  })

  it('takes assets of a product out again, and puts back what was taken out', async () => {
    await asked(201, 'POST', '/v1/domains', { name: 'd', domainType: 'Aggregate' })
    const { answer: product } = await asked(201, 'POST', '/v1/dataProducts', { name: 'p', domain: 'd' })
    await tree('assets')
    const [one, two] = ['t1', 't2'].map((name) => ({ type: 'table', fullyQualifiedName: `assets.db.s.${name}` }))
    const at = `/v1/dataProducts/${product.id}/assets`
    const { id: added } = await asked(200, 'PUT', `${at}/add`, { assets: [one, two] })
    const { id: removed } = await asked(200, 'PUT', `${at}/remove`, { assets: [one] })
    const names = async () =>
      (await get(at)).data.map(({ fullyQualifiedName }: { fullyQualifiedName: string }) => fullyQualifiedName)
    expect(await names()).toEqual(['assets.db.s.t2'])
    expect(shown(await revert(removed))).toEqual(['change p: reverted'])
    expect(await names()).toEqual(['assets.db.s.t1', 'assets.db.s.t2'])
    await revert(added)
    expect(await names()).toEqual([])
  })

  it('needs for each entity what the single write needs', async () => {
    const { id } = await asked(201, 'POST', '/v1/glossaries', { name: 'guarded' }, 'newcomer')
    const looked = await revert(id, '?dryRun=true', 'audrey', 'Auditor')
    expect(looked.data).toMatchObject([
      { entity: { fullyQualifiedName: 'guarded' }, outcome: 'refused', code: 'FORBIDDEN' },
    ])
    await problem(403, 'FORBIDDEN', http.call('POST', `/v1/requests/${id}/revert`, undefined, as('audrey', 'Auditor')))
    expect(shown(await revert(id, '', 'steve', 'DataSteward'))).toEqual(['delete guarded: reverted'])
    expect((await get('/v1/users/name/newcomer')).name).toBe('newcomer')
  })
})
