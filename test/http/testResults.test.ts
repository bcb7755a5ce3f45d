import { expect, it, onTestFinished, vi } from 'vitest'
import { startInProcess } from '../support/running.ts'
import { answered, as, merge, paths, type Prepared, schemaOfPg, testCaseOn, useHttp } from './support.ts'

const at = '/v1/dataQuality/testCases'
const day = 24 * 60 * 60 * 1000
const begin = Date.UTC(2025, 0, 1)

const parameterValues = [{ name: 'value', value: '1' }]

const made: NonNullable<Prepared['made']> = [
  ...schemaOfPg,
  ['tables', { name: 't', databaseSchema: 'pg.db.s', columns: [{ name: 'id', dataType: 'INT' }] }],
  ['dataQuality/testSuites', { name: 'suite' }],
  ...['one', 'two', 'three', 'four'].map((name): [string, object] => [
    'dataQuality/testCases',
    testCaseOn('pg.db.s.t', name),
  ]),
]

const http = useHttp({ made })

const read = (path: string) => http.get(path)
const report = (name: string, body: object) => http.put(`${at}/name/pg.db.s.t.${name}/results`, body)

it('a failure opens an incident, a success resolves it, and each is an event that stands in the history', async () => {
  expect((await read(`${at}/name/pg.db.s.t.one`)).latestResult).toBeUndefined()
  await report('one', { status: 'Success', timestamp: begin })
  const failed = await report('one', { status: 'Failed', timestamp: begin + day, message: '3 rows too many' })
  expect(failed).toMatchObject({
    version: 0.1,
    latestResult: { status: 'Failed', timestamp: begin + day, message: '3 rows too many' },
    incident: { status: 'Open', openedAt: begin + day },
  })
  const position = await http.head()
  await report('one', { status: 'Failed', timestamp: begin + 2 * day })
  const fixed = await report('one', { status: 'Success', timestamp: begin + 3 * day })
  expect(fixed.incident).toEqual({
    status: 'Resolved',
    openedAt: begin + day,
    resolvedAt: begin + 3 * day,
    resolvedBy: 'admin',
  })
  expect(fixed.results.map(({ status }: { status: string }) => status)).toEqual([
    'Success',
    'Failed',
    'Failed',
    'Success',
  ])
  const then = await read(`${at}/name/pg.db.s.t.one?asOf=@${position}`)
  expect([then.incident.status, then.results.length]).toEqual(['Open', 2])
  const { data } = await read(`${at}/${fixed.id}/history`)
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['Created', ...Array(4).fill('Validated')])
})

it('what is reported without a time after the clock was set back is another run, newer than those in the log', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { call } = await startInProcess()
  for (const [path, body] of made) await call('POST', `/v1/${path}`, body)
  const put = async (name: string, body: object) =>
    (await call('PUT', `${at}/name/pg.db.s.t.${name}/results`, body)).body
  const putMany = (result: object) => call('PUT', `${at}/results`, [{ testCase: 'pg.db.s.t.three', ...result }])
  const ahead = Date.now() + 9 * 60_000
  vi.setSystemTime(ahead)
  await put('one', { status: 'Failed' })
  await put('two', { status: 'Success' })
  await putMany({ status: 'Failed' })
  vi.setSystemTime(ahead - 9 * 60_000)
  expect(await put('one', { status: 'Success' })).toMatchObject({
    results: [{ timestamp: ahead + 1 }, { status: 'Failed', timestamp: ahead }],
    latestResult: { status: 'Success', timestamp: ahead + 1 },
    incident: { status: 'Resolved', openedAt: ahead, resolvedAt: ahead + 1 },
  })
  expect((await put('two', { status: 'Failed' })).incident).toEqual({ status: 'Open', openedAt: ahead + 1 })
  await call('PATCH', `${at}/name/pg.db.s.t.two`, { incident: { status: 'Resolved' } }, merge)
  expect((await put('two', { status: 'Failed' })).incident).toMatchObject({ status: 'Open', openedAt: ahead + 2 })
  const three = ['Failed', 'Aborted', 'Success'].map((status) => ({ testCase: 'pg.db.s.t.three', status }))
  expect((await call('PUT', `${at}/results`, three)).body).toEqual({ processed: 3, changed: 3 })
  expect((await call('GET', `${at}/name/pg.db.s.t.three`)).body.latestResult.status).toBe('Success')
  // A reporter whose clock is right is not in the future of the log, which is.
  expect((await put('one', { status: 'Failed', timestamp: ahead + 2 })).incident.status).toBe('Open')
  const history = await call('GET', '/v1/coverage/history?points=2')
  expect(history.body.data.at(-1)).toMatchObject({ time: new Date(ahead).toISOString(), total: 3 })
})

