import { describe, expect, it } from 'vitest'
import { answered, as, merge, pagesOf, schemaOf, testCaseOn, useHttp } from './support.ts'

interface Item {
  readonly entity: { readonly type: string; readonly fullyQualifiedName: string }
  readonly undo: string
  readonly outcome: string
  readonly changed: readonly string[]
  readonly code?: string
  readonly message?: string
}

const http = useHttp({
  policies: 'roles:\n  Remover:\n    - { effect: allow, operations: [view, delete, history], kinds: [glossary] }\n',
})

/** A call as one request that can be named. */
const asked = async (status: number, method: string, path: string, body?: unknown, user = 'ann') => {
  const type = method === 'PATCH' ? merge.headers : {}
  const options = { ...as(user, 'Admin'), headers: type }
  const { body: answer, headers } = await answered(status, http.call(method, path, body, options))
  return { id: headers.get('x-request-id') as string, answer }
}

const revert = async (id: string, query = '', user = 'bob', role = 'Admin') => {
  const path = `/v1/requests/${id}/revert${query}`
  const answer = await answered(200, http.call('POST', path, undefined, as(user, role)))
  return { ...(answer.body as unknown as { status: string; data: Item[] }), headers: answer.headers }
}

const shown = ({ data }: { data: readonly Item[] }) =>
  data.map(({ entity, undo, outcome }) => `${undo} ${entity.fullyQualifiedName}: ${outcome}`)

const service = async (name: string): Promise<void> => {
  await asked(201, 'POST', '/v1/services/databaseServices', { name, serviceType: 'Postgres' })
}

const tree = async (name: string): Promise<void> => {
  for (const [path, body] of schemaOf(name)) await asked(201, 'POST', `/v1/${path}`, body)
  for (const table of ['t1', 't2'])
    await asked(201, 'POST', '/v1/tables', { name: table, databaseSchema: `${name}.db.s` })
}

