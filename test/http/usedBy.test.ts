import { expect, it } from 'vitest'
import { as, pagesOf, paths, useHttp } from './support.ts'

const roles = `roles:
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [table] }
  OwnTables:
    - { effect: allow, operations: ['*'], kinds: [tag] }
    - { effect: allow, operations: ['*'], kinds: [table], condition: isOwner }
`

const made: [path: string, body: object][] = [
  ['users', { name: 'ann' }],
  ['domains', { name: 'sales', experts: ['ann'] }],
  ['classifications', { name: 'PII' }],
  ['tags', { name: 'Sensitive', classification: 'PII' }],
  ['glossaries', { name: 'Words', reviewers: ['ann'], tags: ['PII.Sensitive'] }],
  ['services/databaseServices', { name: 'pg', serviceType: 'Postgres', owners: ['ann'] }],
  ['databases', { name: 'db', service: 'pg' }],
  ['databaseSchemas', { name: 's', database: 'pg.db', domains: ['sales'] }],
  ...['t1', 't2', 't3'].map((name): [string, object] => [
    'tables',
    {
      name,
      databaseSchema: 'pg.db.s',
      owners: ['ann'],
      columns: [{ name: 'email', dataType: 'STRING', tags: ['PII.Sensitive'] }],
    },
  ]),
]

const http = useHttp({ policies: roles, made })

const get = (path: string, options = {}) => http.get(`/v1/${path}`, options)
const used = ({ data }: { data: { entity: { fullyQualifiedName: string }; paths: string[] }[] }) =>
  data.map(({ entity, paths: where }) => `${entity.fullyQualifiedName} ${where.join(' ')}`)

const tag = 'tags/name/PII.Sensitive/usedBy'

it('a tag says what carries it and on which column, page by page over all kinds', async () => {
  const whole = await get(`${tag}?limit=100`)
  expect(whole.groups).toEqual([
    { kind: 'glossary', member: 'tags', count: 1 },
    { kind: 'table', member: 'tags', count: 3 },
  ])
  expect(used(whole)).toEqual(['Words tags', ...['t1', 't2', 't3'].map((name) => `pg.db.s.${name} columns.email.tags`)])
  expect(whole.data[1].entity).toMatchObject({ type: 'table', name: 't1', deleted: false })
  expect(whole.paging).toEqual({ total: 4 })
  const walked: string[] = []
  for await (const page of pagesOf((after) => get(`${tag}?limit=1${after}`))) {
    expect([page.groups, page.paging.total, page.data.length]).toEqual([whole.groups, 4, 1])
    walked.push(...used(page))
  }
  expect(walked).toEqual(used(whole))
  expect(used(await get(`${tag}?kind=table&limit=2`))).toEqual(used(whole).slice(1, 3))
  expect(await get(`${tag}?limit=0`)).toEqual({ ...whole, data: [] })
})

it('it says what was so at a moment', async () => {
  const before = await get(`${tag}?limit=100`)
  const position = await http.head()
  await http.patch('/v1/tables/name/pg.db.s.t2', { columns: [] })
  await http.remove('/v1/tables/name/pg.db.s.t3')
  expect(used(await get(`${tag}?kind=table`))).toEqual(['pg.db.s.t1 columns.email.tags'])
  expect(used(await get(`${tag}?kind=table&include=deleted`))).toEqual(['pg.db.s.t3 columns.email.tags'])
  const then = await get(`${tag}?limit=100&asOf=@${position}`)
  expect(then).toEqual({ ...before, paging: { total: 4, asOf: `@${position}` } })
  await http.refuses('NOT_FOUND', 'GET', `/v1/${tag}?asOf=@0`)
  await http.refuses('NOT_FOUND', 'GET', `/v1/${tag}?asOf=2001-01-01T00:00:00Z`)
})

it('what one may not view is neither shown nor counted', async () => {
  const none = as('eve', 'NoTables')
  expect((await get(tag, none)).groups).toEqual([{ kind: 'glossary', member: 'tags', count: 1 }])
  expect((await get('services/databaseServices/name/pg/usedBy', none)).paging.total).toBe(2)
  expect(await get(tag, as('eve', 'OwnTables'))).toEqual({ data: [], groups: [], paging: { total: 0 } })
  await http.refuses('FORBIDDEN', 'GET', '/v1/users/name/ann/usedBy', undefined, as('eve', 'OwnTables'))
  expect(paths(await http.refuses('BAD_REQUEST', 'GET', `/v1/${tag}?kind=chair`))).toEqual(['?kind'])
  const unknown = await http.refuses('BAD_REQUEST', 'GET', '/v1/users/name/ann/usedBy?member=owner')
  expect(unknown.errors).toEqual([{ path: '?member', message: expect.stringContaining('owners') }])
  await http.refuses('NOT_FOUND', 'GET', '/v1/tags/name/PII.None/usedBy')
})
