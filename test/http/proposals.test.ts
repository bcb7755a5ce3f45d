import { expect, it, onTestFinished } from 'vitest'
import { kinds } from '../../src/kinds/registry/kinds.ts'
import { bearer, openStream } from '../support/running.ts'
import { answered, as, merge, pagesOf, type Prepared, problem, schemaOfPg, useHttp } from './support.ts'

const policies = `roles:
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [table] }
  NoTeams:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [team] }
  Owners:
    - { effect: allow, operations: ['*'], kinds: [${kinds.map(({ name }) => name).filter((name) => name !== 'table')}] }
    - { effect: allow, operations: ['*'], kinds: [table], condition: isOwner }
  Loader:
    - { effect: allow, operations: [view, create], kinds: ['*'] }
    - { effect: allow, operations: [edit], kinds: ['*'], condition: notWrittenByPeople }
  Officer:
    - { effect: allow, operations: [view, manage], kinds: ['*'] }
needsApproval:
  - { kinds: [glossaryTerm], members: [description] }
  - { kinds: ['*'], members: [tags], domains: [finance] }
  - { kinds: [dataProduct, lineage], members: ['*'] }
  - { kinds: [dataContract], members: [sla] }
  - { kinds: [user], members: ['*'] }
`

const [ann, bob, carl] = [as('ann', 'DataConsumer'), as('bob', 'DataConsumer'), as('carl', 'DataSteward')]
const editor = as('ed', 'Ingestion')

const made: NonNullable<Prepared['made']> = [
  ...['ann', 'bob', 'carl', 'dora'].map((name): [string, object] => ['users', { name }]),
  ['domains', { name: 'finance' }],
  ['domains', { name: 'tax', parent: 'finance' }],
  ['classifications', { name: 'PII' }],
  ['tags', { name: 'Sensitive', classification: 'PII' }],
  ['glossaries', { name: 'Words' }],
  ...schemaOfPg,
]

const http = useHttp({ policies, made })

let tables = 0

/** A table that bob owns. */
const newTable = async (more: object = {}) => {
  const body = { name: `t${tables++}`, databaseSchema: 'pg.db.s', owners: ['bob'], description: 'first', ...more }
  return await http.post('/v1/tables', body)
}

const propose = async (id: string, patch: unknown, options: object = ann, comment?: string) =>
  await http.post(`/v1/tables/${id}/proposals`, { patch, comment }, options)
const put = (proposal: { id: string }, verb: string, body: unknown, options: object) =>
  http.call('PUT', `/v1/proposals/${proposal.id}/${verb}`, body, options)
const get = (path: string, options: object = {}) => http.get(`/v1/${path}`, options)

it('no answer to an acceptance or a revert names what its reader may not view', async () => {
  const blind = as('dora', 'NoTeams')
  const { id: crew } = await http.post('/v1/teams', { name: 'secretCrew' })
  const table = await newTable()
  const proposal = await propose(table.id, { owners: ['secretCrew'] })
  await http.patch(`/v1/tables/${table.id}`, { owners: ['secretCrew'] })
  const change = { owners: [] }
  const { headers } = await answered(200, http.call('PATCH', `/v1/tables/${table.id}`, change, merge))
  const { version } = await get(`tables/${table.id}/versions/0.2`, blind)
  const answers = [
    await put(await propose(table.id, { owners: ['secretCrew'] }), 'accept', {}, blind),
    await put(proposal, 'accept', {}, blind),
    await http.call('POST', `/v1/tables/${table.id}/revert`, { version }, blind),
    await http.call('POST', `/v1/requests/${headers.get('x-request-id')}/revert`, undefined, blind),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 200, 200])
  expect(
    answers.map(({ body }) => JSON.stringify(body)).filter((text) => /secretCrew/.test(text) || text.includes(crew)),
  ).toEqual([])
})

