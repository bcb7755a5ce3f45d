import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/shared/json.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'
import { tokenFor } from '../support/service.ts'
import { answered, as, type Http, merge, pagesOf, problem, schemaOfPg, testCaseOn, useHttp } from './support.ts'

const roles = `
roles:
  Keeper:
    - { effect: allow, operations: [view, search, versions], kinds: ['*'] }
    - { effect: allow, operations: [create, edit, delete, restore, bulk, vote, history], kinds: [glossary, glossaryTerm], condition: isOwner }
  Creator:
    - { effect: allow, operations: [view, create], kinds: [glossary, dataContract, table] }
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [table] }
  NoTests:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [testCase] }
  OwnContracts:
    - { effect: allow, operations: [view], kinds: [table] }
    - { effect: allow, operations: [view], kinds: [dataContract], condition: isOwner }
  Editor:
    - { effect: allow, operations: [view, edit], kinds: [glossary] }
  OwnCreator:
    - { effect: allow, operations: [create], kinds: [glossary], condition: isOwner }
  OnlyBulk:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, bulk], kinds: [table] }
  BulkCreator:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, bulk, create], kinds: [table] }
  BulkEditor:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, bulk, edit], kinds: [table] }
  OwnLineage:
    - { effect: allow, operations: [view, search, edit], kinds: [table] }
    - { effect: allow, operations: [view, history], kinds: [lineage], condition: isOwner }
  OwnBulk:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, edit], kinds: [table] }
    - { effect: allow, operations: [bulk], kinds: [table], condition: isOwner }
  BulkOwner:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view] , kinds: [table] }
    - { effect: allow, operations: [bulk, create, edit], kinds: [table], condition: isOwner }
  NoUsers:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [user] }
  NoServices:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [databaseService] }
  NoLabels:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [tag, domain] }
  Own:
    - { effect: allow, operations: [view], kinds: [glossary], condition: isOwner }
  OwnFound:
    - { effect: allow, operations: [view, search], kinds: ['*'], condition: isOwner }
    - { effect: allow, operations: [view, search], kinds: [tag] }
  OwnHits:
    - { effect: allow, operations: [view], kinds: [table] }
    - { effect: allow, operations: [search], kinds: [table], condition: isOwner }
  OwnDomains:
    - { effect: allow, operations: [view, edit], kinds: [glossary] }
    - { effect: allow, operations: [view], kinds: [domain], condition: isOwner }
  BlindOwner:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, create, edit, bulk], kinds: [table], condition: isOwner }
  BlindCreator:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, create, bulk], kinds: [table], condition: isOwner }
  BlindEditor:
    - { effect: allow, operations: [view], kinds: [databaseSchema] }
    - { effect: allow, operations: [view, edit, bulk], kinds: [table], condition: isOwner }
  Loader:
    - { effect: allow, operations: [view, create, bulk], kinds: ['*'] }
    - { effect: allow, operations: [edit], kinds: ['*'], condition: notWrittenByPeople }
  OwnEditor:
    - { effect: allow, operations: [view, edit], kinds: [glossary], condition: isOwner }
    - { effect: allow, operations: [view], kinds: [glossaryTerm] }
  OneFeed:
    - { effect: allow, operations: [view], kinds: ['*'] }
    - { effect: allow, operations: [feed], kinds: [table] }
  OwnAndTeams:
    - { effect: allow, operations: [view], kinds: [glossary], condition: isOwner }
    - { effect: allow, operations: [view], kinds: [team] }
  Products:
    - { effect: allow, operations: [view], kinds: [dataProduct, topic] }
  OwnLoader:
    - { effect: allow, operations: [view], kinds: ['*'] }
    - { effect: allow, operations: [create, edit], kinds: ['*'], condition: isOwner }
  BlindLoader:
    - { effect: allow, operations: [view], kinds: [table], condition: isOwner }
    - { effect: allow, operations: [view, create, edit], kinds: [lineage] }
  LineageCreator:
    - { effect: allow, operations: [view, create], kinds: ['*'] }
  BlindManager:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [user] }
  OwnManager:
    - { effect: allow, operations: [manage], kinds: ['*'] }
    - { effect: allow, operations: [view], kinds: ['*'], condition: isOwner }
  Operator:
    - { effect: allow, operations: [manage, view, versions, search, follow, vote, propose, create, bulk], kinds: ['*'] }
    - { effect: allow, operations: [edit], kinds: ['*'], condition: notWrittenByPeople }
`

const http = useHttp({
  policies: roles,
  made: [...schemaOfPg, ['tables', { name: 't', databaseSchema: 'pg.db.s' }], ['glossaries', { name: 'shared' }]],
})

type Tried = readonly [
  operation: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
]

/** One call for each operation. */
const callsOf = (role: string, name: string, id: string): Tried[] => {
  const at = `/v1/glossaries/${id}`
  return [
    ['view', 'GET', at],
    ['list', 'GET', '/v1/glossaries'],
    ['versions', 'GET', `${at}/versions`],
    ['search', 'GET', '/v1/search/query?q=x'],
    ['vote', 'PUT', `${at}/vote`, { updatedVoteType: 'votedUp' }],
    ['history', 'GET', `${at}/history`],
    ['feed', 'GET', '/v1/events?limit=1'],
    ['create', 'POST', '/v1/glossaries', { name: `by ${role}` }],
    ['upsert', 'PUT', '/v1/glossaries', { name, displayName: 'x' }],
    ['edit', 'PATCH', at, { description: 'x' }, merge.headers],
    ['bulk', 'PUT', '/v1/tables/bulk', []],
    ['createUser', 'POST', '/v1/users', { name: `user by ${role}` }],
    ['delete', 'DELETE', at],
    ['restore', 'PUT', '/v1/glossaries/restore', { id }],
    ['hardDelete', 'DELETE', `${at}?hardDelete=true`],
    ['webhooks', 'GET', '/v1/webhooks'],
  ]
}

const consumer = ['view', 'list', 'versions', 'search', 'vote']
const changing = ['create', 'upsert', 'edit', 'bulk']

describe('the shipped roles', () => {
  it.each([
    ['Admin', callsOf('', '', '').map(([operation]) => operation)],
    ['DataConsumer', consumer],
    ['DataSteward', [...consumer, 'history', ...changing, 'delete', 'restore']],
    ['Ingestion', [...consumer, ...changing, 'createUser']],
    ['Auditor', [...consumer, 'history', 'feed']],
    ['Subscriber', [...consumer, 'feed']],
    ['NobodyKnowsThis', []],
  ])('%s', async (role, expected) => {
    const name = `of ${role}`
    const { id } = await http.post('/v1/glossaries', { name })
    const allowed: string[] = []
    for (const [operation, method, path, sent, headers] of callsOf(role, name, id)) {
      const answer = http.call(method, path, sent, { ...as(`a ${role}`, role), ...(headers && { headers }) })
      if ((await answer).status === 403) await problem(403, 'FORBIDDEN', answer)
      else allowed.push(operation)
    }
    expect(allowed).toEqual(expected)
  })
})

