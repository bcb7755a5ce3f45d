import { execSync } from 'node:child_process'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cloudEventSchema } from '../../../src/events/eventSchemas.ts'
import { thorough } from '../../support/fastCheck.ts'
import { temporaryFile } from '../../support/folders.ts'
import { bearer, openStream, startInProcess, useInProcess, type InProcess } from '../../support/running.ts'
import { adminToken, startBuilt, temporaryDataDir, tokenFor } from '../../support/service.ts'
import { waitFor } from '../../support/waitFor.ts'

const subscriber = tokenFor('sue', ['Subscriber'])

/** How many files a process may have open; Node.js raises its own limit to that. */
const openFiles = (): number => {
  const limit = Number(execSync('ulimit -Hn', { encoding: 'utf8' }))
  return Number.isNaN(limit) ? Infinity : limit
}

/** All events after a position, page by page. */
const pullAll = async ({ call }: Pick<InProcess, 'call'>, after: string, query = '', token = adminToken) => {
  const events: { position: string; type: string; subject: string; data: Record<string, unknown> }[] = []
  for (let position = after; ;) {
    const { status, body } = await call('GET', `/v1/events?after=${position}&limit=3${query}`, undefined, { token })
    expect(status).toBe(200)
    events.push(...body.data)
    if (body.data.length === 0) return { events, after: body.paging.after as string }
    position = body.paging.after
  }
}

const shared = useInProcess()

/** A service whose caller has an entity, and the position of its newest event. */
const setUp = async (env?: Record<string, string>) => {
  const { url, call, ...service } = env === undefined ? shared : await startInProcess(env)
  await call('POST', '/v1/users', { name: 'admin' })
  const latest = await call('GET', '/v1/events?after=latest')
  return { ...service, url, call, before: latest.body.paging.after as string }
}