it('a page of proposals after those that are open is empty, also where others were decided meanwhile', async () => {
  const eve = as('eve', 'DataConsumer')
  const made = [await newTable(), await newTable()]
  for (const table of made) await propose(table.id, { description: 'second' }, eve)
  const page = await get('proposals?role=mine&status=open&limit=1', eve)
  const [shown] = page.data
  const other = made.find(({ id }) => id !== shown.entity.id) as { id: string }
  const { data } = await get(`tables/${other.id}/proposals`, bob)
  await answered(200, put(data[0], 'refuse', { reason: 'no' }, bob))
  const next = await get(`proposals?role=mine&status=open&limit=1&after=${encodeURIComponent(page.paging.after)}`, eve)
  expect(next).toEqual({ data: [], paging: {} })
})

it('who may view but not edit proposes; the entity stays as it is until its owner accepts', async () => {
  const table = await newTable()
  await http.refuses('FORBIDDEN', 'PATCH', `/v1/tables/${table.id}`, '{"description":"second"}', { ...merge, ...ann })
  const proposal = await propose(table.id, { description: 'second' }, ann, 'clearer')
  expect(proposal).toMatchObject({
    entity: { type: 'table', fullyQualifiedName: table.fullyQualifiedName },
    proposer: 'ann',
    status: 'open',
    comment: 'clearer',
    change: { set: { description: 'second' }, unset: [] },
    members: ['description'],
    mayDecide: false,
  })
  const before = await http.call('GET', `/v1/tables/${table.id}`)
  expect([before.body.description, before.body.version]).toEqual(['first', table.version])
  expect(before.headers.get('etag')?.split('-')[0]).toBe(
    (await http.call('GET', `/v1/tables/name/${table.fullyQualifiedName}`)).headers.get('etag')?.split('-')[0],
  )
  const accepted = (await answered(200, put(proposal, 'accept', {}, bob))).body
  expect(accepted).toMatchObject({ status: 'accepted', decidedBy: 'bob', accepted: 1, mayDecide: false })
  const after = await get(`tables/${table.id}`)
  expect([after.description, after.version, after.updatedBy]).toEqual(['second', 0.2, 'bob'])
  const [, event] = (await get(`tables/${table.id}/history`)).data
  expect(event).toMatchObject({ user: 'bob', proposal: { id: proposal.id, proposer: 'ann' } })
  expect((await get(`tables/${table.id}?provenance=true`)).provenance.description).toMatchObject({
    user: 'bob',
    proposer: 'ann',
  })
  const [fed] = (await get(`events?entityId=${table.id}&type=Updated`)).data
  expect(fed).toMatchObject({ actor: 'bob', proposalid: proposal.id, proposer: 'ann' })
  const [told] = (await get(`activity?entityId=${table.id}`)).data
  expect(told.summary).toBe('Changed description. Proposed by ann.')
  expect((await get(`tables/${table.id}?asOf=v0.1`)).description).toBe('first')
})

it('a patch is checked at once as PATCH checks it, and nothing is written', async () => {
  const table = await newTable()
  const refused = (patch: unknown) => http.refused('POST', `/v1/tables/${table.id}/proposals`, { patch }, ann)
  await problem(400, 'BAD_REQUEST', refused({ description: 7 }))
  await problem(400, 'BAD_REQUEST', refused({ tags: [{ tagFQN: 'PII.None' }] }))
  await problem(400, 'BAD_REQUEST', refused({ colour: 'red' }))
  await problem(400, 'BAD_REQUEST', refused({ description: 'first' }))
  await problem(409, 'CONFLICT', refused([{ op: 'test', path: '/description', value: 'other' }]))
  const blind = as('x', 'NoTables')
  await http.refuses('FORBIDDEN', 'POST', `/v1/tables/${table.id}/proposals`, { patch: {} }, blind)
  const users = await get('users/name/dora')
  await http.refuses('BAD_REQUEST', 'POST', `/v1/users/${users.id}/proposals`, { patch: { displayName: 'Dora' } }, ann)
})

