import jsonPatch, { type Operation } from 'fast-json-patch'
import { describe, expect, test } from 'vitest'
import { readMoment } from '../../../src/api/entities/reads/moment.ts'
import type { JsonObject } from '../../../src/shared/json.ts'
import { openLogOf, useInProcess } from '../../support/running.ts'
import { tokenFor } from '../../support/service.ts'

const auditor = tokenFor('au', ['Auditor'])
const consumer = tokenFor('co', ['DataConsumer'])

/** What the log of a running service has of an entity. */
const eventsOf = async (id: string): Promise<{ data: JsonObject }[]> => {
  const log = await openLogOf(folder)
  const events: { data: JsonObject }[] = []
  for await (const event of log.readAll({}))
    if (event.stream.endsWith(id)) events.push({ data: event.data as JsonObject })
  await log.close()
  return events
}

const { call, folder } = useInProcess()

let made = 0

/** A glossary with the versions 0.1 to 0.4. */
const setUp = async () => {
  const name = `g${++made}`
  await call('POST', '/v1/users', { name: 'otto' })
  const owners = [{ type: 'user', fullyQualifiedName: 'otto' }]
  const { body } = await call('POST', '/v1/glossaries', { name, description: 'one', owners })
  await call('PUT', '/v1/glossaries', { name, description: 'two' })
  await call('PUT', '/v1/glossaries', { name, displayName: 'G', extension: { a: [1, 2] } })
  await call('PUT', '/v1/glossaries', { name, description: null, owners: null })
  return `/v1/glossaries/${body.id as string}`
}

test('versions of what was deleted for good are for auditors', async () => {
  const path = await setUp()
  await call('DELETE', `${path}?hardDelete=true`)
  expect((await call('GET', `${path}/versions`, undefined, { token: consumer })).status).toBe(404)
  const { body } = await call('GET', `${path}/versions`, undefined, { token: auditor })
  expect(body.versions.filter(({ deleted }: { deleted: boolean }) => !deleted)).toHaveLength(4)
  expect((await call('GET', `${path}?asOf=0.2`, undefined, { token: auditor })).body).toMatchObject({
    description: 'two',
  })
  expect((await call('GET', `${path}/diff?from=0.1&to=0.2`, undefined, { token: auditor })).status).toBe(200)
  const history = await call('GET', `${path}/history`, undefined, { token: auditor })
  expect(history.body.data.at(-1).type).toBe('HardDeleted')
})

test('an instant without an offset is UTC, wherever the service runs', () => {
  const { TZ } = process.env
  process.env['TZ'] = 'America/New_York'
  try {
    for (const text of [
      '2024-02-29T10:00:00',
      '2024-02-29T10:00Z',
      '2024-02-29T11:00+01:00',
      '2024-02-29T11:00+0100',
    ]) {
      expect([text, readMoment(text)]).toEqual([text, { time: Date.UTC(2024, 1, 29, 10) }])
    }
    expect(readMoment('2024-02-29')).toEqual({ time: Date.UTC(2024, 1, 29) })
  } finally {
    if (TZ === undefined) delete process.env['TZ']
    else process.env['TZ'] = TZ
  }
})

test('a history is read from either end, page by page', async () => {
  const path = await setUp()
  const positionsOf = async (query: string): Promise<string[]> => {
    const found: string[] = []
    for (let after: string | undefined = ''; after !== undefined;) {
      const { body } = await call('GET', `${path}/history?limit=2${query}${after && `&after=${after}`}`)
      found.push(...body.data.map(({ position }: { position: string }) => position))
      after = body.paging.after
    }
    return found
  }
  const oldestFirst = await positionsOf('')
  expect(oldestFirst.length).toBeGreaterThan(3)
  expect(await positionsOf('&order=desc')).toEqual(oldestFirst.toReversed())
  expect(await positionsOf('&order=desc&type=Updated')).toEqual((await positionsOf('&type=Updated')).toReversed())
})

