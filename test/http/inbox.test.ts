import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { startMailServer } from '../support/mailServer.ts'
import { waitFor } from '../support/waitFor.ts'
import { answered, as, pagesOf, problem, schemaOfPg, testCaseOn, useHttp } from './support.ts'

const policies = `roles:
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [table] }
`

let mail: Awaited<ReturnType<typeof startMailServer>>
let endpoint: Server
const posted: { path: string; headers: Record<string, unknown>; body: never }[] = []
const refusals = new Map<string, number>()

const person = (name: string) => as(name, 'DataConsumer')
const [ann, bob] = [person('ann'), person('bob')]
const editor = as('ed', 'DataSteward')

const made: readonly (readonly [path: string, body: object])[] = [
  ['teams', { name: 'crew', teamType: 'Group' }],
  ...['ann', 'bob', 'cleo', 'dan'].map((name): [string, object] => [
    'users',
    { name, email: `${name}@example.org`, ...(name === 'cleo' && { teams: ['crew'] }) },
  ]),
  ...schemaOfPg,
  ['dataQuality/testSuites', { name: 'suite' }],
]

beforeAll(async () => {
  mail = await startMailServer()
  endpoint = createServer(async (request, response) => {
    const path = request.url as string
    const body = (await json(request)) as never
    const left = refusals.get(path) ?? 0
    refusals.set(path, left - 1)
    if (left <= 0) posted.push({ path, headers: request.headers, body })
    response.writeHead(left > 0 ? 500 : 200).end('ok')
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  await mail.close()
  endpoint.closeAllConnections()
  endpoint.close()
})

const http = useHttp({
  env: () => ({
    CATALOG_SMTP_URL: mail.url,
    CATALOG_MAIL_FROM: 'Catalog <catalog@example.org>',
    CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
    CATALOG_BASE_URL: 'https://catalog.example.org',
  }),
  policies,
  made,
})

const address = (path: string): string => `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}${path}`

let tables = 0

const newTable = (more: object = {}) => http.post('/v1/tables', tableBody(more))

const tableBody = (more: object) => ({
  name: `t${tables++}`,
  databaseSchema: 'pg.db.s',
  columns: [{ name: 'id', dataType: 'INT' }],
  ...more,
})

const describe = async ({ id }: { id: string }, description: string, options: object = editor) =>
  await http.patch(`/v1/tables/${id}`, { description }, options)

const inbox = (options: object, query = '') => http.get(`/v1/inbox?limit=100${query}`, options)

interface Entry {
  position: string
  concern: string
  summary: string
  read: boolean
  entity: { fullyQualifiedName: string }
}

/** What stands in an inbox about one entity, the newest first. */
const about = async ({ fullyQualifiedName }: { fullyQualifiedName: string }, options: object): Promise<Entry[]> =>
  (await inbox(options)).data.filter(({ entity }: Entry) => entity.fullyQualifiedName === fullyQualifiedName)

const said = (entries: Entry[]): string[] => entries.map(({ concern, summary }) => `${concern}: ${summary}`)

it('owners, their teams and followers are told what others do, and nobody what he does himself', async () => {
  const table = await newTable({ owners: [{ type: 'team', fullyQualifiedName: 'crew' }] })
  await describe(table, 'one')
  const me = await http.get('/v1/users/name/bob', bob)
  await http.put(`/v1/tables/${table.id}/followers`, JSON.stringify(me.id), bob)
  await describe(table, 'two')
  expect(said(await about(table, person('cleo')))).toEqual([
    'owned: Changed description.',
    'owned: Changed description.',
    'owned: Created.',
  ])
  expect(said(await about(table, bob))).toEqual(['followed: Changed description.'])
  expect(await about(table, editor)).toEqual([])
  expect(await about(table, ann)).toEqual([])
})

it('nobody decides what others follow who may not edit users', async () => {
  const table = await newTable({ owners: ['ann'] })
  const followers = `/v1/tables/${table.id}/followers`
  const { id } = await http.get('/v1/users/name/cleo')
  await http.refuses('FORBIDDEN', 'PUT', followers, JSON.stringify(id), bob)
  await http.refuses('FORBIDDEN', 'PUT', followers, JSON.stringify(id), editor)
  await http.put(followers, JSON.stringify(id))
  await http.refuses('FORBIDDEN', 'DELETE', `${followers}/${id}`, undefined, bob)
  expect((await http.remove(`${followers}/${id}`, person('cleo'))).followers).toEqual([])
})

it('nothing is told of what its reader may not view', async () => {
  const table = await newTable({ owners: ['dan'] })
  await describe(table, 'seen')
  expect(await about(table, person('dan'))).toHaveLength(2)
  const blind = await inbox(as('dan', 'NoTables'))
  expect([blind.data, blind.unread]).toEqual([[], 0])
})

it('whoever may decide is told of a proposal, and who made it of what became of it', async () => {
  const table = await newTable({ owners: ['bob'] })
  const patch = { description: 'better' }
  const proposal = await http.post(`/v1/tables/${table.id}/proposals`, { patch }, ann)
  const [told] = await about(table, bob)
  expect(told).toMatchObject({
    concern: 'proposed',
    proposal: proposal.id,
    summary: 'ann proposes to change description.',
    entity: { type: 'table' },
  })
  await http.put(`/v1/proposals/${proposal.id}/refuse`, { reason: 'no' }, bob)
  expect(said(await about(table, ann))).toEqual(['proposed: The proposal of ann to change description is refused.'])
  expect(said(await about(table, bob))).toContain('proposed: ann proposes to change description.')
})

it('a failed test is told to the owners of what it tests', async () => {
  const table = await newTable({ owners: ['bob'] })
  const made = await http.post('/v1/dataQuality/testCases', testCaseOn(table.fullyQualifiedName, 'count'))
  for (const [timestamp, status] of [
    [1_700_000_000_000, 'Success'],
    [1_700_000_100_000, 'Failed'],
  ])
    await http.put(`/v1/dataQuality/testCases/${made.id}/results`, { timestamp, status })
  expect(said(await about(made, bob))).toEqual(['failed: Run: Failed. Incident: open.'])
  await http.patch(`/v1/dataQuality/testCases/${made.id}`, { incident: { status: 'Resolved' } })
  expect(said(await about(made, bob))[0]).toBe('failed: Changed incident.')
})

it('what is not read is counted behind any number of entries that are', async () => {
  const kai = as('kai', 'Admin')
  await http.post('/v1/users', { name: 'kai', email: 'kai@example.org' })
  const tables = Array.from({ length: 1_150 }, (_, at) => ({
    name: `many${at}`,
    databaseSchema: 'pg.db.s',
    columns: [],
  }))
  for (const some of [tables.slice(0, 1_000), tables.slice(1_000)])
    await http.put(
      '/v1/tables/bulk',
      some.map((table) => ({ ...table, owners: ['kai'] })),
    )
  let left: unknown
  for (let after = '', page = 0; page < 11; page++) {
    const { data, paging } = await http.get(`/v1/inbox?limit=100${after}`, kai)
    after = `&after=${paging.after}`
    left = (await http.put('/v1/inbox/read', { positions: data.map(({ position }: Entry) => position) }, kai)).unread
  }
  expect([left, (await http.get('/v1/inbox', kai)).unread]).toEqual([50, 50])
})

it('what is read stays read after a restart, one by one and up to an entry', async () => {
  const table = await newTable({ owners: ['dan'] })
  for (const word of ['one', 'two', 'three']) await describe(table, word)
  const dan = person('dan')
  const read = (body: object) => http.call('PUT', '/v1/inbox/read', body, dan)
  const [newest, second] = (await inbox(dan)).data as [Entry, Entry]
  await answered(200, read({ upTo: second.position }))
  expect((await inbox(dan)).unread).toBe(1)
  expect(said((await inbox(dan, '&unread=true')).data)).toHaveLength(1)
  await answered(200, read({ positions: [newest.position] }))
  await describe(table, 'four')
  const after = (await inbox(dan)).data as Entry[]
  expect(after.slice(0, 3).map((entry) => entry.read)).toEqual([false, true, true])
  await problem(400, 'BAD_REQUEST', read({}))
  await problem(400, 'BAD_REQUEST', read({ upTo: '999999999' }))
  const before = await inbox(dan)
  await http.restart()
  expect(await inbox(dan)).toEqual(before)
})

it('pages follow each other without gap or repetition', async () => {
  const table = await newTable({ owners: ['ann'] })
  for (let at = 0; at < 5; at++) await describe(table, `${at}`)
  const all = (await inbox(ann)).data.map(({ position }: Entry) => position)
  const found: string[] = []
  for await (const { data } of pagesOf((after) => http.get(`/v1/inbox?limit=2${after}`, ann)))
    found.push(...data.map(({ position }: Entry) => position))
  expect(found).toEqual(all)
})

const deliver = (channel: string, body: object, options: object) =>
  http.call('PUT', `/v1/inbox/deliveries/${channel}`, body, options)

it('mail is refused to whoever has no address', async () => {
  const { errors } = await problem(400, 'BAD_REQUEST', deliver('email', {}, person('eve')))
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('no e-mail address') })])
})