describe('pulling', () => {
  test('gives every event once, in order, as CloudEvents, and says where to go on', async () => {
    const service = await setUp()
    const { call, before } = service
    for (let index = 0; index < 7; index++) await call('POST', '/v1/glossaries', { name: `g${index}` })
    const { events, after } = await pullAll(service, before)
    expect(events.map((event) => event.subject)).toEqual(Array.from({ length: 7 }, (_, index) => `g${index}`))
    for (const event of events)
      expect(cloudEventSchema.parse(event)).toMatchObject({ type: 'catalog.glossary.Created', actor: 'admin' })
    expect(after).toBe(events.at(-1)?.position)
    expect((await pullAll(service, String(events.at(3)?.position))).events).toEqual(events.slice(4))
    expect((await pullAll(service, '0')).events.length).toBeGreaterThan(7)
  })

  test('filters by kind, type, entity and domain, and goes on over what does not match', async () => {
    const service = await setUp()
    const { call, before } = service
    await call('POST', '/v1/domains', { name: 'sales, "north"' })
    const { body: one } = await call('POST', '/v1/glossaries', { name: 'one', domains: ['"sales, ""north"""'] })
    expect(one.domains).toHaveLength(1)
    await call('POST', '/v1/glossaries', { name: 'two' })
    await call('PUT', '/v1/glossaries', { name: 'one', description: 'd' })
    await call('PUT', '/v1/glossaries', { name: 'one', domains: null })
    await call('PUT', '/v1/glossaries', { name: 'one', description: 'e' })
    const types = async (query: string) =>
      (await pullAll(service, before, query)).events.map(({ type, subject }) => `${type.slice(8)} ${subject}`)
    const changes = ['glossary.Updated one', 'glossary.Updated one']
    expect(await types(`&entityId=${one.id}&type=Updated`)).toEqual([...changes, 'glossary.Updated one'])
    const history = await call('GET', `/v1/events?entityId=${one.id}&limit=2`)
    expect(history.body.data).toHaveLength(2)
    expect(history.body.paging.after).toBe(history.body.data[1].position)
    expect(await types(`&domain=${encodeURIComponent('"sales, ""north"""')}`)).toEqual([
      'glossary.Created one',
      ...changes,
    ])
    const { body: inPath } = await call('POST', '/v1/domains', { name: 'sub, one', parent: '"sales, ""north"""' })
    await call('POST', '/v1/glossaries', { name: 'three', domains: [inPath.fullyQualifiedName] })
    const quotedInPath = encodeURIComponent('nothing, "sales, ""north"""."sub, one"')
    expect(await types(`&domain=${quotedInPath}`)).toEqual(['glossary.Created three'])
    expect(await types('&kind=domain,glossary&type=Created')).toEqual([
      'domain.Created "sales, ""north"""',
      'glossary.Created one',
      'glossary.Created two',
      'domain.Created "sales, ""north""".sub, one',
      'glossary.Created three',
    ])
    const nothing = await call('GET', `/v1/events?after=${before}&kind=team`)
    expect(nothing.body.data).toEqual([])
    expect(Number(nothing.body.paging.after)).toBeGreaterThan(Number(before))
    expect(nothing.body.paging.mark).toMatch(new RegExp(`^${nothing.body.paging.after}-[0-9a-f]{16}$`))
    const end = await call('GET', `/v1/events?after=${nothing.body.paging.after}`)
    expect(end.body.paging).toEqual(nothing.body.paging)
  })

  test('filters by person, instant, request and what was changed, alone and together', async () => {
    const service = await setUp()
    const { call, before } = service
    const zoe = { token: tokenFor('zoe', ['Admin']) }
    await call('POST', '/v1/glossaries', { name: 'first' })
    const { body: two } = await call('POST', '/v1/glossaries', { name: 'second' }, zoe)
    await call('PUT', '/v1/glossaries', { name: 'first', description: 'd' }, zoe)
    await call('PUT', '/v1/glossaries', { name: 'second', displayName: 'Two', description: 'e' })
    const pulled = async (query: string) => (await pullAll(service, before, query)).events
    const subjects = async (query: string) =>
      (await pulled(query)).map(({ type, subject }) => `${type.split('.')[2]} ${subject}`)
    expect(await subjects('&user=zoe&kind=glossary')).toEqual(['Created second', 'Updated first'])
    expect(await subjects('&user=nobody')).toEqual([])
    expect(await subjects('&changed=description')).toEqual(['Updated first', 'Updated second'])
    expect(await subjects('&changed=displayName,votes')).toEqual(['Updated second'])
    expect(await subjects('&changed=description&user=zoe')).toEqual(['Updated first'])
    await call('POST', '/v1/domains', { name: 'third', domainType: 'Aggregate' })
    await call('POST', '/v1/glossaries', { name: 'fourth', domains: ['third'] })
    expect(await subjects('&changed=domains')).toEqual(['Created fourth'])
    const all = (await pulled('&kind=glossary&until=2999-01-01')) as unknown as {
      time: string
      correlationid: string
    }[]
    expect(await subjects(`&correlationId=${all[2]?.correlationid}`)).toEqual(['Updated first'])
    expect(await subjects(`&kind=glossary&until=${all[0]?.time}`)).toContain('Created first')
    expect(await subjects('&until=2000-01-01')).toEqual([])
    expect(await subjects(`&since=${all[3]?.time}&kind=glossary`)).toContain('Updated second')
    expect(await subjects('&since=2999-01-01')).toEqual([])
    expect(await subjects(`&user=zoe&entityId=${two.id}`)).toEqual(['Created second'])
    const { body } = await call('GET', `/v1/events?user=zoe&changed=description&limit=1000`)
    expect(body.data).toHaveLength(1)
    expect(body.paging.mark).toMatch(/^\d+-[0-9a-f]{16}$/)
  })

  const wrong = [
    'since=yesterday',
    'kind=unheard',
    'type=Unheard',
    'entityId=5',
    'domain=a..b',
    'domain=%22a,b',
    'domain=a%22,b',
    'limit=0',
    'limit=1001',
    'limit=x',
    'wait=31',
    'wait=-1',
    'after=x',
    'after=-1',
    'after=1.5',
    'after=999999999999',
    'after=99999999999999999999',
  ]

  test('what is wrong with a query is 400, and the parameter is named', async () => {
    const { call } = shared
    for (const query of wrong)
      for (const path of ['/v1/events', ...(/limit|wait/.test(query) ? [] : ['/v1/events/stream'])]) {
        const { status, body } = await call('GET', `${path}?${query}`)
        expect([query, status, body.errors[0].path]).toEqual([query, 400, `?${query.split('=')[0]}`])
      }
  })

  test('waits for what comes, and answers when the time is over', async () => {
    const { call, before } = await setUp()
    const waiting = call('GET', `/v1/events?after=${before}&wait=20&kind=team`)
    await call('POST', '/v1/glossaries', { name: 'other' })
    await call('POST', '/v1/teams', { name: 'crew' })
    expect((await waiting).body.data).toMatchObject([{ subject: 'crew' }])
    const begun = performance.now()
    const { body } = await call('GET', '/v1/events?after=latest&wait=1')
    expect(body.data).toEqual([])
    expect(performance.now() - begun).toBeGreaterThan(900)
  })
})

