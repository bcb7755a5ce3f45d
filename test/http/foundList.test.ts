import { describe, expect, it } from 'vitest'
import { as, pagesOf, paths, type Prepared, schemaOfPg, useHttp } from './support.ts'

const made: NonNullable<Prepared['made']> = [
  ['users', { name: 'ann' }],
  ...schemaOfPg,
  ['databaseSchemas', { name: 'other', database: 'pg.db' }],
  ['tables', { name: 'c', databaseSchema: 'pg.db.s', displayName: 'Badger', owners: ['ann'] }],
  ['tables', { name: 'a', databaseSchema: 'pg.db.s', displayName: 'Zebra', description: 'Counts badgers' }],
  ['tables', { name: 'b', databaseSchema: 'pg.db.s', description: 'Counts badgers' }],
  ['tables', { name: 'd', databaseSchema: 'pg.db.other', owners: ['ann'] }],
]

const get = (path: string, options = {}) => http.get(`/v1/${path}`, options)
const names = async (query: string): Promise<string> =>
  (await get(`tables?${query}`)).data.map(({ name }: { name: string }) => name).join('')

const http = useHttp({ made })

describe('a list', () => {
  it('is sorted by name, by time and by fully qualified name, either way', async () => {
    expect(await names('sort=name')).toBe('abcd')
    expect(await names('sort=name&order=desc')).toBe('dcba')
    expect(await names('sort=updatedAt')).toBe('dbac')
    expect(await names('sort=updatedAt&order=asc')).toBe('cabd')
    expect(await names('sort=fullyQualifiedName')).toBe('dabc')
    expect(await names('order=desc')).toBe('cbad')
    const { id } = await get('tables/name/pg.db.s.a')
    await http.patch(`/v1/tables/${id}`, { description: 'Counts many badgers' })
    expect(await names('sort=updatedAt')).toBe('adbc')
  })

  it('has what a search finds, the best match first, or in the order that is asked for', async () => {
    expect(await names('q=badger')).toMatch(/^c/)
    expect(await names('q=badger&sort=fullyQualifiedName')).toBe('abc')
    expect((await get('tables?q=badger&limit=0')).paging).toEqual({ total: 3 })
  })

  it('is narrowed as every list is, with and without words', async () => {
    expect(await names('sort=name&owner=ann')).toBe('cd')
    expect(await names('sort=name&databaseSchema=pg.db.s')).toBe('abc')
    expect(await names('order=desc&databaseSchema=pg.db.s&service=pg&described=true')).toBe('ba')
    expect(await names('q=badger&sort=name&databaseSchema=pg.db.s&database=pg.db')).toBe('abc')
    expect(await names('q=badger&sort=name&databaseSchema=pg.db.other')).toBe('')
    expect(await names('sort=name&owned=false&q=badger')).toBe('ab')
    expect(await names('sort=name&service=pg&described=false')).toBe('cd')
    expect(await names('q=badger&owner=nobody')).toBe('')
    const { id } = await get('tables/name/pg.db.other.d')
    await http.remove(`/v1/tables/${id}`)
    expect(await names('sort=name')).toBe('abc')
    expect(await names('sort=name&include=deleted')).toBe('d')
    await http.put('/v1/tables/restore', { id })
  })

  it('is narrowed by what only lists are filtered by, such as followers, when it is searched or sorted too', async () => {
    const { id } = await get('users/name/ann')
    const followed = await get('tables/name/pg.db.s.b')
    await http.put(`/v1/tables/${followed.id}/followers`, id)
    for (const query of ['follower=ann', 'follower=ann&q=badger', 'follower=ann&sort=name'])
      expect([query, await names(query)]).toEqual([query, 'b'])
  })

  it('is narrowed by exactly the entity status that is asked for, sorted or not', async () => {
    const statuses = ['C++', 'C#', 'In Review', 'in-review', '★', '…']
    await http.post('/v1/databaseSchemas', { name: 'states', database: 'pg.db' })
    for (const entityStatus of statuses)
      await http.post('/v1/tables', { name: entityStatus, databaseSchema: 'pg.db.states', entityStatus })
    for (const status of statuses) {
      const query = `databaseSchema=pg.db.states&entityStatus=${encodeURIComponent(status)}`
      expect([await names(query), await names(`${query}&sort=name`)]).toEqual([status, status])
    }
    const written = `databaseSchema=pg.db.states&sort=name&q=${encodeURIComponent('entityStatus:"in review"')}`
    expect(await names(written)).toBe('In Reviewin-review')
    expect(await names(`databaseSchema=pg.db.states&q=${encodeURIComponent('entityStatus:★')}`)).toBe('★')
    const { id } = await get('databaseSchemas/name/pg.db.states')
    await http.remove(`/v1/databaseSchemas/${id}?recursive=true`)
  })

  it('is narrowed by an ancestor of the kind that the filter names, by its name or its id', async () => {
    const [service, database] = [await get('services/databaseServices/name/pg'), await get('databases/name/pg.db')]
    for (const wrong of ['database=pg', 'databaseSchema=pg', 'service=pg.db', `service=${database.id}`])
      expect([wrong, await names(`sort=name&${wrong}`), await names(wrong)]).toEqual([wrong, '', ''])
    for (const right of ['service=pg', `service=${service.id}`, 'database=pg.db', `database=${database.id}`])
      expect([right, await names(`sort=name&${right}`)]).toEqual([right, 'abcd'])
    const found = async (query: string) =>
      (await get(`search/query?index=table_search_index&${query}`)).hits.total.value
    expect(await found(`service=${service.id}`)).toBe(4)
    expect(await found('service=pg.db')).toBe(0)
    expect((await get(`coverage?kind=table&service=${service.id}`)).total).toBe(4)
    await http.refuses('NOT_FOUND', 'GET', '/v1/coverage?service=pg.db')
    await http.refuses('NOT_FOUND', 'GET', `/v1/coverage?owner=${database.id}`)
    const change = { set: { description: 'Changed' } }
    for (const [named, processed] of [
      ['pg', 0],
      [database.id, 4],
    ] as const) {
      const { body } = await http.call('POST', `/v1/tables/changes?dryRun=true&database=${named}`, change)
      expect(body.processed).toBe(processed)
    }
  })

  it('is walked page by page to its end, with the members that are asked for', async () => {
    const walked: string[] = []
    const pages = pagesOf((after) => get(`tables?sort=name&limit=3&fields=owners${after}`))
    for await (const { data, paging } of pages) {
      expect(paging.total).toBe(4)
      walked.push(...data.map(({ name, owners }: any) => `${name}${owners.length}`))
    }
    expect(walked).toEqual(['a0', 'b0', 'c1', 'd1'])
    const { after } = (await get('tables?sort=name&limit=1')).paging
    await http.refuses('BAD_REQUEST', 'GET', `/v1/tables?sort=updatedAt&after=${after}`)
    await http.refuses('BAD_REQUEST', 'GET', `/v1/tables?after=${after}`)
  })

  it('skips nothing of what is sorted when entities go that a walk has shown', async () => {
    for (const name of ['w1', 'w2', 'w3', 'w4']) await http.post('/v1/glossaries', { name })
    const page = async (after = '') => {
      const { data, paging } = await get(`glossaries?q=w*&sort=name&limit=2${after}`)
      return { names: data.map(({ name }: { name: string }) => name).join(), after: `&after=${paging.after}` }
    }
    const first = await page()
    await http.remove('/v1/glossaries/name/w1')
    expect([first.names, (await page(first.after)).names]).toEqual(['w1,w2', 'w3,w4'])
  })

  it('refuses what it cannot be sorted by, and moments', async () => {
    const wrong = ['sort=owner', 'sort=name&order=up', 'sort=name&asOf=1', 'q=(', 'sort=name&include=all']
    for (const query of wrong) await http.refuses('BAD_REQUEST', 'GET', `/v1/tables?${query}`)
    const { body } = await http.call('GET', '/v1/tables?sort=name&snapshot=true')
    expect(paths(body)).toEqual(['?snapshot'])
    const other = (await get('tables?limit=1')).paging.after
    await http.refuses('BAD_REQUEST', 'GET', `/v1/tables?sort=name&after=${other}`)
  })

  it('shows nothing that its reader may not view', async () => {
    await http.refuses('FORBIDDEN', 'GET', '/v1/tables?sort=name', undefined, as('vic', 'Nobody'))
  })
})