it('who may not view an asset neither writes nor proposes what its contract says of it', async () => {
  const table = await newTable({ columns: [{ name: 'salary', dataType: 'INT' }] })
  const contract = await http.post('/v1/dataContracts', { name: 'pay', entity: { id: table.id, type: 'table' } })
  const blind = as('x', 'NoTables')
  const schema = (name: string) => ({ schema: [{ name, dataType: 'INT' }] })
  const path = `/v1/dataContracts/${contract.id}`
  for (const said of [schema('salary'), schema('bonus'), { semantics: [{ name: 'r', rule: 'true' }] }]) {
    await problem(403, 'FORBIDDEN', http.refused('PATCH', path, said, { ...blind, ...merge }))
    await problem(403, 'FORBIDDEN', http.refused('POST', `${path}/proposals`, { patch: said }, blind))
  }
})

it('with If-Match nobody proposes to replace what he has not seen', async () => {
  const table = await newTable()
  const etag = (await http.call('GET', `/v1/tables/${table.id}`)).headers.get('etag') ?? ''
  const propose = (ifMatch: string) =>
    http.call(
      'POST',
      `/v1/tables/${table.id}/proposals`,
      { patch: { description: 'carl’s' } },
      { ...ann, headers: { 'if-match': ifMatch } },
    )
  await http.call('PATCH', `/v1/tables/${table.id}`, { description: 'second' }, merge)
  expect((await propose(etag)).status).toBe(412)
  const now = (await http.call('GET', `/v1/tables/${table.id}`)).headers.get('etag') ?? ''
  expect((await propose(now)).status).toBe(201)
})

it('a JSON Patch, by name; tags are kept as references and shown as they are', async () => {
  const table = await newTable({ columns: [{ name: 'mail', dataType: 'STRING' }] })
  const path = `/v1/tables/name/${table.fullyQualifiedName}/proposals`
  const patch = [{ op: 'add', path: '/columns/0/tags', value: [{ tagFQN: 'PII.Sensitive' }] }]
  const body = await http.post(path, { patch }, ann)
  expect(body.change.set.columns[0].tags[0]).toMatchObject({ type: 'tag', fullyQualifiedName: 'PII.Sensitive' })
  await answered(200, put(body, 'accept', undefined, bob))
  expect((await get(`tables/${table.id}`)).columns[0].tags[0].tagFQN).toBe('PII.Sensitive')
})

it('neither the proposer nor who may not edit decides; who proposed may withdraw', async () => {
  const table = await newTable()
  const proposal = await propose(table.id, { description: 'second' })
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, ann)
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, as('eve', 'DataConsumer'))
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/withdraw`, {}, bob)
  expect((await answered(200, put(proposal, 'withdraw', { reason: 'mistaken' }, ann))).body).toMatchObject({
    status: 'withdrawn',
    decidedBy: 'ann',
    reason: 'mistaken',
  })
  await problem(409, 'CONFLICT', put(proposal, 'accept', {}, bob))
  const own = await propose(table.id, { description: 'mine' }, bob)
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${own.id}/accept`, {}, bob)
  expect((await answered(200, put(own, 'refuse', { reason: 'no' }, carl))).body).toMatchObject({
    status: 'refused',
    reason: 'no',
  })
  await problem(409, 'CONFLICT', put(own, 'withdraw', undefined, bob))
  expect((await get(`tables/${table.id}`)).version).toBe(0.1)
})

it('where the members have changed since, accepting says what and by whom; an amendment is accepted', async () => {
  const table = await newTable()
  const proposal = await propose(table.id, { description: 'second', displayName: 'T' })
  await http.patch(`/v1/tables/${table.id}`, '{"tableType":"View"}')
  await http.patch(`/v1/tables/${table.id}`, '{"description":"other"}', editor)
  const { message } = await problem(409, 'CONFLICT', put(proposal, 'accept', {}, bob))
  expect(message).toMatch(/others changed description by ed at .* \(revision 2\)/)
  const { body } = await answered(200, put(proposal, 'accept', { patch: { description: 'both' } }, bob))
  expect(body).toMatchObject({ status: 'accepted', amended: true, accepted: 3 })
  expect(await get(`tables/${table.id}`)).toMatchObject({ description: 'both', tableType: 'View', version: 0.4 })
  expect((await get(`tables/${table.id}/history`)).data[3].proposal).toEqual({
    id: proposal.id,
    proposer: 'ann',
    amended: true,
  })
})

