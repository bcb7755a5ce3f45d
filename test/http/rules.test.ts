import { beforeAll, describe, expect, it } from 'vitest'
import { needle, ways } from '../shared/secrets/ways.ts'
import { answered, jsonPatch, merge, paths, schemaOfPg, testCaseOn, useHttp } from './support.ts'

const http = useHttp({ made: schemaOfPg })

beforeAll(async () => {
  await http.post('/v1/users', { name: 'ann' })
  await http.post('/v1/users', { name: 'ben', displayName: 'Ben' })
  await http.post('/v1/teams', { name: 'crew' })
  await http.post('/v1/domains', { name: 'sales' })
  await http.post('/v1/classifications', { name: 'PII' })
  await http.post('/v1/tags', {
    name: 'Sensitive',
    classification: 'PII',
    description: 'Handle with care',
    style: { color: 'red' },
  })
  await http.post('/v1/glossaries', { name: 'words' })
  await http.post('/v1/glossaryTerms', { name: 'Customer', glossary: 'words' })
})

const refuse = (path: string, body: unknown) => http.refuses('BAD_REQUEST', 'POST', path, body)
const fqns = (list: { fullyQualifiedName: string }[] = []) => list.map(({ fullyQualifiedName }) => fullyQualifiedName)

describe('references', () => {
  it('are accepted by name, by id and type, by name and type, and as answers have them', async () => {
    const ann = await http.get('/v1/users/name/ann')
    const ben = await http.get('/v1/users/name/ben')
    const forms = ['ann', { id: ben.id, type: 'user' }, { fullyQualifiedName: 'crew', type: 'team' }, { id: ann.id }]
    const glossary = await http.post('/v1/glossaries', { name: 'forms', owners: forms })
    expect(fqns(glossary.owners)).toEqual(['ann', 'ben', 'crew'])
    expect(glossary.owners[1]).toEqual({
      id: ben.id,
      type: 'user',
      name: 'ben',
      fullyQualifiedName: 'ben',
      displayName: 'Ben',
      deleted: false,
    })
    expect((await http.put('/v1/glossaries', { name: 'forms', owners: glossary.owners })).version).toBe(0.1)
  })

  it('are looked up and rules applied also where the shape of other members is wrong: all is named at once', async () => {
    const body = {
      name: 't',
      databaseSchema: 'pg.db.none',
      displayName: 7,
      nonsense: 1,
      owner: 'nobody',
      tags: ['PII.None'],
      columns: [
        { name: 'a', dataType: 'INT' },
        { name: 'a', dataType: 'INT' },
      ],
      tableConstraints: [{ constraintType: 'UNIQUE', columns: ['b'] }],
    }
    const all = [
      '/displayName',
      '/nonsense',
      '/databaseSchema',
      '/owners/0',
      '/tags/0',
      '/columns/1/name',
      '/tableConstraints/0/columns/0',
    ]
    expect(paths(await refuse('/v1/tables', body))).toEqual(all)
    expect(paths((await answered(200, http.refused('PUT', '/v1/tables/bulk', [body]))).body.failedRequest[0])).toEqual(
      all,
    )
    expect(paths(await refuse('/v1/tables', { ...body, columns: [{ name: 'a' }] }))).toEqual([
      '/displayName',
      '/nonsense',
      '/columns/0/dataType',
      '/databaseSchema',
      '/owners/0',
      '/tags/0',
    ])
    expect(
      paths(
        await refuse('/v1/tables', {
          ...body,
          owner: undefined,
          owners: [7, 'nobody', 'ann', { id: 'x' }, { id: crypto.randomUUID(), type: 'user' }],
        }),
      ).filter((path) => path.startsWith('/owners')),
    ).toEqual(['/owners/0', '/owners/3/id', '/owners/1', '/owners/4'])
    const { id } = await http.post('/v1/tables', { name: 'faulty', databaseSchema: 'pg.db.s' })
    const { name: _, databaseSchema: __, ...patched } = body
    const inPatch = await http.refuses('BAD_REQUEST', 'PATCH', `/v1/tables/${id}`, { ...patched, version: 7 }, merge)
    expect(paths(inPatch).toSorted()).toEqual(
      ['/version', ...all.filter((path) => path !== '/databaseSchema')].toSorted(),
    )
  })

  it('system values inside elements are as read-only as those of the entity', async () => {
    const given = { name: 'sealed', databaseSchema: 'pg.db.s', columns: [{ name: 'a', dataType: 'INT' }] }
    const { id, columns } = await http.post('/v1/tables', { ...given, owners: ['ann'], tags: ['PII.Sensitive'] })
    const refusedAt = async (method: string, body: unknown, options = {}) =>
      paths(await http.refuses('BAD_REQUEST', method, `/v1/tables${method === 'PUT' ? '' : `/${id}`}`, body, options))
    for (const path of [
      '/href',
      '/columns/0/fullyQualifiedName',
      '/owners/0/name',
      '/tags/0/description',
      '/tags/0/name',
    ])
      expect(await refusedAt('PATCH', [{ op: 'add', path, value: 'x' }], jsonPatch)).toEqual([path])
    const wrong = [{ ...columns[0], fullyQualifiedName: 'x' }]
    expect(await refusedAt('PUT', { ...given, columns: wrong })).toEqual(['/columns/0/fullyQualifiedName'])
    expect(await refusedAt('PATCH', { columns: wrong }, merge)).toEqual(['/columns/0/fullyQualifiedName'])
    expect((await http.put('/v1/tables', { ...given, columns })).version).toBe(0.1)
    const renamed = [{ op: 'replace', path: '/columns/0/name', value: 'b' }]
    const { body } = await answered(200, http.call('PATCH', `/v1/tables/${id}`, renamed, jsonPatch))
    expect(body.columns[0].fullyQualifiedName).toBe('pg.db.s.sealed.b')
  })

  it('members that only `fields` show may come back as they are, and not otherwise', async () => {
    const { id: table } = await http.post('/v1/tables', { name: 'offered', databaseSchema: 'pg.db.s' })
    await http.post('/v1/domains', { name: 'offering', domainType: 'Aggregate' })
    const { id } = await http.post('/v1/dataProducts', { name: 'offers', domain: 'offering' })
    const at = `/v1/dataProducts/${id}`
    const { version } = await http.put(`${at}/assets/add`, { assets: [{ id: table, type: 'table' }] })
    const whole = await http.get(`${at}?fields=*`)
    expect(fqns(whole.assets)).toEqual(['pg.db.s.offered'])
    expect((await http.patch(at, whole)).version).toBe(version)
    const same = { op: 'test', path: '/assets/0/name', value: 'offered' }
    expect((await answered(200, http.call('PATCH', at, [same], jsonPatch))).body.version).toBe(version)
    expect(paths(await http.refuses('BAD_REQUEST', 'PATCH', at, { ...whole, assets: [] }, merge))).toEqual(['/assets'])
    const fewer = [{ op: 'remove', path: '/assets/0' }]
    expect(paths(await http.refuses('BAD_REQUEST', 'PATCH', at, fewer, jsonPatch))).toEqual(['/assets'])
  })

  it('references that are required and were deleted for good leave the entity changeable', async () => {
    const suite = await http.post('/v1/dataQuality/testSuites', { name: 'doomed' })
    await http.post('/v1/tables', { name: 'suiteless', databaseSchema: 'pg.db.s' })
    const body = testCaseOn('pg.db.s.suiteless', 'x', { testSuite: 'doomed' })
    const { id } = await http.post('/v1/dataQuality/testCases', body)
    const at = `/v1/dataQuality/testCases/${id}`
    expect(paths(await http.refuses('BAD_REQUEST', 'PATCH', at, { testSuite: null }, merge))).toEqual(['/testSuite'])
    await http.remove(`/v1/dataQuality/testSuites/${suite.id}?hardDelete=true`)
    expect(await http.patch(at, { description: 'x' })).not.toHaveProperty('testSuite')
    await answered(200, http.call('POST', `${at}/revert`, { version: 0.1 }))
    expect(paths(await http.refuses('BAD_REQUEST', 'PATCH', at, { testDefinition: null }, merge))).toEqual([
      '/testDefinition',
    ])
    await http.post('/v1/dataQuality/testSuites', { name: 'next' })
    expect((await http.patch(at, { testSuite: 'next' }))['testSuite']).toMatchObject({ name: 'next' })
    expect(fqns((await http.get('/v1/dataQuality/testSuites/name/next')).tests)).toEqual(['pg.db.s.suiteless.x'])
  })

  it('show the beginning of long texts; the entity that has them shows all', async () => {
    const texts = {
      displayName: 'n'.repeat(500_000),
      description: `${'d'.repeat(1022)}\u{1f600}${'d'.repeat(400_000)}`,
    }
    const style = { color: 'c'.repeat(20_000), iconURL: 'https://a.example' }
    const tag = await http.post('/v1/tags', { name: 'Long', classification: 'PII', style, ...texts })
    expect(await http.get(`/v1/tags/${tag.id}`)).toMatchObject({ ...texts, style })
    await http.post('/v1/users', { name: 'long', displayName: texts.displayName })
    const glossary = await http.post('/v1/glossaries', { name: 'labelled', owners: ['long'], tags: ['PII.Long'] })
    const displayName = `${'n'.repeat(1023)}…`
    expect(glossary.owners).toMatchObject([{ fullyQualifiedName: 'long', displayName }])
    const [label] = glossary.tags
    expect(label).toMatchObject({ tagFQN: 'PII.Long', displayName, description: `${'d'.repeat(1022)}…` })
    expect(label).not.toHaveProperty('style')
  })
})