describe('isOwner', () => {
  const keeper = as('kim', 'Keeper')

  it('lets owners do it, and nobody else', async () => {
    const mine = await answered(201, http.call('POST', '/v1/glossaries', { name: 'mine', owners: ['kim'] }, keeper))
    const theirs = await http.post('/v1/glossaries', { name: 'theirs', owners: ['admin'] })
    const { id } = mine.body
    await http.patch(`/v1/glossaries/${id}`, { description: 'x' }, keeper)
    await http.put('/v1/glossaries', { name: 'mine', description: 'y' }, keeper)
    await http.get(`/v1/glossaries/${id}/history`, keeper)
    await http.put(`/v1/glossaries/${id}/vote`, { updatedVoteType: 'votedUp' }, keeper)
    await http.remove(`/v1/glossaries/${id}`, keeper)
    await http.put('/v1/glossaries/restore', { id }, keeper)
    const refused: [string, string, unknown?, Record<string, string>?][] = [
      ['PATCH', `/v1/glossaries/${theirs.id}`, { description: 'x' }, merge.headers],
      ['PUT', '/v1/glossaries', { name: 'theirs', description: 'x' }],
      ['PUT', '/v1/glossaries', { name: 'theirs', owners: ['kim'] }],
      ['POST', '/v1/glossaries', { name: 'ownerless' }],
      ['PUT', '/v1/glossaries', { name: 'ownerless', owners: ['admin'] }],
      ['GET', `/v1/glossaries/${theirs.id}/history`],
      ['PUT', `/v1/glossaries/${theirs.id}/vote`, { updatedVoteType: 'votedUp' }],
      ['DELETE', `/v1/glossaries/${theirs.id}`],
      ['PUT', '/v1/glossaries/restore', { id: theirs.id }],
      ['DELETE', `/v1/glossaries/${id}?hardDelete=true`],
      ['POST', `/v1/glossaries/${theirs.id}/revert`, { version: 0.1 }],
    ]
    for (const [method, path, body, headers] of refused) {
      await http.refuses('FORBIDDEN', method, path, body, { ...keeper, ...(headers && { headers }) })
    }
  })

  it('shows owners what they own', async () => {
    const own = as('kim', 'Own')
    const body = await http.get('/v1/glossaries?owner=kim', own)
    expect(body.data.map((each: JsonObject) => each['name'])).toEqual(['mine'])
    await http.refuses('FORBIDDEN', 'GET', '/v1/glossaries', undefined, own)
    await http.refuses('FORBIDDEN', 'GET', '/v1/tables', undefined, own)
  })

  it('finds for owners what they or their teams own, and counts nothing else', async () => {
    const found = as('fay', 'OwnFound')
    await http.post('/v1/teams', { name: 'finders' })
    await http.post('/v1/users', { name: 'fay', teams: ['finders'] })
    const domain = (name: string, owners: string[]) =>
      http.post('/v1/domains', { name, domainType: 'Aggregate', owners })
    await domain('Findable', ['fay'])
    await domain('Unfindable', ['admin'])
    const table = (name: string, more: object) => http.post('/v1/tables', { name, databaseSchema: 'pg.db.s', ...more })
    await table('findable1', { owners: ['fay'], domains: ['Findable'] })
    await table('findable2', { owners: ['finders'], domains: ['Unfindable'] })
    await table('findable3', { owners: ['admin'] })
    await http.post('/v1/classifications', { name: 'Marks' })
    await http.post('/v1/tags', { name: 'findable', classification: 'Marks' })
    const hits = async (query: string) => {
      const { hits: all, facets } = await http.get(`/v1/search/query?${query}`, found)
      const names = all.hits.map(({ _source }: { _source: JsonObject }) => _source['name']) as string[]
      return [names.toSorted(), all.total.value, facets?.kind.map(({ count }: { count: number }) => count)]
    }
    expect(await hits('q=findable*&facets=kind')).toEqual([
      ['Findable', 'findable', 'findable1', 'findable2'],
      4,
      [2, 1, 1],
    ])
    expect(await hits('q=*&index=table_search_index&facets=kind')).toEqual([['findable1', 'findable2'], 2, [2]])
    expect(await hits('q=findable3+OR+NOT+findable3&index=table_search_index')).toEqual([
      ['findable1', 'findable2'],
      2,
      undefined,
    ])
    const { data } = await http.get('/v1/search/suggest?q=findable&limit=3', found)
    expect(data.map(({ name }: JsonObject) => name).toSorted()).toEqual(['Findable', 'findable', 'findable1'])
    const listed = async (filter: string) => (await http.get(`/v1/tables?owner=fay${filter}`, found)).paging.total
    expect(await listed('&domain=Findable')).toBe(1)
    expect(await listed('&domain=Unfindable')).toBe(0)
    expect((await http.get('/v1/search/suggest?q=findable', as('nora', 'OwnFound'))).data).toHaveLength(1)
    const hitsAlone = as('fay', 'OwnHits')
    expect((await http.get('/v1/tables', hitsAlone)).paging.total).toBeGreaterThan(3)
    for (const path of ['?q=findable*', '?sort=name', '/export?q=findable*'])
      await http.refuses('FORBIDDEN', 'GET', `/v1/tables${path}`, undefined, hitsAlone)
    expect((await http.get('/v1/tables?q=findable*&owner=fay', hitsAlone)).paging.total).toBe(1)
  })
})