it('an amendment changes more than was proposed only for who may edit it', async () => {
  const [table, other] = [await newTable(), await newTable()]
  const [proposal, second] = [
    await propose(table.id, { displayName: 'T' }),
    await propose(other.id, { displayName: 'T' }),
  ]
  const patch = { displayName: 'U', owners: ['ann'], tags: ['PII.Sensitive'] }
  const { message } = await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, { patch }, bob)
  expect(message).toBe(
    `Your roles do not allow you to change more than was proposed: owners and tags of table ${table.fullyQualifiedName}.`,
  )
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, { patch: { description: 'x' } }, bob)
  await answered(200, put(proposal, 'accept', { patch: { displayName: 'U' } }, bob))
  await answered(200, put(second, 'accept', { patch }, carl))
  expect(await get(`tables/${table.id}`)).toMatchObject({ displayName: 'U', owners: [{ name: 'bob' }] })
  expect(await get(`tables/${other.id}`)).toMatchObject({ displayName: 'U', owners: [{ name: 'ann' }] })
})

it('who may approve accepts what changes the words of people; a program that may only edit does not', async () => {
  const loader = as('loader', 'Loader')
  const table = await newTable()
  const proposal = await propose(table.id, { description: 'second' })
  const unwritten = await propose(table.id, { displayName: 'T' })
  const { message } = await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, loader)
  expect(message).toContain('what people wrote: description of table')
  await answered(200, put(unwritten, 'accept', {}, loader))
  await answered(200, put(proposal, 'accept', {}, bob))
})

it('tokens and sessions are nobody’s words, and need no second person', async () => {
  const officer = as('olga', 'Officer')
  await http.post('/v1/tokens', { name: 'revocable', roles: ['DataConsumer'] })
  const ending = (path: string, options: object) =>
    answered(204, http.call('DELETE', `/v1/${path}`, undefined, options))
  await ending('tokens/revocable', officer)
  await ending('sessions', as('dora', 'DataConsumer'))
  await ending('sessions/dora', officer)
  const { message } = await http.refuses(
    'FORBIDDEN',
    'PATCH',
    '/v1/users/name/dora',
    { displayName: 'Dora' },
    { ...merge, ...editor },
  )
  expect(message).toContain('Changes of displayName of user dora need a second person')
})

it('lists: of the entity, mine to decide, and mine', async () => {
  const table = await newTable()
  const [first, second] = [
    await propose(table.id, { description: 'one' }),
    await propose(table.id, { displayName: 'two' }),
  ]
  await answered(200, put(first, 'refuse', {}, bob))
  const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  const ofTable = await get(`tables/${table.id}/proposals`, ann)
  expect([ids(ofTable), ofTable.paging]).toEqual([[second.id, first.id], { total: 2 }])
  expect(ids(await get(`tables/${table.id}/proposals?status=open`, ann))).toEqual([second.id])
  const paged = await get(`tables/${table.id}/proposals?limit=1`, ann)
  expect(
    ids(await get(`tables/${table.id}/proposals?limit=1&after=${encodeURIComponent(paged.paging.after)}`, ann)),
  ).toEqual([first.id])
  expect(ids(await get('proposals', bob))).toContain(second.id)
  expect(ids(await get('proposals', bob))).not.toContain(first.id)
  expect(ids(await get('proposals', carl))).toContain(second.id)
  expect(ids(await get('proposals', ann))).toEqual([])
  expect(ids(await get('proposals?role=mine&status=refused&limit=1', ann))).toEqual([first.id])
  const walked: string[] = []
  for await (const page of pagesOf((after) => get(`proposals?role=mine&limit=2${after}`, ann)))
    walked.push(...ids(page))
  expect(walked).toEqual([...new Set(walked)])
  expect(walked.slice(0, 2)).toEqual([second.id, first.id])
})

