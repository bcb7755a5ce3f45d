import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/shared/json.ts'
import { isValidDocument } from '../../src/odcs/read/check.ts'
import { MINIMAL, V2, V31 } from '../odcs/documents.ts'
import { skippedAsTooLarge } from '../support/external.ts'
import { thorough } from '../support/fastCheck.ts'
import { answered, as, paths, problem, schemaOfPg, testCaseOn, useHttp } from './support.ts'

let tables = 0

const http = useHttp({ env: () => ({ CATALOG_EVENTSTORE_MAX_APPEND_BYTES: '15728640' }), made: schemaOfPg })

beforeAll(async () => {
  for (const name of ['ann', 'bob']) await http.post('/v1/users', { name })
  await http.post('/v1/dataQuality/testSuites', { name: 'suite' })
})

const yaml = { headers: { 'content-type': 'application/yaml' } }
const contracts = '/v1/dataContracts'

/** A table for a contract, and the query that names it. */
const makeTable = async (columns: JsonObject[] = [], name = `t${tables++}`) => {
  const table = await http.post('/v1/tables', {
    name,
    databaseSchema: 'pg.db.s',
    ...(columns.length > 0 && { columns }),
  })
  return {
    id: table.id as string,
    fqn: table.fullyQualifiedName as string,
    query: `?entityId=${table.id}&entityType=table`,
  }
}

const testCase = (...about: Parameters<typeof testCaseOn>) =>
  http.post('/v1/dataQuality/testCases', testCaseOn(...about))

const put = (query: string, text: string, more = '') =>
  http.call('PUT', `${contracts}/odcs/yaml${query}${more}`, text, yaml)

