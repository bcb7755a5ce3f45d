import { describe, expect, it } from 'vitest'
import { as, merge, schemaOfPg, useHttp } from './support.ts'

const policies = `roles:
  OwnPast:
    - { effect: allow, operations: [view, versions, edit], kinds: ['*'], condition: isOwner }
  Viewer:
    - { effect: allow, operations: [view], kinds: ['*'] }
`

const http = useHttp({
  policies,
  made: [
    ['users', { name: 'ann' }],
    ['users', { name: 'cy' }],
  ],
})
const { call, head } = http

describe('lists of the past', () => {
  it('one entity is shown as of when it was soft-deleted only where include asks for it', async () => {
    const { id } = (await call('POST', '/v1/glossaries', { name: 'words' })).body
    await call('DELETE', `/v1/glossaries/${id}`)
    await call('PUT', '/v1/glossaries/restore', { id })
    const asked = async (query: string) => {
      const { status, body } = await call('GET', `/v1/glossaries/name/words?${query}`)
      return [status, body.deleted ?? body.message]
    }
    expect(await asked('asOf=v0.2&include=all')).toEqual([200, true])
    expect(await asked('asOf=v0.2&include=deleted')).toEqual([200, true])
    expect(await asked('asOf=v0.1&include=non-deleted')).toEqual([200, false])
    const refused = (state: string, asOf: string) => [
      404,
      `glossary words was ${state} at ${asOf}: GET shows it with ?include=all.`,
    ]
    for (const query of ['asOf=v0.2', 'asOf=v0.2&include=non-deleted'])
      expect(await asked(query)).toEqual(refused('soft-deleted', 'v0.2'))
    expect(await asked('asOf=v0.1&include=deleted')).toEqual(refused('live', 'v0.1'))
  })

  it('who may not read versions sees none', async () => {
    await http.refuses('FORBIDDEN', 'GET', `/v1/teams?asOf=@${await head()}`, undefined, as('x', 'Viewer'))
  })

  it('who sees only his own sees what he owned then and owns now', async () => {
    for (const [name, owners] of Object.entries({ mine: ['ann'], lost: ['ann'], won: ['cy'] }))
      await call('POST', '/v1/dataProducts', { name, owners })
    const position = await head()
    await call('PATCH', '/v1/dataProducts/name/lost', { owners: ['cy'] }, merge)
    await call('PATCH', '/v1/dataProducts/name/won', { owners: ['ann'] }, merge)
    const asAnn = as('ann', 'OwnPast')
    const path = `/v1/dataProducts?asOf=@${position}`
    const own = (await call('GET', `${path}&owner=ann`, undefined, asAnn)).body
    expect([own.paging.total, own.data.map(({ name }: { name: string }) => name)]).toEqual([1, ['mine']])
    expect((await call('GET', path, undefined, asAnn)).status).toBe(403)
    const all = (await call('GET', `${path}&owner=ann`)).body
    expect(all.data.map(({ name }: { name: string }) => name)).toEqual(['lost', 'mine'])
  })

  it('the assets of a data product and the contract in force are those of the moment', async () => {
    for (const [path, body] of schemaOfPg) await http.post(`/v1/${path}`, body)
    const asset = { id: (await http.get('/v1/databaseSchemas/name/pg.db.s')).id as string, type: 'databaseSchema' }
    const product = await http.post('/v1/dataProducts', { name: 'p' })
    const address = `/v1/dataContracts/entity?entityId=${asset.id}&entityType=${asset.type}`
    const shown = async (query = '') => {
      const { status, name, inherited } = (await call('GET', `${address}${query.replace('?', '&')}`)).body
      return {
        assets: (await http.get(`/v1/dataProducts/${product.id}/assets${query}`)).data,
        contract: [status, name, inherited],
      }
    }
    const moments: { position: string; was: Awaited<ReturnType<typeof shown>> }[] = []
    const note = async () => moments.push({ position: await head(), was: await shown() })
    const change = (verb: string) => http.put(`/v1/dataProducts/${product.id}/assets/${verb}`, { assets: [asset] })
    await note()
    await change('add')
    await note()
    const entity = { id: product.id, type: 'dataProduct' }
    await http.post('/v1/dataContracts', { name: 'of p', entity, entityStatus: 'Active' })
    await note()
    await http.post('/v1/dataContracts', { name: 'own', entity: asset })
    await note()
    await http.remove('/v1/dataContracts/name/pg.db.s.own?hardDelete=true')
    await change('remove')
    await note()
    expect(moments.map(({ was }) => was.contract)).toEqual([
      [404, undefined, undefined],
      [404, undefined, undefined],
      [undefined, 'of p', true],
      [undefined, 'own', false],
      [404, undefined, undefined],
    ])
    for (const { position, was } of moments) expect(await shown(`?asOf=@${position}`)).toEqual(was)
  })

  it('a version, a moment that is none and a position that the log does not have are refused', async () => {
    for (const [asOf, said] of [
      ['v1.3', 'each entity has its own versions'],
      ['yesterday', 'must be a log position'],
      ['@999999999999999999', 'beyond the end'],
    ]) {
      const { status, body } = await call('GET', `/v1/teams?asOf=${asOf}`)
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(said as string)])
    }
    const long = (await call('GET', '/v1/teams?asOf=2020-01-01')).body
    expect([long.data, long.paging.total]).toEqual([[], 0])
    const { after } = (await call('GET', `/v1/users?limit=1&asOf=@${await head()}`)).body.paging
    expect((await call('GET', `/v1/users?after=${after}&asOf=@1`)).status).toBe(400)
  })
})