it('who may not view what a proposal is about learns nothing of it, nor does search', async () => {
  const blind = as('max', 'NoTables')
  const table = await newTable()
  const proposal = await propose(table.id, { description: 'second' })
  await http.refuses('NOT_FOUND', 'GET', `/v1/proposals/${proposal.id}`, undefined, blind)
  await http.refuses('NOT_FOUND', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, blind)
  expect(JSON.stringify(await get('proposals?limit=100', blind))).not.toContain(table.name)
  const found = await get(`search/query?q=${proposal.id}&size=100`)
  expect(found.hits.total.value).toBe(0)
})

it('the feed, activity and the schemas of events have proposals, for those who may view what any is about', async () => {
  const { after } = (await get('events?after=latest')).paging
  const table = await newTable({ owners: ['bob'] })
  const proposal = await propose(table.id, { description: 'seen by few' })
  await answered(200, put(proposal, 'accept', {}, bob))
  const ways = [
    `events?entityId=${proposal.id}`,
    'events?kind=proposal&limit=1000',
    'events?limit=1000',
    'activity?limit=1000',
  ]
  for (const way of ways) {
    const { data } = await get(way)
    const about = data.filter((one: { entityid?: string; entity?: { id: string } }) =>
      [one.entityid, one.entity?.id].includes(proposal.id),
    )
    expect([way, about.map(({ type }: { type: string }) => type.split('.').at(-1)).toSorted()]).toEqual([
      way,
      ['Created', 'Updated'],
    ])
  }
  const [created] = (await get(`events?entityId=${proposal.id}`)).data
  expect(created.data.members.change.set).toEqual({ description: 'seen by few' })
  expect((await get('events/schemas/proposal/Created')).title).toBe('proposal.Created')
  for (const options of [as('bob', 'Owners'), as('max', 'NoTables'), as('max', 'Owners')]) {
    await http.refuses('FORBIDDEN', 'GET', '/v1/events?kind=proposal', undefined, options)
    const shown = await Promise.all(
      [`events?entityId=${proposal.id}`, 'events?limit=1000', 'activity?limit=1000'].map((way) => get(way, options)),
    )
    expect(JSON.stringify(shown)).not.toMatch(/catalog\.proposal\.|"type":"proposal"/)
  }
  expect(JSON.stringify(await get('events?limit=1000', as('max', 'Owners')))).not.toContain('seen by few')
  const marker = await http.post('/v1/glossaries', { name: 'marker' })
  for (const options of [as('max', 'NoTables'), as('max', 'Owners')]) {
    const stream = await openStream(http.url, `?after=${after}`, bearer(options.token))
    onTestFinished(stream.leave)
    expect((await stream.next())?.data).toMatchObject({ type: 'catalog.glossary.Created', entityid: marker.id })
  }
})