describe('what a caller may not see', () => {
  const own = as('kim', 'Own')
  const asked = async (path: string, options = own) => {
    const { status, body } = await http.call('GET', path, undefined, options)
    return [status, body.code, String(body.message).replace(/glossary \S+(?=\.)/, 'glossary …'), body.errors]
  }

  it('looks like what is not there, also when it is soft-deleted or of an ended life', async () => {
    const hidden = (await http.post('/v1/glossaries', { name: 'hidden' })).id
    const deleted = (await http.post('/v1/glossaries', { name: 'deleted' })).id
    await http.remove(`/v1/glossaries/${deleted}`)
    const ended = (await http.post('/v1/glossaries', { name: 'ended' })).id
    await http.remove(`/v1/glossaries/${ended}?hardDelete=true`)
    for (const view of ['', '?include=all', '?include=deleted']) {
      const nothing = await asked(`/v1/glossaries/${crypto.randomUUID()}${view}`)
      expect(nothing[0]).toBe(404)
      for (const id of [hidden, deleted, ended]) expect(await asked(`/v1/glossaries/${id}${view}`)).toEqual(nothing)
      const unnamed = await asked(`/v1/glossaries/name/nowhere${view}`)
      for (const name of ['hidden', 'deleted', 'ended'])
        expect(await asked(`/v1/glossaries/name/${name}${view}`)).toEqual(unnamed)
    }
    const consumer = { token: tokenFor('co', []) }
    const nothing = await asked(`/v1/glossaries/${crypto.randomUUID()}/versions`, consumer)
    expect(await asked(`/v1/glossaries/${ended}/versions`, consumer)).toEqual(nothing)
  })

  it('is not named by a write, but for himself, his teams and what belongs to him', async () => {
    const kim = as('kim who owns', 'OwnDomains')
    await http.post('/v1/teams', { name: 'kims' })
    await http.post('/v1/users', { name: 'kim who owns', teams: ['kims'] })
    const domain = { domainType: 'Aggregate' }
    await http.post('/v1/domains', { name: 'mine', ...domain, owners: ['kim who owns'] })
    await http.post('/v1/domains', { name: 'ours', ...domain, owners: ['kims'] })
    await http.post('/v1/domains', { name: 'theirs', ...domain })
    const of = await http.post('/v1/glossaries', { name: 'of kim' })
    const patch = async (change: unknown) => {
      const options = { ...kim, ...merge }
      const { status, body } = await http.call('PATCH', `/v1/glossaries/${of.id}`, change, options)
      return JSON.stringify([status, body.errors, body.detail])
    }
    for (const change of [{ domains: ['mine'] }, { domains: ['ours'] }, { owners: ['kim who owns', 'kims'] }])
      expect([change, await patch(change)]).toEqual([change, '[200,null,null]'])
    expect(await patch({ domains: ['theirs'] })).toContain('domain theirs does not exist')
  })

  it.each(['BlindOwner', 'BlindCreator', 'BlindEditor'])('is not told by writes of a %s', async (role) => {
    const blind = as(`kim as ${role}`, role)
    const databaseSchema = 'pg.db.s'
    const [there, deleted, none] = [`there ${role}`, `deleted ${role}`, `none ${role}`]
    await http.post('/v1/tables', { name: there, databaseSchema })
    const { id } = await http.post('/v1/tables', { name: deleted, databaseSchema })
    await http.remove(`/v1/tables/${id}`)
    const bodies = [{}, { owners: ['admin'] }, { owners: [''] }, { unheardOf: 1 }, { tags: ['no.such'] }]
    const conditions = [{}, { 'if-match': '*' }, { 'if-match': '"1"' }, { 'if-none-match': '*' }]
    const answersAbout = async (name: string): Promise<string[]> => {
      const answers: string[] = []
      for (const body of bodies.map((more) => ({ name, databaseSchema, ...more }))) {
        const bulk = await http.call('PUT', '/v1/tables/bulk', [body], blind)
        answers.push(JSON.stringify([body, bulk.status, bulk.body]))
        for (const method of ['POST', 'PUT'])
          for (const headers of conditions) {
            const { status, body: answer } = await http.call(method, '/v1/tables', body, { ...blind, headers })
            expect([method, body, headers, status]).toEqual([method, body, headers, 403])
            answers.push(JSON.stringify([method, headers, status, { ...answer, instance: '', correlationId: '' }]))
          }
      }
      return answers.map((text) => text.replaceAll(name, 'NAME'))
    }
    const nothing = await answersAbout(none)
    expect(await answersAbout(there)).toEqual(nothing)
    expect(await answersAbout(deleted)).toEqual(nothing)
  })
})

describe('what hides a name', () => {
  it('hides the document that a contract was imported from, which may name labels and people', async () => {
    await http.post('/v1/classifications', { name: 'Veiled' })
    await http.post('/v1/tags', { name: 'label', classification: 'Veiled' })
    await http.post('/v1/domains', { name: 'veiled area', domainType: 'Aggregate' })
    const table = await http.post('/v1/tables', { name: 'under contract', databaseSchema: 'pg.db.s' })
    const entity = { id: table.id, type: 'table' }
    const labels = { tags: ['Veiled.label'], domain: 'veiled area' }
    const { id } = await http.post('/v1/dataContracts', { name: 'labelled', entity, ...labels })
    const query = `?entityId=${table.id}&entityType=table`
    const document = {
      apiVersion: 'v3.1.0',
      kind: 'DataContract',
      id: 'x',
      version: '1',
      status: 'draft',
      tags: ['own', 'veiled word'],
      team: { members: [{ username: 'veiled person', role: 'owner' }] },
      roles: [{ role: 'reader' }],
    }
    await http.put(`/v1/dataContracts/odcs${query}`, document)
    await http.put(`/v1/dataContracts/odcs${query}`, { ...document, domain: 'veiled area' })
    const at = `/v1/dataContracts/${id}`
    for (const path of [
      `${at}?fields=odcs`,
      `${at}?fields=*`,
      `${at}/versions`,
      `${at}/history`,
      '/v1/dataContracts?fields=odcs',
      `${at}/odcs`,
      `${at}/odcs?asOf=0.3`,
      `${at}/odcs/yaml`,
    ]) {
      const { body } = await answered(200, http.call('GET', path, undefined, as('bea', 'NoLabels')))
      expect([path, /veiled/i.test(JSON.stringify(body))]).toEqual([path, false])
    }
    const shown = await http.get(`${at}/odcs`, as('bea', 'NoLabels'))
    expect(shown).toMatchObject({ id, name: 'labelled', roles: [{ role: 'reader' }] })
    for (const member of ['tags', 'domain', 'team']) expect(shown).not.toHaveProperty(member)
    const { odcs, changeDescription } = await http.get(`${at}?fields=odcs`)
    expect(odcs).toMatchObject({ labels: { domain: 'veiled area' } })
    expect(JSON.stringify(changeDescription)).toContain('odcs.source')
  })

  it('is an opaque id, for which a change of many gives no other back', async () => {
    const { id } = await http.post('/v1/glossaries', { name: 'guessed' })
    await http.post('/v1/glossaryTerms', { name: 'term', glossary: 'guessed' })
    const editor = as('kim', 'OwnEditor')
    const { glossary } = await http.get('/v1/glossaryTerms/name/guessed.term', editor)
    expect(glossary.id).not.toBe(id)
    const body = { ids: [glossary.id, id], set: { description: 'x' } }
    const answer = await answered(200, http.call('POST', '/v1/glossaries/changes?dryRun=true', body, editor))
    const named = answer.body.data.map((one: { fullyQualifiedName: string }) => one.fullyQualifiedName)
    expect(named).toEqual([glossary.id, id])
    expect(JSON.stringify(answer.body.data[0])).not.toContain(id)
  })

  it('is not counted', async () => {
    await http.post('/v1/classifications', { name: 'Counted' })
    await http.post('/v1/tags', { name: 'One', classification: 'Counted' })
    for (const path of [
      '/v1/classifications/name/Counted',
      '/v1/search/query?q=Counted&index=classification_search_index',
    ]) {
      expect(JSON.stringify(await http.get(path))).toContain('"termCount":1')
      expect(JSON.stringify(await http.get(path, as('nell', 'NoLabels')))).not.toContain('termCount')
    }
  })

  it('is hidden in the cursors of a product’s assets, too', async () => {
    await http.post('/v1/domains', { name: 'area', domainType: 'Aggregate' })
    await http.post('/v1/services/messagingServices', { name: 'bus', serviceType: 'Kafka' })
    const topics = []
    for (const name of ['a', 'b']) topics.push(await http.post('/v1/topics', { name, service: 'bus' }))
    const tables = []
    for (const name of ['secret one', 'secret two'])
      tables.push(await http.post('/v1/tables', { name, databaseSchema: 'pg.db.s' }))
    const product = await http.post('/v1/dataProducts', { name: 'product', domain: 'area' })
    const assets = [
      ...tables.map(({ id }) => ({ id, type: 'table' })),
      ...topics.map(({ id }) => ({ id, type: 'topic' })),
    ]
    await http.put(`/v1/dataProducts/${product.id}/assets/add`, { assets })
    const reader = as('kim', 'Products')
    const walked: { id: string; name: string }[] = []
    const read = (after: string) => http.get(`/v1/dataProducts/${product.id}/assets?limit=1${after}`, reader)
    for await (const page of pagesOf(read)) {
      walked.push(...page.data)
      for (const at of [page.paging.after, page.paging.before].filter((one) => one !== undefined)) {
        const told = Buffer.from(at, 'base64url').toString()
        expect([told.includes('secret'), tables.some(({ id }) => told.includes(id))]).toEqual([false, false])
      }
    }
    expect(walked.map(({ name }) => name).toSorted()).toEqual(['********', '********', 'a', 'b'])
    expect(new Set(walked.map(({ id }) => id)).size).toBe(4)
  })

  it('hides no event as the log has it from who may read all of them, and each from others', async () => {
    const { data } = await http.get('/v1/tables/name/pg.db.s.t/history')
    const path = `/v1/audit/preimage?position=${data[0].position}`
    await http.refuses('FORBIDDEN', 'GET', path, undefined, as('fed', 'OneFeed'))
    for (const role of ['Subscriber', 'Auditor'])
      await answered(200, http.call('GET', path, undefined, as('reader', role)))
  })
})

