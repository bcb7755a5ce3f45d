import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external } from '../support/external.ts'
import { openService, type InProcess } from '../support/running.ts'
import { patient, temporaryDataDir, tokenFor, type Call } from '../support/service.ts'

let folder: ReturnType<typeof temporaryDataDir>
let running: InProcess
/** What is read may take long where a store answers slowly: that is then said, and asked again. */
let call: Call

beforeAll(async () => {
  folder = temporaryDataDir()
  running = await openService({}, folder.path)
  call = patient(running.call)
})

afterAll(async () => {
  await running.close()
  await folder.remove()
})

/** Servers without indexes read all for each: there services are a fourth as large. */
const tablesOf = (count: number): number => (external.mongodbUrl === undefined ? count : count / 4)

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
const services = '/v1/services/databaseServices'

/** A service with a database, schemas and tables. @returns its id */
const makeService = async (name: string, schemas: number, tables: number): Promise<string> => {
  const { body } = await call('POST', services, { name, serviceType: 'Postgres' })
  await call('POST', '/v1/databases', { name: 'd', service: name })
  for (const schema of numbers(schemas)) {
    const databaseSchema = `${name}.d.s${schema}`
    expect((await call('POST', '/v1/databaseSchemas', { name: `s${schema}`, database: `${name}.d` })).status).toBe(201)
    const bodies = numbers(tables).map((table) => ({ name: `t${table}`, databaseSchema, columns: [] }))
    const made = async () => (await call('PUT', '/v1/tables/bulk', bodies)).body.numberOfRowsPassed
    await expect.poll(made).toBe(tables)
  }
  return body.id as string
}

const totalOf = async (path: string): Promise<number> => (await call('GET', path)).body.paging.total as number
const restoring = (id: string, path = services) => call('PUT', `${path}/restore`, { id })

interface FeedEvent {
  readonly id: string
  readonly time: string
  readonly type: string
  readonly subject: string
}

const byEntity = ({ type, subject }: FeedEvent): string => `${type.split('.')[1]} ${subject}`

const allEvents = async (): Promise<FeedEvent[]> => {
  const events: FeedEvent[] = []
  for (let after = '0'; ;) {
    const { body } = await call('GET', `/v1/events?limit=1000&after=${after}`)
    events.push(...body.data)
    if (body.data.length === 0) return events
    after = body.paging.after
  }
}

describe('a delete without recursive', () => {
  test.each(['', '?hardDelete=true'])('takes nothing that was acknowledged before its answer (%s)', async (flag) => {
    let refused = 0
    for (const round of numbers(12)) {
      const glossary = `kept${flag.length}-${round}`
      const { id } = (await call('POST', '/v1/glossaries', { name: glossary })).body
      const votes = numbers(10).map((voter) =>
        call(
          'PUT',
          `/v1/glossaries/${id}/vote`,
          { updatedVoteType: 'votedUp' },
          { token: tokenFor(`v${voter}`, ['Admin']) },
        ),
      )
      const terms = numbers(6).map((term) => call('POST', '/v1/glossaryTerms', { name: `t${term}`, glossary }))
      // In the last round one is there in any case, however slow the machine is.
      await (round < 11 ? delay(round * 3) : Promise.any(terms))
      const removed = call('DELETE', `/v1/glossaries/${id}${flag}`)
      await Promise.all(votes)
      const made = (await Promise.all(terms)).filter(({ status }) => status === 201)
      const { status } = await removed
      if (made.length > 0 && status === 400) refused++
      for (const { body } of made) expect((await call('GET', `/v1/glossaryTerms/${body.id}`)).status).toBe(200)
      if (made.length > 0) expect((await call('GET', `/v1/glossaries/${id}`)).status).toBe(200)
    }
    expect(refused).toBeGreaterThan(0)
  })
})

describe('a child that is posted while its parent is deleted', () => {
  test('is there after a restore exactly when it was answered 201', async () => {
    const outcomes = new Set<number>()
    for (const round of numbers(20)) {
      const glossary = `gone${round}`
      const { id } = (await call('POST', '/v1/glossaries', { name: glossary })).body
      const terms = numbers(6).map((term) => call('POST', '/v1/glossaryTerms', { name: `t${term}`, glossary }))
      await (round < 19 ? delay(round * 2) : Promise.any(terms))
      const removed = call('DELETE', `/v1/glossaries/${id}?recursive=true`)
      const answers = await Promise.all(terms)
      expect((await removed).status).toBe(200)
      expect(await totalOf(`/v1/glossaryTerms?glossary=${glossary}&limit=0`)).toBe(0)
      expect((await restoring(id, '/v1/glossaries')).status).toBe(200)
      for (const [term, { status }] of answers.entries()) {
        outcomes.add(status)
        const found = await call('GET', `/v1/glossaryTerms/name/${glossary}.t${term}?include=all`)
        expect([status, found.status]).toEqual(status === 201 ? [201, 200] : [400, 404])
      }
    }
    expect(outcomes).toContain(201)
  })
})

describe('the past', () => {
  test('is at each instant what it was within a cascade', async () => {
    const id = await makeService('past', 1, tablesOf(300))
    expect((await call('DELETE', `${services}/${id}?recursive=true`)).status).toBe(200)
    const deletions = (await allEvents()).filter(
      ({ type, subject }) => type === 'catalog.table.SoftDeleted' && subject.startsWith('past.'),
    )
    expect(deletions).toHaveLength(tablesOf(300))
    const { time: middle } = deletions[tablesOf(300) / 5] as FeedEvent
    for (const { subject, time } of deletions.filter((_, at) => at % 10 === 0)) {
      const { body } = await call('GET', `/v1/tables/name/${subject}?include=all&asOf=${middle}`)
      expect([subject, body.deleted]).toEqual([subject, time <= middle])
    }
  })
})

describe('the log of all this', () => {
  test('gives each id once and never goes back in time, and everything agrees with it', async () => {
    const events = await allEvents()
    expect(events.length).toBeGreaterThan(tablesOf(1000))
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    // EventStoreDB may take events of different entities in either order when their requests were under way at once.
    const lines = external.eventStoreUrl === undefined ? [events] : Map.groupBy(events, byEntity).values()
    for (const line of lines) {
      const times = line.map(({ time }) => Date.parse(time))
      expect(times).toEqual(times.toSorted((one, other) => one - other))
    }
    await running.close()
    for (const command of [['verify'], ['audit', 'verify']]) {
      const { code, stdout, stderr } = await catalogOn(folder.path, command)
      expect([command, code, stdout + stderr]).toEqual([command, 0, expect.anything()])
    }
  })
})
