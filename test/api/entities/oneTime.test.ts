import { describe, expect, test } from 'vitest'
import { startInProcess } from '../../support/running.ts'
import { patient, type Call } from '../../support/service.ts'

const tagged = (name: string) => [{ name, dataType: 'INT', tags: ['k.t'] }]

/** Answers that show others: names, labels, what a service is, what stands below, who refers to them, and counts. */
const shown = [
  '/v1/tables/name/s.d.c.t',
  '/v1/tables?databaseSchema=s.d.c&fields=*',
  '/v1/databases/name/s.d',
  '/v1/glossaries/name/g',
  '/v1/glossaries?fields=*',
  '/v1/glossaryTerms/name/g.a',
  '/v1/classifications/name/k',
  '/v1/classifications?fields=*',
  '/v1/tags/name/k.t',
  '/v1/domains/name/shop?fields=*',
  '/v1/dataProducts/name/p?fields=*',
  '/v1/dataQuality/testSuites/name/suite?fields=*',
  '/v1/teams/name/crew?fields=*',
  '/v1/users/name/olga',
]

const setUp = async () => {
  const call = patient((await startInProcess()).call)
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await call('POST', path, body)
    expect([path, answer.status, answer.status === 201 || answer.body]).toEqual([path, 201, true])
    return answer.body.id as string
  }
  await make('/v1/teams', { name: 'crew' })
  const olga = await make('/v1/users', { name: 'olga', teams: ['crew'] })
  await make('/v1/users', { name: 'pia' })
  await make('/v1/classifications', { name: 'k' })
  await make('/v1/tags', { name: 't', classification: 'k', description: 'old', style: { color: 'red' } })
  await make('/v1/domains', { name: 'shop', experts: ['pia'] })
  await make('/v1/domains', { name: 'web', parent: 'shop' })
  await make('/v1/services/databaseServices', { name: 's', serviceType: 'Postgres' })
  await make('/v1/databases', { name: 'd', service: 's' })
  await make('/v1/databaseSchemas', { name: 'c', database: 's.d' })
  const members = { owners: ['olga', 'pia'], tags: ['k.t'], domain: 'shop', columns: tagged('n') }
  const table = await make('/v1/tables', { name: 't', databaseSchema: 's.d.c', ...members })
  await call('PUT', `/v1/tables/${table}/followers`, olga)
  await call('PUT', `/v1/tables/${table}/vote`, { updatedVoteType: 'votedUp' })
  const product = await make('/v1/dataProducts', { name: 'p', domain: 'shop' })
  await call('PUT', `/v1/dataProducts/${product}/assets/add`, { assets: [{ id: table, type: 'table' }] })
  await make('/v1/glossaries', { name: 'g', reviewers: ['olga'] })
  await make('/v1/glossaryTerms', { name: 'a', glossary: 'g' })
  await make('/v1/glossaryTerms', { name: 'b', glossary: 'g', parent: 'g.a' })
  await make('/v1/dataQuality/testSuites', { name: 'suite' })
  await make('/v1/dataQuality/testCases', {
    name: 'case',
    testDefinition: 'tableRowCountToBeBetween',
    testSuite: 'suite',
    entityLink: '<#E::table::s.d.c.t>',
  })
  const contract = await make('/v1/dataContracts', { name: 'promise', entity: { id: table, type: 'table' } })
  const others = [
    `/v1/dataProducts/${product}/assets`,
    `/v1/dataContracts/${contract}`,
    `/v1/dataContracts/entity?entityId=${table}&entityType=table`,
  ]
  return { call, make, paths: [...shown, ...others], table, product }
}

