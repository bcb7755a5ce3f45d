import { describe, expect, test } from 'vitest'
import { startInProcess } from '../../support/running.ts'
import type { Call } from '../../support/service.ts'

const mergePatch = { 'content-type': 'application/merge-patch+json' }

/** A table with what its answer shows of others: its service, owner, tag and data product. */
const setUp = async () => {
  const service = await startInProcess()
  const { call } = service
  const make = async (path: string, body: object): Promise<string> => (await call('POST', path, body)).body.id as string
  await make('/v1/services/databaseServices', { name: 's', serviceType: 'Postgres' })
  await make('/v1/databases', { name: 'd', service: 's' })
  await make('/v1/databaseSchemas', { name: 'c', database: 's.d' })
  await make('/v1/users', { name: 'olga' })
  await make('/v1/classifications', { name: 'k' })
  await make('/v1/tags', { name: 't', classification: 'k' })
  await make('/v1/domains', { name: 'shop' })
  const table = await make('/v1/tables', { name: 't', databaseSchema: 's.d.c', owners: ['olga'], tags: ['k.t'] })
  const product = await make('/v1/dataProducts', { name: 'p', domain: 'shop' })
  await call('PUT', `/v1/dataProducts/${product}/assets/add`, { assets: [{ id: table, type: 'table' }] })
  await make('/v1/glossaries', { name: 'g' })
  await make('/v1/glossaryTerms', { name: 'a', glossary: 'g' })
  return { call, make }
}

const patch = (call: Call, path: string, body: object, headers: Record<string, string> = {}) =>
  call('PATCH', path, body, { headers: { ...mergePatch, ...headers } })

describe('not modified means that the answer is the same', () => {
  /** What an answer shows of others, where it does, and what changes it: each after those before. */
  const changes: [shown: string, path: string, change: (call: Call) => Promise<{ status: number }>][] = [
    [
      'the name of an owner',
      '/v1/tables/name/s.d.c.t',
      (call) => patch(call, '/v1/users/name/olga', { displayName: 'O' }),
    ],
    ['a tag', '/v1/tables/name/s.d.c.t', (call) => patch(call, '/v1/tags/name/k.t', { description: 'now personal' })],
    [
      'a service',
      '/v1/tables/name/s.d.c.t',
      (call) => call('PUT', '/v1/services/databaseServices', { name: 's', serviceType: 'Oracle' }),
    ],
    ['a data product', '/v1/tables/name/s.d.c.t', (call) => call('DELETE', '/v1/dataProducts/name/p?hardDelete=true')],
    [
      'a child',
      '/v1/glossaryTerms/name/g.a',
      (call) => call('POST', '/v1/glossaryTerms', { name: 'b', glossary: 'g', parent: 'g.a' }),
    ],
    ['a count', '/v1/glossaries/name/g', (call) => call('POST', '/v1/glossaryTerms', { name: 'c', glossary: 'g' })],
    ['an owner', '/v1/tables/name/s.d.c.t', (call) => call('DELETE', '/v1/users/name/olga?hardDelete=true')],
  ]

  test('whatever an answer shows of others changes its ETag, and the revision in it stays', async () => {
    const { call } = await setUp()
    for (const [shown, path, change] of changes) {
      const before = await call('GET', path)
      const tag = before.headers.get('etag') as string
      const headers = { 'if-none-match': tag }
      expect(tag).toMatch(/^"\d+-[\w-]{22}"$/)
      expect([shown, (await call('GET', path, undefined, { headers })).status]).toEqual([shown, 304])
      expect((await change(call)).status).toBeLessThan(300)
      const after = await call('GET', path, undefined, { headers })
      expect([shown, after.status]).toEqual([shown, 200])
      expect(after.body).not.toEqual(before.body)
      expect(after.headers.get('etag')?.split('-')[0]).toBe(tag.split('-')[0])
      const kept = await patch(call, path, { displayName: shown }, { 'if-match': tag })
      expect([shown, kept.status]).toEqual([shown, 200])
    }
  })

  test('writes, versions, moments and exports carry the tag of what they send', async () => {
    const { call, make } = await setUp()
    const table = (await call('GET', '/v1/tables/name/s.d.c.t')).body.id as string
    const contract = await make('/v1/dataContracts', { name: 'k', entity: { id: table, type: 'table' } })
    const at = `/v1/dataContracts/${contract}`
    const written = await patch(call, at, { description: 'kept' })
    expect((await call('GET', at)).headers.get('etag')).toBe(written.headers.get('etag'))
    const tags = await Promise.all(
      [`${at}/versions/0.2`, `${at}?asOf=0.2`, `${at}/odcs`, `${at}/odcs/yaml`].map(async (path) => {
        const tag = (await call('GET', path)).headers.get('etag') as string
        expect([path, (await call('GET', path, undefined, { headers: { 'if-none-match': tag } })).status]).toEqual([
          path,
          304,
        ])
        return tag
      }),
    )
    expect(tags.map((tag) => tag.split('-')[0])).toEqual(['"1', '"1', '"1', '"1'])
    await patch(call, '/v1/domains/name/shop', { displayName: 'Shop' })
    await call('PUT', '/v1/tables', { name: 't', databaseSchema: 's.d.c', displayName: 'Orders' })
    const asset = await call('GET', at, undefined, {
      headers: { 'if-none-match': written.headers.get('etag') as string },
    })
    expect([asset.status, asset.body.entity.displayName]).toEqual([200, 'Orders'])
  })
})