it('the same again appends no event, another one of the same time corrects it, and a late one leaves the newest', async () => {
  await report('two', { status: 'Failed', timestamp: begin + day })
  const head = await http.head()
  await report('two', { status: 'Failed', timestamp: begin + day })
  expect(await http.head()).toBe(head)
  const corrected = await report('two', { status: 'Success', timestamp: begin + day, message: 'It was the clock.' })
  expect(corrected).toMatchObject({ latestResult: { status: 'Success' }, incident: { status: 'Resolved' } })
  expect(corrected.results).toHaveLength(1)
  const late = await report('two', { status: 'Failed', timestamp: begin })
  expect(late).toMatchObject({ latestResult: { status: 'Success' }, incident: { status: 'Resolved' } })
  expect(late.results.map(({ timestamp }: { timestamp: number }) => timestamp)).toEqual([begin + day, begin])
})

it('many are reported at once in any order, the last 90 are kept, and lists and search find by the newest', async () => {
  const results = Array.from({ length: 100 }, (_, index) => ({
    testCase: 'pg.db.s.t.three',
    status: index === 99 ? 'Failed' : 'Success',
    timestamp: begin + index * day,
  }))
  const body = await http.put(`${at}/results`, results.toReversed())
  expect(body).toEqual({ processed: 100, changed: 100 })
  const three = await read(`${at}/name/pg.db.s.t.three`)
  expect([three.results.length, three.results[0].timestamp, three.results[89].timestamp]).toEqual([
    90,
    begin + 99 * day,
    begin + 10 * day,
  ])
  const again = await answered(200, http.call('PUT', `${at}/results`, results))
  expect(again.body).toEqual({ processed: 100, changed: 0 })
  const names = async (query: string) => (await read(`${at}?${query}`)).data.map(({ name }: { name: string }) => name)
  expect(await names('validation=Failed')).toEqual(['three'])
  expect(await names('validation=none')).toEqual(['four'])
  const position = await http.head()
  await report('three', { status: 'Success', timestamp: begin + 100 * day })
  expect(await names('validation=Failed')).toEqual([])
  expect(await names(`validation=Failed&asOf=@${position}`)).toEqual(['three'])
  const { hits } = await read('/v1/search/query?q=validation:none&index=test_case_search_index')
  expect(hits.hits.map(({ _source }: { _source: { name: string } }) => _source.name)).toEqual(['four'])
})

it('each result is an event also where 90 newer ones are kept, and the same again is none, unless it was taken back', async () => {
  await http.post(at, testCaseOn('pg.db.s.t', 'five'))
  const result = (index: number, status = 'Success') => ({
    testCase: 'pg.db.s.t.five',
    status,
    timestamp: begin + index * day,
  })
  const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => result(from + index))
  const put = (body: object) => answered(200, http.call('PUT', `${at}/results`, body))
  await put(many(50, 140))
  const { id, results, latestResult } = await read(`${at}/name/pg.db.s.t.five`)
  const older = [...many(0, 50), result(7, 'Failed'), result(60)]
  expect((await put(older)).body).toEqual({ processed: 52, changed: 50 })
  expect((await put([...many(0, 7), result(7, 'Failed')])).body).toEqual({ processed: 8, changed: 0 })
  expect((await put([result(7), result(7, 'Failed'), result(7)])).body.changed).toBe(1)
  const one = { status: 'Aborted', timestamp: begin }
  for (const _ of [1, 2]) await report('five', one)
  const five = await read(`${at}/${id}`)
  expect([five.results, five.latestResult, five.incident]).toEqual([results, latestResult, undefined])
  const { data } = await read(`${at}/${id}/history?limit=1000`)
  expect(data).toHaveLength(1 + 90 + 50 + 2)
  await put([result(140)])
  const { correlationId } = (await read(`${at}/${id}/history?limit=1000`)).data.at(-1)
  await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
  await put(many(141, 231))
  expect((await put([result(140), result(139), result(60)])).body.changed).toBe(1)
  expect((await put([result(140)])).body.changed).toBe(0)
})