/** Both exports, the JSON one checked against the official schema and the YAML one against it. */
const exported = async (id: string, query = '') => {
  const document = await http.get(`${contracts}/${id}/odcs${query}`)
  expect(isValidDocument('v3.1.0', document)).toBe(true)
  const text = await answered(200, http.call('GET', `${contracts}/${id}/odcs/yaml${query}`))
  expect(text.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
  expect(parse(text.body, { schema: 'core' })).toEqual(document)
  return { document, text: text.body as string }
}

describe('export', () => {
  it('is the document of an earlier version or moment, with the changes until then', async () => {
    const { query } = await makeTable()
    const first = `${MINIMAL}name: first # as agreed\n`
    const { body, headers } = await answered(201, put(query, first))
    const position = headers.get('catalog-position') as string
    await http.patch(`${contracts}/${body.id}`, { entityStatus: 'Active' })
    await answered(200, put(query, `${MINIMAL}name: second\n`, '&mode=replace'))
    await http.remove(`${contracts}/${body.id}`)
    expect((await exported(body.id, '?asOf=0.1')).text).toBe(first)
    expect((await exported(body.id, `?asOf=@${position}`)).text).toBe(first)
    expect((await exported(body.id, '?asOf=0.2')).text).toBe(first.replace('status: draft', 'status: active'))
    expect((await exported(body.id, '?asOf=0.3&fields=schema')).document).toMatchObject({ name: 'second' })
    await http.refuses('NOT_FOUND', 'GET', `${contracts}/${body.id}/odcs?asOf=0.9`)
    await http.refuses('NOT_FOUND', 'GET', `${contracts}/${body.id}/odcs`)
    await http.refuses('NOT_FOUND', 'GET', `${contracts}/name/no.such/odcs/yaml`)
  })

  it('names nobody who was deleted for good, nor tags and domains that were', async () => {
    const { id } = await makeTable()
    await http.post('/v1/users', { name: 'leaver' })
    await http.post('/v1/classifications', { name: 'Short' })
    await http.post('/v1/tags', { name: 'lived', classification: 'Short' })
    await http.post('/v1/domains', { name: 'Former' })
    const named = { owners: ['leaver'], reviewers: ['leaver', 'ann'], tags: ['Short.lived'], domains: ['Former'] }
    const made = await http.post(contracts, { name: 'made', entity: { id, type: 'table' }, ...named })
    const team = 'team:\n  members:\n    - username: leaver\n      role: owner\n'
    const imported = (await answered(201, put((await makeTable()).query, MINIMAL + team))).body
    expect((await exported(made.id)).document).toMatchObject({ tags: ['Short.lived'], domain: 'Former' })
    for (const gone of ['users/name/leaver', 'classifications/name/Short', 'domains/name/Former'])
      await http.remove(`/v1/${gone}?hardDelete=true&recursive=true`)
    await http.post('/v1/users', { name: 'leaver' })
    const { document } = await exported(made.id)
    expect(document).toMatchObject({ team: { members: [{ username: 'ann', role: 'reviewer' }] } })
    expect(document).not.toHaveProperty('tags')
    expect(document).not.toHaveProperty('domain')
    expect((await exported(imported.id)).document).not.toHaveProperty('team')
  })
})

describe('import', () => {
  it('an import as YAML comes back as it is, and again changes nothing', async () => {
    const [text, more] = [V31, '&objectName=ORDERS']
    const { query } = await makeTable()
    const { body, headers } = await answered(
      201,
      http.call('POST', `${contracts}/odcs/yaml${query}${more}`, text, yaml),
    )
    expect(headers.get('location')).toBe(`${http.url}/api${contracts}/${body.id}`)
    expect(headers.get('etag')).toMatch(/^"0-/)
    expect(Array.isArray(body.warnings)).toBe(true)
    expect([body.owners, body.reviewers]).toMatchObject([[{ name: 'ann' }], [{ name: 'bob' }]])
    const shown = await http.get(`${contracts}/${body.id}`)
    expect([shown.odcs, shown.warnings]).toEqual([undefined, undefined])
    const { document, text: back } = await exported(body.id)
    expect(back).toBe(text)
    const named = `${contracts}/name/${encodeURIComponent(body.fullyQualifiedName)}/odcs`
    expect(await http.get(named)).toEqual(document)
    expect((await http.call('GET', `${named}/yaml`)).body).toBe(back)
    for (const mode of ['&mode=replace', '']) {
      const again = http.refused('PUT', `${contracts}/odcs/yaml${query}${more}${mode}`, text, yaml)
      expect((await answered(200, again)).body.version).toBe(0.1)
    }
    expect((await exported(body.id, '?fields=schema')).document).not.toHaveProperty('roles')
    const wrong = await http.refuses('BAD_REQUEST', 'GET', `${contracts}/${body.id}/odcs?fields=schema,nothing`)
    expect(paths(wrong)).toEqual(['?fields'])
    const sent = await http.post(`${contracts}/odcs${(await makeTable()).query}&objectName=orders`, document)
    expect((await exported(sent.id)).document).toEqual(document)
    const customers = await makeTable([], 'customers')
    expect((await answered(201, put(customers.query, V31))).body.schema[0].name).toBe('email')
  })

  it('an import of a second contract by POST is 409, by PUT an update; soft-deleted ones come back', async () => {
    const { query } = await makeTable()
    const body = await http.post(
      `${contracts}/odcs/yaml${query}`,
      `${MINIMAL}name: first\nsupport: [{channel: a, url: b}]\ndescription: {purpose: Old}\n`,
      yaml,
    )
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', `${contracts}/odcs/yaml${query}`, MINIMAL, yaml)
    const only = { headers: { ...yaml.headers, 'if-none-match': '*' } }
    await http.refuses('PRECONDITION_FAILED', 'PUT', `${contracts}/odcs/yaml${query}`, MINIMAL, only)
    await http.remove(`${contracts}/${body.id}`)
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', `${contracts}/odcs/yaml${query}`, MINIMAL, yaml)
    const back = await answered(200, put(query, `${MINIMAL}name: second\n`, '&mode=replace'))
    expect(back.body).toMatchObject({ id: body.id, name: 'first', displayName: 'second', deleted: false })
    expect([back.body.description, (await exported(body.id)).document.support]).toEqual([undefined, undefined])
    await answered(200, put(query, `${MINIMAL}support: [{channel: a, url: b}]\n`))
    await http.remove(`${contracts}/${body.id}`)
    await answered(200, put(query, `${MINIMAL}tags: [x]\n`))
    expect((await exported(body.id)).document).toMatchObject({ tags: ['x'], support: [{ channel: 'a', url: 'b' }] })
  })

  it('a merge clears what the document says and the catalog cannot hold, and keeps what it omits', async () => {
    const { query, fqn } = await makeTable()
    await testCase(fqn, 'rc')
    const people = (...members: string[]) => `team: {members: [${members.join(', ')}]}\n`
    const [ann, bob] = ['{username: ann, role: owner}', '{username: bob, role: reviewer}'] as const
    const first =
      `${MINIMAL}slaProperties: [{property: frequency, value: 1, unit: d}]\n${people(ann, bob)}roles: [{role: r}]\n` +
      'schema: [{name: t, quality: [{name: rc, type: text, description: d}]}]\ndescription: {purpose: P}\n'
    const { body } = await answered(201, put(query, first))
    const before = {
      sla: { refreshFrequency: 'P1D' },
      owners: [{ name: 'ann' }],
      reviewers: [{ name: 'bob' }],
      security: { policies: [{ accessPolicy: 'r' }] },
      qualityExpectations: [{ name: 'rc' }],
    }
    expect(body).toMatchObject(before)
    expect((await answered(200, put(query, MINIMAL))).body).toMatchObject(before)
    const left = people('{username: ann, role: owner, dateOut: "2026-01-01"}', '{username: nobody-here, role: owner}')
    const second = `${MINIMAL}slaProperties: [{property: frequency, value: on demand}]\n${left}roles: []\nschema: [{name: t}]\n`
    const merged = await answered(200, put(query, second))
    for (const member of ['sla', 'security']) expect(merged.body).not.toHaveProperty(member)
    for (const member of ['owners', 'reviewers', 'qualityExpectations', 'qualityRules'])
      expect(merged.body[member] ?? [], member).toEqual([])
    expect(merged.body.description).toBe('P')
    expect(merged.body.warnings).toEqual([
      { path: '/slaProperties/0', message: expect.stringContaining('kept in the document') },
      { path: '/team', message: 'not in the catalog, or the name of several, kept in the document: nobody-here' },
    ])
    const said = parse(`${second}description: {purpose: P}\n`, { schema: 'core' })
    expect((await exported(body.id)).document).toEqual(said)
  })

  it('matches rules with the test cases of their names', async () => {
    const columns = [
      { name: 'id', dataType: 'INT' },
      { name: 'a.b', dataType: 'INT' },
      { name: 'address', dataType: 'STRUCT', children: [{ name: 'zip', dataType: 'TEXT' }] },
    ]
    const { query, fqn } = await makeTable(columns)
    await testCase(fqn, 'unique id', { column: 'id' })
    await testCase(fqn, 'unique pair', { column: '"a.b"' })
    await testCase(fqn, 'unique zip', { column: 'address.zip' })
    await testCase(fqn, 'rows')
    const rule = (name: string) => `quality: [{name: ${name}, type: text, description: u}]`
    const text = `${MINIMAL}schema:\n  - name: t\n    quality: [{name: rows, type: text, description: d}, {name: nothing, type: text, description: e}]\n    properties:\n      - {name: id, logicalType: integer, ${rule('unique id')}}\n      - {name: a.b, logicalType: integer, ${rule('unique pair')}}\n      - {name: address, logicalType: object, properties: [{name: zip, ${rule('unique zip')}}]}\n`
    const { body } = await answered(201, put(query, text))
    expect(body.qualityExpectations.map((each: JsonObject) => each['name']).toSorted()).toEqual([
      'rows',
      'unique id',
      'unique pair',
      'unique zip',
    ])
    expect(body.qualityRules.map((each: JsonObject) => each['column'])).toEqual([
      undefined,
      undefined,
      'id',
      '"a.b"',
      'address.zip',
    ])
    const { latestResult } = (await answered(200, http.call('POST', `${contracts}/${body.id}/validate`))).body
    const untested = latestResult.promises.filter(({ reason }: JsonObject) => String(reason).startsWith('no test case'))
    expect(untested.map(({ promise }: JsonObject) => promise)).toEqual(['nothing'])
    expect((await exported(body.id)).text).toBe(text)
  })

  it('changes nothing with an unchanged export, also where a test for a rule was made or removed since', async () => {
    const { fqn, query } = await makeTable()
    const text = `${MINIMAL}schema:\n  - name: t\n    quality: [{name: rc, type: text, description: d}]\n`
    const { body } = await answered(201, put(query, text))
    await testCase(fqn, 'rc')
    const unchanged = async (version: number) => {
      expect((await exported(body.id)).text).toBe(text)
      const again = (await answered(200, put(query, text))).body
      expect([again.version, again.qualityExpectations ?? []]).toEqual([version, []])
    }
    await unchanged(0.1)
    const other = await answered(200, put(query, text.replace('description: d', 'description: e')))
    expect(other.body.qualityExpectations).toMatchObject([{ name: 'rc' }])
    await answered(200, put(query, text))
    const { version } = await http.patch(`${contracts}/${body.id}`, { qualityExpectations: [] })
    await unchanged(version)
  })

  it('changes nothing with an unchanged export after a column was put before one with a rule', async () => {
    const columns = ['id', 'new'].map((name) => ({ name, dataType: 'INT' }))
    const { query } = await makeTable(columns)
    const ruled = `${MINIMAL}schema:
  - name: o
    properties:
      - name: id
        logicalType: integer
        quality: [{type: text, description: d}]
`
    const { body } = await answered(201, put(query, ruled))
    const patched = await http.patch(`${contracts}/${body.id}`, { schema: columns.toReversed() })
    const again = await answered(200, put(query, (await exported(body.id)).text))
    expect([again.body.version, again.body.qualityRules]).toEqual([patched.version, body.qualityRules])
  })

  it('keeps the expectations of a contract, however often it is exported and imported', async () => {
    const { id, fqn, query } = await makeTable()
    const { id: expected } = await testCase(fqn, 'kept')
    const body = { name: 'c', entity: { id, type: 'table' }, qualityExpectations: [{ id: expected, type: 'testCase' }] }
    const contract = await http.post(contracts, body)
    const { text } = await exported(contract.id)
    expect(text).toContain(`${fqn}.kept`)
    for (const more of ['&mode=replace', '&mode=replace', '&mode=merge']) {
      const { body: again } = await answered(200, put(query, (await exported(contract.id)).text, more))
      expect(again.qualityExpectations).toMatchObject([{ id: expected }])
    }
    await answered(200, put(query, MINIMAL, '&mode=merge'))
    expect((await exported(contract.id)).text).toContain(`${fqn}.kept`)
  })

  it('is about an entity that exists and may have a contract', async () => {
    const { id } = await makeTable()
    const at = (query: string) => http.refused('POST', `${contracts}/odcs/yaml${query}`, MINIMAL, yaml)
    for (const query of [
      '',
      `?entityId=${id}`,
      '?entityType=table',
      `?entityId=${id}&entityType=constructor`,
      `?entityId=${id}&entityType=table&mode=both`,
    ])
      await problem(400, 'BAD_REQUEST', at(query))
    for (const query of [
      `?entityId=${id}&entityType=topic`,
      '?entityId=x&entityType=table',
      '?entityId=00000000-0000-4000-8000-000000000000&entityType=table',
    ])
      await problem(404, 'NOT_FOUND', at(query))
    const { id: user } = await http.get('/v1/users/name/ann')
    expect(paths(await problem(400, 'BAD_REQUEST', at(`?entityId=${user}&entityType=user`)))).toEqual(['?entityType'])
    const { errors } = await problem(400, 'BAD_REQUEST', at(`?entityId=${id}&entityType=tabel`))
    expect(errors).toMatchObject([{ path: '?entityType', message: expect.stringMatching(/must be one of .*table/) }])
    const effective = `${contracts}/entity?entityId=${id}&entityType=tabel`
    expect(paths(await http.refuses('BAD_REQUEST', 'GET', effective))).toEqual(['?entityType'])
    await http.refuses('FORBIDDEN', 'POST', `${contracts}/odcs/yaml?entityId=${id}&entityType=table`, MINIMAL, {
      ...yaml,
      ...as('zoe', 'DataConsumer'),
    })
    await http.remove(`/v1/tables/${id}`)
    await problem(404, 'NOT_FOUND', at(`?entityId=${id}&entityType=table`))
  })
  it.each(['merge', 'replace'])(
    'of what was exported changes nothing with mode=%s, though it never was a document, nor does an edit of it name or change anything else',
    async (mode) => {
      const { id, query } = await makeTable()
      const schema = [
        { name: 'id', dataType: 'INT', constraint: 'NOT_NULL', required: true },
        { name: 'at', dataType: 'TIMESTAMP' },
      ]
      const words = {
        description: 'Words',
        entityStatus: 'Draft',
        sla: { refreshFrequency: 'PT1H', latency: 'PT2H', availability: 99, 'on call': 'always' },
        semantics: [{ name: 'fresh', rule: 'x' }],
        security: { policies: [{ accessPolicy: 'p' }] },
        extension: { a: { b: [1] } },
        owners: ['ann'],
        reviewers: ['bob'],
        termsOfUse: 'Kindly',
      }
      const made = await http.post(contracts, { name: `hand ${mode}`, entity: { id, type: 'table' }, schema, ...words })
      const { document, text } = await exported(made.id)
      const more = `${query}&objectName=${document.schema[0].name}&mode=${mode}`
      await answered(200, http.refused('PUT', `${contracts}/odcs/yaml${more}`, text, yaml))
      await answered(200, http.refused('PUT', `${contracts}/odcs${more}`, document))
      const edited = text.replace('status: draft', 'status: active')
      const { changeDescription } = await http.put(`${contracts}/odcs/yaml${more}`, edited, yaml)
      const changes = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'].map((name) => changeDescription[name])
      expect(changes.map((list) => list.map(({ name }: JsonObject) => name))).toEqual([['odcs'], ['entityStatus'], []])
      expect((await exported(made.id)).text).toBe(edited)
    },
  )
})

describe('parse and validate', () => {
  it('preview a document and store nothing', async () => {
    const at = `${contracts}/odcs/parse/yaml`
    const parsed = await answered(200, http.refused('POST', at, V31, yaml))
    expect(parsed.body).toMatchObject({ name: 'Orders', schemaObjects: ['orders', 'customers'], problems: [] })
    for (const type of ['application/x-yaml', 'text/yaml', 'application/yaml; charset=utf-8'])
      await answered(200, http.refused('POST', at, V2, { headers: { 'content-type': type } }))
    await http.refuses('UNSUPPORTED_MEDIA_TYPE', 'POST', at, V2, { headers: { 'content-type': 'text/plain' } })
  })

  it('compare one object with an asset that there is', async () => {
    const at = `${contracts}/odcs/validate/yaml`
    const { message } = await http.refuses('BAD_REQUEST', 'POST', `${at}${(await makeTable()).query}`, V31, yaml)
    expect(message).toContain('orders, customers')
    await http.refuses('NOT_FOUND', 'POST', `${at}?entityId=x&entityType=table`, V31, yaml)
    await http.refuses('BAD_REQUEST', 'POST', at, V31, yaml)
  })
})

describe('a contract about one message of a topic', () => {
  const about = (object: string) => `apiVersion: v3.1.0
kind: DataContract
id: z
version: 1.0.0
status: active
schema:
  - name: ${object}
    properties:
      - {name: id, logicalType: integer}
      - {name: at, logicalType: integer}
`

  const validated = async (id: string) =>
    (await answered(200, http.call('POST', `${contracts}/${id}/validate`))).body.latestResult

  it('is compared with that message, and one about the topic with all of them', async () => {
    await http.post('/v1/services/messagingServices', { name: 'kafka', serviceType: 'Kafka' })
    const schemaText =
      'syntax = "proto3"; message Created { string id = 1; } message Deleted { int64 id = 1; int64 at = 2; }'
    const messageSchema = { schemaType: 'Protobuf', schemaText }
    const topic = await http.post('/v1/topics', { name: 'users', service: 'kafka', messageSchema })
    const query = `?entityId=${topic.id}&entityType=topic`
    const compared = async (object: string) =>
      (await answered(200, http.call('POST', `${contracts}/odcs/validate/yaml${query}`, about(object), yaml))).body
    expect(await compared('Created')).toMatchObject({
      failedFields: ['at'],
      typeMismatchFields: ['id: expected INT, got STRING'],
    })
    for (const object of ['deleted', 'users'])
      expect(await compared(object)).toMatchObject({ failed: 0, typeMismatchFields: [] })
    expect(
      (await http.refuses('BAD_REQUEST', 'PUT', `${contracts}/odcs/yaml${query}`, about('Created'), yaml)).message,
    ).toContain('the asset has no column or field "at"')
    const { body: made } = await answered(201, put(query, about('Deleted')))
    expect(await validated(made.id as string)).toMatchObject({ status: 'Success' })
    await http.patch(`/v1/topics/${topic.id}`, {
      messageSchema: {
        schemaText: 'syntax = "proto3"; message Created { int64 at = 1; } message Deleted { int64 id = 1; }',
      },
    })
    expect(await validated(made.id as string)).toMatchObject({
      status: 'Failed',
      schemaValidation: { failedFields: ['at'] },
    })
  })

  it('that promises the message itself can be imported from its own export', async () => {
    const messageSchema = { schemaType: 'Protobuf', schemaText: 'syntax = "proto3"; message Order { string id = 1; }' }
    const topic = await http.post('/v1/topics', { name: 'orders', service: 'kafka', messageSchema })
    const schema = [{ name: 'Order', dataType: 'RECORD' }]
    const made = await http.post(contracts, { name: 'whole', entity: { id: topic.id, type: 'topic' }, schema })
    expect(await validated(made.id as string)).toMatchObject({ status: 'Success' })
    const { text } = await exported(made.id as string)
    await answered(200, put(`?entityId=${topic.id}&entityType=topic`, `${text}# x\n`))
  })
})

describe('documents that are refused', () => {
  it('of 130 members that nobody knows, at each route that reads them: a hundred are listed, and all are counted', async () => {
    const { query } = await makeTable()
    const text = MINIMAL + Array.from({ length: 130 }, (_, index) => `k${index}: 1\n`).join('')
    for (const [method, route] of [
      ['POST', ''],
      ['PUT', ''],
      ['POST', '/validate'],
    ] as const) {
      const at = `${contracts}/odcs${route}/yaml${query}`
      const { message, errors } = await http.refuses('BAD_REQUEST', method, at, text, yaml)
      expect(message).toContain(' (and 129 more)')
      expect(errors[0]).toMatchObject({ path: '/k0', line: 6, column: 5, message: expect.any(String) })
      expect([errors.length, errors.at(-1).message]).toEqual([101, 'and 30 more problems, which are not listed'])
    }
    for (const method of ['POST', 'PUT']) {
      const { errors } = await http.refuses('BAD_REQUEST', method, `${contracts}/odcs${query}`, '')
      expect(errors[0]).toMatchObject({ path: '', line: 1, column: 1 })
    }
  })

  it('for what only the contract made of them has, which a preview names, too', async () => {
    const properties = 'properties: [{ name: id, logicalType: integer }, { name: "a::b", logicalType: integer }]'
    const text = `${MINIMAL}schema:\n  - name: t\n    logicalType: object\n    ${properties}\n`
    const { body } = await answered(200, http.call('POST', `${contracts}/odcs/parse/yaml`, text, yaml))
    const at = `${contracts}/odcs/yaml${(await makeTable()).query}`
    const { errors } = await http.refuses('BAD_REQUEST', 'PUT', at, text, yaml)
    const wrong = { path: '/schema/0/properties/1/name', line: 9, message: 'must not have :: in it' }
    expect(errors[0]).toMatchObject(wrong)
    expect(body.problems).toEqual(errors)
    expect(body).not.toHaveProperty('contract')
  })
})

/** Words that repeat about as often as those of people. */
const prose = (length: number): string =>
  Array.from({ length: Math.ceil(length / 12) }, (_, index) => `word${(index * 7919) % 10_007} of a`)
    .join(' ')
    .slice(0, length)
    .trim()

const columnsOf = (size: number, member: (text: string) => string): string => {
  const each = Math.floor(size / 5000) - 100
  const text = prose(size)
  const columns = Array.from(
    { length: 5000 },
    (_, index) =>
      `      - name: c${index}\n        logicalType: string\n        ${member(text.slice(index * each, (index + 1) * each).trim())}\n`,
  )
  return `schema:\n  - name: t\n    properties:\n${columns.join('')}`
}

const inColumns = ['in columns', (size: number) => columnsOf(size, (text) => `description: ${text}`)] as const
const otherwise = [
  ['in one text', (size: number) => `description: {purpose: "${prose(size - 200)}"}\n`],
  ['in rules', (size: number) => columnsOf(size, (text) => `quality: [{type: text, description: ${text}}]`)],
] as const

const tooLarge = skippedAsTooLarge('documents of 5 MiB')
describe.skipIf(tooLarge).each([inColumns, ...(thorough ? otherwise : [])])(
  'a document of 5 MiB, most of it %s',
  (_, fill) => {
    it('is imported, comes back to the byte, and changes like any other', async () => {
      const text = `${MINIMAL}${fill(5 * 2 ** 20)}`
      expect(Buffer.byteLength(text)).toBeGreaterThan(4.6 * 2 ** 20)
      const { query } = await makeTable()
      const { body } = await answered(201, put(query, text))
      const back = await answered(200, http.call('GET', `${contracts}/${body.id}/odcs/yaml`))
      expect(back.body === text).toBe(true)
      const changed = text.replace('status: draft', 'status: active')
      expect((await answered(200, put(query, changed))).body.entityStatus).toBe('Active')
      expect((await http.call('GET', `${contracts}/${body.id}/odcs/yaml`)).body === changed).toBe(true)
    })
  },
)

describe('a document with just the members that the service describes', () => {
  const described = (version: string) => `apiVersion: ${version}
kind: DataContract
name: Orders
version: 1.0.0
status: active
domain: sales
description:
  purpose: Everything that was ordered.
schema:
  - name: orders
    logicalType: object
    properties:
      - { name: id, logicalType: integer, required: true, primaryKey: true }
quality:
  - { type: text, dimension: completeness, description: Nothing is missing. }
slaProperties:
  - { property: latency, value: 4h }
`

  it.each(['v3.1.0', 'v3.0.2', 'v3.0.1', 'v3.0.0', 'v2.2.2', 'v2.2.1', 'v2.2.0'])(
    'is imported as %s and given the id of its contract',
    async (version) => {
      const { query } = await makeTable([{ name: 'id', dataType: 'INT' }])
      const { body } = await answered(201, put(query, described(version)))
      expect(body.warnings).toContainEqual({ path: '/id', message: expect.stringContaining('was missing') })
      expect((await exported(body.id)).document.id).toBe(body.id)
      const validated = http.refused('POST', `${contracts}/odcs/validate/yaml${query}`, described(version), yaml)
      expect((await answered(200, validated)).body).toMatchObject({ passed: 1, failed: 0, total: 1 })
    },
  )

  it('keeps the id that the contract has had when it is merged into it', async () => {
    const { query } = await makeTable([{ name: 'id', dataType: 'INT' }])
    const withId = described('v3.1.0').replace('name: Orders', 'id: chosen\nname: Orders')
    await answered(201, put(query, withId))
    const { body } = await answered(200, put(query, described('v3.1.0'), '&mode=merge'))
    expect((await exported(body.id)).document.id).toBe('chosen')
  })
})

describe('custom properties that have the name of a member of the contract or of a column', () => {
  it('stay in the document where they do not fit, and are taken where they do', async () => {
    const { query } = await makeTable()
    const property = (name: string, value: string) => `      - name: ${name}
        logicalType: string
        customProperties:
          - { property: ${name}, value: ${value} }
`
    const odd = { precision: 'high', scale: '"1:100"', dataLength: '-1', arrayDataType: 'whatever', jsonSchema: '[1]' }
    const text = `${MINIMAL}name: "a\\x85b"
customProperties:
  - { property: semantics, value: [a] }
  - { property: sourceUrl, value: see wiki page }
  - { property: sla, value: { availability: "99.9%" } }
  - { property: extension, value: {} }
schema:
  - name: t
    logicalType: object
    properties:
${Object.entries({ ...odd, extension: '7' })
  .map(([name, value]) => property(name, value))
  .join('')}      - name: fitting
        logicalType: number
        customProperties: [{ property: precision, value: 12 }, { property: scale, value: 2 }]
`
    const { body } = await answered(201, put(query, text))
    expect(body).toMatchObject({ name: 'a b' })
    for (const member of ['semantics', 'sourceUrl', 'sla']) expect(body).not.toHaveProperty(member)
    expect(body.schema.slice(0, 6).every((column: JsonObject) => !((column['name'] as string) in column))).toBe(true)
    expect(body.schema[6]).toMatchObject({ precision: 12, scale: 2 })
    expect((await exported(body.id)).text).toBe(text)
  })
})

describe('tags of columns', () => {
  it('that were deleted for good are not exported, and unknown ones are left out of an import with a warning', async () => {
    await http.post('/v1/classifications', { name: 'Fleeting' })
    const tag = await http.post('/v1/tags', { name: 'gone', classification: 'Fleeting' })
    await http.post('/v1/tags', { name: 'kept', classification: 'Fleeting' })
    const { id, query } = await makeTable()
    const schema = [{ name: 'a', dataType: 'STRING', tags: ['Fleeting.gone', 'Fleeting.kept'] }]
    const made = await http.post(contracts, { name: 'made', entity: { id, type: 'table' }, schema })
    const before = (await exported(made.id)).text
    await answered(204, http.call('DELETE', `/v1/tags/${tag.id}?hardDelete=true`))
    expect((await exported(made.id)).text).toBe(before.replace(/\n +- id: [^\n]+\n[^\n]+\n[^\n]+Fleeting.gone/, ''))
    const message = expect.stringMatching(/not in the catalog.*: Fleeting\.gone$/)
    for (const at of [query, (await makeTable()).query]) {
      const { body } = await http.call('PUT', `${contracts}/odcs/yaml${at}`, before, yaml)
      expect(body.warnings).toEqual([{ path: '/schema', message }])
      expect(body.schema[0].tags).toMatchObject([{ tagFQN: 'Fleeting.kept' }])
    }
  })
})
