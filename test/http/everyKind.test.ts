import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filterNames } from '../../src/api/listQuery.ts'
import { optionalMembers } from '../../src/api/reading.ts'
import type { JsonObject } from '../../src/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { buildFqn } from '../../src/kinds/names.ts'
import { answered, byName, jsonPatch, lostMembers, makerOf, merge, paths, problem, startHttp, type Http, type Maker } from './support.ts'

let http: Http

beforeAll(async () => {
  http = await startHttp()
})

afterAll(() => http.stop())

const tenths = (version: number): number => Math.round(version * 10)

describe.each(kinds.map((kind) => [kind.name, kind] as const))('%s', (kind, definition) => {
  const path = `/v1/${definition.path}`
  const call: Http['call'] = (...request) => http.call(...request)
  let maker: Maker

  beforeAll(() => {
    maker = makerOf(call, definition)
  })

  const unknownId = '00000000-0000-4000-8000-000000000000'

  it('POST creates with required members alone', async () => {
    const { minimal } = await maker.sample('min')
    const { body, headers } = await answered(201, call('POST', path, minimal))
    expect(headers.get('location')).toBe(`${http.url}/api${path}/${body.id}`)
    expect(headers.get('etag')).toBe('"0"')
    expect(headers.get('catalog-position')).toMatch(/^\d+$/)
    expect(body).toMatchObject({ name: minimal['name'], version: 0.1, updatedBy: 'admin', deleted: false, href: headers.get('location') })
    expect(Math.abs(Date.now() - body.updatedAt)).toBeLessThan(60_000)
    expect(lostMembers(definition, minimal, body)).toEqual([])
    expect((await answered(200, call('GET', `${path}/${body.id}`))).body).toEqual(body)
  })

  it('POST creates with every member, and all of them come back', async () => {
    const { full } = await maker.sample('full')
    const { body } = await answered(201, call('POST', path, full))
    expect(lostMembers(definition, full, body)).toEqual([])
    const { body: all } = await answered(200, call('GET', `${path}/${body.id}?fields=*`))
    expect(lostMembers(definition, full, all)).toEqual([])
    expect((await call('GET', byName(definition, body.fullyQualifiedName))).body).toEqual(body)
    await problem(409, 'ENTITY_ALREADY_EXISTS', http.refused('POST', path, full))
  })

  it('PUT that changes nothing changes nothing', async () => {
    const { full } = await maker.sample('same')
    const created = await answered(201, call('PUT', path, full))
    expect(created.headers.get('location')).toBe(created.body.href)
    const again = await answered(200, http.refused('PUT', path, full))
    expect(again.body).toEqual(created.body)
    expect(again.headers.get('etag')).toBe(created.headers.get('etag'))
    expect(again.headers.get('location')).toBeNull()
  })

  it('PUT changes what it has, keeps the rest, and clears with null', async () => {
    const { minimal } = await maker.sample('put')
    await answered(201, call('PUT', path, { ...minimal, displayName: 'One', description: 'First', extension: { a: 1, b: [2] } }))
    const { body } = await answered(200, call('PUT', path, { ...minimal, description: 'Second', extension: { c: 3 } }))
    expect(body).toMatchObject({ version: 0.2, displayName: 'One', description: 'Second', extension: { c: 3 } })
    expect(body.extension).toEqual({ c: 3 })
    expect(body.changeDescription.previousVersion).toBe(0.1)
    expect(body.changeDescription.fieldsUpdated).toContainEqual({ name: 'description', oldValue: 'First', newValue: 'Second' })
    expect(body.changeDescription.fieldsAdded).toContainEqual({ name: 'extension.c', newValue: 3 })
    const cleared = await answered(200, call('PUT', path, { ...minimal, displayName: null, extension: null }))
    expect(cleared.body.version).toBe(0.3)
    expect([cleared.body.displayName, cleared.body.extension, cleared.body.description]).toEqual([undefined, undefined, 'Second'])
    expect(cleared.body.changeDescription.fieldsDeleted).toContainEqual({ name: 'displayName', oldValue: 'One' })
  })

  it('PUT clears every optional member of a full entity', async () => {
    const { minimal, full } = await maker.sample('clear')
    const { body: created } = await answered(201, call('POST', path, full))
    const fixed = new Set([...Object.keys(minimal), ...Object.entries(definition.fields).filter(([, field]) => field.fixed).map(([name]) => name)])
    const clearing = Object.fromEntries(Object.keys(full).filter((name) => !fixed.has(name)).map((name) => [name, null]))
    const { body } = await answered(200, call('PUT', path, { ...full, ...minimal, ...clearing }))
    for (const name of Object.keys(clearing)) expect([name, body[name]]).toEqual([name, definition.fields[name]?.default])
    expect(body.id).toBe(created.id)
    expect((await answered(200, http.refused('PUT', path, { ...full, ...minimal, ...clearing }))).body).toEqual(body)
  })

  it('preconditions guard every write', async () => {
    const { minimal } = await maker.sample('guard')
    const stale = { headers: { 'if-match': '"7"' } }
    await problem(412, 'PRECONDITION_FAILED', http.refused('PUT', path, minimal, stale))
    const { body, headers } = await answered(201, call('PUT', path, minimal, { headers: { 'if-none-match': '*' } }))
    await problem(412, 'PRECONDITION_FAILED', http.refused('PUT', path, minimal, { headers: { 'if-none-match': '*' } }))
    const at = `${path}/${body.id}`
    const current = { headers: { 'if-match': headers.get('etag') as string } }
    const patchStale = { headers: { ...merge.headers, ...stale.headers } }
    const refused: [string, string, unknown, typeof stale][] = [
      ['PUT', path, { ...minimal, description: 'x' }, stale],
      ['PATCH', at, { description: 'x' }, patchStale],
      ['DELETE', at, undefined, stale],
      ['PUT', `${path}/restore`, { id: body.id }, stale],
      ...(definition.traits.votes ? [['PUT', `${at}/vote`, { updatedVoteType: 'votedUp' }, stale] as [string, string, unknown, typeof stale]] : []),
      ...(definition.traits.followers ? [['PUT', `${at}/followers`, (await call('GET', '/v1/users/name/admin')).body.id, stale] as [string, string, unknown, typeof stale]] : []),
    ]
    for (const [method, where, sent, options] of refused) {
      const json = typeof sent === 'string' ? JSON.stringify(sent) : sent
      await problem(412, 'PRECONDITION_FAILED', http.refused(method, where, json, options))
    }
    await problem(400, 'BAD_REQUEST', http.refused('PUT', path, minimal, { headers: { 'if-match': 'seven' } }))
    const changed = await answered(200, call('PUT', path, { ...minimal, description: 'x' }, current))
    expect(changed.headers.get('etag')).toBe('"1"')
    await problem(412, 'PRECONDITION_FAILED', http.refused('DELETE', at, undefined, current))
    await answered(200, call('DELETE', at, undefined, { headers: { 'if-match': '"0", "1"' } }))
  })

  it('GET gives what fields names, and 304 for what the client has', async () => {
    const { body, headers } = await answered(201, call('POST', path, (await maker.sample('get')).full))
    const at = `${path}/${body.id}`
    const unchanged = await answered(304, call('GET', at, undefined, { headers: { 'if-none-match': headers.get('etag') as string } }))
    expect(unchanged.body).toBe('')
    await answered(200, call('GET', at, undefined, { headers: { 'if-none-match': '"99"' } }))
    for (const member of optionalMembers(definition)) {
      const { body: some } = await answered(200, call('GET', `${at}?fields=${member}`))
      const others = optionalMembers(definition).filter((name) => name !== member && name in some)
      expect(others).toEqual([])
    }
    expect((await answered(200, call('GET', `${at}?fields=owners,tags`))).body).toMatchObject({ owners: body.owners, tags: body.tags })
    expect(paths(await problem(400, 'BAD_REQUEST', call('GET', `${at}?fields=owners,nothing`)))).toEqual(['?fields'])
    expect(paths(await problem(400, 'BAD_REQUEST', call('GET', `${at}?include=some`)))).toEqual(['?include'])
    expect((await answered(200, call('GET', `${path}/${body.id.toUpperCase()}`))).body).toEqual(body)
  })

  it('what does not exist is 404', async () => {
    const missing = [`${path}/${unknownId}`, `${path}/not-a-uuid`, byName(definition, 'no.such.thing'), byName(definition, '"'), `${path}/123`]
    for (const at of missing) {
      await problem(404, 'NOT_FOUND', call('GET', at))
      await problem(404, 'NOT_FOUND', http.refused('PATCH', at, { description: 'x' }, merge))
      await problem(404, 'NOT_FOUND', http.refused('DELETE', at))
      await problem(404, 'NOT_FOUND', http.refused('DELETE', `${at}?hardDelete=true&recursive=true`))
    }
    for (const below of ['versions', 'history', 'versions/0.1', 'diff?from=0.1']) {
      await problem(404, 'NOT_FOUND', call('GET', `${path}/${unknownId}/${below}`))
      await problem(404, 'NOT_FOUND', call('GET', `${path}/not-a-uuid/${below}`))
    }
    await problem(404, 'NOT_FOUND', http.refused('PUT', `${path}/restore`, { id: unknownId }))
    await problem(404, 'NOT_FOUND', http.refused('POST', `${path}/${unknownId}/revert`, { version: 0.1 }))
  })

  it('lists walk all pages, there and back', async () => {
    const owner = `owner_of_${kind}`
    await answered(201, call('POST', '/v1/users', { name: owner }))
    const made: string[] = []
    for (let n = 0; n < 7; n++) {
      const { minimal } = await maker.sample(`page${n}`)
      made.push((await answered(201, call('POST', path, { ...minimal, owners: [owner], tags: null }))).body.fullyQualifiedName)
    }
    const page = async (query: string) => (await answered(200, call('GET', `${path}?owner=${owner}&limit=3${query}`))).body
    const names = (body: { data: { fullyQualifiedName: string }[] }) => body.data.map((entity) => entity.fullyQualifiedName)
    const first = await page('')
    const second = await page(`&after=${first.paging.after}`)
    const third = await page(`&after=${second.paging.after}`)
    expect([first, second, third].flatMap(names)).toEqual(made.toSorted())
    expect([first, second, third].map(({ paging }) => [paging.total, paging.before !== undefined, paging.after !== undefined]))
      .toEqual([[7, false, true], [7, true, true], [7, true, false]])
    const back = await page(`&before=${third.paging.before}`)
    expect(names(back)).toEqual(names(second))
    expect(names(await page(`&before=${back.paging.before}`))).toEqual(names(first))
    expect((await page(`&before=${back.paging.before}`)).paging.before).toBeUndefined()
    expect((await answered(200, call('GET', `${path}?owner=${owner}&limit=0`))).body).toEqual({ data: [], paging: { total: 7 } })
    const { body: basic } = await answered(200, call('GET', `${path}?owner=${owner}&limit=1`))
    expect(optionalMembers(definition).filter((name) => name in basic.data[0])).toEqual([])
    const { body: more } = await answered(200, call('GET', `${path}?owner=${owner}&limit=1&fields=owners`))
    expect(more.data[0].owners[0].fullyQualifiedName).toBe(owner)
    for (const wrong of ['after=x', `after=${first.paging.after}x`, `after=${first.paging.after}&before=${second.paging.before}`, 'limit=-1', 'limit=1.5', 'limit=9999999', 'limit=x', 'fields=nothing', 'include=x']) {
      await problem(400, 'BAD_REQUEST', call('GET', `${path}?owner=${owner}&${wrong}`))
    }
    await problem(400, 'BAD_REQUEST', call('GET', `${path}?after=${first.paging.after}`))
  })

  it('lists can be narrowed by everything above, and by owner, domain, tag and status', async () => {
    const { full } = await maker.sample('filtered')
    const { body: created } = await answered(201, call('PUT', path, { ...full, entityStatus: 'Deprecated' }))
    const { body: entity } = await answered(200, call('GET', `${path}/${created.id}?fields=*`))
    const all = filterNames(definition)
    expect(all).toEqual(expect.arrayContaining(['owner', 'domain', 'tag', 'entityStatus']))
    const valueFor = (filter: string): string => {
      if (filter === 'owner') return entity.owners[0].fullyQualifiedName
      if (filter === 'domain') return entity.domains[0].fullyQualifiedName
      if (filter === 'tag') return entity.tags[0].tagFQN
      const value = entity[filter] ?? entity[Object.entries(definition.fields).find(([, field]) => field.aliases?.includes(filter))?.[0] as string]
      return typeof value === 'string' ? value : (Array.isArray(value) ? value[0] : value)?.fullyQualifiedName
    }
    for (const filter of all) {
      const value = valueFor(filter)
      expect([filter, typeof value]).toEqual([filter, 'string'])
      const { body } = await answered(200, call('GET', `${path}?limit=1000&${filter}=${encodeURIComponent(value)}`))
      const found = body.data.filter((each: JsonObject) => each['id'] === entity.id)
      expect([filter, found.length, body.paging.total]).toEqual([filter, 1, body.data.length])
      const { body: none } = await answered(200, call('GET', `${path}?${filter}=no_such_thing`))
      expect([filter, none]).toEqual([filter, { data: [], paging: { total: 0 } }])
    }
    await maker.create('unfiltered')
    const query = `owner=${encodeURIComponent(valueFor('owner'))}&tag=${encodeURIComponent(valueFor('tag'))}&entityStatus=Deprecated`
    const { body: narrowed } = await answered(200, call('GET', `${path}?${query}&fields=owners,tags`))
    expect(narrowed.data.length).toBeGreaterThan(0)
    expect(narrowed.data.filter((each: JsonObject) => each['entityStatus'] !== 'Deprecated' || each['tags'] === undefined)).toEqual([])
  })

  it('PATCH takes both kinds of patches', async () => {
    const { id, fullyQualifiedName } = await maker.create('patch', 'full')
    const at = `${path}/${id}`
    const merged = await answered(200, call('PATCH', at, { description: 'Merged', extension: { costCenter: null, added: true } }, merge))
    expect(merged.body).toMatchObject({ version: 0.2, description: 'Merged', extension: { nested: { list: [1, null] }, added: true } })
    expect(merged.body.extension).not.toHaveProperty('costCenter')
    const operations = [
      { op: 'test', path: '/description', value: 'Merged' },
      { op: 'replace', path: '/description', value: 'Patched' },
      { op: 'add', path: '/extension/a~1b', value: { deep: [1] } },
      { op: 'copy', from: '/extension/added', path: '/extension/copied' },
      { op: 'move', from: '/displayName', path: '/extension/moved' },
      { op: 'remove', path: '/tags/0' },
    ]
    const patched = await answered(200, call('PATCH', byName(definition, fullyQualifiedName), operations, jsonPatch))
    expect(patched.body).toMatchObject({ version: 0.3, description: 'Patched', extension: { 'a/b': { deep: [1] }, copied: true, moved: 'Shown name' } })
    expect(patched.body.displayName).toBeUndefined()
    expect(patched.body.tags).toHaveLength(1)
    const again = await answered(200, http.refused('PATCH', at, { description: 'Patched' }, merge))
    expect(again.body).toEqual(patched.body)
    expect((await answered(200, http.refused('PATCH', at, [], jsonPatch))).body).toEqual(patched.body)
  })

  it('PATCH refuses what cannot be', async () => {
    const { id } = await maker.create('nopatch', 'full')
    const at = `${path}/${id}`
    const system = { id: unknownId, name: 'other', fullyQualifiedName: 'other', version: 7, updatedAt: 1, updatedBy: 'eve', href: 'http://x', deleted: true }
    for (const [member, value] of Object.entries(system)) {
      expect(paths(await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, { [member]: value }, merge)))).toEqual([`/${member}`])
      await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, [{ op: 'replace', path: `/${member}`, value }], jsonPatch))
    }
    expect(paths(await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, system, merge))).toSorted()).toEqual(Object.keys(system).map((name) => `/${name}`).toSorted())
    await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, { changeDescription: { fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [], previousVersion: 0.1 } }, merge))
    await problem(409, 'CONFLICT', http.refused('PATCH', at, [{ op: 'test', path: '/description', value: 'other' }, { op: 'remove', path: '/description' }], jsonPatch))
    await problem(415, 'UNSUPPORTED_MEDIA_TYPE', http.refused('PATCH', at, { description: 'x' }))
    await problem(415, 'UNSUPPORTED_MEDIA_TYPE', http.refused('PATCH', at, '{}', { headers: { 'content-type': 'text/plain' } }))
    expect(paths(await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, { unheardOf: 1, nope: 2 }, merge)))).toEqual(['/unheardOf', '/nope'])
    const malformed = [[{ op: 'replace', path: 'description', value: 1 }], [{ op: 'jump', path: '/description' }], [{ op: 'add', path: '/description' }], [7], { op: 'remove' }, [{ op: 'remove', path: '/nothing/there' }], [{ op: 'replace', path: '', value: 3 }]]
    for (const operations of malformed) await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, operations, jsonPatch))
    for (const body of [[], 'null', '3', '"x"']) await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, body, merge))
    for (const parent of definition.parents.map(({ field }) => field)) {
      await problem(400, 'BAD_REQUEST', http.refused('PATCH', at, { [parent]: 'elsewhere' }, merge))
    }
  })

  it('soft delete hides, restore brings back', async () => {
    const { minimal } = await maker.sample('soft')
    const { body: created } = await answered(201, call('POST', path, minimal))
    const at = `${path}/${created.id}`
    const deleted = await answered(200, call('DELETE', at))
    expect(deleted.body).toMatchObject({ id: created.id, deleted: true, version: 0.2 })
    expect(deleted.body.changeDescription.fieldsUpdated).toEqual([{ name: 'deleted', oldValue: false, newValue: true }])
    for (const hidden of [at, byName(definition, created.fullyQualifiedName), `${at}?include=non-deleted`]) await problem(404, 'NOT_FOUND', call('GET', hidden))
    for (const include of ['deleted', 'all']) expect((await answered(200, call('GET', `${at}?include=${include}`))).body).toEqual(deleted.body)
    const listed = async (include: string) => {
      const { body } = await answered(200, call('GET', `${path}?limit=1000&include=${include}`))
      return body.data.some((each: JsonObject) => each['id'] === created.id)
    }
    expect([await listed('deleted'), await listed('all'), await listed('non-deleted')]).toEqual([true, true, false])
    await problem(409, 'ENTITY_ALREADY_EXISTS', http.refused('POST', path, minimal))
    await problem(404, 'NOT_FOUND', http.refused('PATCH', at, { description: 'x' }, merge))
    await problem(404, 'NOT_FOUND', http.refused('DELETE', at))
    if (definition.traits.votes) await problem(404, 'NOT_FOUND', http.refused('PUT', `${at}/vote`, { updatedVoteType: 'votedUp' }))
    if (definition.traits.followers) await problem(404, 'NOT_FOUND', http.refused('PUT', `${at}/followers`, JSON.stringify(unknownId)))
    const restored = await answered(200, call('PUT', `${path}/restore`, { id: created.id }))
    expect(restored.body).toMatchObject({ deleted: false, version: 0.3 })
    expect((await answered(200, call('GET', at))).body).toEqual(restored.body)
    expect((await answered(200, http.refused('PUT', `${path}/restore`, { id: created.id }))).body).toEqual(restored.body)
    await answered(200, call('DELETE', byName(definition, created.fullyQualifiedName)))
    expect((await answered(200, call('PUT', `${path}/restore?id=${created.id}`))).body.version).toBe(0.5)
    await answered(200, call('DELETE', at))
    const upserted = await answered(200, call('PUT', path, { ...minimal, description: 'Back' }))
    expect(upserted.body).toMatchObject({ id: created.id, deleted: false, description: 'Back' })
    expect(tenths(upserted.body.version)).toBeGreaterThan(6)
    for (const body of [{}, { id: 'x' }, { id: created.id, more: 1 }, [], 'null']) await problem(400, 'BAD_REQUEST', http.refused('PUT', `${path}/restore`, body))
  })

  it('hard delete ends a life, and the next begins at 0.1 with the history kept', async () => {
    const { minimal } = await maker.sample('hard')
    const { body: created } = await answered(201, call('POST', path, { ...minimal, description: 'First life' }))
    const at = `${path}/${created.id}`
    const gone = await answered(204, call('DELETE', `${at}?hardDelete=true`))
    expect(gone.body).toBe('')
    await problem(404, 'NOT_FOUND', call('GET', `${at}?include=all`))
    await problem(404, 'NOT_FOUND', http.refused('DELETE', `${at}?hardDelete=true`))
    await problem(404, 'NOT_FOUND', http.refused('PUT', `${path}/restore`, { id: created.id }))
    const next = await answered(201, call('POST', path, minimal))
    expect(next.body).toMatchObject({ id: created.id, version: 0.1 })
    expect([next.body.description, next.body.changeDescription]).toEqual([undefined, undefined])
    expect((await answered(200, call('GET', `${at}/versions`))).body.versions.map((each: JsonObject) => each['version'])).toEqual([0.1])
    const { body: history } = await answered(200, call('GET', `${at}/history`))
    expect(history.data.map((event: JsonObject) => event['type'])).toEqual(['Created', 'HardDeleted', 'Created'])
    await answered(200, call('DELETE', at))
    await answered(204, call('DELETE', `${byName(definition, created.fullyQualifiedName)}?hardDelete=true`))
  })

  it('versions, history and asOf tell what was', async () => {
    const { minimal } = await maker.sample('past')
    const before = new Date(Date.now() - 60_000).toISOString()
    const created = await answered(201, call('POST', path, { ...minimal, description: 'one' }))
    const at = `${path}/${created.body.id}`
    const second = await answered(200, call('PATCH', at, { description: 'two' }, merge))
    const third = await answered(200, call('PATCH', at, { description: 'three' }, merge))
    const { body: versions } = await answered(200, call('GET', `${at}/versions`))
    expect(versions.entityType).toBe(kind)
    expect(versions.versions.map((each: JsonObject) => [each['version'], each['description']])).toEqual([[0.3, 'three'], [0.2, 'two'], [0.1, 'one']])
    const { body: firstPage } = await answered(200, call('GET', `${at}/versions?limit=2`))
    expect((await answered(200, call('GET', `${at}/versions?limit=2&after=${firstPage.paging.after}`))).body.versions.map((each: JsonObject) => each['version'])).toEqual([0.1])
    expect((await answered(200, call('GET', `${at}/versions/0.2`))).body).toEqual(second.body)
    for (const version of ['0.9', '7', 'x']) await problem(404, 'NOT_FOUND', call('GET', `${at}/versions/${version}`))
    const { body: history } = await answered(200, call('GET', `${at}/history`))
    expect(history.data.map((event: JsonObject) => [event['type'], event['revision'], event['user'], event['version']]))
      .toEqual([['Created', '0', 'admin', 0.1], ['Updated', '1', 'admin', 0.2], ['Updated', '2', 'admin', 0.3]])
    const { body: page } = await answered(200, call('GET', `${at}/history?limit=1`))
    expect((await answered(200, call('GET', `${at}/history?limit=1&after=${page.paging.after}`))).body.data[0].revision).toBe('1')
    const position = second.headers.get('catalog-position') as string
    for (const where of [at, byName(definition, created.body.fullyQualifiedName)]) {
      for (const moment of ['0.2', position, history.data[1].time]) {
        const asOf = await answered(200, call('GET', `${where}?asOf=${moment}`))
        const expected = moment === history.data[1].time && history.data[2].time === moment ? third.body : second.body
        expect(asOf.body).toEqual(expected)
      }
      expect((await answered(200, call('GET', `${where}?asOf=${new Date().toISOString()}`))).body.description).toBe('three')
      for (const moment of ['0.7', '0', before]) await problem(404, 'NOT_FOUND', call('GET', `${where}?asOf=${moment}`))
      for (const moment of ['yesterday', '1.23', '-1', '2024-13-45', '', '1e9']) await problem(400, 'BAD_REQUEST', call('GET', `${where}?asOf=${moment}`))
    }
    const { body: diff } = await answered(200, call('GET', `${at}/diff?from=0.1&to=0.2`))
    expect(diff).toContainEqual({ op: 'replace', path: '/description', value: 'two' })
    const reverted = await answered(200, call('POST', `${at}/revert`, { version: 0.1 }))
    expect(reverted.body).toMatchObject({ description: 'one', version: 0.4 })
    await problem(404, 'NOT_FOUND', http.refused('POST', `${at}/revert`, { version: 7.7 }))
    await problem(400, 'BAD_REQUEST', http.refused('POST', `${at}/revert`, { version: 'first' }))
  })

  it.runIf(definition.traits.bulk)('bulk says what became of each item', async () => {
    const samples = [await maker.sample('bulk0'), await maker.sample('bulk1')]
    const [first, second] = samples.map(({ minimal }) => minimal) as [JsonObject, JsonObject]
    const items = [first, { ...second, nope: 1 }, second, { ...first, description: 'later' }, { displayName: 'nameless' }, 7]
    const { body } = await answered(200, call('PUT', `${path}/bulk`, items))
    expect(body).toMatchObject({ status: 'partialSuccess', numberOfRowsProcessed: 6, numberOfRowsPassed: 3, numberOfRowsFailed: 3 })
    expect(body.successRequest.map((each: JsonObject) => each['status'])).toEqual([201, 201, 200])
    expect(body.failedRequest.map((each: JsonObject) => [each['status'], each['code']])).toEqual([[400, 'BAD_REQUEST'], [400, 'BAD_REQUEST'], [400, 'BAD_REQUEST']])
    const { body: made } = await answered(200, call('GET', byName(definition, body.successRequest[0].request)))
    expect(made).toMatchObject({ description: 'later', version: 0.2 })
    expect((await answered(200, http.refused('PUT', `${path}/bulk`, [second]))).body).toMatchObject({ status: 'success', successRequest: [{ status: 200 }] })
    expect((await answered(200, http.refused('PUT', `${path}/bulk`, []))).body).toEqual({
      status: 'success', numberOfRowsProcessed: 0, numberOfRowsPassed: 0, numberOfRowsFailed: 0, successRequest: [], failedRequest: [],
    })
    expect((await answered(200, http.refused('PUT', `${path}/bulk`, [{}]))).body.status).toBe('failure')
    await problem(400, 'BAD_REQUEST', http.refused('PUT', `${path}/bulk`, first))
  })

  it.skipIf(definition.traits.bulk)('has no bulk', async () => {
    expect([404, 405]).toContain((await http.refused('PUT', `${path}/bulk`, [])).status)
  })

  it.runIf(definition.traits.followers)('can be followed', async () => {
    const { id, version } = await maker.create('followed')
    const { body: user } = await answered(201, call('POST', '/v1/users', { name: `follower of ${kind}` }))
    const at = `${path}/${id}/followers`
    const followed = await answered(200, call('PUT', at, JSON.stringify(user.id)))
    expect(followed.body.followers).toEqual([{ id: user.id, type: 'user', name: user.name, fullyQualifiedName: user.fullyQualifiedName, deleted: false }])
    expect(followed.body.version).toBe(version)
    await answered(200, http.refused('PUT', at, user.id, { headers: { 'content-type': 'text/plain' } }))
    expect((await answered(200, call('GET', `${path}?fields=followers&limit=1000`))).body.data.find((each: JsonObject) => each['id'] === id).followers).toHaveLength(1)
    const left = await answered(200, call('DELETE', `${at}/${user.id}`))
    expect([left.body.followers, left.body.version]).toEqual([undefined, version])
    await answered(200, http.refused('DELETE', `${at}/${user.id}`))
    const { body: history } = await answered(200, call('GET', `${path}/${id}/history`))
    expect(history.data.map((event: JsonObject) => event['type'])).toEqual(['Created', 'FollowerAdded', 'FollowerRemoved'])
    for (const missing of [unknownId, id]) await problem(404, 'NOT_FOUND', http.refused('PUT', at, JSON.stringify(missing)))
    await problem(404, 'NOT_FOUND', http.refused('PUT', `${path}/${unknownId}/followers`, JSON.stringify(user.id)))
    await problem(404, 'NOT_FOUND', http.refused('DELETE', `${at}/${unknownId}`))
    for (const body of ['{}', '"x"', '[]', 'null']) await problem(400, 'BAD_REQUEST', http.refused('PUT', at, body))
  })

  it.runIf(definition.traits.votes)('can be voted on', async () => {
    const { id, version } = await maker.create('voted')
    const at = `${path}/${id}/vote`
    const votes = async (vote: string) => (await answered(200, call('PUT', at, { updatedVoteType: vote }))).body
    const up = await votes('votedUp')
    expect(up).toMatchObject({ version, votes: { upVotes: 1, downVotes: 0, downVoters: [] } })
    expect(up.votes.upVoters[0]).toMatchObject({ type: 'user', name: 'admin' })
    await answered(200, http.refused('PUT', at, { updatedVoteType: 'votedUp' }))
    expect((await votes('votedDown')).votes).toMatchObject({ upVotes: 0, downVotes: 1 })
    expect((await votes('unVoted')).votes).toEqual({ upVotes: 0, downVotes: 0, upVoters: [], downVoters: [] })
    await problem(404, 'NOT_FOUND', http.refused('PUT', `${path}/${unknownId}/vote`, { updatedVoteType: 'votedUp' }))
    for (const body of [{}, { updatedVoteType: 'up' }, { updatedVoteType: 'votedUp', more: 1 }, []]) await problem(400, 'BAD_REQUEST', http.refused('PUT', at, body))
  })

  it('has only the verbs of its traits', async () => {
    const { id } = await maker.create('traits')
    const verbs: [boolean | undefined, string, unknown][] = [
      [definition.traits.followers, 'followers', JSON.stringify(unknownId)],
      [definition.traits.votes, 'vote', { updatedVoteType: 'votedUp' }],
      [definition.traits.assets, 'assets/add', { assets: [] }],
      [definition.traits.assets, 'inputPorts/remove', { assets: [] }],
    ]
    for (const [has, verb, body] of verbs) {
      if (!has) await problem(404, 'NOT_FOUND', http.refused('PUT', `${path}/${id}/${verb}`, body))
    }
  })

  it('names with dots, quotes, slashes and signs come back as they are', async () => {
    const names = [`${kind} a.b`, `${kind} "quoted"`, `${kind}/slash/name`, `${kind} 🙂 ü ß`, `${kind} 'it''s' %2F`, `${kind}?x=1&y#z`]
    for (const [index, name] of names.entries()) {
      const { minimal } = await maker.sample(`names${index}`)
      const { body } = await answered(201, call('POST', path, { ...minimal, name }))
      expect(body.name).toBe(name)
      expect(body.fullyQualifiedName.endsWith(buildFqn([name]))).toBe(true)
      expect((await answered(200, call('GET', byName(definition, body.fullyQualifiedName)))).body).toEqual(body)
      await answered(204, call('DELETE', `${byName(definition, body.fullyQualifiedName)}?hardDelete=true`))
    }
  })
})
