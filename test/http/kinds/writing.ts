import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/shared/json.ts'
import { kindNamed } from '../../../src/kinds/registry/kinds.ts'
import { answered, byName, jsonPatch, lostMembers, merge, paths } from '../support.ts'
import { prepare } from '../../kinds/samples.ts'
import { unknownId, type KindUnderTest } from './kindUnderTest.ts'

/** Create, upsert, patch and bulk. */
export const canBeWritten = ({
  definition,
  path,
  call,
  refused,
  maker,
  url,
  get,
  post,
  put,
  patch,
  refuses,
  alike,
}: KindUnderTest): void => {
  const kind = definition.name

  it('POST creates with required members alone', async () => {
    const { minimal } = await maker.sample('min')
    const { body, headers } = await answered(201, call('POST', path, minimal))
    expect(headers.get('location')).toBe(`${url()}/api${path}/${body.id}`)
    expect(headers.get('etag')).toMatch(/^"0-/)
    expect(headers.get('catalog-position')).toMatch(/^\d+$/)
    expect(body).toMatchObject({
      name: minimal['name'],
      version: 0.1,
      updatedBy: 'admin',
      deleted: false,
      href: headers.get('location'),
    })
    expect(Math.abs(Date.now() - body.updatedAt)).toBeLessThan(60_000)
    expect(lostMembers(definition, minimal, body)).toEqual([])
    expect(await get(`${path}/${body.id}`)).toEqual(body)
  })

  it('POST creates with every member, and all of them come back', async () => {
    const { full } = await maker.sample('full')
    const body = await post(path, full)
    expect(lostMembers(definition, full, body)).toEqual([])
    const all = await get(`${path}/${body.id}?fields=*`)
    expect(lostMembers(definition, full, all)).toEqual([])
    expect((await call('GET', byName(definition, body.fullyQualifiedName))).body).toEqual(body)
    await refuses('ENTITY_ALREADY_EXISTS', 'POST', path, full)
  })

  it('PUT that changes nothing changes nothing', async () => {
    const { full } = await maker.sample('same')
    const created = await answered(201, call('PUT', path, full))
    expect(created.headers.get('location')).toBe(created.body.href)
    const again = await answered(200, refused('PUT', path, full))
    expect(again.body).toEqual(created.body)
    expect(again.headers.get('etag')).toBe(created.headers.get('etag'))
    expect(again.headers.get('location')).toBeNull()
  })

  alike('PUT changes what it has, keeps the rest, and clears with null', async () => {
    const { minimal } = await maker.sample('put')
    await answered(
      201,
      call('PUT', path, { ...minimal, displayName: 'One', description: 'First', extension: { a: 1, b: [2] } }),
    )
    const body = await put(path, { ...minimal, description: 'Second', extension: { c: 3 } })
    expect(body).toMatchObject({ version: 0.2, displayName: 'One', description: 'Second', extension: { c: 3 } })
    expect(body.extension).toEqual({ c: 3 })
    expect(body.changeDescription.previousVersion).toBe(0.1)
    expect(body.changeDescription.fieldsUpdated).toContainEqual({
      name: 'description',
      oldValue: 'First',
      newValue: 'Second',
    })
    expect(body.changeDescription.fieldsAdded).toContainEqual({ name: 'extension.c', newValue: 3 })
    const cleared = await answered(200, call('PUT', path, { ...minimal, displayName: null, extension: null }))
    expect(cleared.body.version).toBe(0.3)
    expect([cleared.body.displayName, cleared.body.extension, cleared.body.description]).toEqual([
      undefined,
      undefined,
      'Second',
    ])
    expect(cleared.body.changeDescription.fieldsDeleted).toContainEqual({ name: 'displayName', oldValue: 'One' })
  })

  const above = definition.parents.find(({ optional }) => optional)?.field
  if (above !== undefined)
    it('PUT and bulk with null for a parent are about the entity that has none', async () => {
      const { minimal } = await maker.sample('root')
      const body = { ...minimal, [above]: null }
      const { body: root } = await answered(201, call('PUT', path, body))
      const below = await post(path, { ...minimal, [above]: root.fullyQualifiedName })
      expect(await put(path, body)).toMatchObject({ id: root.id, version: 0.1 })
      if (definition.traits.bulk)
        expect((await put(`${path}/bulk`, [body])).successRequest).toMatchObject([{ request: root.fullyQualifiedName }])
      expect(await get(`${path}/${below.id}`)).toEqual(below)
      await refuses('BAD_REQUEST', 'PATCH', `${path}/${below.id}`, { [above]: null }, merge)
      expect((await patch(`${path}/${root.id}`, { [above]: null })).version).toBe(0.1)
    })

  it('PUT clears every optional member of a full entity', async () => {
    const { minimal, full } = await maker.sample('clear')
    const created = await post(path, full)
    const fixed = new Set([
      ...Object.keys(minimal),
      ...Object.entries(definition.fields)
        .filter(([, field]) => field.fixed)
        .map(([name]) => name),
    ])
    const clearing = Object.fromEntries(
      Object.keys(full)
        .filter((name) => !fixed.has(name))
        .map((name) => [name, null]),
    )
    const body = await put(path, { ...full, ...minimal, ...clearing })
    for (const name of Object.keys(clearing))
      expect([name, body[name]]).toEqual([name, definition.fields[name]?.default])
    expect(body.id).toBe(created.id)
    expect((await answered(200, refused('PUT', path, { ...full, ...minimal, ...clearing }))).body).toEqual(body)
  })

  alike('a merge patch replaces a reference as a whole, and clears a member by its alias', async () => {
    const { full } = await maker.sample('refers')
    const before = await post(path, full)
    const { first: others, parents } = prepare(kind, 'elsewhere', 'full')
    for (const { kind: name, request } of others) await call('PUT', `/v1/${kindNamed(name).path}`, request)
    const at = `${path}/${before.id}`
    const settable = Object.entries(definition.fields).filter(([, field]) => !field.readOnly && !field.fixed)
    const single = settable.flatMap(([member, { references, first }]) =>
      references?.many === false ? member : (first ?? []),
    )
    for (const member of single) {
      const { id, type } = before[member]
      const fullyQualifiedName = parents[type] as string
      for (const wrong of [
        { type, fullyQualifiedName: 'none.such' },
        { id, type, fullyQualifiedName },
      ])
        await refuses('BAD_REQUEST', 'PATCH', at, { [member]: wrong }, merge)
      const renamed = { op: 'replace', path: `/${member}/fullyQualifiedName`, value: fullyQualifiedName }
      await refuses('BAD_REQUEST', 'PATCH', at, [renamed], jsonPatch)
      const after = await patch(at, { [member]: { type, fullyQualifiedName } })
      expect(after[member]).toMatchObject({ type, fullyQualifiedName })
    }
    for (const [member, { aliases = [], required = false }] of settable)
      for (const alias of required ? [] : aliases) {
        await patch(at, { [alias]: member === 'owners' ? 'admin' : parents['domain'] })
        await patch(at, { [alias]: null })
        expect([alias, (await get(`${at}?fields=*`))[member] ?? []]).toEqual([alias, []])
      }
  })

  alike('preconditions guard every write', async () => {
    const { minimal } = await maker.sample('guard')
    const stale = { headers: { 'if-match': '"7"' } }
    await refuses('PRECONDITION_FAILED', 'PUT', path, minimal, stale)
    const { body, headers } = await answered(201, call('PUT', path, minimal, { headers: { 'if-none-match': '*' } }))
    await refuses('PRECONDITION_FAILED', 'PUT', path, minimal, { headers: { 'if-none-match': '*' } })
    const at = `${path}/${body.id}`
    const current = { headers: { 'if-match': headers.get('etag') as string } }
    for (const known of [headers.get('etag') as string, 'W/"7", W/"0"'])
      await refuses('PRECONDITION_FAILED', 'PUT', path, minimal, { headers: { 'if-none-match': known } })
    await answered(200, call('PUT', path, minimal, { headers: { 'if-none-match': '"7"' } }))
    await refuses('PRECONDITION_FAILED', 'PUT', path, { ...minimal, description: 'x' }, stale)
    await refuses('PRECONDITION_FAILED', 'PATCH', at, {}, { headers: { ...merge.headers, ...stale.headers } })
    await refuses('PRECONDITION_FAILED', 'DELETE', at, undefined, stale)
    await refuses('PRECONDITION_FAILED', 'PUT', `${path}/restore`, { id: body.id }, stale)
    if (definition.traits.votes)
      await refuses('PRECONDITION_FAILED', 'PUT', `${at}/vote`, { updatedVoteType: 'votedUp' }, stale)
    if (definition.traits.followers) {
      const { id } = await get('/v1/users/name/admin')
      await refuses('PRECONDITION_FAILED', 'PUT', `${at}/followers`, JSON.stringify(id), stale)
    }
    await refuses('BAD_REQUEST', 'PUT', path, minimal, { headers: { 'if-match': 'seven' } })
    const changed = await answered(200, call('PUT', path, { ...minimal, description: 'x' }, current))
    expect(changed.headers.get('etag')).toMatch(/^"1-/)
    await refuses('PRECONDITION_FAILED', 'DELETE', at, undefined, current)
    await answered(200, call('DELETE', at, undefined, { headers: { 'if-match': '"0", "1"' } }))
  })

  alike('PATCH takes both kinds of patches', async () => {
    const { id, fullyQualifiedName } = await maker.create('patch', 'full')
    const at = `${path}/${id}`
    const merged = await answered(
      200,
      call('PATCH', at, { description: 'Merged', extension: { costCenter: null, added: true } }, merge),
    )
    expect(merged.body).toMatchObject({
      version: 0.2,
      description: 'Merged',
      extension: { nested: { list: [1, null] }, added: true },
    })
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
    expect(patched.body).toMatchObject({
      version: 0.3,
      description: 'Patched',
      extension: { 'a/b': { deep: [1] }, copied: true, moved: 'Shown name' },
    })
    expect(patched.body.displayName).toBeUndefined()
    expect(patched.body.tags).toHaveLength(1)
    const again = await answered(200, refused('PATCH', at, { description: 'Patched' }, merge))
    expect(again.body).toEqual(patched.body)
    expect((await answered(200, refused('PATCH', at, [], jsonPatch))).body).toEqual(patched.body)
    const clearing = [{ op: 'add', path: '/extension', value: null }]
    expect((await answered(200, call('PATCH', at, clearing, jsonPatch))).body).not.toHaveProperty('extension')
  })

  alike('PATCH takes what a read with `fields` shows, and a whole read changes nothing', async () => {
    for (const which of ['minimal', 'full'] as const) {
      const { id } = await maker.create(`shown${which}`, which)
      const at = `${path}/${id}`
      const before = await get(at)
      for (const fields of ['*', 'owner,owners,domain,domains'].slice(0, definition.fields['owners'] ? 2 : 1)) {
        const shown = await get(`${at}?fields=${fields}`)
        expect((await answered(200, refused('PATCH', at, shown, merge))).body).toEqual(before)
        const tests = Object.entries(shown).map(([name, value]) => ({ op: 'test', path: `/${name}`, value }))
        expect((await answered(200, refused('PATCH', at, tests, jsonPatch))).body).toEqual(before)
        const whole = [{ op: 'test', path: '', value: before }]
        expect((await answered(200, refused('PATCH', at, whole, jsonPatch))).body).toEqual(before)
      }
      if (definition.fields['owners'] === undefined) continue
      const owners = (await get(`${at}?fields=owners`)).owners as JsonObject[]
      const first = (
        await answered(200, call('PATCH', at, [{ op: 'add', path: '/owners/0', value: 'admin' }], jsonPatch))
      ).body.owners[0] as JsonObject
      expect(first).toMatchObject({ type: 'user', name: 'admin' })
      const replaced = [
        { op: 'test', path: '/owner', value: first },
        { op: 'replace', path: '/owners', value: owners },
      ]
      const after = await answered(200, call('PATCH', at, replaced, jsonPatch))
      expect(after.body.owners ?? []).toEqual(owners)
      const owner = [{ op: 'replace', path: '/owner', value: 'admin' }]
      if (owners.length > 0)
        expect((await answered(200, call('PATCH', at, owner, jsonPatch))).body.owners).toEqual([first])
      else await refuses('BAD_REQUEST', 'PATCH', at, owner, jsonPatch)
    }
  })

  alike('PATCH refuses what cannot be', async () => {
    const { id } = await maker.create('nopatch', 'full')
    const at = `${path}/${id}`
    const wrong = async (body: unknown, options = merge) =>
      paths(await refuses('BAD_REQUEST', 'PATCH', at, body, options)).toSorted()
    const system = {
      id: unknownId,
      name: 'other',
      fullyQualifiedName: 'other',
      version: 7,
      updatedAt: 1,
      updatedBy: 'eve',
      href: 'http://x',
      deleted: true,
      changeDescription: { fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [], previousVersion: 0.1 },
    }
    for (const [member, value] of Object.entries(system)) {
      expect(await wrong({ [member]: value })).toEqual([`/${member}`])
      await wrong([{ op: 'replace', path: `/${member}`, value }], jsonPatch)
    }
    expect(await wrong({ ...system, unheardOf: 1 })).toEqual(
      [...Object.keys(system), 'unheardOf'].map((name) => `/${name}`).toSorted(),
    )
    const test = { op: 'test', path: '/description', value: 'other' }
    await refuses('CONFLICT', 'PATCH', at, [test, { op: 'remove', path: '/description' }], jsonPatch)
    await refuses('UNSUPPORTED_MEDIA_TYPE', 'PATCH', at, { description: 'x' })
    await refuses('UNSUPPORTED_MEDIA_TYPE', 'PATCH', at, '{}', { headers: { 'content-type': 'text/plain' } })
    for (const operations of [[{ op: 'remove', path: '/nothing/there' }], { op: 'remove' }])
      await wrong(operations, jsonPatch)
    for (const body of [[], 'null', '3', '"x"']) await wrong(body)
    for (const { field } of definition.parents) await wrong({ [field]: 'elsewhere' })
  })

  if (definition.traits.bulk)
    alike('bulk says what became of each item', async () => {
      const samples = [await maker.sample('bulk0'), await maker.sample('bulk1')]
      const [first, second] = samples.map(({ minimal }) => minimal) as [JsonObject, JsonObject]
      const items = [
        first,
        { ...second, nope: 1 },
        second,
        { ...first, description: 'later' },
        { displayName: 'nameless' },
        7,
      ]
      const body = await put(`${path}/bulk`, items)
      expect(body).toMatchObject({
        status: 'partialSuccess',
        numberOfRowsProcessed: 6,
        numberOfRowsPassed: 3,
        numberOfRowsFailed: 3,
      })
      expect(body.successRequest.map((each: JsonObject) => each['status'])).toEqual([201, 201, 200])
      expect(body.failedRequest.map((each: JsonObject) => [each['status'], each['code']])).toEqual([
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
        [400, 'BAD_REQUEST'],
      ])
      const made = await get(byName(definition, body.successRequest[0].request))
      expect(made).toMatchObject({ description: 'later', version: 0.2 })
      expect((await answered(200, refused('PUT', `${path}/bulk`, [second]))).body).toMatchObject({
        status: 'success',
        successRequest: [{ status: 200 }],
      })
      expect((await answered(200, refused('PUT', `${path}/bulk`, []))).body).toEqual({
        status: 'success',
        numberOfRowsProcessed: 0,
        numberOfRowsPassed: 0,
        numberOfRowsFailed: 0,
        successRequest: [],
        failedRequest: [],
      })
      expect((await answered(200, refused('PUT', `${path}/bulk`, [{}]))).body.status).toBe('failure')
      await refuses('BAD_REQUEST', 'PUT', `${path}/bulk`, first)
    })

  it.skipIf(definition.traits.bulk)('has no bulk', async () => {
    expect([404, 405]).toContain((await refused('PUT', `${path}/bulk`, [])).status)
  })
}