describe('GET /v1/requests/{correlationId}', () => {
  it('tells all that a recursive deletion did, in its order, by page', async () => {
    await tree('told')
    const { id } = await asked(200, 'DELETE', '/v1/services/databaseServices/name/told?recursive=true')
    const all = await http.get(`/v1/requests/${id}?limit=100`)
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
    for await (const { data } of pagesOf((after) => http.get(`/v1/requests/${id}?limit=2${after}`)))
      walked.push(...data)
    expect(walked).toEqual(all.data)
    // A cursor behind nothing would pass over what comes first.
    await http.refuses('BAD_REQUEST', 'GET', `/v1/requests/${id}?limit=0`)
  })

  it('is one request of one user, whatever X-Correlation-ID clients send; that is found beside it', async () => {
    const told = async (user: string, name: string) => {
      const options = { ...as(user, 'Admin'), headers: { 'X-Correlation-ID': 'nightly' } }
      const { headers } = await answered(201, http.call('POST', '/v1/glossaries', { name }, options))
      expect(headers.get('x-correlation-id')).toBe('nightly')
      return headers.get('x-request-id') as string
    }
    const ids = [await told('ann', 'hers'), await told('bob', 'his')]
    expect(new Set([...ids, 'nightly']).size).toBe(3)
    await http.refuses('NOT_FOUND', 'POST', '/v1/requests/nightly/revert')
    const found = await http.get('/v1/activity?clientCorrelationId=nightly&kind=glossary')
    expect(
      found.data.map(({ correlationId, clientCorrelationId }: Record<string, string>) => [
        correlationId,
        clientCorrelationId,
      ]),
    ).toEqual(ids.toReversed().map((id) => [id, 'nightly']))
    const feed = await http.get('/v1/events?clientCorrelationId=nightly&kind=glossary')
    expect(
      feed.data.map(({ correlationid, clientcorrelationid }: Record<string, string>) => [
        correlationid,
        clientcorrelationid,
      ]),
    ).toEqual(ids.map((id) => [id, 'nightly']))
    expect(shown(await revert(ids[0] as string))).toEqual(['delete hers: reverted'])
    expect((await http.get('/v1/glossaries/name/his')).name).toBe('his')
  })

  it('is 404 for what is unknown, and 403 without the permission', async () => {
    await http.refuses('NOT_FOUND', 'GET', '/v1/requests/nothing')
    await http.refuses('NOT_FOUND', 'POST', '/v1/requests/nothing/revert')
    const reader = as('carl', 'DataConsumer')
    await http.refuses('FORBIDDEN', 'GET', '/v1/requests/nothing', undefined, reader)
    await http.refuses('NOT_FOUND', 'POST', '/v1/requests/nothing/revert', undefined, reader)
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
    const before = await http.get('/v1/events?after=latest')
    const foreseen = await revert(id, '?dryRun=true')
    expect(foreseen).toMatchObject({ dryRun: true, status: 'success' })
    expect(shown(foreseen)).toEqual(['change kept: reverted', 'delete made: reverted'])
    expect((await http.get('/v1/events?after=latest')).paging).toEqual(before.paging)
    const done = await revert(id)
    expect(shown(done)).toEqual(shown(foreseen))
    expect(Number(done.headers.get('catalog-position'))).toBeGreaterThan(Number(before.paging.after))
    const kept = await http.get('/v1/services/databaseServices/name/kept')
    expect(kept.description).toBe('before')
    expect(kept.displayName).toBeUndefined()
    await http.refuses('NOT_FOUND', 'GET', '/v1/services/databaseServices/name/made')
    expect(shown(await revert(id))).toEqual(['change kept: unchanged', 'none made: unchanged'])
  })

  it('takes a recursive deletion back, and that again', async () => {
    await tree('gone')
    const { id } = await asked(200, 'DELETE', '/v1/services/databaseServices/name/gone?recursive=true')
    const names = ['gone', 'gone.db', 'gone.db.s', 'gone.db.s.t1', 'gone.db.s.t2']
    expect(shown(await revert(id, '?dryRun=true'))).toEqual(names.map((name) => `restore ${name}: reverted`))
    const answer = await answered(200, http.call('POST', `/v1/requests/${id}/revert`, undefined, as('bob', 'Admin')))
    await http.get('/v1/tables/name/gone.db.s.t2')
    const back = answer.headers.get('x-request-id') as string
    expect(shown(await revert(back))).toEqual(names.map((name) => `delete ${name}: reverted`))
    await http.refuses('NOT_FOUND', 'GET', '/v1/tables/name/gone.db.s.t2')
  })

  it('names what was changed since as conflicts, writes nothing then, and leaves them out on demand', async () => {
    const services = '/v1/services/databaseServices'
    for (const name of ['one', 'two', 'three']) await service(name)
    const bulk = ['one', 'two', 'three'].map((name) => ({ name, serviceType: 'Postgres', description: 'shared' }))
    const { id } = await asked(200, 'PUT', `${services}/bulk`, bulk)
    await asked(200, 'PATCH', `${services}/name/two`, { description: 'other' }, 'carl')
    await asked(200, 'PATCH', `${services}/name/three`, { displayName: 'Three' }, 'carl')
    const foreseen = await revert(id, '?dryRun=true')
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
    const refused = await http.refuses('CONFLICT', 'POST', `/v1/requests/${id}/revert`)
    expect(refused.errors).toEqual([
      { path: '', message: expect.stringMatching(/^databaseService two: .*description/) },
    ])
    expect((await http.get(`${services}/name/one`)).description).toBe('shared')
    expect(shown(await revert(id, '?skipConflicts=true')).toSorted()).toEqual(shown(foreseen).toSorted())
    expect((await http.get(`${services}/name/one`)).description).toBeUndefined()
    expect((await http.get(`${services}/name/two`)).description).toBe('other')
    expect(await http.get(`${services}/name/three`)).toMatchObject({ displayName: 'Three' })
    expect((await http.get(`${services}/name/three`)).description).toBeUndefined()
  })

  it('says where references are left out because what they named has been hard-deleted since', async () => {
    const users = ['leaver', 'stayer', 'successor']
    for (const name of users) await asked(201, 'POST', '/v1/users', { name })
    await asked(201, 'POST', '/v1/classifications', { name: 'Fading' })
    await asked(201, 'POST', '/v1/tags', { name: 'Faded', classification: 'Fading' })
    await tree('orphaned')
    const path = '/v1/tables/name/orphaned.db.s.'
    const columns = [{ name: 'id', dataType: 'INT', tags: [{ tagFQN: 'Fading.Faded' }] }]
    await asked(200, 'PATCH', `${path}t1`, { owners: ['leaver', 'stayer'], columns })
    const { answer: first } = await asked(200, 'PATCH', `${path}t2`, { owners: ['leaver', 'stayer'] })
    const both = await asked(200, 'PATCH', `${path}t1`, {
      owners: ['stayer', 'successor'],
      columns: [{ name: 'id', dataType: 'INT', tags: [] }],
    })
    const none = await asked(200, 'PATCH', `${path}t2`, { owners: ['stayer'] })
    await asked(204, 'DELETE', '/v1/users/name/leaver?hardDelete=true')
    await asked(204, 'DELETE', '/v1/tags/name/Fading.Faded?hardDelete=true')
    const left = (paths: string) => `What ${paths} referred to has been hard-deleted since, and is left out.`
    for (const query of ['?dryRun=true', ''])
      expect((await revert(both.id, query)).data).toMatchObject([
        { outcome: 'reverted', message: left('columns.id.tags and owners') },
      ])
    expect((await revert(none.id)).data).toMatchObject([{ outcome: 'unchanged', message: left('owners') }])
    const { answer } = await asked(200, 'POST', `/v1/tables/${first['id'] as string}/revert`, {
      version: first['version'],
    })
    expect(answer['hardDeleted']).toEqual(['owners'])
    const again = await asked(200, 'POST', `/v1/tables/${first['id'] as string}/revert`, { version: answer['version'] })
    expect(again.answer['hardDeleted']).toBeUndefined()
  })

  it('deletes nothing that has been given children since', async () => {
    const { id } = await asked(201, 'POST', '/v1/services/databaseServices', {
      name: 'parent',
      serviceType: 'Postgres',
    })
    await asked(201, 'POST', '/v1/databases', { name: 'child', service: 'parent' })
    expect(shown(await revert(id, '?dryRun=true'))).toEqual(['delete parent: conflict'])
  })

  it('deletes nothing for which others have written what goes with it', async () => {
    await tree('used')
    const { answer: opened } = await asked(201, 'POST', '/v1/requests')
    const joined = { ...as('ann', 'Admin'), headers: { 'Catalog-Request': opened.token } }
    for (const name of ['promised', 'tested', 'fed'])
      await answered(201, http.call('POST', '/v1/tables', { name, databaseSchema: 'used.db.s' }, joined))
    await asked(201, 'POST', '/v1/dataContracts', {
      name: 'c',
      entity: { type: 'table', fullyQualifiedName: 'used.db.s.promised' },
    })
    await asked(201, 'POST', '/v1/dataQuality/testSuites', { name: 'usedSuite' })
    const few = testCaseOn('used.db.s.tested', 'few', { testSuite: 'usedSuite' })
    await asked(201, 'POST', '/v1/dataQuality/testCases', few)
    await asked(200, 'PUT', '/v1/lineage/table/name/used.db.s.fed', {
      edges: [{ from: { type: 'table', fullyQualifiedName: 'used.db.s.t1' } }],
    })
    const foreseen = await revert(opened.correlationId, '?dryRun=true')
    expect(foreseen.data.map(({ entity, outcome, message }) => [entity.fullyQualifiedName, outcome, message])).toEqual([
      ['used.db.s.fed', 'conflict', 'Since then it has been given children of kind lineage.'],
      ['used.db.s.tested', 'conflict', 'Since then it has been given children of kind testCase.'],
      ['used.db.s.promised', 'conflict', 'Since then it has been given children of kind dataContract.'],
    ])
    await http.refuses('CONFLICT', 'POST', `/v1/requests/${opened.correlationId}/revert`)
    expect((await revert(opened.correlationId, '?skipConflicts=true')).status).toBe('failure')
    await http.get('/v1/dataContracts/name/used.db.s.promised.c')
  })

  it('deletes what lineage had been stated of before it was created, unless that was stated again since', async () => {
    await tree('early')
    const event = (output: string) => ({
      eventType: 'COMPLETE',
      eventTime: '2026-01-01T00:00:00Z',
      run: { runId: crypto.randomUUID() },
      job: { namespace: 'jobs', name: output },
      inputs: [{ namespace: 'early', name: 'db.s.t1' }],
      outputs: [{ namespace: 'early', name: `db.s.${output}` }],
    })
    const dataOfRevert = async (name: string, between?: () => Promise<unknown>) => {
      await asked(200, 'POST', '/v1/lineage', event(name))
      const { id } = await asked(201, 'POST', '/v1/tables', { name, databaseSchema: 'early.db.s' })
      await between?.()
      return (await revert(id, '?skipConflicts=true')).data
    }
    const from = { type: 'table', fullyQualifiedName: 'early.db.s.t2' }
    const again = () => asked(200, 'PUT', '/v1/lineage/table/name/early.db.s.more', { edges: [{ from }] })
    expect(await dataOfRevert('only')).toMatchObject([{ undo: 'delete', outcome: 'reverted' }])
    expect(await dataOfRevert('more', again)).toMatchObject([{ undo: 'delete', outcome: 'conflict' }])
    await answered(200, http.call('PUT', '/v1/tables', { name: 'only', databaseSchema: 'early.db.s' }))
    expect((await http.get('/v1/lineage/table/name/early.db.s.only')).edges).toHaveLength(1)
  })

  it('keeps what was changed since with all that it stands in, and deletes the rest', async () => {
    await service('edited')
    const { answer: opened } = await asked(201, 'POST', '/v1/requests')
    const joined = { ...as('ann', 'Admin'), headers: { 'Catalog-Request': opened.token } }
    const made = async (path: string, items: readonly object[]) => {
      const { body } = await answered(200, http.call('PUT', `${path}/bulk`, items, joined))
      expect(body.status).toBe('success')
    }
    await made('/v1/databases', [{ name: 'd', service: 'edited' }])
    await made('/v1/databaseSchemas', [
      { name: 's', database: 'edited.d' },
      { name: 'other', database: 'edited.d' },
    ])
    const tables = ['s.f1', 's.f2', 's.f3', 'other.o'].map((name) => name.split('.') as [string, string])
    await made(
      '/v1/tables',
      tables.map(([schema, name]) => ({ name, databaseSchema: `edited.d.${schema}` })),
    )
    await asked(200, 'PATCH', '/v1/tables/name/edited.d.s.f1', { description: 'mine' }, 'carl')
    const foreseen = await revert(opened.correlationId, '?dryRun=true')
    expect(shown(foreseen).toSorted()).toEqual([
      'delete edited.d.other.o: reverted',
      'delete edited.d.other: reverted',
      'delete edited.d.s.f2: reverted',
      'delete edited.d.s.f3: reverted',
      'delete edited.d.s: conflict',
      'delete edited.d: conflict',
      'none edited.d.s.f1: conflict',
    ])
    const said = ({ data }: { data: readonly Item[] }) =>
      data
        .flatMap(({ entity, outcome, message }) => (outcome === 'conflict' ? [[entity.type, message]] : []))
        .toSorted()
    expect(said(foreseen)).toEqual([
      ['database', 'It is kept because databaseSchema edited.d.s below it is kept.'],
      ['databaseSchema', 'It is kept because table edited.d.s.f1 below it is kept.'],
      ['table', 'It has been changed since it was created, by carl.'],
    ])
    await http.refuses('CONFLICT', 'POST', `/v1/requests/${opened.correlationId}/revert`)
    await http.get('/v1/tables/name/edited.d.s.f2')
    const done = await revert(opened.correlationId, '?skipConflicts=true')
    expect(shown(done)).toEqual(shown(foreseen))
    expect((await http.get('/v1/tables?databaseSchema=edited.d.s')).data).toMatchObject([{ name: 'f1' }])
    await http.refuses('NOT_FOUND', 'GET', '/v1/databaseSchemas/name/edited.d.other')
  })

  it('needs for each entity what the single write needs', async () => {
    const { id } = await asked(201, 'POST', '/v1/glossaries', { name: 'guarded' }, 'newcomer')
    const looked = await revert(id, '?dryRun=true', 'audrey', 'Auditor')
    expect(looked.data).toMatchObject([
      { entity: { fullyQualifiedName: 'guarded' }, outcome: 'refused', code: 'FORBIDDEN' },
    ])
    await http.refuses('FORBIDDEN', 'POST', `/v1/requests/${id}/revert`, undefined, as('audrey', 'Auditor'))
    expect(shown(await revert(id, '', 'steve', 'DataSteward'))).toEqual(['delete guarded: reverted'])
    expect((await http.get('/v1/users/name/newcomer')).name).toBe('newcomer')
  })

  it('needs edit, too, where it deletes what it also changes', async () => {
    const { answer } = await asked(201, 'POST', '/v1/glossaries', { name: 'changedToo', description: 'good' })
    await asked(200, 'DELETE', `/v1/glossaries/${answer.id}`)
    const { id } = await asked(200, 'PUT', '/v1/glossaries', { name: 'changedToo', description: 'bad' })
    await http.refuses('FORBIDDEN', 'POST', `/v1/requests/${id}/revert`, undefined, as('rem', 'Remover'))
    expect((await http.get(`/v1/glossaries/${answer.id}`)).description).toBe('bad')
    expect(shown(await revert(id))).toEqual(['delete changedToo: reverted'])
    expect(await http.get(`/v1/glossaries/${answer.id}?include=all`)).toMatchObject({
      deleted: true,
      description: 'good',
    })
  })

  it('says that proposals stay, to whoever may see that it was one', async () => {
    await asked(201, 'POST', '/v1/glossaries', { name: 'proposedFor' })
    const proposals = '/v1/glossaries/name/proposedFor/proposals'
    const { id } = await asked(201, 'POST', proposals, { patch: { description: 'better' } }, 'carl')
    for (const user of ['carl', 'bob']) {
      const refused = await http.refuses(
        'BAD_REQUEST',
        'POST',
        `/v1/requests/${id}/revert`,
        undefined,
        as(user, 'Admin'),
      )
      expect(refused.message).toMatch(/only made or decided proposals/)
    }
    await http.refuses('NOT_FOUND', 'POST', `/v1/requests/${id}/revert`, undefined, as('dora', 'DataConsumer'))
  })

  it('gives values back to their authors, also of what it restores or deletes with that', async () => {
    const { answer } = await asked(201, 'POST', '/v1/glossaries', { name: 'authored', description: 'hers' }, 'ann')
    const joined = async (...calls: [status: number, method: string, path: string, body?: unknown][]) => {
      const { answer: opened } = await asked(201, 'POST', '/v1/requests', undefined, 'carl')
      const headers = { ...merge.headers, 'Catalog-Request': opened['token'] as string }
      for (const [status, method, path, body] of calls)
        await answered(status, http.call(method, path, body, { ...as('carl', 'Admin'), headers }))
      return opened['correlationId'] as string
    }
    const author = async () =>
      (await http.get(`/v1/glossaries/${answer['id']}?provenance=true&include=all`)).provenance.description
        .user as string
    const at = `/v1/glossaries/${answer['id']}`
    await revert(await joined([200, 'PATCH', at, { description: 'his' }], [200, 'DELETE', at]))
    expect(await author()).toBe('ann')
    await asked(200, 'DELETE', at)
    const body = { name: 'authored', description: 'his' }
    await revert((await asked(200, 'PUT', '/v1/glossaries', body, 'carl')).id)
    expect(await author()).toBe('ann')
  })

  it('needs no permission to history for a request of the caller, and for each entity that of the single write', async () => {
    await tree('loadable')
    const own = as('nightly', 'Ingestion')
    const load = async (items: object[]) => {
      const { body: opened } = await answered(201, http.call('POST', '/v1/requests', undefined, own))
      const headers = { 'catalog-request': opened['token'] as string }
      await answered(200, http.call('PUT', '/v1/tables/bulk', items, { ...own, headers }))
      return opened['correlationId'] as string
    }
    const table = (name: string) => ({ name, databaseSchema: 'loadable.db.s', description: 'Loaded.' })
    const id = await load([table('t1')])
    const others = as('other', 'Ingestion')
    await http.refuses('NOT_FOUND', 'POST', `/v1/requests/${id}/revert?dryRun=true`, undefined, others)
    expect(shown(await revert(id, '?dryRun=true', 'nightly', 'Ingestion'))).toEqual([
      'change loadable.db.s.t1: reverted',
    ])
    await revert(id, '', 'nightly', 'Ingestion')
    expect((await http.get('/v1/tables/name/loadable.db.s.t1')).description).toBeUndefined()
    const created = await load([table('t3')])
    const { message } = await http.refuses('FORBIDDEN', 'POST', `/v1/requests/${created}/revert`, undefined, own)
    expect(message).toContain('1 of what it did cannot be')
  })
})