it('a correction is no new failure: the incident follows from the results by time, and from who resolved it', async () => {
  await http.post(at, testCaseOn('pg.db.s.t', 'six'))
  const put = async (after: number, status: string, more = {}) =>
    (await report('six', { status, timestamp: begin + after * day, ...more })).incident
  await put(1, 'Failed', { message: '3 row' })
  const { incident } = await http.patch(`${at}/name/pg.db.s.t.six`, {
    incident: { status: 'Resolved', note: 'late load' },
  })
  expect(await put(1, 'Failed', { message: '3 rows' })).toEqual(incident)
  expect(await put(0, 'Failed')).toEqual(incident)
  const settled = { resolvedUpTo: begin + day }
  const open = (after: number) => ({ status: 'Open', openedAt: begin + after * day, ...settled })
  expect(await put(4, 'Failed')).toEqual(open(4))
  expect(await put(3, 'Failed')).toEqual(open(3))
  expect(await put(6, 'Failed')).toEqual(open(3))
  expect(await put(5, 'Success')).toEqual(open(6))
  expect(await put(6, 'Success')).toMatchObject({ ...open(6), status: 'Resolved', resolvedAt: begin + 6 * day })
  await put(5, 'Aborted')
  expect(await put(6, 'Failed')).toEqual(open(3))
  await put(6, 'Aborted')
  await put(4, 'Success')
  expect(await put(3, 'Success')).toMatchObject({ status: 'Resolved', resolvedAt: begin + 4 * day })
})

it('a person resolves an incident, which is taken back like every change; the next failure opens another', async () => {
  const { id } = await report('four', { status: 'Failed', timestamp: begin })
  const note = 'The feed was late.'
  const resolve = { incident: { status: 'Resolved', note, openedAt: 1, resolvedAt: 1, resolvedBy: 'ann' } }
  const before = Date.now()
  await http.patch(`${at}/${id}`, resolve, as('bea', 'Admin'))
  const { incident, updatedAt } = await read(`${at}/${id}`)
  const { resolvedAt } = incident
  const resolved = { status: 'Resolved', note, openedAt: begin, resolvedAt, resolvedBy: 'bea', resolvedUpTo: begin }
  expect(incident).toEqual(resolved)
  expect(incident.resolvedAt).toBeGreaterThanOrEqual(before)
  expect(incident.resolvedAt).toBeLessThanOrEqual(updatedAt)
  await http.patch(`${at}/${id}`, { incident: { note: 'The feed was late again.' } })
  const { data } = await read(`${at}/${id}/history`)
  expect((await read(`${at}/${id}`)).incident).toEqual({ ...resolved, note: 'The feed was late again.' })
  for (const { correlationId } of data.slice(-1))
    await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
  const { data: all } = await read(`${at}/${id}/history`)
  const { correlationId } = all.at(-3)
  expect((await read(`${at}/${id}`)).incident).toEqual(resolved)
  await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
  expect((await read(`${at}/${id}`)).incident).toEqual({ status: 'Open', openedAt: begin })
  await http.patch(`${at}/${id}`, resolve)
  const next = await report('four', { status: 'Failed', timestamp: begin + day })
  expect(next.incident).toEqual({ status: 'Open', openedAt: begin + day, resolvedUpTo: begin })
})

it('what is wrong is refused, and nothing is written', async () => {
  const head = await http.head()
  const many = [
    { testCase: 'pg.db.s.t.one', status: 'Failed', timestamp: begin + 9 * day },
    { testCase: 'pg.db.s.t.none', status: 'Failed' },
  ]
  expect(paths(await http.refuses('BAD_REQUEST', 'PUT', `${at}/results`, many))).toEqual(['/1/testCase'])
  await http.refuses('BAD_REQUEST', 'PUT', `${at}/name/pg.db.s.t.one/results`, { status: 'Odd' })
  await http.refuses('FORBIDDEN', 'PUT', `${at}/results`, [], as('eve', 'DataConsumer'))
  await http.refuses('NOT_FOUND', 'PUT', `${at}/name/pg.db.s.t.none/results`, { status: 'Failed' })
  expect(await http.head()).toBe(head)
})