it('members that need a second person: who may not approve is sent to proposals, by every way to write', async () => {
  const term = await http.post('/v1/glossaryTerms', { name: 'Net', glossary: 'Words', description: 'a' })
  const body = { name: 'Net', glossary: 'Words', description: 'b' }
  const { message } = await http.refuses('FORBIDDEN', 'PATCH', `/v1/glossaryTerms/${term.id}`, '{"description":"b"}', {
    ...merge,
    ...editor,
  })
  expect(message).toContain(`POST /v1/glossaryTerms/${term.id}/proposals`)
  await http.refuses('FORBIDDEN', 'PUT', '/v1/glossaryTerms', body, editor)
  await http.patch(`/v1/glossaryTerms/${term.id}`, '{"displayName":"N"}', editor)
  const proposal = await http.post(`/v1/glossaryTerms/${term.id}/proposals`, { patch: { description: 'b' } }, editor)
  const other = as('other', 'Ingestion')
  for (const [options, may] of [
    [other, false],
    [carl, true],
  ] as const) {
    expect(await get(`proposals/${proposal.id}`, options)).toMatchObject({ mayDecide: may })
    const listed = (await get('proposals', options)).data as { id: string }[]
    expect(listed.some(({ id }) => id === proposal.id)).toBe(may)
  }
  const unguarded = await http.post(`/v1/glossaryTerms/${term.id}/proposals`, { patch: { displayName: 'M' } }, editor)
  expect(await get(`proposals/${unguarded.id}`, other)).toMatchObject({ mayDecide: true })
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, other)
  await answered(200, put(proposal, 'accept', {}, carl))
  expect((await get(`glossaryTerms/${term.id}`)).description).toBe('b')
  const taxed = await newTable({ domains: ['finance.tax'] })
  const tags = '{"tags":[{"tagFQN":"PII.Sensitive"}]}'
  await http.refuses('FORBIDDEN', 'PATCH', `/v1/tables/${taxed.id}`, tags, { ...merge, ...editor })
  await http.patch(`/v1/tables/${(await newTable()).id}`, tags, editor)
})

it('tags that need a second person are those of columns and fields, too, by every way to write', async () => {
  const tags = ['PII.Sensitive']
  const column = (name: string, more: object = {}) => ({ name, dataType: 'STRUCT', ...more })
  const columns = [column('iban', { tags }), column('place', { children: [column('zip', { tags }), column('city')] })]
  const table = await newTable({ domains: ['finance.tax'], columns })
  const body = { name: table.name, databaseSchema: 'pg.db.s' }
  const changed = [
    [column('iban', { tags: [] }), column('place')],
    [column('iban'), column('place', { children: [column('zip', { tags: [] }), column('city')] })],
    [column('iban'), column('place', { children: [column('zip'), column('city', { tags })] })],
    [column('place')],
    [...columns, column('more', { tags })],
  ]
  const places = ['iban', 'place.zip', 'place.city', 'iban', 'more']
  for (const [at, wanted] of changed.entries()) {
    const { message } = await http.refuses('FORBIDDEN', 'PUT', '/v1/tables', { ...body, columns: wanted }, editor)
    expect(message).toContain(
      `Changes of columns.${places[at]}.tags of table ${table.fullyQualifiedName} need a second`,
    )
  }
  const untagged = { columns: [column('iban'), column('place')] }
  await http.refuses('FORBIDDEN', 'PATCH', `/v1/tables/${table.id}`, untagged, { ...merge, ...editor })
  const { failedRequest } = await http.put('/v1/tables/bulk', [{ ...body, columns: changed[0] }], editor)
  expect(failedRequest).toEqual([expect.objectContaining({ status: 403 })])
  await http.put('/v1/tables', { ...body, columns: [column('more'), ...columns.toReversed()] }, editor)

  const [proposal, harmless] = [
    await propose(table.id, untagged),
    await propose(table.id, { columns: [...columns, column('more', { description: 'x' })] }),
  ]
  for (const [by, first, second] of [
    [editor, false, true],
    [carl, true, true],
  ] as const) {
    expect(await get(`proposals/${proposal.id}`, by)).toMatchObject({ mayDecide: first })
    expect(await get(`proposals/${harmless.id}`, by)).toMatchObject({ mayDecide: second })
  }
  await http.refuses('FORBIDDEN', 'PUT', `/v1/proposals/${proposal.id}/accept`, {}, editor)
  await answered(200, put(harmless, 'accept', {}, editor))
  const { version } = await get(`tables/${table.id}`)
  await http.patch(`/v1/tables/${table.id}`, untagged, carl)
  await http.refuses('FORBIDDEN', 'POST', `/v1/tables/${table.id}/revert`, { version }, editor)
})