describe('undoing a request between whose events others have written', () => {
  const open = async () => {
    const { answer } = await asked(201, 'POST', '/v1/requests')
    return { id: answer.correlationId as string, headers: { 'Catalog-Request': answer.token as string } }
  }

  /** A call that belongs to the opened request. */
  const joined = ({ headers }: { headers: object }, method: string, path: string, body?: unknown, status = 200) => {
    const type = method === 'PATCH' ? merge.headers : {}
    return answered(status, http.call(method, path, body, { ...as('ann', 'Admin'), headers: { ...type, ...headers } }))
  }

  const undo = async (id: string) => {
    const foreseen = await revert(id, '?dryRun=true')
    const done = await revert(id)
    expect(shown(done)).toEqual(shown(foreseen))
    return shown(done)
  }

  it('leaves the assets of a product that others added', async () => {
    await asked(201, 'POST', '/v1/domains', { name: 'between', domainType: 'Aggregate' })
    const { answer: product } = await asked(201, 'POST', '/v1/dataProducts', { name: 'both', domain: 'between' })
    await tree('between')
    const at = `/v1/dataProducts/${product.id}`
    const add = (name: string) => ({ assets: [{ type: 'table', fullyQualifiedName: `between.db.s.${name}` }] })
    const request = await open()
    await joined(request, 'PUT', `${at}/assets/add`, add('t1'))
    await asked(200, 'PUT', `${at}/assets/add`, add('t2'), 'carl')
    await joined(request, 'PATCH', at, { description: 'new' })
    expect(await undo(request.id)).toEqual(['change both: reverted'])
    const { data } = await http.get(`${at}/assets`)
    expect(data).toMatchObject([{ fullyQualifiedName: 'between.db.s.t2' }])
    const { id: removed } = await asked(200, 'PUT', `${at}/assets/remove`, add('t2'))
    expect((await http.get(`${at}/assets`)).data).toEqual([])
    expect(await undo(removed)).toEqual(['change both: reverted'])
    expect((await http.get(`${at}/assets`)).data).toEqual(data)
  })

  it('leaves out the assets of a product that have been hard-deleted, and so does a revert to a version', async () => {
    await tree('fleeting')
    const { answer: product } = await asked(201, 'POST', '/v1/dataProducts', { name: 'kept' })
    const at = `/v1/dataProducts/${product.id}`
    const list = (...names: string[]) => ({
      assets: names.map((name) => ({ type: 'table', fullyQualifiedName: `fleeting.db.s.${name}` })),
    })
    await asked(200, 'PUT', `${at}/assets/add`, list('t1', 't2'))
    await asked(200, 'PUT', `${at}/outputPorts/add`, list('t2'))
    const { answer: full } = await asked(200, 'PATCH', at, { description: 'full' })
    const removed = await asked(200, 'PUT', `${at}/assets/remove`, list('t1'))
    await asked(200, 'PUT', `${at}/assets/remove`, list('t2'))
    await asked(200, 'PUT', `${at}/outputPorts/remove`, list('t2'))
    await asked(204, 'DELETE', '/v1/tables/name/fleeting.db.s.t1?hardDelete=true')
    const message = 'What assets referred to has been hard-deleted since, and is left out.'
    for (const query of ['?dryRun=true', ''])
      expect((await revert(removed.id, query)).data).toMatchObject([{ outcome: 'unchanged', message }])
    const { answer } = await asked(200, 'POST', `${at}/revert`, { version: full['version'] })
    expect(answer).toMatchObject({ hardDeleted: ['assets'], description: 'full' })
    const { assets, outputPorts } = await http.get(`${at}?fields=assets,outputPorts`)
    expect([assets, outputPorts]).toMatchObject([list('t2').assets, list('t2').assets])
  })

  it('undoes the creation of what it deleted with its parent: only the parent comes back', async () => {
    await asked(201, 'POST', '/v1/glossaries', { name: 'tidied' })
    const request = await open()
    const create = async (term: object) => {
      const { body } = await joined(request, 'PUT', '/v1/glossaryTerms', { glossary: 'tidied', ...term }, 201)
      return body['id'] as string
    }
    const id = await create({ name: 'new' })
    const below = await create({ name: 'below', parent: 'tidied.new' })
    await joined(request, 'DELETE', '/v1/glossaries/name/tidied?recursive=true')
    const foreseen = await undo(request.id)
    expect(foreseen.toSorted()).toEqual([
      'delete tidied.new.below: reverted',
      'delete tidied.new: reverted',
      'restore tidied: reverted',
    ])
    await http.get('/v1/glossaries/name/tidied')
    const deleted = async () =>
      Promise.all(
        [id, below].map(async (each) => (await http.get(`/v1/glossaryTerms/${each}?include=all`)).deleted as boolean),
      )
    expect(await deleted()).toEqual([true, true])
    await asked(200, 'PUT', '/v1/glossaryTerms/restore', { id })
    expect(await deleted()).toEqual([false, false])
  })
})