/** Changes something of every entity that the answers show others of. */
const changeAll = async (call: Call, product: string, table: string) => {
  const said = [
    await call('PUT', '/v1/teams', { name: 'crew', displayName: 'The crew' }),
    await call('PUT', '/v1/users', { name: 'olga', displayName: 'Olga', teams: [] }),
    await call('DELETE', '/v1/users/name/pia'),
    await call('PUT', '/v1/users', { name: 'admin', displayName: 'Boss' }),
    await call('PUT', '/v1/classifications', { name: 'k', displayName: 'Kind' }),
    await call('PUT', '/v1/tags', { name: 't', classification: 'k', description: 'new', style: { color: 'blue' } }),
    await call('POST', '/v1/tags', { name: 'u', classification: 'k' }),
    await call('PUT', '/v1/domains', { name: 'shop', displayName: 'Shop' }),
    await call('PUT', '/v1/domains', { name: 'web', parent: 'shop', displayName: 'Web' }),
    await call('PUT', '/v1/services/databaseServices', { name: 's', serviceType: 'Oracle', displayName: 'S' }),
    await call('PUT', '/v1/databases', { name: 'd', service: 's', displayName: 'D' }),
    await call('PUT', '/v1/databaseSchemas', { name: 'c', database: 's.d', displayName: 'C' }),
    await call('PUT', `/v1/dataProducts/${product}/assets/remove`, { assets: [{ id: table, type: 'table' }] }),
    await call('PUT', '/v1/glossaries', { name: 'g', displayName: 'G' }),
    await call('PUT', '/v1/glossaryTerms', { name: 'b', glossary: 'g', parent: 'g.a', displayName: 'B' }),
    await call('POST', '/v1/glossaryTerms', { name: 'x', glossary: 'g', parent: 'g.a' }),
    await call('DELETE', '/v1/dataQuality/testCases/name/s.d.c.t.case'),
    await call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', displayName: 'T' }),
  ]
  expect(said.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
  return said
}

const withMoment = (path: string, moment: string): string => `${path}${path.includes('?') ? '&' : '?'}asOf=${moment}`

/** An answer without what tells of which moment it is. */
const told = ({ body }: { body: { paging?: object } }) => {
  const { paging: { asOf: _, ...paging } = {} as { asOf?: string }, ...answer } = body as { paging?: { asOf?: string } }
  return { ...answer, paging }
}

describe('an answer about a moment is of that one time', () => {
  test('as of a position, and as of an instant, everything is what it was then, in an entity and in a list', async () => {
    const { call, paths, product, table } = await setUp()
    const last = await call('PUT', '/v1/users', { name: 'last' })
    const position = last.headers.get('catalog-position') as string
    const instant = new Date(last.body.updatedAt as number).toISOString()
    const before = await Promise.all(paths.map((path) => call('GET', path)))
    expect(before.map(({ status }) => status)).toEqual(paths.map(() => 200))
    while (Date.now() <= (last.body.updatedAt as number)) await call('GET', '/v1/users?limit=0')
    await changeAll(call, product, table)
    for (const [index, path] of paths.entries()) {
      const now = await call('GET', path)
      expect([path, told(now)]).not.toEqual([path, told(before[index] as never)])
      for (const moment of [`@${position}`, instant]) {
        const then = await call('GET', withMoment(path, moment))
        expect([path, moment, told(then)]).toEqual([path, moment, told(before[index] as never)])
      }
    }
  })

  test.each([
    ['soft-deleted', '', '', [1, 0]],
    ['restored', '', 'restore', [0, 1]],
    ['deleted for good', '&hardDelete=true', '', [0, 0]],
  ])(
    'as of the moment at which what stands above was %s, so was what stands below',
    async (_, how, then, [deleted, live]) => {
      const { call, make } = await setUp()
      const child = await make('/v1/databaseSchemas', { name: 'below', database: 's.d' })
      const gone = await call('DELETE', `/v1/databases/name/s.d?recursive=true${how}`)
      expect(gone.status).toBeLessThan(300)
      const { id } = (await call('GET', '/v1/activity?kind=database&limit=1')).body.data[0].entity
      if (then !== '') expect((await call('PUT', '/v1/databases/restore', { id })).status).toBe(200)
      const [turn] = (await call('GET', `/v1/databases/${id}/history?limit=100`)).body.data.toReversed()
      for (const moment of [`@${turn.position}`, turn.time as string]) {
        const total = async (include: string) =>
          (await call('GET', `/v1/databaseSchemas?database=s.d&include=${include}&asOf=${moment}`)).body.paging.total
        expect([await total('deleted'), await total('non-deleted')]).toEqual([2 * (deleted ?? 0), 2 * (live ?? 0)])
        const answer = await call('GET', `/v1/databaseSchemas/${child}?asOf=${moment}&include=all`)
        expect([answer.status, answer.body.deleted]).toEqual(deleted || live ? [200, deleted === 1] : [404, undefined])
        const table = await call('GET', `/v1/tables/name/s.d.c.t?asOf=${moment}&include=all`)
        if (table.status === 200) expect(table.body.databaseSchema.deleted ?? false).toBe(deleted === 1)
        const service = await call('GET', `/v1/services/databaseServices/name/s?asOf=${moment}`)
        expect(service.status).toBe(200)
      }
    },
  )

  test('a walk over pages that remember their moment shows that one moment', async () => {
    const { call, product, table } = await setUp()
    const all = await call('GET', '/v1/users?fields=*&snapshot=true')
    const first = await call('GET', '/v1/users?fields=*&limit=1&snapshot=true')
    await changeAll(call, product, table)
    const next = await call('GET', `/v1/users?fields=*&snapshot=true&limit=10&after=${first.body.paging.after}`)
    expect([...first.body.data, ...next.body.data]).toEqual(all.body.data)
  })

  test('a version shows what others were when it was made', async () => {
    const { call, product, table } = await setUp()
    const path = '/v1/tables/name/s.d.c.t'
    const made = await call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', description: 'second' })
    const second = await call('GET', path)
    await changeAll(call, product, table)
    const third = await call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', description: 'third' })
    await call('PUT', '/v1/tags', { name: 't', classification: 'k', description: 'newest' })
    const { version } = made.body as { version: number }
    expect((await call('GET', `${path}/versions/${version}`)).body).toEqual(second.body)
    expect((await call('GET', `${path}?asOf=v${version}`)).body).toEqual(second.body)
    const { versions } = (await call('GET', `${path}/versions`)).body as { versions: { version: number }[] }
    expect(versions.find((one) => one.version === version)).toEqual(second.body)
    expect(versions[0]).toEqual(third.body)
  })
})