it('a tag that is gone for good keeps nobody from changing columns that had it', async () => {
  await http.post('/v1/tags', { name: 'Passing', classification: 'PII' })
  const iban = { name: 'iban', dataType: 'STRING', tags: ['PII.Passing'] }
  const table = await newTable({ domains: ['finance'], columns: [iban] })
  const { id } = await get('tags/name/PII.Passing')
  await http.remove(`/v1/tags/${id}?hardDelete=true`)
  const columns = [{ name: 'iban', dataType: 'STRING', description: 'new' }]
  await http.patch(`/v1/tables/${table.id}`, { columns }, editor)
})

it('a domain that is gone for good asks for no second person, nor does another one of its name', async () => {
  const old = await http.post('/v1/domains', { name: 'leaving', parent: 'finance' })
  const table = await newTable({ domains: ['finance.leaving'] })
  const tag = (value: string, options: object) =>
    http.call('PATCH', `/v1/tables/${table.id}`, JSON.stringify({ tags: [value] }), { ...merge, ...options })
  await answered(403, tag('PII.Sensitive', editor))
  const proposal = await propose(table.id, { tags: ['PII.Sensitive'] })
  const mayDecide = async () => (await get(`proposals/${proposal.id}`, editor)).mayDecide
  expect(await mayDecide()).toBe(false)
  await http.remove(`/v1/domains/${old.id}?hardDelete=true`)
  expect(await mayDecide()).toBe(true)
  await http.post('/v1/domains', { name: 'leaving', parent: 'finance' })
  expect(await mayDecide()).toBe(true)
  await answered(200, put(proposal, 'accept', {}, editor))
  await answered(200, tag('PII.Sensitive', editor))
})

it('members that need a second person can neither be changed by their own routes: assets, ports and edges', async () => {
  await http.post('/v1/domains', { name: 'sales' })
  const product = await http.post('/v1/dataProducts', { name: 'kept', domains: ['sales'] })
  const [table, source] = [await newTable(), await newTable()]
  const state = (edges: object[], options: object) =>
    http.call('PUT', `/v1/lineage/table/${table.id}`, { edges }, options)
  await answered(200, state([{ from: source.fullyQualifiedName }], carl))
  const assets = [{ id: table.id, type: 'table' }]
  const change = (path: string, options: object) =>
    http.call('PUT', `/v1/dataProducts/${product.id}/${path}`, { assets }, options)
  for (const verb of ['add', 'remove'])
    for (const path of ['assets', 'inputPorts']) {
      const { body } = await answered(403, change(`${path}/${verb}`, editor))
      expect(body.message).toContain(`Changes of ${path} of dataProduct kept can only be made by`)
      await answered(200, change(`${path}/${verb}`, carl))
    }
  expect((await answered(403, state([], editor))).body.message).toMatch(/Changes of upstream .* may approve/)
  await answered(200, http.call('PUT', `/v1/dataProducts/${product.id}/vote`, { updatedVoteType: 'votedUp' }, editor))
})