describe('the difference', () => {
  test('turns one answer into the other, in both directions', async () => {
    const path = await setUp()
    const at = async (moment: string) => (await call('GET', `${path}?asOf=${moment}`)).body as object
    for (const [from, to] of [
      ['0.1', '0.4'],
      ['0.4', '0.1'],
      ['0.2', '0.3'],
      ['0.2', '0.2'],
    ] as const) {
      const { body } = await call('GET', `${path}/diff?from=${from}&to=${to}&fields=*`)
      expect(jsonPatch.applyPatch(structuredClone(await at(from)), body as Operation[]).newDocument).toEqual(
        await at(to),
      )
      if (from === to) expect(body).toEqual([])
    }
    const present = await call('GET', `${path}/diff?from=0.1`)
    expect(present.body).toEqual((await call('GET', `${path}/diff?from=0.1&to=0.4`)).body)
  })

  test('shows what somebody has changed, and what follows by itself only when it is asked for', async () => {
    const { body: made } = await call('POST', '/v1/glossaries', {
      name: 'told',
      description: 'old',
      displayName: 'Told',
    })
    const path = `/v1/glossaries/${made.id}`
    await call('PUT', `${path}/vote`, { updatedVoteType: 'votedUp' })
    const change = { name: 'told', description: 'new', displayName: null, owners: ['admin'] }
    await call('PUT', '/v1/glossaries', change)
    const diff = async (query: string) => (await call('GET', `${path}/diff?from=0.1${query}`)).body
    const paths = async (query: string) =>
      [...new Set(((await diff(query)) as { path: string }[]).map((each) => each.path.split('/')[1]))].toSorted()
    expect(await paths('')).toEqual(['description', 'displayName', 'owners'])
    expect(await paths('&fields=version,votes')).toEqual(['description', 'displayName', 'owners', 'version', 'votes'])
    expect(await paths('&fields=*')).toContain('changeDescription')
    expect(await diff('&form=members')).toEqual({
      fieldsAdded: [{ name: 'owners', newValue: [expect.objectContaining({ name: 'admin' })] }],
      fieldsUpdated: [{ name: 'description', oldValue: 'old', newValue: 'new' }],
      fieldsDeleted: [{ name: 'displayName', oldValue: 'Told' }],
    })
    expect(await diff('&form=sentence')).toEqual({
      sentence: 'Added owners: admin; changed description from “old” to “new”; removed displayName: “Told”.',
    })
    expect(await diff('&to=0.1&form=sentence')).toEqual({ sentence: 'Nothing changed.' })
    await call('DELETE', path)
    expect((await call('GET', `${path}/diff?from=0.2&form=sentence`)).body).toEqual({ sentence: 'Deleted it.' })
    for (const query of ['&form=poem', '&fields=nonsense'])
      expect((await call('GET', `${path}/diff?from=0.1${query}`)).status).toBe(400)
  })

  test('shows the assets that somebody has added to a data product or removed from it', async () => {
    await call('POST', '/v1/domains', { name: 'sales', domainType: 'Aggregate', description: 'd' })
    await call('POST', '/v1/services/messagingServices', { name: 'kafka', serviceType: 'Kafka' })
    const topics: { id: string; type: string }[] = []
    for (const name of ['a', 'b'])
      topics.push({ id: (await call('POST', '/v1/topics', { name, service: 'kafka' })).body.id, type: 'topic' })
    const made = await call('POST', '/v1/dataProducts', { name: 'dp', domain: 'sales' })
    const path = `/v1/dataProducts/${made.body.id as string}`
    const sentence = async (query: string) => (await call('GET', `${path}/diff?form=sentence&${query}`)).body.sentence
    await call('PUT', `${path}/assets/add`, { assets: topics.slice(0, 1) })
    await call('PUT', `${path}/assets/add`, { assets: topics.slice(1) })
    await call('PUT', `${path}/assets/remove`, { assets: topics.slice(0, 1) })
    expect(await sentence('from=0.1&to=0.2')).toBe('Added assets: kafka.a.')
    expect(await sentence('from=0.1&to=0.3')).toBe('Added assets: kafka.a and kafka.b.')
    expect(await sentence('from=0.3')).toBe('Removed assets: kafka.a.')
    expect(await sentence('from=0.2&to=0.4')).toBe('Added assets: kafka.b; removed assets: kafka.a.')
    expect(await sentence('from=0.2&to=0.2')).toBe('Nothing changed.')
    // Answers do not have them: what turns the one into the other does not, either.
    const [one, other] = [
      (await call('GET', `${path}/versions/0.2`)).body,
      (await call('GET', `${path}/versions/0.4`)).body,
    ]
    const patch = (await call('GET', `${path}/diff?from=0.2&to=0.4&fields=*`)).body as Operation[]
    expect(jsonPatch.applyPatch(structuredClone(one), patch).newDocument).toEqual(other)
    const whole = async (moment: string) => (await call('GET', `${path}?asOf=${moment}&fields=*`)).body
    const ofUsers = (await call('GET', `${path}/diff?from=0.2&to=0.4`)).body as Operation[]
    const { newDocument } = jsonPatch.applyPatch(await whole('0.2'), ofUsers)
    expect(newDocument.assets).toEqual((await whole('0.4')).assets)
    expect((await call('GET', `${path}/diff?from=0.1&to=0.2`)).body).toEqual([
      { op: 'add', path: '/assets', value: [expect.objectContaining({ fullyQualifiedName: 'kafka.a' })] },
    ])
  })

  test('needs moments that make sense and that the entity has seen', async () => {
    const path = await setUp()
    for (const query of ['', '?from=x', '?from=0.1&to=never', '?from=2024-02-30', '?from=2024-01-01T25:00'])
      expect((await call('GET', `${path}/diff${query}`)).status).toBe(400)
    for (const query of ['?from=0.9', '?from=1', '?from=2001-01-01', '?from=0.1&to=7.7']) {
      expect((await call('GET', `${path}/diff${query}`)).status).toBe(404)
    }
    expect((await call('GET', `/v1/glossaries/${crypto.randomUUID()}/diff?from=0.1`)).status).toBe(404)
  })
})

