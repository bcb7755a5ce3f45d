import { expect, it } from 'vitest'
import { optionalMembers } from '../../../src/api/entities/answers/shape.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { answered, byName, merge, pagesOf, paths } from '../support.ts'
import { unknownId, type KindUnderTest } from './kindUnderTest.ts'

/** Get, list, versions and history. */
export const canBeRead = ({ definition, path, call, maker, get, post, refuses, alike }: KindUnderTest): void => {
  const kind = definition.name

  it('GET gives what fields names, and 304 for what the client has', async () => {
    const { body, headers } = await answered(201, call('POST', path, (await maker.sample('get')).full))
    const at = `${path}/${body.id}`
    const unchanged = await answered(
      304,
      call('GET', at, undefined, { headers: { 'if-none-match': headers.get('etag') as string } }),
    )
    expect(unchanged.body).toBe('')
    await get(at, { headers: { 'if-none-match': '"99"' } })
    for (const member of optionalMembers(definition)) {
      const some = await get(`${at}?fields=${member}`)
      const others = optionalMembers(definition).filter((name) => name !== member && name in some)
      expect(others).toEqual([])
    }
    expect(await get(`${at}?fields=owners,tags`)).toMatchObject({
      owners: body.owners,
      tags: body.tags,
    })
    expect(paths(await refuses('BAD_REQUEST', 'GET', `${at}?fields=owners,nothing`))).toEqual(['?fields'])
    expect(paths(await refuses('BAD_REQUEST', 'GET', `${at}?include=some`))).toEqual(['?include'])
    expect(await get(`${path}/${body.id.toUpperCase()}`)).toEqual(body)
  })

  alike('GET and lists give every list that fields names, also an empty one, and owner beside owners', async () => {
    const { minimal } = await maker.sample('empty')
    const body = await post(path, minimal)
    const lists = ['owners', 'tags', ...(definition.traits.followers ? ['followers'] : [])]
    const [at, query] = [`${path}/${body.id}`, `?fields=${lists.join(',')},owner`]
    const empty = Object.fromEntries(lists.map((name) => [name, []]))
    const one = await get(`${at}${query}`)
    expect(one).toMatchObject(empty)
    expect(one).not.toHaveProperty('owner')
    const page = await get(`${path}${query}&limit=1000`)
    expect(page.data.find(({ id }: JsonObject) => id === body.id)).toMatchObject(empty)
    const full = await post(path, (await maker.sample('owned')).full)
    const owned = await get(`${path}/${full.id}?fields=owner`)
    expect(owned.owners.length).toBeGreaterThan(0)
    expect(owned.owner).toEqual(owned.owners[0])
  })

  alike('what does not exist is 404', async () => {
    const missing = [
      `${path}/${unknownId}`,
      `${path}/not-a-uuid`,
      byName(definition, 'no.such.thing'),
      byName(definition, '"'),
      `${path}/123`,
    ]
    for (const at of missing) {
      await refuses('NOT_FOUND', 'GET', at)
      await refuses('NOT_FOUND', 'PATCH', at, { description: 'x' }, merge)
      await refuses('NOT_FOUND', 'DELETE', at)
      await refuses('NOT_FOUND', 'DELETE', `${at}?hardDelete=true&recursive=true`)
    }
    for (const below of ['versions', 'history', 'versions/0.1', 'diff?from=0.1']) {
      await refuses('NOT_FOUND', 'GET', `${path}/${unknownId}/${below}`)
      await refuses('NOT_FOUND', 'GET', `${path}/not-a-uuid/${below}`)
    }
    await refuses('NOT_FOUND', 'PUT', `${path}/restore`, { id: unknownId })
    await refuses('NOT_FOUND', 'POST', `${path}/${unknownId}/revert`, { version: 0.1 })
  })

  alike('lists walk all pages, there and back', async () => {
    const owner = `owner_of_${kind}`
    await post('/v1/users', { name: owner })
    const made: string[] = []
    for (let n = 0; n < 7; n++) {
      const { minimal } = await maker.sample(`page${n}`)
      made.push((await post(path, { ...minimal, owners: [owner], tags: null })).fullyQualifiedName)
    }
    const page = (query: string) => get(`${path}?owner=${owner}&limit=3${query}`)
    const names = (body: { data: { fullyQualifiedName: string }[] }) =>
      body.data.map((entity) => entity.fullyQualifiedName)
    const pages = await Array.fromAsync(pagesOf(page))
    expect(pages.flatMap(names)).toEqual(made.toSorted())
    expect(pages.map(({ data, paging }) => [data.length, paging.total, paging.before !== undefined])).toEqual([
      [3, 7, false],
      [3, 7, true],
      [1, 7, true],
    ])
    const [first, second, third] = pages
    const back = await page(`&before=${third.paging.before}`)
    expect(names(back)).toEqual(names(second))
    const start = await page(`&before=${back.paging.before}`)
    expect([names(start), start.paging.before]).toEqual([names(first), undefined])
    expect(await get(`${path}?owner=${owner}&limit=0`)).toEqual({ data: [], paging: { total: 7 } })
    const basic = await get(`${path}?owner=${owner}&limit=1`)
    expect(optionalMembers(definition).filter((name) => name in basic.data[0])).toEqual([])
    const more = await get(`${path}?owner=${owner}&limit=1&fields=owners`)
    expect(more.data[0].owners[0].fullyQualifiedName).toBe(owner)
    const { after } = first.paging
    const cursors = ['after=x', `after=${after}x`, `after=${after}&before=${second.paging.before}`]
    const limits = ['limit=-1', 'limit=1.5', 'limit=9999999', 'limit=x']
    for (const wrong of [...cursors, ...limits, 'fields=nothing', 'include=x'])
      await refuses('BAD_REQUEST', 'GET', `${path}?owner=${owner}&${wrong}`)
    await refuses('BAD_REQUEST', 'GET', `${path}?after=${after}`)
  })

  alike('versions, history and asOf tell what was', async () => {
    const { minimal } = await maker.sample('past')
    const before = new Date(Date.now() - 60_000).toISOString()
    const created = await answered(201, call('POST', path, { ...minimal, description: 'one' }))
    const at = `${path}/${created.body.id}`
    const second = await answered(200, call('PATCH', at, { description: 'two' }, merge))
    const third = await answered(200, call('PATCH', at, { description: 'three' }, merge))
    const versions = await get(`${at}/versions`)
    expect(versions.entityType).toBe(kind)
    expect(versions.versions.map((each: JsonObject) => [each['version'], each['description']])).toEqual([
      [0.3, 'three'],
      [0.2, 'two'],
      [0.1, 'one'],
    ])
    const numbers = async (query: string) => {
      const page = await get(`${at}/versions?${query}`)
      return [page.versions.map((each: JsonObject) => each['version']), page.paging]
    }
    const [newest, { after }] = await numbers('limit=2')
    const [oldest, { before: back, ...end }] = await numbers(`limit=2&after=${after}`)
    expect([newest, oldest, end]).toEqual([[0.3, 0.2], [0.1], { total: 3 }])
    expect((await numbers(`limit=1&before=${back}`))[0]).toEqual([0.2])
    await refuses('BAD_REQUEST', 'GET', `${at}/versions?after=x`)
    expect(await get(`${at}/versions/0.2`)).toEqual(second.body)
    for (const version of ['0.9', '7', 'x']) await refuses('NOT_FOUND', 'GET', `${at}/versions/${version}`)
    const history = await get(`${at}/history`)
    expect(
      history.data.map((event: JsonObject) => [event['type'], event['revision'], event['user'], event['version']]),
    ).toEqual([
      ['Created', '0', 'admin', 0.1],
      ['Updated', '1', 'admin', 0.2],
      ['Updated', '2', 'admin', 0.3],
    ])
    const page = await get(`${at}/history?limit=1`)
    expect((await get(`${at}/history?limit=1&after=${page.paging.after}`)).data[0].revision).toBe('1')
    const position = second.headers.get('catalog-position') as string
    for (const where of [at, byName(definition, created.body.fullyQualifiedName)]) {
      for (const moment of ['0.2', 'v0.2', position, `@${position}`, history.data[1].time]) {
        const asOf = await answered(200, call('GET', `${where}?asOf=${moment}`))
        const expected = moment === history.data[1].time && history.data[2].time === moment ? third.body : second.body
        expect(asOf.body).toEqual(expected)
      }
      expect((await get(`${where}?asOf=${new Date().toISOString()}`)).description).toBe('three')
      for (const moment of ['0.7', '0', before]) await refuses('NOT_FOUND', 'GET', `${where}?asOf=${moment}`)
      for (const moment of ['yesterday', '1.23', '-1', '2024-13-45', '', '1e9'])
        await refuses('BAD_REQUEST', 'GET', `${where}?asOf=${moment}`)
    }
    const diff = await get(`${at}/diff?from=0.1&to=0.2`)
    expect(diff).toContainEqual({ op: 'replace', path: '/description', value: 'two' })
    const named = byName(definition, created.body.fullyQualifiedName)
    for (const below of ['versions', 'versions/v0.2', 'history', 'diff?from=0.1&to=v0.2', `diff?from=@${position}`]) {
      const [byId, byFqn] = [await call('GET', `${at}/${below}`), await call('GET', `${named}/${below}`)]
      expect([byFqn.status, byFqn.body]).toEqual([200, byId.body])
    }
    const reverted = await answered(200, call('POST', `${named}/revert`, { version: 0.1 }))
    expect(reverted.body).toMatchObject({ description: 'one', version: 0.4 })
    await refuses('NOT_FOUND', 'POST', `${at}/revert`, { version: 7.7 })
    await refuses('BAD_REQUEST', 'POST', `${at}/revert`, { version: 'first' })
  })
}