describe('a user whose name is a UUID', () => {
  it('is found by it', async () => {
    const name = crypto.randomUUID()
    await http.post('/v1/users', { name })
    await http.post('/v1/glossaries', { name: 'of a subject', owners: [name] })
    for (const options of [{}, as(name, 'Own')])
      expect(await http.get(`/v1/glossaries?owner=${name}`, options)).toMatchObject({
        data: [{ name: 'of a subject' }],
      })
  })

  it('lists nothing of a team that has the name of somebody who has written nothing yet', async () => {
    await http.post('/v1/teams', { name: 'namesake' })
    await http.post('/v1/glossaries', { name: 'of the namesake', owners: ['namesake'] })
    const options = as('namesake', 'OwnAndTeams')
    await http.refuses('FORBIDDEN', 'GET', '/v1/glossaries?owner=namesake', undefined, options)
  })
})

describe('the result of a contract', () => {
  it('does not name the tests, to who may not view any', async () => {
    const { id } = await http.post('/v1/tables', { name: 'examined', databaseSchema: 'pg.db.s' })
    await http.post('/v1/dataQuality/testSuites', { name: 'hushed' })
    const hushed = testCaseOn('pg.db.s.examined', 'hushedTest', { testSuite: 'hushed' })
    const test = await http.post('/v1/dataQuality/testCases', hushed)
    const entity = { id, type: 'table' }
    const expectations = [{ id: test.id, type: 'testCase' }]
    const contract = await http.post('/v1/dataContracts', { name: 'p', entity, qualityExpectations: expectations })
    const of = `/v1/dataContracts/${contract.id as string}`
    const status = { testCase: test.fullyQualifiedName, status: 'Failed' }
    for (const result of [{ status: 'Failed', message: 'hushedTest', testResults: [status] }, undefined]) {
      if (result === undefined) await http.call('POST', `${of}/validate`)
      else await answered(200, http.call('PUT', `${of}/results`, result))
      const lists = ['/v1/dataContracts', '/v1/search/query?q=examined', '/v1/events?kind=dataContract&limit=1000']
      for (const path of [of, `${of}?fields=*`, `${of}/history`, `${of}/versions`, ...lists]) {
        const told = JSON.stringify(await http.get(path, as('kim', 'NoTests')))
        expect([path, told.includes('hushedTest')]).toEqual([path, false])
      }
      expect(JSON.stringify(await http.get(of))).toContain('hushedTest')
    }
  })
})

