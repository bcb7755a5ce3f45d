import { beforeAll, describe, expect, it } from 'vitest'
import { answered, as, pagesOf, useHttp } from './support.ts'

const roles = `
roles:
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [history], kinds: [table] }
  OwnHistory:
    - { effect: allow, operations: [view], kinds: ['*'] }
    - { effect: allow, operations: [history], kinds: [glossary], condition: isOwner }
`

interface Entry {
  readonly position: string
  readonly time: string
  readonly user: string
  readonly type: string
  readonly entity: { readonly type: string; readonly fullyQualifiedName: string; readonly deleted: boolean }
  readonly correlationId: string
  readonly changed: readonly string[]
  readonly summary: string
  readonly follower?: string
  readonly vote?: string
}

const ids: Record<string, string> = {}

const create = async (path: string, body: object, user = 'admin'): Promise<string> => {
  const answer = await answered(201, http.call('POST', path, body, as(user, 'Admin')))
  return String(answer.body.id)
}

const http = useHttp({ policies: roles })

beforeAll(async () => {
  await create('/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
  await create('/v1/databases', { name: 'db', service: 'pg' })
  await create('/v1/databaseSchemas', { name: 's', database: 'pg.db' })
  ids['table'] = await create('/v1/tables', { name: 't', databaseSchema: 'pg.db.s' })
  await create('/v1/domains', { name: 'sales', domainType: 'Aggregate' })
  ids['glossary'] = await create('/v1/glossaries', { name: 'words', displayName: 'Our words', domains: ['sales'] })
  const patch = { description: 'about orders', domains: [] }
  await http.patch(`/v1/glossaries/${ids['glossary']}`, patch, as('ann', 'Admin'))
  await http.put(`/v1/tables/${ids['table']}/vote`, { updatedVoteType: 'votedUp' }, as('bob', 'Admin'))
})

const page = async (query: string, options = as('auditor', 'Auditor')) => {
  const body = await http.get(`/v1/activity?${query}`, options)
  return body as unknown as { data: Entry[]; paging: { after?: string } }
}

const entries = async (query: string, options = as('auditor', 'Auditor')): Promise<Entry[]> =>
  (await page(query, options)).data

const shown = (all: readonly Entry[]) =>
  all.map(({ user, type, entity }) => `${user} ${type} ${entity.fullyQualifiedName}`)

describe('GET /v1/activity', () => {
  it('tells who did what, the newest first, in a sentence', async () => {
    const [first, second, ...others] = await entries('kind=glossary,table&limit=100')
    expect(first).toMatchObject({
      user: 'bob',
      type: 'Voted',
      summary: 'Voted up.',
      vote: 'votedUp',
      changed: ['votes'],
      entity: { id: ids['table'], type: 'table', name: 't', fullyQualifiedName: 'pg.db.s.t', deleted: false },
    })
    expect(second).toMatchObject({
      user: 'ann',
      type: 'Updated',
      version: 0.2,
      summary: 'Changed description; cleared domains.',
      changed: ['description', 'domains'],
      domains: ['sales'],
      entity: { type: 'glossary', displayName: 'Our words' },
    })
    expect(shown(others)).toEqual(['admin Created words', 'admin Created pg.db.s.t'])
    expect(others.map(({ summary }) => summary)).toEqual(['Created.', 'Created.'])
    expect(second).not.toHaveProperty('vote')
    expect(second).not.toHaveProperty('follower')
  })

  it('is narrowed by user, type, entity, domain, request and time', async () => {
    expect(shown(await entries('user=ann&kind=glossary'))).toEqual(['ann Updated words'])
    expect(shown(await entries('type=Voted'))).toEqual(['bob Voted pg.db.s.t'])
    expect(shown(await entries(`entityId=${ids['table']}`))).toEqual(['bob Voted pg.db.s.t', 'admin Created pg.db.s.t'])
    expect(shown(await entries(`entityId=${ids['table']}&type=Created`))).toEqual(['admin Created pg.db.s.t'])
    expect(await entries(`entityId=${crypto.randomUUID()}`)).toEqual([])
    expect(shown(await entries('domain=sales'))).toEqual(['ann Updated words', 'admin Created words'])
    const [voted] = await entries('type=Voted')
    expect(shown(await entries(`correlationId=${voted?.correlationId}&type=Voted`))).toEqual(['bob Voted pg.db.s.t'])
    expect(shown(await entries(`since=${voted?.time}&kind=table`))).toEqual(['bob Voted pg.db.s.t'])
    expect(await entries('until=2000-01-01')).toEqual([])
    expect(shown(await entries(`until=${voted?.time}&kind=table&type=Created`))).toEqual(['admin Created pg.db.s.t'])
  })

  it('is walked by cursor, and a cursor belongs to its filters', async () => {
    const all = await entries('kind=glossary,table&limit=100')
    const walked: Entry[] = []
    for await (const { data } of pagesOf((after) => page(`kind=glossary,table&limit=1${after}`))) walked.push(...data)
    expect(walked).toEqual(all)
    const { paging } = await page('limit=1')
    await http.refuses('BAD_REQUEST', 'GET', `/v1/activity?limit=1&user=ann&after=${paging.after}`)
  })

  it('shows what a caller has just written', async () => {
    const id = await create('/v1/glossaries', { name: 'new words' }, 'eve')
    await http.remove(`/v1/glossaries/${id}`, as('eve', 'Admin'))
    const [deleted, created] = await entries('user=eve&kind=glossary')
    expect(deleted).toMatchObject({ type: 'SoftDeleted', summary: 'Deleted.', entity: { deleted: true } })
    expect(created).toMatchObject({ type: 'Created', entity: { deleted: true } })
    await http.remove(`/v1/glossaries/${id}?hardDelete=true`, as('eve', 'Admin'))
    const [gone] = await entries(`entityId=${id}`)
    expect(gone).toMatchObject({
      type: 'HardDeleted',
      summary: 'Hard-deleted.',
      entity: { name: 'new words', deleted: true },
    })
  })

  it.each(['kind=unicorn', 'type=Exploded', 'entityId=1', 'since=yesterday', 'limit=0', 'limit=1001', 'after=abc'])(
    'refuses %s',
    async (query) => {
      await http.refuses('BAD_REQUEST', 'GET', `/v1/activity?${query}`)
    },
  )
})

describe('policies of activity', () => {
  it('are those of history: who may see none sees nothing', async () => {
    await answered(403, http.call('GET', '/v1/activity', undefined, as('carl', 'DataConsumer')))
    await answered(401, http.call('GET', '/v1/activity', undefined, { token: '' }))
  })

  it('leave out the kinds that a caller may not see, and refuse him those that he names', async () => {
    const seen = await entries('limit=1000', as('dora', 'NoTables'))
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter(({ entity }) => entity.type === 'table')).toEqual([])
    expect(await entries(`entityId=${ids['table']}`, as('dora', 'NoTables'))).toEqual([])
    await answered(403, http.call('GET', '/v1/activity?kind=table', undefined, as('dora', 'NoTables')))
  })

  it('show an owner what happened to what is his, and nothing else', async () => {
    const owner = as('olga', 'OwnHistory')
    await create('/v1/users', { name: 'olga', email: 'olga@example.com' })
    expect(await entries('limit=1000', owner)).toEqual([])
    await create('/v1/glossaries', { name: 'of olga', owners: ['olga'] })
    expect(shown(await entries('limit=1000', owner))).toEqual(['admin Created of olga'])
  })
})