describe('going back to a version', () => {
  const shown = async (path: string) => {
    const { body } = await call('GET', path)
    const { version: _, updatedAt: __, updatedBy: ___, changeDescription: ____, ...members } = body
    return members as object
  }

  test('is an ordinary change with everything as it was', async () => {
    const path = await setUp()
    const old = await shown(`${path}?asOf=0.2`)
    const foreseen = await call('POST', `${path}/revert?dryRun=true&fields=*`, { version: 0.2 })
    expect([foreseen.status, foreseen.body]).toMatchObject([200, { version: 0.5, description: 'two' }])
    expect(['etag', 'catalog-position'].map((name) => foreseen.headers.get(name))).toEqual([null, null])
    const answer = await call('POST', `${path}/revert`, { version: 0.2 })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ version: 0.5, description: 'two', changeDescription: { previousVersion: 0.4 } })
    expect(await shown(path)).toEqual(old)
    const history = await call('GET', `${path}/history`)
    expect(history.body.data.at(-1)).toMatchObject({ type: 'Updated', version: 0.5 })
    const again = await call('POST', `${path}/revert`, { version: '0.2' })
    expect(again.body.version).toBe(0.5)
  })

  test('brings secrets back, too, and leaves out what is deleted for good', async () => {
    const path = await setUp()
    await call('DELETE', '/v1/users/name/otto?hardDelete=true')
    expect((await call('POST', `${path}/revert`, { version: 0.1 })).body).toMatchObject({
      description: 'one',
      version: 0.5,
    })
    const connection = (password: string) => ({ config: { type: 'Postgres', password } })
    const made = await call('POST', '/v1/services/databaseServices', {
      name: 'pg',
      serviceType: 'Postgres',
      connection: connection('first'),
    })
    await call('PUT', '/v1/services/databaseServices', {
      name: 'pg',
      serviceType: 'Postgres',
      connection: connection('second'),
    })
    const reverted = await call('POST', `/v1/services/databaseServices/${made.body.id}/revert`, { version: 0.1 })
    expect(reverted.body.version).toBe(0.3)
    const events = await eventsOf(made.body.id)
    const [first, second, third] = events.map(({ data }) => (data['members'] ?? data['set']) as JsonObject)
    expect(third).toEqual({ connection: first?.['connection'] })
    expect(second?.['connection']).not.toEqual(first?.['connection'])
  })

  test('obeys If-Match, permissions, and what there is', async () => {
    const path = await setUp()
    const revert = (body: unknown, options?: Parameters<typeof call>[3]) =>
      call('POST', `${path}/revert`, body, options)
    expect((await revert({ version: 0.1 }, { headers: { 'if-match': '"0"' } })).status).toBe(412)
    expect((await revert({ version: 0.1 }, { token: consumer })).status).toBe(403)
    for (const body of [
      {},
      { version: 'x' },
      { version: 0.15 },
      { version: -1 },
      { version: 0.1, other: 1 },
      [],
      null,
    ]) {
      expect((await revert(body)).status).toBe(400)
    }
    expect((await revert({ version: 0.9 })).status).toBe(404)
    await call('DELETE', path)
    expect((await revert({ version: 0.1 })).status).toBe(404)
  })
})