describe('who may follow', () => {
  test('sees the kinds that the policies let him follow and view', async () => {
    const policies = await temporaryFile(`roles:
  Narrow:
    - { effect: allow, operations: [feed, view], kinds: ['*'] }
    - { effect: deny, operations: [feed], kinds: [team] }
    - { effect: deny, operations: [view], kinds: [domain] }
  Own:
    - { effect: allow, operations: [feed, view], kinds: ['*'], condition: isOwner }
`)
    const service = await setUp({ CATALOG_POLICIES_FILE: policies })
    const { call, before } = service
    await call('POST', '/v1/users', { name: 'otto' })
    await call('POST', '/v1/teams', { name: 't' })
    await call('POST', '/v1/domains', { name: 'd' })
    await call('POST', '/v1/glossaries', { name: 'g', owners: [{ type: 'user', fullyQualifiedName: 'otto' }] })
    await call('PUT', '/v1/glossaries', { name: 'g', description: 'd' })
    await call('PUT', '/v1/glossaries', { name: 'g', owners: null })
    await call('PUT', '/v1/glossaries', { name: 'g', description: 'e' })
    const seenBy = async (...roles: string[]) =>
      (await pullAll(service, before, '', tokenFor('otto', roles))).events.map(
        ({ type, subject }) => `${type.slice(8)} ${subject}`,
      )
    expect(await seenBy('Subscriber')).toHaveLength(7)
    expect(await seenBy('Narrow')).toEqual([
      'user.Created otto',
      'glossary.Created g',
      ...(Array(3).fill('glossary.Updated g') as string[]),
    ])
    expect(await seenBy('Own')).toEqual(['glossary.Created g', 'glossary.Updated g', 'glossary.Updated g'])
    const token = tokenFor('otto', ['Narrow'])
    expect((await call('GET', '/v1/events?kind=team', undefined, { token })).status).toBe(403)
    for (const path of ['/v1/events', '/v1/events/stream']) {
      expect((await call('GET', path, undefined, { token: tokenFor('c', ['DataConsumer']) })).status).toBe(403)
      expect((await call('GET', path, undefined, { token: null })).status).toBe(401)
    }
  })

  test('is sent what a team owns while belonging to it, whenever the stream or the long poll began', async () => {
    const policies = await temporaryFile(`roles:
  Own:
    - { effect: allow, operations: [feed, view], kinds: ['*'], condition: isOwner }
`)
    const { url, call } = await setUp({ CATALOG_POLICIES_FILE: policies })
    await call('POST', '/v1/users', { name: 'otto' })
    await call('POST', '/v1/teams', { name: 'crew' })
    await call('POST', '/v1/glossaries', { name: 'g', owners: ['crew'] })
    const own = (name: string) => call('POST', '/v1/glossaries', { name, owners: ['otto'] })
    const token = tokenFor('otto', ['Own'])
    const describe = async (description: string) => call('PUT', '/v1/glossaries', { name: 'g', description })
    const follow = async () => {
      const stream = await openStream(url, '?after=latest&kind=glossary', bearer(token))
      const poll = call('GET', '/v1/events?after=latest&kind=glossary&wait=20', undefined, { token })
      return { stream, poll }
    }
    const outside = await follow()
    await describe('unseen')
    await call('PUT', '/v1/users', { name: 'otto', teams: ['crew'] })
    await describe('seen')
    await own('first')
    const seen = { subject: 'g', data: { set: { description: 'seen' } } }
    expect((await outside.stream.next())?.data).toMatchObject(seen)
    expect((await outside.poll).body.data).toMatchObject([seen])
    outside.stream.leave()
    const inside = await follow()
    await call('POST', '/v1/glossaries', { name: 'of nobody' })
    await call('PUT', '/v1/users', { name: 'otto', teams: null })
    await describe('left')
    await own('second')
    expect((await inside.stream.next())?.data).toMatchObject({ subject: 'second' })
    expect((await inside.poll).body.data).toMatchObject([{ subject: 'second' }])
    inside.stream.leave()
  })
})