describe('lineage', () => {
  const table = async (name: string, owners: string[] = []) =>
    http.post('/v1/tables', { name, databaseSchema: 'pg.db.s', owners })
  const path = (name: string) => `/v1/lineage/table/name/pg.db.s.${name}?source=test`
  const edges = [{ from: 'pg.db.s.t' }]
  const event = (output: string, job: string) => ({
    eventType: 'COMPLETE',
    eventTime: '2026-01-01T00:00:00Z',
    run: { runId: crypto.randomUUID() },
    job: { namespace: 'jobs', name: job },
    inputs: [{ namespace: 'pg', name: 'db.s.t' }],
    outputs: [{ namespace: 'pg', name: `db.s.${output}` }],
  })
  const edgesOf = async (name: string) => (await http.get(`/v1/lineage/table/name/pg.db.s.${name}`)).edges as object[]

  it('is stated in bulk of what the caller owns, and refused of the rest alone, in the words for what is not there', async () => {
    await http.post('/v1/users', { name: 'lou' })
    await table('hers', ['lou'])
    await table('others')
    const items = ['others', 'hers', 'nowhere'].map((name) => ({ entity: `pg.db.s.${name}`, edges: [] }))
    const blind = await http.put('/v1/lineage/table/bulk?source=test', items, as('lou', 'BlindLoader'))
    expect(blind.failed).toEqual([
      { entity: 'pg.db.s.others', message: 'There is no table pg.db.s.others.' },
      { entity: 'pg.db.s.nowhere', message: 'There is no table pg.db.s.nowhere.' },
    ])
    const all = items.map(({ entity }) => ({ entity, edges }))
    const own = await http.put('/v1/lineage/table/bulk?source=test', all.slice(0, 2), as('lou', 'OwnLoader'))
    expect(own).toMatchObject({ changed: 1, failed: [{ entity: 'pg.db.s.others' }] })
    expect([await edgesOf('others'), (await edgesOf('hers')).length]).toEqual([[], 1])
  })

  it('from what may not be viewed is told by no route with its SQL, columns, description, name or id', async () => {
    await http.post('/v1/services/messagingServices', { name: 'stream', serviceType: 'Kafka' })
    const { id } = await http.post('/v1/topics', { name: 'fed', service: 'stream' })
    const { id: real } = await http.get('/v1/tables/name/pg.db.s.t')
    const [from, sql] = [{ type: 'table', fullyQualifiedName: 'pg.db.s.t' }, 'select hush from pg.db.s.t']
    const details = { sql, description: 'hush', columns: [{ from: ['hush'], to: 'a' }] }
    await http.put('/v1/lineage/topic/name/stream.fed', { edges: [{ from, ...details }] })
    const feed = `/v1/events?kind=lineage&limit=1000`
    expect(JSON.stringify(await http.get(feed))).toContain(sql)
    const lineage = await http.get('/v1/lineages/name/stream.fed.topicLineage')
    const of = `/v1/lineages/${lineage.id as string}`
    const lists = ['/v1/lineages', '/v1/lineages?sort=name', '/v1/search/query?q=fed']
    const states = ['', '?fields=*', '?provenance=true', '/history', '/versions', '/versions/0.2', '/diff?from=0.1']
    const paths = [feed, `/v1/lineage/topic/${id}?columns=true`, ...lists, ...states.map((state) => of + state)]
    for (const path of paths) {
      const told = JSON.stringify(await http.get(path, as('kim', 'NoTables')))
      const tells = ['hush', real as string, 'pg.db.s.t"'].filter((secret) => told.includes(secret))
      expect([path, tells, told.includes('stream.fed') || path.includes('/diff')]).toEqual([path, [], true])
    }
  })

  it('that others have stated takes permission to edit', async () => {
    await table('stated')
    const creator = as('cora', 'LineageCreator')
    await http.put(path('stated'), { edges }, creator)
    await http.refuses('FORBIDDEN', 'PUT', path('stated'), { edges: [] }, creator)
    const bulk = await http.put(
      '/v1/lineage/table/bulk?source=test',
      [{ entity: 'pg.db.s.stated', edges: [] }],
      creator,
    )
    expect(bulk).toMatchObject({ changed: 0, failed: [{ entity: 'pg.db.s.stated' }] })
    expect(await edgesOf('stated')).toHaveLength(1)
  })

  it('of an OpenLineage event takes the same permissions, as its pipeline does', async () => {
    await table('target')
    await answered(200, http.call('POST', '/v1/openlineage', event('t', 'nightly')))
    const owner = as('lou', 'OwnLoader')
    await http.refuses('FORBIDDEN', 'POST', '/v1/openlineage', event('target', 'nightly'), owner)
    await http.refuses('FORBIDDEN', 'POST', '/v1/openlineage', event('target', 'unheard of'), owner)
    await http.patch('/v1/pipelines/name/jobs.nightly', { owners: ['lou'] })
    const received = await answered(200, http.call('POST', '/v1/openlineage', event('target', 'nightly'), owner))
    expect(received.body).toMatchObject({ stated: [], ignored: [expect.stringContaining('Only its owners')] })
    expect(await edgesOf('target')).toEqual([])
    await http.remove('/v1/pipelines/name/jobs.nightly')
    await http.refuses('FORBIDDEN', 'POST', '/v1/openlineage', event('target', 'nightly'), as('cora', 'LineageCreator'))
    await http.refuses('NOT_FOUND', 'GET', '/v1/pipelines/name/jobs.nightly')
  })
})

describe('a user whom a caller may not view', () => {
  const names = async (path: string, options: object): Promise<unknown> => http.get(path, options)

  it('is not confirmed by filters, words and facets, and can be meant by the id that references show', async () => {
    const { id: real } = await http.post('/v1/users', { name: 'incognito' })
    await http.post('/v1/glossaries', { name: 'owned', owners: ['incognito'] })
    const blind = as('bea', 'NoUsers')
    const shown = (await names('/v1/glossaries/name/owned', blind)) as { owners: { id: string }[] }
    const id = shown.owners[0]?.id
    expect(id).not.toBe(real)
    expect(await names(`/v1/glossaries?owner=${real}`, blind)).toMatchObject({ data: [] })
    for (const path of [
      '/v1/glossaries?owner=',
      '/v1/glossaries?asOf=2999-01-01T00:00:00Z&owner=',
      '/v1/search/query?index=glossary_search_index&owner=',
      '/v1/search/query?index=glossary_search_index&q=owner:',
      '/v1/search/query?index=glossary_search_index&q=',
      '/v1/search/query?index=glossary_search_index&q=owned+AND+NOT+',
    ]) {
      const without = (value: unknown): string => JSON.stringify(value).replace(/"took":\d+,/, '')
      const wrong = without(await names(`${path}zzyzxq`, blind))
      expect([path, without(await names(`${path}incognito`, blind))]).toEqual([path, wrong])
      expect([path, without(await names(`${path}incognito`, {}))]).not.toEqual([path, wrong])
    }
    expect(await names(`/v1/glossaries?owner=${id}`, blind)).toMatchObject({ data: [{ name: 'owned' }] })
    const faceted = (await names('/v1/search/query?q=owned&index=glossary_search_index&facets=owner', blind)) as {
      facets: { owner: object[] }
    }
    expect(faceted.facets.owner).toEqual([{ value: id, count: 1 }])
    expect(JSON.stringify(faceted)).not.toContain('incognito')
    const marks = '/v1/search/query?q=owned+OR+incog*&highlight=true'
    expect(JSON.stringify(await names(marks, {}))).toContain('<em>incognito</em>')
    expect(JSON.stringify(await names(marks, {}))).toContain('"matchedIn":["name","owners"]')
    expect(JSON.stringify(await names(marks, blind))).not.toContain('incognito')
    expect(JSON.stringify(await names(marks, blind))).not.toContain('"owners"]')
  })

  it('is not told from one whom there is not, by who lists only what he owns', async () => {
    await http.post('/v1/users', { name: 'unknown' })
    const own = as('kim', 'Own')
    for (const owner of ['unknown', 'nobody', 'nobody2'])
      await http.refuses('FORBIDDEN', 'GET', `/v1/glossaries?owner=${owner}`, undefined, own)
    await http.get('/v1/glossaries?owner=newcomer', as('newcomer', 'Own'))
  })

  it('is found by himself, and his team is, by who may see no users', async () => {
    await http.post('/v1/teams', { name: 'quiet' })
    await http.call('PUT', '/v1/users', { name: 'bea', teams: ['quiet'] })
    await http.post('/v1/glossaries', { name: 'hers', owners: ['bea'] })
    const blind = as('bea', 'NoUsers')
    expect(await names('/v1/glossaries?owner=bea', blind)).toMatchObject({ data: [{ name: 'hers' }] })
  })
})