describe('tags', () => {
  it('are labels with everything a reader needs', async () => {
    const { tags } = await http.post('/v1/glossaries', {
      name: 'tagged',
      tags: ['PII.Sensitive', { tagFQN: 'words.Customer' }],
    })
    expect(tags).toEqual([
      {
        tagFQN: 'PII.Sensitive',
        name: 'Sensitive',
        description: 'Handle with care',
        style: { color: 'red' },
        source: 'Classification',
        labelType: 'Manual',
        state: 'Confirmed',
      },
      { tagFQN: 'words.Customer', name: 'Customer', source: 'Glossary', labelType: 'Manual', state: 'Confirmed' },
    ])
    expect((await http.put('/v1/glossaries', { name: 'tagged', tags })).version).toBe(0.1)
    await http.patch('/v1/tags/name/PII.Sensitive', { displayName: 'Very sensitive' })
    expect((await http.get('/v1/glossaries/name/tagged')).tags[0].displayName).toBe('Very sensitive')
  })
})

it('problems of columns that say the same point to the first of them', async () => {
  const unknown = await refuse('/v1/tables', {
    name: 'x',
    databaseSchema: 'pg.db.s',
    columns: [
      { name: 'a', dataType: 'WORDS' },
      { name: 'a2', dataType: 'WORDS' },
      { name: 'b' },
      { dataType: 'INT' },
      { name: 'c', dataType: 'INT', size: 3 },
    ],
  })
  const said = new Map(unknown.errors.map(({ path, message }: Record<string, string>) => [path, message]))
  expect(said.get('/columns/0/dataType')).toMatch(/must be one of .*VARCHAR/)
  expect(said.get('/columns/1/dataType')).toBe('as for /columns/0/dataType')
  expect(unknown.message.length).toBeLessThan(400)
})