describe('streaming', () => {
  test('goes on where Last-Event-ID or after say, and then as things happen', async () => {
    const { url, call, before } = await setUp()
    for (const name of ['a', 'b', 'c']) await call('POST', '/v1/glossaries', { name })
    const first = await openStream(url, `?after=${before}`, bearer(subscriber))
    expect(first.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const a = await first.next()
    expect(a?.data['subject']).toBe('a')
    first.leave()
    const second = await openStream(url, '?after=latest', { ...bearer(subscriber), 'Last-Event-ID': a?.id ?? '' })
    expect((await second.next())?.data['subject']).toBe('b')
    expect((await second.next())?.data['subject']).toBe('c')
    await call('POST', '/v1/glossaries', { name: 'd' })
    expect((await second.next())?.data).toMatchObject({ subject: 'd', type: 'catalog.glossary.Created' })
    second.leave()
  })

  test('brings of what happens only what was asked for', async () => {
    const { url, call, before } = await setUp()
    const zoe = { token: tokenFor('zoe', ['Admin']) }
    await call('POST', '/v1/glossaries', { name: 'm' })
    await call('PUT', '/v1/glossaries', { name: 'm', description: 'd' }, zoe)
    const stream = await openStream(url, `?after=${before}&user=zoe&changed=description`)
    expect((await stream.next())?.data).toMatchObject({ subject: 'm', actor: 'zoe' })
    await call('PUT', '/v1/glossaries', { name: 'm', description: 'e' })
    await call('PUT', '/v1/glossaries', { name: 'm', displayName: 'A' }, zoe)
    await call('POST', '/v1/glossaries', { name: 'n' }, zoe)
    await call('PUT', '/v1/glossaries', { name: 'n', description: 'f' }, zoe)
    expect((await stream.next())?.data).toMatchObject({
      subject: 'n',
      actor: 'zoe',
      data: { set: { description: 'f' } },
    })
    stream.leave()
    const { status, body } = await call('GET', '/v1/events/stream?until=2030-01-01')
    expect([status, body.errors[0].path]).toEqual([400, '?until'])
  })

  test.each(['as it happens', 'from the log'])(
    'names nothing of a kind that the caller may not view, %s',
    async (how) => {
      const policies = await temporaryFile(`roles:
  NoTeams:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: [view], kinds: [team] }
`)
      const { url, call, before } = await setUp({ CATALOG_POLICIES_FILE: policies })
      const write = async () => {
        await call('POST', '/v1/teams', { name: 'crew' })
        await call('POST', '/v1/glossaries', { name: 'g', owners: ['crew'] })
        await call('PUT', '/v1/glossaries', { name: 'g', owners: ['crew', 'admin'] })
        await call('POST', '/v1/glossaries', { name: 'h', owners: ['admin'] })
      }
      if (how === 'from the log') await write()
      const callers = [tokenFor('bea', ['NoTeams']), adminToken]
      const streams = await Promise.all(
        callers.map((token) => openStream(url, `?after=${before}&kind=glossary`, bearer(token))),
      )
      if (how === 'as it happens') await write()
      const [some, all] = await Promise.all(
        streams.map(async (stream) => {
          const events = [await stream.next(), await stream.next(), await stream.next()]
          stream.leave()
          return JSON.stringify(events)
        }),
      )
      expect(all?.match(/"fullyQualifiedName":"\w+"/g)).toEqual(
        ['crew', 'crew', 'admin', 'admin'].map((name) => `"fullyQualifiedName":"${name}"`),
      )
      const ofCrew = /"id":"[^"]+","type":"team","fullyQualifiedName":"(?:crew|\*{8})"/g
      expect(some?.match(ofCrew)?.every((text) => text.includes('"********"'))).toBe(true)
      expect(some?.replaceAll(ofCrew, '')).toBe(all?.replaceAll(ofCrew, ''))
    },
  )

  test('ends when the token does, and a new connection is then refused', async () => {
    const { url } = shared
    // Clocks may differ by 60 seconds: such a token is accepted for about two more, unless the machine is busy for longer.
    const { headers, stream } = await waitFor(async () => {
      const own = bearer(tokenFor('sue', ['Subscriber'], -57))
      const opened = await openStream(url, '?after=latest', own)
      expect(opened.status).toBe(200)
      return { headers: own, stream: opened }
    })
    expect(await stream.next()).toBeUndefined()
    expect((await fetch(`${url}/api/v1/events/stream`, { headers })).status).toBe(401)
  })

  test('a Last-Event-ID that is not a position of the log is 400', async () => {
    const { url } = shared
    for (const id of ['x', '', '-1', '1 2', '999999999999']) {
      const answer = await fetch(`${url}/api/v1/events/stream`, { headers: { ...bearer(), 'Last-Event-ID': id } })
      expect([id, answer.status]).toEqual([id, 400])
      expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/^Last-Event-ID: /), errors: [] })
    }
  })

  test('ends when the service stops, and so do long polls', async () => {
    const service = await startInProcess()
    const stream = await openStream(service.url, '?after=latest')
    const poll = service.call('GET', '/v1/events?after=latest&wait=25')
    for (let times = 0; times < 3; times++) await service.call('GET', '/v1/system/version')
    const begun = performance.now()
    await service.close()
    expect(await stream.next()).toBeUndefined()
    expect((await poll).body.data).toEqual([])
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  test('one caller has at most 64 streams and long polls, and goes on with everything else', async () => {
    const { url, call } = await setUp()
    const headers = bearer(tokenFor('greedy', ['Admin']))
    const open = () => openStream(url, '?after=latest&kind=glossary', headers)
    const streams = await Promise.all(Array.from({ length: 64 }, open))
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await fetch(`${url}/api/v1/events/stream`, { headers })
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'TOO_MANY_REQUESTS' }])
    expect((await fetch(`${url}/api/v1/events?after=latest&wait=1`, { headers })).status).toBe(429)
    expect((await fetch(`${url}/api/v1/glossaries?limit=0`, { headers })).status).toBe(200)
    expect((await call('GET', '/v1/events?after=latest&wait=1')).status).toBe(200)
    streams[0]?.leave()
    await expect.poll(async () => (await open()).status).toBe(200)
    for (const stream of streams) stream.leave()
  })

  test('many who follow get the same', async () => {
    // The service is another process, so that each of both has the files of its own that its limit allows.
    const data = temporaryDataDir()
    const { url, call, stop } = await startBuilt(data.path)
    onTestFinished(async () => {
      await stop()
      await data.remove()
    })
    const wanted = thorough ? 1000 : 200
    const count = Math.min(wanted, openFiles() - 150)
    if (count < wanted)
      console.warn(`only ${count} of ${wanted} followers: this system lets a process open ${openFiles()} files`)
    const readers = await Promise.all(
      Array.from({ length: count }, (_, at) =>
        openStream(url, '?after=latest&kind=glossary', bearer(tokenFor(`follower${at % 20}`, ['Admin']))),
      ),
    )
    for (const name of ['a', 'b']) await call('POST', '/v1/glossaries', { name })
    for (const reader of readers) {
      expect((await reader.next())?.data['subject']).toBe('a')
      expect((await reader.next())?.data['subject']).toBe('b')
      reader.leave()
    }
  })

  test('who does not read holds up nobody and little memory', async () => {
    const { url, call, before } = await setUp()
    const { port } = new URL(url)
    const lazy = connect(Number(port), '127.0.0.1')
    lazy.pause()
    lazy.write(`GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`)
    const description = 'x'.repeat(500_000)
    for (let index = 0; index < 40; index++)
      await call('PUT', '/v1/glossaries', { name: 'g', description: `${index}${description}` })
    const stream = await openStream(url, `?after=${before}`)
    for (let index = 0; index < 40; index++) expect((await stream.next())?.data['subject']).toBe('g')
    stream.leave()
    lazy.destroy()
  })
})
