import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { external } from '../support/external.ts'
import { thorough } from '../support/fastCheck.ts'
import { randomFor } from '../support/random.ts'
import { tokenFor, type Call } from '../support/service.ts'
import { answered, type Http, merge, pagesOf, startHttp } from './support.ts'

const policies = `roles:
  OwnPast:
    - { effect: allow, operations: [view, versions, edit], kinds: ['*'], condition: isOwner }
  Viewer:
    - { effect: allow, operations: [view], kinds: ['*'] }
`

const names = ['ann', 'bob', 'cy']
const glossaries = ['a', 'A', 'b.c', 'b-c', 'zz', 'ö', '\u{1f600}']
const terms = glossaries.flatMap((glossary) => ['t1', 't2'].map((name) => ({ glossary, name })))
const quoted = (name: string): string => (/[."]/.test(name) ? `"${name}"` : name)

/** One list, as one page after the other tells it: names, versions and owners, in their order, and how many there are. */
const walk = async (call: Call, path: string, limit = 3): Promise<unknown[]> => {
  const pages: unknown[] = []
  const read = async (after: string) =>
    (await answered(200, call('GET', `${path}&limit=${limit}&fields=owners,tags${after}`))).body
  for await (const body of pagesOf(read)) {
    const rows = body.data.map((row: Record<string, never>) => [
      row['fullyQualifiedName'],
      row['version'],
      row['deleted'],
      row['description'],
      row['termCount'],
      ((row['owners'] ?? []) as { name: string }[]).map(({ name }) => name),
    ])
    pages.push(rows, body.paging.total, 'before' in body.paging)
  }
  return pages
}

const lists = [
  '/v1/glossaries?include=all',
  '/v1/glossaries?include=deleted',
  '/v1/glossaries?owner=ann',
  '/v1/glossaries?owner=bob&include=all',
  '/v1/glossaryTerms?include=non-deleted',
  '/v1/glossaryTerms?glossary=a&include=all',
  `/v1/glossaryTerms?parent=${encodeURIComponent('"b.c"')}`,
  '/v1/glossaryTerms?entityStatus=Approved',
  '/v1/glossaryTerms?tag=c.pii&owner=ann&include=all',
  '/v1/users?include=all',
]

/** Something that may or may not be possible: what is refused changes nothing. */
const doSomething = async (call: Call, random: ReturnType<typeof randomFor>): Promise<void> => {
  const { glossary, name } = random.pick(terms)
  const term = `/v1/glossaryTerms/name/${encodeURIComponent(`${quoted(glossary)}.${name}`)}`
  const above = `/v1/glossaries/name/${encodeURIComponent(quoted(glossary))}`
  const owners = names.filter(() => random.chance(0.4))
  const restore = async (path: string, address: string): Promise<unknown> =>
    call('PUT', `${path}/restore`, { id: (await call('GET', `${address}?include=all`)).body.id ?? names[0] })
  await random.pick([
    () => call('PUT', '/v1/glossaries', { name: glossary, owners, description: random.pick(['one', 'two', 'three']) }),
    () => call('PUT', '/v1/glossaryTerms', { name, glossary: quoted(glossary), owners }),
    () => call('PATCH', term, { tags: random.chance(0.5) ? ['c.pii'] : null }, merge),
    () => call('PATCH', term, { entityStatus: random.pick(['Approved', 'Draft']), owners }, merge),
    () => call('DELETE', term),
    () => call('DELETE', `${above}?recursive=true`),
    () => call('DELETE', `${random.pick([term, above])}?recursive=true&hardDelete=true`),
    () => restore('/v1/glossaries', above),
    () => call('DELETE', `/v1/users/name/bob?hardDelete=true`),
    () => call('PUT', '/v1/users', { name: 'bob' }),
  ])()
}

/** Servers of their own take longer for each. */
const operations = thorough && external.mongodbUrl === undefined ? 240 : 60

describe('lists of the past', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-past-'))
  let http: Http
  let call: Call
  beforeAll(async () => {
    const file = join(folder, 'policies.yaml')
    writeFileSync(file, policies)
    http = await startHttp({ CATALOG_POLICIES_FILE: file })
    ;({ call } = http)
    for (const name of names) await call('POST', '/v1/users', { name })
    await call('POST', '/v1/classifications', { name: 'c' })
    await call('POST', '/v1/tags', { name: 'pii', classification: 'c' })
  })

  afterAll(async () => {
    await http.stop()
    rmSync(folder, { recursive: true })
  })

  const head = (): Promise<string> => http.head()

  it('are what was answered at that moment, by position and by instant, filters, totals and computed members included', async () => {
    const random = randomFor('lists of the past')
    const recorded: { position: string; time: number; path: string; pages: unknown[] }[] = []
    for (let count = 0; count < operations; count++) {
      await doSomething(call, random)
      if (count % 3 > 0) continue
      const position = await head()
      for (const path of lists.filter(() => random.chance(0.5)))
        recorded.push({ position, time: Date.now(), path, pages: await walk(call, path) })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(recorded.filter(({ pages }) => (pages[0] as unknown[]).length > 0).length).toBeGreaterThan(operations / 5)
    for (const { position, time, path, pages } of recorded) {
      expect([path, await walk(call, `${path}&asOf=@${position}`)]).toEqual([path, pages])
      expect([path, await walk(call, `${path}&asOf=${new Date(time).toISOString()}`, 3)]).toEqual([path, pages])
    }
  })

  it('a walk with snapshot=true shows one moment, whatever happens meanwhile', async () => {
    for (const name of ['s1', 's2', 's3', 's4']) await call('PUT', '/v1/domains', { name, domainType: 'Aggregate' })
    const first = (await call('GET', '/v1/domains?limit=2&snapshot=true')).body
    await call('DELETE', '/v1/domains/name/s3?hardDelete=true')
    await call('PATCH', '/v1/domains/name/s4', { description: 'new' }, merge)
    await call('POST', '/v1/domains', { name: 's31', domainType: 'Aggregate' })
    const { data, paging } = (await call('GET', `/v1/domains?limit=9&after=${first.paging.after}`)).body
    expect([first.data, data].flat().map(({ name }: { name: string }) => name)).toEqual(['s1', 's2', 's3', 's4'])
    expect([data[1].version, data[1].description]).toEqual([0.1, undefined])
    expect([paging.total, paging.asOf]).toEqual([4, first.paging.asOf])
    const back = (await call('GET', `/v1/domains?limit=9&before=${paging.before}`)).body
    expect(back.data).toEqual(first.data)
  })

  it('one entity is shown while it was soft-deleted, unless include says otherwise', async () => {
    const { id } = (await call('POST', '/v1/glossaries', { name: 'words' })).body
    await call('DELETE', `/v1/glossaries/${id}`)
    await call('PUT', '/v1/glossaries/restore', { id })
    const asked = async (query: string) => {
      const { status, body } = await call('GET', `/v1/glossaries/name/words?${query}`)
      return [status, body.deleted ?? body.message]
    }
    expect(await asked('asOf=v0.2')).toEqual([200, true])
    expect(await asked('asOf=v0.2&include=all')).toEqual([200, true])
    expect(await asked('asOf=v0.2&include=deleted')).toEqual([200, true])
    expect(await asked('asOf=v0.1&include=non-deleted')).toEqual([200, false])
    const refused = (state: string, asOf: string) => [
      404,
      `glossary words was ${state} at ${asOf}: ask with include=all.`,
    ]
    expect(await asked('asOf=v0.2&include=non-deleted')).toEqual(refused('soft-deleted', 'v0.2'))
    expect(await asked('asOf=v0.1&include=deleted')).toEqual(refused('live', 'v0.1'))
  })

  it('who may not read histories does not see what was deleted for good since, and who may not read versions sees none', async () => {
    await call('POST', '/v1/teams', { name: 'kept' })
    await call('POST', '/v1/teams', { name: 'ended' })
    const position = await head()
    await call('DELETE', '/v1/teams/name/ended?hardDelete=true')
    const seenBy = async (...roles: string[]) => {
      const { status, body } = await call('GET', `/v1/teams?asOf=@${position}`, undefined, {
        token: tokenFor('x', roles),
      })
      return [status, body.paging?.total, body.data?.map(({ name }: { name: string }) => name)]
    }
    expect(await seenBy('Auditor')).toEqual([200, 2, ['ended', 'kept']])
    expect(await seenBy('DataConsumer')).toEqual([200, 1, ['kept']])
    expect(await seenBy('Viewer')).toEqual([403, undefined, undefined])
  })

  it('who sees only his own sees what he owned then and owns now', async () => {
    for (const [name, owners] of Object.entries({ mine: ['ann'], lost: ['ann'], won: ['cy'] }))
      await call('POST', '/v1/dataProducts', { name, owners })
    const position = await head()
    await call('PATCH', '/v1/dataProducts/name/lost', { owners: ['cy'] }, merge)
    await call('PATCH', '/v1/dataProducts/name/won', { owners: ['ann'] }, merge)
    const asAnn = { token: tokenFor('ann', ['OwnPast']) }
    const path = `/v1/dataProducts?asOf=@${position}`
    const own = (await call('GET', `${path}&owner=ann`, undefined, asAnn)).body
    expect([own.paging.total, own.data.map(({ name }: { name: string }) => name)]).toEqual([1, ['mine']])
    expect((await call('GET', path, undefined, asAnn)).status).toBe(403)
    const all = (await call('GET', `${path}&owner=ann`)).body
    expect(all.data.map(({ name }: { name: string }) => name)).toEqual(['lost', 'mine'])
  })

  it('the assets of a data product and the contract in force are those of the moment', async () => {
    await call('POST', '/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
    await call('POST', '/v1/databases', { name: 'db', service: 'pg' })
    const table = (await call('POST', '/v1/databaseSchemas', { name: 's', database: 'pg.db' })).body
    const product = (await call('POST', '/v1/dataProducts', { name: 'p' })).body
    const address = `/v1/dataContracts/entity?entityId=${table.id}&entityType=databaseSchema`
    const assets = { assets: [{ id: table.id, type: 'databaseSchema' }] }
    const moments: { position: string; assets: unknown; contract: unknown }[] = []
    const note = async (): Promise<void> => {
      const contract = (await call('GET', address)).body
      const { data } = (await call('GET', `/v1/dataProducts/${product.id}/assets`)).body
      moments.push({
        position: await head(),
        assets: data,
        contract: [contract.status, contract.name, contract.inherited],
      })
    }
    await note()
    await call('PUT', `/v1/dataProducts/${product.id}/assets/add`, assets)
    await note()
    const entity = { id: product.id, type: 'dataProduct' }
    expect((await call('POST', '/v1/dataContracts', { name: 'of p', entity, entityStatus: 'Active' })).status).toBe(201)
    await note()
    await call('POST', '/v1/dataContracts', { name: 'own', entity: { id: table.id, type: 'databaseSchema' } })
    await note()
    await call('DELETE', `/v1/dataContracts/name/${encodeURIComponent('pg.db.s.own')}?hardDelete=true`)
    await call('PUT', `/v1/dataProducts/${product.id}/assets/remove`, assets)
    await note()
    expect(moments.map(({ contract }) => contract)).toEqual([
      [404, undefined, undefined],
      [404, undefined, undefined],
      [undefined, 'of p', true],
      [undefined, 'own', false],
      [404, undefined, undefined],
    ])
    for (const { position, assets: then, contract } of moments) {
      const past = (await call('GET', `${address}&asOf=@${position}`)).body
      expect([past.status, past.name, past.inherited]).toEqual(contract)
      expect((await call('GET', `/v1/dataProducts/${product.id}/assets?asOf=@${position}`)).body.data).toEqual(then)
    }
  })

  it('a version, a moment that is none and a position that the log does not have are refused', async () => {
    for (const [asOf, said] of [
      ['v1.3', 'each entity has its own versions'],
      ['yesterday', 'must be'],
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