it('a result that was reported by mistake is taken back with its request, and so are many', async () => {
  await report('four', { status: 'Success', timestamp: begin })
  const names = ['three', 'four']
  const before = await Promise.all(names.map((name) => read(`${at}/name/pg.db.s.t.${name}?fields=*`)))
  const failing = async () => (await read(`${at}?validation=Failed`)).data.map(({ name }: { name: string }) => name)
  const failingBefore = await failing()
  const wrong = names.map((name) => ({
    testCase: `pg.db.s.t.${name}`,
    status: 'Failed',
    timestamp: begin + 200 * day,
  }))
  await http.put(`${at}/results`, wrong)
  expect(await failing()).toEqual(expect.arrayContaining(names))
  const failed = await read(`${at}/name/pg.db.s.t.four`)
  expect(failed).toMatchObject({ latestResult: { status: 'Failed' }, incident: { status: 'Open' } })
  const { correlationId } = (await read(`${at}/${failed.id}/history`)).data.at(-1)
  await answered(200, http.call('POST', `/v1/requests/${correlationId}/revert`))
  const after = await Promise.all(names.map((name) => read(`${at}/name/pg.db.s.t.${name}?fields=*`)))
  const shown = ({ latestResult, results, incident }: (typeof before)[0]) => ({ latestResult, results, incident })
  expect(after.map(shown)).toEqual(before.map(shown))
  expect(await failing()).toEqual(failingBefore)
})

it('a revert to a version leaves results as they are', async () => {
  const { id, results } = await report('four', { status: 'Success', timestamp: begin + 300 * day })
  await http.patch(`${at}/${id}`, '{"description":"x"}')
  const version = (await read(`${at}/${id}`)).version
  await report('four', { status: 'Failed', timestamp: begin + 301 * day })
  await http.patch(`${at}/${id}`, '{"description":"y"}')
  await answered(200, http.call('POST', `${at}/${id}/revert`, { version: String(version) }))
  const reverted = await read(`${at}/${id}?fields=*`)
  expect(reverted.description).toBe('x')
  expect(reverted.results).toHaveLength(results.length + 1)
})

it('a time in another unit, seconds or microseconds, is refused: it would stand before or after every other result', async () => {
  const head = await http.head()
  const sent = { status: 'Success', timestamp: begin * 1000 }
  const message = 'must be in epoch milliseconds, neither before the year 2000 nor in the future'
  for (const timestamp of [begin * 1000, Math.floor(begin / 1000), -1]) {
    const body = { ...sent, timestamp }
    const one = await http.refuses('BAD_REQUEST', 'PUT', `${at}/name/pg.db.s.t.one/results`, body)
    expect(one.errors).toEqual([{ path: '/timestamp', message }])
  }
  const many = [{ testCase: 'pg.db.s.t.one', ...sent }]
  expect(paths(await http.refuses('BAD_REQUEST', 'PUT', `${at}/results`, many))).toEqual(['/0/timestamp'])
  expect(await http.head()).toBe(head)
  await report('two', { status: 'Success', timestamp: Date.now() + 60_000 })
})

it('tests are found by what they test: a table with its columns, or one column', async () => {
  const deep = { name: 'a', dataType: 'STRUCT', children: [{ name: 'b.c', dataType: 'INT' }] }
  const nested = Array.from({ length: 31 }).reduce<object>(
    (column) => ({ name: 'n', dataType: 'STRUCT', children: [column] }),
    { name: 'last', dataType: 'INT' },
  )
  const last = `${'n.'.repeat(31)}last`
  await http.post('/v1/tables', { name: 'deep', databaseSchema: 'pg.db.s', columns: [deep, nested] })
  const link = '<#E::table::pg.db.s.deep'
  for (const [name, entityLink] of [
    ['all', `${link}>`],
    ['one', `${link}::columns::a."b.c">`],
    ['last', `${link}::columns::${last}>`],
  ])
    await http.post(at, {
      name,
      testDefinition: 'tableRowCountToEqual',
      testSuite: 'suite',
      entityLink,
      parameterValues,
    })
  const found = async (fqn: string) =>
    (await read(`${at}?entityFQN=${encodeURIComponent(fqn)}`)).data.map(({ name }: { name: string }) => name).sort()
  expect(await found('pg.db.s.deep')).toEqual(['all', 'last', 'one'])
  expect(await found(`pg.db.s.deep.${last}`)).toEqual(['last'])
  expect(await found('pg.db.s.deep.a."b.c"')).toEqual(['one'])
  expect(await found('pg.db.s.deep.a')).toEqual(['one'])
  for (const none of ['pg.db.s.deep.b', 'pg.db.s', 'pg.db.s.none.a']) expect(await found(none)).toEqual([])
})