it('a service that a caller may not view has no name in facets, and filters by the id that they show', async () => {
  const blind = as('sam', 'NoServices')
  const searched = async (filter: string) =>
    http.get(`/v1/search/query?q=*&index=table_search_index&facets=service${filter}`, blind)
  const { facets, aggregations, hits } = await searched('')
  expect(hits.total.value).toBeGreaterThan(0)
  const [{ value: id, count }] = facets.service
  expect([facets.service, JSON.stringify([facets, aggregations])]).toEqual([
    [{ value: expect.stringMatching(/^[-0-9a-f]{36}$/), count: hits.total.value }],
    expect.not.stringContaining('pg'),
  ])
  expect((await searched(`&service=${id}`)).hits.total.value).toBe(count)
  expect((await searched('&service=pg')).hits.total.value).toBe(0)
})

describe('roles of a policies file', () => {
  it('who may create may not change with PUT', async () => {
    const creator = as('cat', 'Creator')
    await answered(201, http.call('PUT', '/v1/glossaries', { name: 'created' }, creator))
    await http.refuses('FORBIDDEN', 'PUT', '/v1/glossaries', { name: 'created', description: 'x' }, creator)
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', '/v1/glossaries', { name: 'shared' }, creator)
    const { id } = await http.get('/v1/tables/name/pg.db.s.t')
    const odcs = { apiVersion: 'v3.1.0', kind: 'DataContract', id: 'x', version: '1', status: 'draft' }
    const at = `/v1/dataContracts/odcs?entityId=${id}&entityType=table`
    await answered(201, http.call('PUT', at, odcs, creator))
    await http.refuses('FORBIDDEN', 'PUT', at, { ...odcs, status: 'active' }, creator)
  })

  it('who may only edit may do so with PUT, and own what is new only where creating asks for that', async () => {
    const editor = as('edd', 'Editor')
    await http.post('/v1/glossaries', { name: 'edited' })
    await http.put('/v1/glossaries', { name: 'edited', description: 'x' }, editor)
    await http.refuses('FORBIDDEN', 'PUT', '/v1/glossaries', { name: 'not there' }, editor)
    await http.refuses('FORBIDDEN', 'POST', '/v1/glossaries', { name: 'not there' }, editor)
    const both = as('mel', 'Editor', 'OwnCreator')
    await http.refuses('FORBIDDEN', 'PUT', '/v1/glossaries', { name: 'not there' }, both)
    await answered(201, http.call('PUT', '/v1/glossaries', { name: 'of mel', owners: ['mel'] }, both))
    await http.put('/v1/glossaries', { name: 'edited', description: 'y' }, both)
  })

  it('who may see only what he owns inherits nothing from a contract of others', async () => {
    const table = await http.post('/v1/tables', { name: 'promised', databaseSchema: 'pg.db.s' })
    const product = await http.post('/v1/dataProducts', { name: 'promising' })
    await http.put(`/v1/dataProducts/${product.id}/assets/add`, { assets: [{ id: table.id, type: 'table' }] })
    await http.post('/v1/dataContracts', {
      name: 'c',
      entity: { id: product.id, type: 'dataProduct' },
      entityStatus: 'Active',
      termsOfUse: 'Of others',
      owners: ['admin'],
    })
    const at = `/v1/dataContracts/entity?entityId=${table.id}&entityType=table`
    await http.refuses('NOT_FOUND', 'GET', at, undefined, as('ola', 'OwnContracts'))
    await http.post('/v1/users', { name: 'ola' })
    await http.post('/v1/dataContracts', { name: 'own', entity: { id: table.id, type: 'table' }, owners: ['ola'] })
    expect((await http.get(at)).termsOfUse).toBe('Of others')
    expect(await http.get(at, as('ola', 'OwnContracts'))).not.toHaveProperty('termsOfUse')
  })

  it('a recursive delete takes only kinds that the caller may delete', async () => {
    await http.post('/v1/databaseSchemas', { name: 'with tables', database: 'pg.db' })
    await http.post('/v1/tables', { name: 'kept', databaseSchema: 'pg.db.with tables' })
    const at = '/v1/databaseSchemas/name/pg.db.with%20tables'
    await http.refuses('FORBIDDEN', 'DELETE', `${at}?recursive=true`, undefined, as('nan', 'NoTables'))
    await http.remove('/v1/tables/name/pg.db.with%20tables.kept')
    await http.remove(`${at}?recursive=true`, as('nan', 'NoTables'))
  })

  it('an operation counts below it what its reader may view', async () => {
    await http.post('/v1/databaseSchemas', { name: 'counted', database: 'pg.db' })
    await http.post('/v1/tables', { name: 'one', databaseSchema: 'pg.db.counted' })
    const path = '/v1/databaseSchemas/name/pg.db.counted?recursive=true'
    const { headers } = await answered(
      202,
      http.call('DELETE', path, undefined, { headers: { prefer: 'respond-async' } }),
    )
    const operation = new URL(headers.get('location') as string).pathname.replace('/api', '')
    const below = async (options = {}) => {
      const { live, deleted } = (await http.get(operation, options)).below
      return live + deleted
    }
    expect([await below(), await below(as('nan', 'NoTables'))]).toEqual([1, 0])
  })

  it('bulk creates only for who may create, and changes only for who may edit', async () => {
    /** What became of each item, as `name: status`. */
    const bulk = async (role: string, ...items: JsonObject[]): Promise<string[]> => {
      const sent = items.map((item) => ({ databaseSchema: 'pg.db.s', ...item }))
      const { successRequest, failedRequest } = await http.put('/v1/tables/bulk', sent, as('bob', role))
      const outcomes = [...successRequest, ...failedRequest] as { request: string; status: number; code?: string }[]
      for (const { status, code } of outcomes) expect(code === 'FORBIDDEN').toBe(status === 403)
      return outcomes.map(({ request, status }) => `${request.replace('pg.db.s.', '')}: ${status}`)
    }
    const { message } = await http.refuses('FORBIDDEN', 'PUT', '/v1/tables/bulk', [], as('bob', 'OnlyBulk'))
    expect(message).toBe('Your roles do not allow create or edit on table.')
    expect(await bulk('BulkCreator', { name: 'b1' }, { name: 't', description: 'x' })).toEqual(['b1: 201', 't: 403'])
    expect(await bulk('BulkEditor', { name: 'b2' }, { name: 'b1', description: 'x' })).toEqual(['b1: 200', 'b2: 403'])
    await bulk('BulkEditor', { name: 'b1', sourceHash: '1' })
    expect(await bulk('OwnBulk', { name: 'b1', sourceHash: '1' })).toEqual(['b1: 403'])
    const own = [{ name: 'b3' }, { name: 'b4', owners: ['bob'] }, { name: 'b4', description: 'x' }]
    expect(await bulk('BulkOwner', ...own, { name: 'b1', owners: ['bob'] })).toEqual([
      'b4: 201',
      'b4: 200',
      'b3: 403',
      'b1: 403',
    ])
  })

  it('lineage that only owners may view is told to nobody else, by no way', async () => {
    await http.post('/v1/users', { name: 'liz' })
    const columns = { columns: [{ name: 'a', dataType: 'INT' }] }
    await http.post('/v1/tables', { name: 'mine', databaseSchema: 'pg.db.s', owners: ['liz'], ...columns })
    await http.post('/v1/tables', { name: 'theirs', databaseSchema: 'pg.db.s', ...columns })
    const owner = as('liz', 'OwnLineage')
    const ways = (name: string): [string, string, unknown?][] => [
      ['GET', `/v1/lineage/table/name/pg.db.s.${name}`],
      ['GET', `/v1/lineage/table/name/pg.db.s.${name}?proof=true`],
      ['POST', `/v1/tables/name/pg.db.s.${name}/impact`, { columns: [] }],
      ['GET', `/v1/tables?downstreamOf=pg.db.s.${name}`],
    ]
    for (const [method, path, body] of ways('mine'))
      await answered(200, http.call(method, path, body, { ...owner, ...(method === 'POST' && merge) }))
    for (const [method, path, body] of ways('theirs'))
      await problem(403, 'FORBIDDEN', http.call(method, path, body, { ...owner, ...(method === 'POST' && merge) }))
    const wrong = { columns: [{ name: 'a', dataType: 'no type' }] }
    const asked = http.call('POST', '/v1/tables/name/pg.db.s.theirs/impact', wrong, { ...owner, ...merge })
    await problem(403, 'FORBIDDEN', asked)
  })

  it('a restore brings back only kinds that the caller may restore', async () => {
    const schema = { name: 'back', database: 'pg.db' }
    const { id } = await http.post('/v1/databaseSchemas', schema)
    await http.post('/v1/tables', { name: 'kept', databaseSchema: 'pg.db.back' })
    await http.remove(`/v1/databaseSchemas/${id}?recursive=true`)
    const [nan, ingo] = [as('nan', 'NoTables'), as('ingo', 'Ingestion')]
    await http.refuses('FORBIDDEN', 'PUT', '/v1/databaseSchemas/restore', { id }, nan)
    await http.refuses('FORBIDDEN', 'PUT', '/v1/databaseSchemas', schema, nan)
    const { message } = await http.refuses('FORBIDDEN', 'PUT', '/v1/databaseSchemas', schema, ingo)
    expect(message).toContain('your roles do not allow restore on table')
    await answered(404, http.call('GET', '/v1/tables/name/pg.db.back.kept'))
    await http.put('/v1/databaseSchemas/restore', { id })
    await http.remove('/v1/tables/name/pg.db.back.kept')
    for (const back of [
      () => http.put('/v1/databaseSchemas/restore', { id }, nan),
      () => http.put('/v1/databaseSchemas', schema, ingo),
    ]) {
      await http.remove(`/v1/databaseSchemas/${id}`)
      await back()
    }
  })

  it('a deny hides what contracts are about, too', async () => {
    const table = await http.get('/v1/tables/name/pg.db.s.t')
    const [of, options] = [`entityId=${table.id}&entityType=table`, as('nan', 'NoTables')]
    const yaml = { ...options, headers: { 'content-type': 'application/yaml' } }
    await http.refuses('FORBIDDEN', 'GET', `/v1/dataContracts/entity?${of}`, undefined, options)
    await http.refuses('FORBIDDEN', 'POST', `/v1/dataContracts/odcs/validate/yaml?${of}`, 'a: 1', yaml)
  })
})