it('who changes an entity at the same time as others may do what his own roles allow', async () => {
  const body = { name: 'Busy', glossary: 'Words', description: 'a' }
  const { id } = await http.post('/v1/glossaryTerms', body)
  const write = (by: object, description: string) =>
    http.call('PATCH', `/v1/glossaryTerms/${id}`, JSON.stringify({ description }), { ...merge, ...by })
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(
      [carl, editor, carl, editor, editor, carl].map((by, at) => write(by, `${round}.${at}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 200, 403, 403, 200])
  }
})

it('proposals of what is gone cannot be accepted', async () => {
  const table = await newTable()
  const late = await propose(table.id, { description: 'third' })
  await http.remove(`/v1/tables/${table.id}?hardDelete=true`)
  await http.post('/v1/tables', { name: table.name, databaseSchema: 'pg.db.s', owners: ['bob'] })
  await problem(409, 'CONFLICT', put(late, 'accept', {}, bob))
})

it('what somebody accepted as an owner or reviewer they can undo, and nothing else', async () => {
  const undo = (id: string, options: object) => http.call('POST', `/v1/requests/${id}/revert`, undefined, options)
  for (const people of [{ owners: ['bob'] }, { owners: ['carl'], reviewers: ['bob'] }]) {
    const body = { name: `Undone${tables++}`, glossary: 'Words', description: 'first', ...people }
    const { id } = await http.post('/v1/glossaryTerms', body)
    const term = `/v1/glossaryTerms/${id}`
    const proposal = await http.post(`${term}/proposals`, { patch: { description: 'second' } }, ann)
    await http.patch(term, { displayName: 'Changed beside it' })
    const { headers } = await answered(200, put(proposal, 'accept', {}, bob))
    const request = headers.get('x-request-id') as string
    await problem(404, 'NOT_FOUND', undo(request, as('dora', 'DataConsumer')))
    await answered(200, undo(request, bob))
    expect(await http.get(term)).toMatchObject({ description: 'first', displayName: 'Changed beside it' })
    await http.patch(term, { owners: ['ann'], reviewers: null })
    await problem(403, 'FORBIDDEN', undo(request, bob))
  }
  const table = await newTable()
  const { correlationId, token } = (await answered(201, http.call('POST', '/v1/requests', {}, bob))).body
  const joined = { headers: { 'catalog-request': token } }
  await answered(200, put(await propose(table.id, { description: 'second' }), 'accept', {}, { ...bob, ...joined }))
  const both = as('bob', 'Ingestion')
  const patched = { ...both, headers: { ...merge.headers, ...joined.headers } }
  await answered(200, http.call('PATCH', `/v1/tables/${table.id}`, { displayName: 'Edited' }, patched))
  await problem(403, 'FORBIDDEN', undo(correlationId, bob))
  await answered(200, undo(correlationId, both))
})

it('who has the name of somebody deleted for good gets nothing from a proposal that meant the former one', async () => {
  const { id } = await http.post('/v1/users', { name: 'ghost' })
  const [table, other] = [await newTable(), await newTable()]
  const [both, ghost] = [
    await propose(table.id, { owners: ['ghost', 'dora'] }),
    await propose(other.id, { owners: ['ghost'], displayName: 'T' }),
  ]
  await http.remove(`/v1/users/${id}?hardDelete=true`)
  await http.post('/v1/users', { name: 'ghost' })
  await answered(200, put(both, 'accept', {}, carl))
  expect((await get(`tables/${table.id}`)).owners).toEqual([expect.objectContaining({ name: 'dora' })])
  const { message } = await http.refuses('CONFLICT', 'PUT', `/v1/proposals/${ghost.id}/accept`, {}, carl)
  expect(message).toContain('Everything that the proposal names in owners has been hard-deleted')
  await answered(200, put(ghost, 'accept', { patch: { owners: ['ghost'] } }, carl))
  expect((await get(`tables/${other.id}`)).owners).toEqual([expect.objectContaining({ name: 'ghost' })])
})

it('what an imported document alone says needs a second person where any member of contracts does', async () => {
  const { id } = await newTable()
  const load = (level: string, options: object) =>
    http.call(
      'PUT',
      `/v1/dataContracts/odcs/yaml?entityId=${id}&entityType=table`,
      `apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: "1"\nstatus: draft\nslaProperties: [{property: ${level}}]\n`,
      { headers: { 'content-type': 'application/yaml' }, ...options },
    )
  const retention = 'retention, value: 3, unit: y'
  const { body } = await answered(201, load(retention, editor))
  await answered(200, load(retention, editor))
  const refused = await problem(403, 'FORBIDDEN', load('retention, value: 1, unit: y', editor))
  expect(refused.message).toContain('Changes of odcs of dataContract')
  expect(refused.message).toContain('can only be made by somebody who may approve changes of sla.')
  const mapped = await problem(403, 'FORBIDDEN', load('latency, value: 4, unit: h', editor))
  expect(mapped.message).toContain(`POST /v1/dataContracts/${body.id}/proposals`)
  await answered(200, load('retention, value: 1, unit: y', carl))
})