it('mail is sent again until the server takes it, and once', async () => {
  const table = await newTable({ owners: ['ann'], name: 'mailed <b>' })
  mail.refuse(1)
  const { body } = await answered(200, deliver('email', { concerns: ['owned'] }, ann))
  expect(body).toMatchObject({ channel: 'email', when: 'atOnce', concerns: ['owned'], enabled: true })
  await describe(table, 'by mail')
  await waitFor(() => expect(mail.received.length > 0).toBe(true))
  await describe(table, 'by mail again')
  await waitFor(() => expect(mail.received.length > 1).toBe(true))
  const [first] = mail.received
  expect([first?.from, first?.to]).toEqual(['catalog@example.org', ['ann@example.org']])
  const source = first?.source.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? ''
  expect(source).toContain('mailed &lt;b&gt;')
  expect(source).not.toContain('<b>"')
  expect(source).toContain(`https://catalog.example.org/table/${encodeURIComponent(table.fullyQualifiedName)}`)
  expect(new Set(mail.received.map((one) => /^Message-ID:\s*(\S+)/im.exec(one.source)?.[1])).size).toBe(2)
  const list = await http.get('/v1/inbox/deliveries', ann)
  expect(list).toMatchObject({ mail: true, data: [{ channel: 'email', status: { deadLetters: 0 } }] })
  await answered(204, http.call('DELETE', '/v1/inbox/deliveries/email', undefined, ann))
})