it('no token is needed for what is open', async () => {
  const open = ['/livez', '/readyz', '/metrics', '/api/openapi.json', '/api/asyncapi.json', '/api/docs']
  for (const path of [...open, '/api/v1/system/version'])
    await answered(200, http.call('GET', path, undefined, { token: null }))
})

describe('notWrittenByPeople', () => {
  const loader = as('nightly', 'Loader')
  const column = (name: string, description: string) => ({ name, dataType: 'INT', description })
  const load = (name: string, more: object) =>
    http.call('PUT', '/v1/tables', { name, databaseSchema: 'pg.db.s', ...more }, loader)
  const patched = (id: string, patch: object, options = {}) =>
    http.call('PATCH', `/v1/tables/${id}`, JSON.stringify(patch), { ...merge, ...options })

  it('lets a program change what it wrote, and what other programs did, and leave what people wrote', async () => {
    const first = { description: 'first', columns: [column('a', 'x'), column('b', 'y')] }
    const { body: table } = await answered(201, load('spared', first))
    await answered(200, load('spared', { description: 'second' }))
    await answered(200, patched(table.id, { displayName: 'By ann' }, as('ann', 'DataSteward')))
    const columns = [{ ...column('a', 'by ann') }, column('b', 'y')]
    await answered(200, patched(table.id, { columns }, as('ann', 'DataSteward')))

    const refused = await http.refused('PATCH', `/v1/tables/${table.id}`, '{"displayName":"T"}', {
      ...merge,
      ...loader,
    })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'Your roles do not allow you to change what people wrote: displayName of table pg.db.s.spared.',
    ])
    expect((await load('spared', { columns: [column('a', 'again'), column('b', 'z')] })).body.message).toContain(
      'columns.a.description',
    )
    await answered(200, load('spared', { columns: [{ name: 'a', dataType: 'LONG' }, column('b', 'z')] }))
    const { body } = await answered(200, load('spared', { description: 'third', columns: [column('c', 'new')] }))
    expect(body).toMatchObject({ displayName: 'By ann', description: 'third', columns: [{ name: 'c' }] })
  })

  it('lets it add to the assets of a product, and not take any away', async () => {
    await http.post('/v1/domains', { name: 'D', domainType: 'Aggregate' })
    const product = await http.post('/v1/dataProducts', { name: 'P', domains: ['D'] })
    const { body: database } = await http.call('GET', '/v1/databases/name/pg.db')
    const { body: table } = await answered(201, load('an asset', {}))
    const change = (verb: string, type: string, id: string, options = {}) =>
      http.call('PUT', `/v1/dataProducts/${product.id}/assets/${verb}`, { assets: [{ id, type }] }, options)
    await answered(200, change('add', 'database', database.id, as('ann', 'DataSteward')))
    await answered(403, change('remove', 'database', database.id, loader))
    await answered(200, change('add', 'table', table.id, loader))
  })

  it('lets it state lineage as a source of its own, and not replace what a person has stated', async () => {
    const [from, to] = ['source of edges', 'end of edges']
    for (const name of [from, to]) await answered(201, load(name, {}))
    const [edges, at] = [[{ from: `pg.db.s.${from}` }], `/v1/lineage/table/name/${encodeURIComponent(`pg.db.s.${to}`)}`]
    const state = (source: string, stated: object[], options: object) =>
      http.call('PUT', `${at}?source=${source}`, { edges: stated }, options)
    await answered(200, state('manual', edges, as('ann', 'DataSteward')))
    await answered(200, state('dbt', edges, loader))
    await answered(200, state('dbt', [], loader))
    const { message } = await http.refuses('FORBIDDEN', 'PUT', `${at}?source=manual`, { edges: [] }, loader)
    expect(message).toContain('upstream.manual of lineage')
    await answered(200, state('manual', [], as('ann', 'DataSteward')))
  })

  it('holds for the tokens that such a program creates', async () => {
    const operator = as('op', 'Operator')
    const body = { name: 'overwriting', roles: ['Ingestion'] }
    const { message } = await http.refuses('FORBIDDEN', 'POST', '/v1/tokens', body, operator)
    expect(message).toContain('edit')
    await answered(201, http.call('POST', '/v1/tokens', { name: 'sparing', roles: ['Loader'] }, operator))
  })

  it('of one request with several entities it refuses those alone', async () => {
    const row = (name: string, description: string) => ({ name, databaseSchema: 'pg.db.s', description })
    const rows = (text: string) => [row('one of two', text), row('two of two', text)]
    await http.put('/v1/tables/bulk', rows('first'), loader)
    const at = `/v1/tables/name/${encodeURIComponent('pg.db.s.one of two')}`
    await http.patch(at, '{"description":"by ann"}', as('ann', 'DataSteward'))
    const body = await http.put('/v1/tables/bulk', rows('second'), loader)
    expect([body.numberOfRowsPassed, body.failedRequest[0]]).toEqual([
      1,
      expect.objectContaining({ request: 'pg.db.s.one of two', status: 403 }),
    ])
  })

  it('what an acknowledged program is counts as no person’s', async () => {
    await http.post('/v1/users', { name: 'robot', isBot: true })
    const { body: table } = await answered(201, load('of robots', { description: 'first' }))
    await answered(200, patched(table.id, { description: 'robot' }, as('robot', 'Ingestion')))
    await answered(200, load('of robots', { description: 'second' }))
  })

  it('holds for changes that wait for the same append', async () => {
    const { body: table } = await answered(201, load('contended', { description: '0' }))
    const changes = Array.from({ length: 30 }, (_, n) => [
      patched(table.id, { description: `ann ${n}` }, as('ann', 'DataSteward')),
      load('contended', { description: `nightly ${n}` }),
    ])
    const answers = await Promise.all(changes.flat())
    expect(answers.every(({ status }) => [200, 403].includes(status))).toBe(true)
    const { body } = await http.call('GET', `/v1/tables/${table.id}/history?limit=100`)
    const users = body.data.map(({ user }: { user: string }) => user)
    expect(users.slice(users.indexOf('ann'))).not.toContain('nightly')
  })
})