describe('undoing a creation while what it stands in is deleted', () => {
  const deleteAndUndo = async (id: string, schema: string) => {
    await asked(200, 'DELETE', `/v1/databaseSchemas/name/${schema}?recursive=true`, undefined, 'carl')
    const foreseen = await revert(id, '?dryRun=true')
    expect(shown(await revert(id, '?skipConflicts=true'))).toEqual(shown(foreseen))
    return foreseen.data.map(({ undo, outcome, message }) => [undo, outcome, message])
  }
  const restored = async (schema: string, names: readonly string[]) => {
    const { id } = await http.get(`/v1/databaseSchemas/name/${schema}?include=all`)
    await asked(200, 'PUT', '/v1/databaseSchemas/restore', { id })
    const { data } = await http.get(`/v1/tables?databaseSchema=${schema}`)
    expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(names)
  }

  it('keeps it deleted when that comes back', async () => {
    await tree('swept')
    const { id } = await asked(201, 'POST', '/v1/tables', { name: 'made', databaseSchema: 'swept.db.s' })
    expect(await deleteAndUndo(id, 'swept.db.s')).toEqual([['delete', 'reverted', undefined]])
    expect((await revert(id)).data).toMatchObject([{ undo: 'none', message: 'It has already been deleted.' }])
    await restored('swept.db.s', ['t1', 't2'])
  })

  it('is a conflict if others have changed it', async () => {
    await tree('worked')
    const { id } = await asked(201, 'POST', '/v1/tables', { name: 'made', databaseSchema: 'worked.db.s' })
    await asked(200, 'PATCH', '/v1/tables/name/worked.db.s.made', { description: 'an hour of work' }, 'carl')
    expect(await deleteAndUndo(id, 'worked.db.s')).toMatchObject([
      ['none', 'conflict', expect.stringMatching(/changed since it was created/)],
    ])
    await restored('worked.db.s', ['made', 't1', 't2'])
  })

  it('does nothing if that was created by the same request', async () => {
    await tree('whole')
    const { body: opened } = await answered(201, http.call('POST', '/v1/requests', undefined, as('ann', 'Admin')))
    const joined = { ...as('ann', 'Admin'), headers: { 'Catalog-Request': opened['token'] as string } }
    await answered(201, http.call('POST', '/v1/databaseSchemas', { name: 'own', database: 'whole.db' }, joined))
    await answered(201, http.call('POST', '/v1/tables', { name: 'made', databaseSchema: 'whole.db.own' }, joined))
    expect(await deleteAndUndo(opened['correlationId'] as string, 'whole.db.own')).toEqual([
      ['none', 'unchanged', 'It has already been deleted.'],
      ['none', 'unchanged', 'It has already been deleted.'],
    ])
    await restored('whole.db.own', ['made'])
  })

  it('is a conflict if it has been given children since', async () => {
    await tree('grown')
    const { id } = await asked(201, 'POST', '/v1/databaseSchemas', { name: 'made', database: 'grown.db' })
    await asked(201, 'POST', '/v1/tables', { name: 'theirs', databaseSchema: 'grown.db.made' }, 'carl')
    await asked(200, 'DELETE', '/v1/databases/name/grown.db?recursive=true', undefined, 'carl')
    expect(shown(await revert(id, '?dryRun=true'))).toEqual(['delete grown.db.made: conflict'])
  })
})