it('Slack, Teams and other endpoints are sent what is new, in their own shape, also after a crash', async () => {
  const table = await newTable({ owners: ['bob'] })
  for (const channel of ['slack', 'teams', 'webhook'])
    await answered(200, deliver(channel, { endpoint: address(`/${channel}`) }, bob))
  refusals.set('/teams', 1_000)
  await describe(table, 'first')
  await waitFor(() => expect(posted.filter(({ path }) => path !== '/teams').length === 2).toBe(true))
  await waitFor(async () => {
    const { body } = await http.call('GET', '/metrics')
    expect(body).toContain('catalog_inbox_deliveries{channel="teams"} 1')
    expect(body).toContain('catalog_inbox_deliveries_failing{channel="teams"} 1')
    expect(body).toContain('catalog_inbox_deliveries_failing{channel="slack"} 0')
  })
  await http.restart(() => refusals.set('/teams', 0))
  await waitFor(() => expect(posted.some(({ path }) => path === '/teams')).toBe(true))
  const bodyTo = (path: string) => posted.find((one) => one.path === path)?.body as never
  const name = table.fullyQualifiedName
  const link = `https://catalog.example.org/table/${encodeURIComponent(name)}`
  expect(bodyTo('/slack')).toMatchObject({
    text: expect.stringContaining(`<${link}|${name}>: Changed description.`) as string,
  })
  expect(JSON.stringify(bodyTo('/teams'))).toContain(`(${link}): Changed description.`)
  expect(bodyTo('/webhook')).toMatchObject({ data: [{ concern: 'owned', entity: { fullyQualifiedName: name } }] })
  // A kill between a post and its checkpoint makes the post come twice: with the same id, and nothing else comes.
  for (const path of ['/slack', '/teams', '/webhook']) {
    const ids = posted.filter((one) => one.path === path).map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size, path).toBe(1)
  }
})