describe('hierarchies', () => {
  it('teams have members, named by name and by id', async () => {
    await http.post('/v1/teams', { name: 'above' })
    const { id } = await http.post('/v1/teams', { name: 'below', parents: ['above'] })
    await http.post('/v1/users', { name: 'member', teams: ['below'] })
    await http.post('/v1/users', { name: 'byId', teams: [id] })
    expect(fqns((await http.get('/v1/users/name/byId')).teams)).toEqual(['below'])
    await http.remove('/v1/users/name/byId?hardDelete=true')
    expect(fqns((await http.get('/v1/teams/name/below')).users)).toEqual(['member'])
  })
})

describe('secrets of connections', () => {
  const config = {
    type: 'Mysql',
    hostPort: 'db:3306',
    username: 'root',
    password: 'hunter-two',
    auth: { token: 'tok-en-1', privateKey: 'pri-vate', nested: [{ secretAccessKey: 'acc-ess' }] },
  }

  it('cannot be guessed: who sends the right one is answered like who sends a wrong one', async () => {
    const send = async (name: string, password: string) => {
      const body = { name, serviceType: 'Mysql', connection: { config: { ...config, password } } }
      const { status, headers, body: answer } = await http.call('PUT', '/v1/services/databaseServices', body)
      const own = ['id', 'href', 'updatedAt', 'name', 'fullyQualifiedName']
      const alike = Object.entries(answer).filter(([member]) => !own.includes(member))
      return [status, headers.get('etag')?.split('-')[0], Object.fromEntries(alike)]
    }
    expect((await send('right', 'hunter-two')).slice(0, 2)).toEqual(
      await send('wrong', 'hunter-two').then(([a, b]) => [a, b]),
    )
    const right = await send('right', 'hunter-two')
    expect(right).toEqual(await send('wrong', 'hunter-one'))
    expect(right).toMatchObject([200, '"1', { version: 0.2 }])
    const kept = await send('right', '********')
    expect(kept.slice(0, 2)).toEqual([200, '"2'])
  })

  it('are in no answer, no problem and no line of the log, whatever way they are written in', async () => {
    const made = await http.post('/v1/services/databaseServices', {
      name: 'ways',
      serviceType: 'Mysql',
      connection: { config: { type: 'Mysql', ways: Object.values(ways) } },
    })
    expect(JSON.stringify(made)).not.toContain(needle)
    const wrong = {
      name: 'ways2',
      serviceType: 7,
      connection: { config: { type: 'Mysql', ways: Object.values(ways), 'a=b': 1 } },
    }
    const refused = await http.refused('POST', '/v1/services/databaseServices', wrong)
    expect([refused.status, JSON.stringify(refused.body).includes(needle)]).toEqual([400, false])
    const at = `/v1/services/databaseServices/${made.id}`
    await http.patch(at, { connection: { config: { other: { password: needle } } } })
    const seen = ['', '/history', '/versions', '/diff?from=0.1', '?asOf=0.1'].map((suffix) => at + suffix)
    const lists = [
      '/v1/search/query?q=ways',
      `/v1/events?entityId=${made.id}`,
      '/v1/services/databaseServices?fields=*&limit=100',
    ]
    for (const path of [...seen, ...lists])
      expect([path, JSON.stringify(await http.get(path)).includes(needle)]).toEqual([path, false])
    expect((await http.get(`/v1/search/query?q=${needle}`)).hits.total.value).toBe(0)
    expect(http.service.output()).not.toContain(needle)
  })
})