it.each(['BlindManager', 'OwnManager'])('tokens and sessions tell a %s nothing of users', async (role) => {
  const blind = as('blind manager', role)
  await http.post('/v1/users', { name: `managed by ${role}` })
  await answered(200, http.call('GET', '/v1/webhooks', undefined, blind))
  for (const [method, path, body] of [
    ['GET', '/v1/tokens'],
    ['POST', '/v1/tokens', { name: `managed by ${role}`, roles: [role] }],
    ['POST', '/v1/tokens', { name: 'unmanaged', roles: [role] }],
    ['DELETE', `/v1/tokens/managed by ${role}`],
    ['DELETE', `/v1/sessions/managed by ${role}`],
    ['DELETE', '/v1/sessions/unmanaged'],
  ] as const) {
    const { message } = await http.refuses('FORBIDDEN', method, path, body, blind)
    expect(message).toBe('Your roles do not allow manage on user.')
  }
})

it('which users are programs is changed by who may manage tokens, and by no program', async () => {
  const editor = as('edgar', 'Ingestion')
  const at = '/v1/users/name/pat'
  const { id } = await http.post('/v1/users', { name: 'pat' })
  const made = await http.post('/v1/tokens', { name: 'selfish', roles: ['Admin'] })
  const refused = async (...[method, path, body, options]: Parameters<Http['call']>) => {
    const { message } = await http.refuses('FORBIDDEN', method, path, body, options)
    expect(message).toMatch(
      /Only people who may manage tokens can change whether (pat|selfish) is a program \(isBot\)\./,
    )
  }
  for (const options of [editor, as('nightly', 'Loader')]) {
    await refused('PATCH', at, '{"isBot":true}', { ...merge, ...options })
    await refused('PUT', '/v1/users', { name: 'pat', isBot: true }, options)
    await http.put('/v1/users', { name: 'pat', isBot: false }, options)
  }
  await refused('PATCH', '/v1/users/name/selfish', '{"isBot":false}', { ...merge, token: made.token })
  const [proposed, other] = [
    await http.post(`/v1/users/${id}/proposals`, { patch: { isBot: true } }, as('ann', 'DataConsumer')),
    await http.post(`/v1/users/${id}/proposals`, { patch: { teams: [], isAdmin: true } }, as('ann', 'DataConsumer')),
  ]
  await refused('PUT', `/v1/proposals/${proposed.id}/accept`, {}, editor)
  await refused('PUT', `/v1/proposals/${other.id}/accept`, { patch: { isBot: true } }, editor)
  await refused('PUT', `/v1/proposals/${proposed.id}/accept`, {}, { token: made.token })
  const { message } = await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', '/v1/tokens', {
    name: 'pat',
    roles: ['Admin'],
  })
  expect(message).toContain('pat is a user, not a program')
  const { version } = await http.patch(at, { isBot: true })
  const { headers } = await answered(200, http.call('PATCH', at, '{"isBot":false}', merge))
  await refused('POST', `/v1/users/${id}/revert`, { version }, editor)
  const request = `/v1/requests/${headers.get('x-request-id')}/revert`
  await http.refuses('FORBIDDEN', 'POST', request, undefined, as('edna', 'Ingestion', 'Auditor'))
})

it('which policies are in force is told by an event when they have changed', async () => {
  const file = join(await temporaryFolder(), 'changing.yaml')
  const text = (name: string) => `roles:\n  ${name}:\n    - { effect: allow, operations: [view], kinds: ['*'] }\n`
  const digest = (name: string) => createHash('sha256').update(text(name)).digest('hex')
  const [a, b] = [digest('A'), digest('B')]
  let data: string | undefined
  for (const [name, env, digests] of [
    ['A', { CATALOG_POLICIES_FILE: file }, [a]],
    ['A', { CATALOG_POLICIES_FILE: file }, [a]],
    ['B', { CATALOG_POLICIES_FILE: file }, [a, b]],
    ['B', {}, [a, b, undefined]],
  ] as const) {
    writeFileSync(file, text(name))
    const service = await startInProcess(env, data)
    data = service.folder
    const told = async () => {
      const { body } = await service.call('GET', '/v1/events?type=PoliciesChanged')
      return body.data.map((event: { data: { digest?: string } }) => event.data.digest)
    }
    await expect.poll(told).toEqual(digests)
    await service.close()
  }
})