it('an endpoint can check that it is the catalog that posts', async () => {
  const { body } = await answered(200, deliver('webhook', { endpoint: address('/signed') }, person('cleo')))
  expect(body.endpoint).not.toContain('signed')
  await describe(await newTable({ owners: ['cleo'] }), 'signed')
  await waitFor(() => expect(posted.some(({ path }) => path === '/signed')).toBe(true))
  const one = posted.find(({ path }) => path === '/signed')
  const verify = () =>
    new Webhook(body.secret).verify(JSON.stringify(one?.body), one?.headers as Record<string, string>)
  expect(verify).not.toThrow()
  const again = await answered(200, deliver('webhook', { when: 'daily' }, person('cleo')))
  expect(again.body).toMatchObject({ when: 'daily', endpoint: body.endpoint })
  expect(again.body.secret).toBeUndefined()
})

it('somebody who has the name of a user that was hard-deleted is another person, with channels of his own', async () => {
  const dan = person('dan')
  await answered(200, deliver('webhook', { endpoint: address('/old') }, dan))
  const { id } = await http.get('/v1/users/name/dan')
  await http.call('DELETE', `/v1/users/${id}?hardDelete=true`)
  await http.post('/v1/users', { name: 'dan', email: 'other@example.org' })
  expect((await http.get('/v1/inbox/deliveries', dan)).data).toEqual([])
  await answered(200, deliver('webhook', { endpoint: address('/new') }, dan))
  const table = await newTable({ owners: ['dan'] })
  for (const [index, description] of ['first', 'second'].entries()) {
    await describe(table, description)
    await waitFor(() => expect(posted.filter(({ path }) => path === '/new').length > index + 1).toBe(true))
  }
  expect(posted.some(({ path }) => path === '/old')).toBe(false)
})

it('of whoever is gone or was forgotten no channel, dead letter or read mark is kept', async () => {
  const [fay, gus] = [person('fay'), person('gus')]
  const ids = new Map<string, string>()
  for (const name of ['fay', 'gus']) {
    ids.set(name, (await http.post('/v1/users', { name, email: `${name}@example.org` })).id)
    await describe(await newTable({ owners: [name] }), 'for them')
  }
  const channels = async (options: object): Promise<string[]> =>
    (await http.get('/v1/inbox/deliveries', options)).data.map(({ channel }: { channel: string }) => channel)
  mail.refuse(1_000)
  for (const one of [fay, gus]) {
    await answered(200, deliver('email', {}, one))
    const { data } = await inbox(one)
    await answered(200, http.call('PUT', '/v1/inbox/read', { upTo: data[0].position }, one))
  }
  await answered(200, http.call('POST', `/v1/users/${ids.get('fay')}/forget`))
  await answered(204, http.call('DELETE', `/v1/users/${ids.get('gus')}?hardDelete=true`))
  await waitFor(async () => expect(await channels(fay)).toEqual([]))
  expect((await inbox(fay)).unread).toBe(2)
  await waitFor(async () =>
    expect((await http.call('GET', '/metrics')).body).not.toMatch(/catalog_inbox_deliveries{channel="email"} [1-9]/),
  )
  mail.refuse(0)
})

it('deliveries of people are not webhooks, and wrong ones are refused', async () => {
  const body = await http.get('/v1/webhooks')
  expect(body.data).toEqual([])
  const wrong = await deliver('slack', {}, ann)
  expect([wrong.status, wrong.body.errors]).toEqual([wrong.status, [{ path: '/endpoint', message: 'is required' }]])
  const unknown = await deliver('pigeon', {}, ann)
  expect([unknown.status, unknown.body.message]).toEqual([
    404,
    'There is no channel pigeon. There are email, slack, teams, webhook.',
  ])
  expect((await http.call('DELETE', '/v1/inbox/deliveries/teams', undefined, ann)).status).toBe(404)
})