describe('long lists', () => {
  it('long lists of API endpoints come in one answer, or in pages that fit together', async () => {
    await http.post('/v1/services/apiServices', { name: 'api', serviceType: 'Rest' })
    await http.post('/v1/apiCollections', { name: 'c', service: 'api' })
    const items = Array.from({ length: 1600 }, (_, index) => ({
      name: `e${String(index).padStart(5, '0')}`,
      apiCollection: 'api.c',
    }))
    expect((await http.put('/v1/apiEndpoints/bulk', items)).numberOfRowsPassed).toBe(1600)
    const all = await http.get('/v1/apiEndpoints?apiCollection=api.c&limit=1000000')
    expect([all.data.length, all.paging]).toEqual([1600, { total: 1600 }])
    expect(fqns(all.data)).toEqual(items.map(({ name }) => `api.c.${name}`))
    const first = await http.get('/v1/apiEndpoints?service=api&limit=1500&fields=owners')
    const second = await http.get(`/v1/apiEndpoints?service=api&limit=1500&after=${first.paging.after}`)
    expect([first.data.length, second.data.length, second.paging.after]).toEqual([1500, 100, undefined])
    expect(fqns([...first.data, ...second.data])).toEqual(fqns(all.data))
    const back = await http.get(`/v1/apiEndpoints?service=api&limit=1500&before=${second.paging.before}`)
    expect(fqns(back.data)).toEqual(fqns(all.data).slice(500, 1500))
    expect(back.paging.before).toBeDefined()
    await http.refuses('BAD_REQUEST', 'GET', '/v1/apiEndpoints?limit=1000001')
  })
})
