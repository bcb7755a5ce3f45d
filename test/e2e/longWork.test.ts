import { cpSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { external } from '../support/external.ts'
import { thorough } from '../support/fastCheck.ts'
import { openService, useInProcess } from '../support/running.ts'
import {
  patient,
  startBuilt,
  temporaryDataDir,
  tokenFor,
  type Answer,
  type RunningService,
} from '../support/service.ts'

const closing: (() => Promise<unknown>)[] = []

const closeAll = async (): Promise<void> => {
  for (const close of closing.splice(0).toReversed()) await close()
}

/** What it reads may take long where a store answers slowly: that is then said (503), and no untruth. */
const start = async (path: string): Promise<RunningService> => {
  const running = await startBuilt(path)
  closing.push(() => running.stop('SIGKILL'))
  return { ...running, call: patient(running.call) }
}

const newFolder = (): string => {
  const { path, remove } = temporaryDataDir()
  closing.push(remove)
  return path
}

/** More than two rounds of a cascade. */
const tables = 1200
const service = '/v1/services/databaseServices/name/pg'
const mergePatch = { headers: { 'content-type': 'application/merge-patch+json' } }
const respondAsync = { headers: { prefer: 'respond-async' } }

const makeTables = async ({ call }: Pick<RunningService, 'call'>, count = tables): Promise<void> => {
  await call('PUT', '/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
  await call('PUT', '/v1/databases', { name: 'db', service: 'pg' })
  await call('PUT', '/v1/databaseSchemas', { name: 's', database: 'pg.db' })
  const bodies = Array.from({ length: count }, (_, at) => ({ name: `t${at}`, databaseSchema: 'pg.db.s', columns: [] }))
  expect((await call('PUT', '/v1/tables/bulk', bodies)).body.numberOfRowsPassed).toBe(count)
}

const prepared = temporaryDataDir()
afterAll(() => prepared.remove())

let preparing: Promise<void> | undefined

const prepare = async (): Promise<void> => {
  const service = await openService({}, prepared.path)
  await makeTables(service)
  await service.close()
}

/** Whether other processes may share the stores. */
const isShared = external.mongodbUrl !== undefined || external.eventStoreUrl !== undefined

/** Starts it with the tables: where all stores are files, in a copy of a folder that has them. */
const startWithTables = async (folder: string): Promise<RunningService> => {
  if (!isShared) {
    await (preparing ??= prepare())
    cpSync(prepared.path, folder, { recursive: true })
    return start(folder)
  }
  const own = await start(folder)
  await makeTables(own)
  return own
}

/** The path that `Location` names. */
const locationOf = ({ headers }: Answer): string => new URL(headers.get('location') ?? '').pathname.slice('/api'.length)

const ended = async ({ call }: RunningService, path: string, wasSeen = () => {}): Promise<Answer> => {
  for (;;) {
    const answer = await call('GET', path)
    expect(answer.status).toBe(200)
    if (answer.body.status !== 'running') return answer
    wasSeen()
    expect(answer.headers.get('retry-after')).toBe('1')
    await delay(20)
  }
}

describe('a request that prefers to be answered before all is done', () => {
  let folder: string
  let own: RunningService

  beforeAll(async () => {
    folder = newFolder()
    own = await startWithTables(folder)
  })
  afterAll(closeAll)

  test('is told where to see how far its deletion, and its restore, have come, and sees them under way', async () => {
    let seen = false
    const see = (): void => void (seen = true)
    const deleted = await own.call('DELETE', `${service}?recursive=true`, undefined, respondAsync)
    expect(deleted.status).toBe(202)
    expect(deleted.headers.get('preference-applied')).toBe('respond-async')
    expect(deleted.body).toMatchObject({ operation: 'delete', entity: { fullyQualifiedName: 'pg' } })
    expect((await own.call('GET', service)).status).toBe(404)
    const gone = await ended(own, locationOf(deleted), see)
    expect(gone.body).toMatchObject({ status: 'completed', below: { live: 0, deleted: tables + 2 } })
    expect((await own.call('GET', '/v1/tables?limit=0')).body.paging.total).toBe(0)
    const events = await own.call('GET', `/v1/events?limit=1&after=${BigInt(gone.body.position) - 1n}`)
    const { position, correlationId: correlationid } = gone.body
    expect(events.body.data[0]).toMatchObject({ position, correlationid, subject: 'pg' })

    const { id } = gone.body.entity
    const restored = await own.call('PUT', '/v1/services/databaseServices/restore', { id }, respondAsync)
    expect(restored.status).toBe(202)
    expect((await own.call('GET', locationOf(deleted))).body.status).toBe('superseded')
    const back = await ended(own, locationOf(restored), see)
    expect(back.body).toMatchObject({
      operation: 'restore',
      status: 'completed',
      below: { live: tables + 2, deleted: 0 },
    })
    const again = await own.call('PUT', '/v1/services/databaseServices/restore', { id }, respondAsync)
    expect(again.status).toBe(200)

    // Where this process has no turn for long, all is done before it looks: then it is done again.
    for (let turn = 0; turn < 10 && !seen; turn++) {
      const once = await own.call('DELETE', `${service}?recursive=true`, undefined, respondAsync)
      await ended(own, locationOf(once), see)
      const more = await own.call('PUT', '/v1/services/databaseServices/restore', { id }, respondAsync)
      await ended(own, locationOf(more), see)
    }
    expect(seen).toBe(true)
  })

  test('was deleted for the time between, also below, where it was there again before that was told', async () => {
    const { id } = (await own.call('GET', service)).body
    const deleted = await own.call('DELETE', `${service}?recursive=true`, undefined, respondAsync)
    const restored = await own.call('PUT', '/v1/services/databaseServices/restore', { id }, respondAsync)
    expect([deleted.status, restored.status]).toEqual([202, 202])
    const totalsAt = async (position: string) => {
      const total = async (include: string) =>
        (await own.call('GET', `/v1/tables?limit=0&include=${include}&asOf=@${position}`)).body.paging.total
      return [await total('non-deleted'), await total('deleted')]
    }
    const from = deleted.headers.get('catalog-position') as string
    const to = restored.headers.get('catalog-position') as string
    await ended(own, locationOf(restored))
    expect(await totalsAt(`${BigInt(from) - 1n}`)).toEqual([tables, 0])
    for (const position of [from, `${BigInt(to) - 1n}`]) expect(await totalsAt(position)).toEqual([0, tables])
    expect(await totalsAt(to)).toEqual([tables, 0])
    for (const name of ['t0', `t${tables - 1}`]) {
      const path = `/v1/tables/name/pg.db.s.${name}?include=all`
      for (const [position, shown] of [
        [`${BigInt(from) - 1n}`, false] as const,
        [from, true] as const,
        [to, false] as const,
      ])
        expect((await own.call('GET', `${path}&asOf=@${position}`)).body.deleted).toBe(shown)
    }
  })

  test('learns the outcome after a kill -9 too', async () => {
    const hard = `${service}?recursive=true&hardDelete=true`
    const path = locationOf(await own.call('DELETE', hard, undefined, respondAsync))
    await own.stop('SIGKILL')
    const next = await start(folder)
    expect((await ended(next, path)).body).toMatchObject({
      operation: 'hardDelete',
      status: 'completed',
      below: { live: 0, deleted: 0 },
    })
    expect((await next.call('GET', '/v1/tables?include=all&limit=0')).body.paging.total).toBe(0)
  })
})

describe('beside long work', () => {
  const own = useInProcess()

  test('a request that prefers an early answer is refused like any other', async () => {
    await makeTables(own, 3)
    expect((await own.call('DELETE', service, undefined, respondAsync)).status).toBe(400)
    expect((await own.call('DELETE', `${service}x`, undefined, respondAsync)).status).toBe(404)
  })

  test('an operation that was never begun is not there', async () => {
    for (const id of ['x', 'table-x-0', 'nothing-00000000-0000-4000-8000-000000000000-0'])
      expect([id, (await own.call('GET', `/v1/operations/${id}`)).status]).toEqual([id, 404])
  })

  test('an operation is shown to who began it, and to who may see what it is about', async () => {
    await own.call('PUT', '/v1/glossaries', { name: 'g' })
    const answer = await own.call('DELETE', '/v1/glossaries/name/g', undefined, respondAsync)
    const asks = (token: string) => own.call('GET', locationOf(answer), undefined, { token })
    expect((await asks(tokenFor('ann', ['DataConsumer']))).status).toBe(200)
    expect((await asks(tokenFor('bob', ['Nothing']))).status).toBe(404)
    await own.call('POST', '/v1/glossaries', { name: 'h' })
    const created = await own.call('GET', '/v1/glossaries/name/h')
    expect((await own.call('GET', `/v1/operations/glossary-${created.body.id}-0`)).status).toBe(404)
  })
})

test.runIf(thorough)(
  'a request whose taking back a kill -9 cut short is taken back the rest of the way when that is asked again',
  async () => {
    const folder = newFolder()
    const own = await startWithTables(folder)
    const totalOf = async ({ call }: RunningService) => (await call('GET', '/v1/tables?limit=0')).body.paging.total
    const [{ correlationId }] = (await own.call('GET', '/v1/activity?kind=table&limit=1')).body.data
    const path = `/v1/requests/${correlationId}/revert`
    const reverting = own.call('POST', path).catch(() => undefined)
    while ((await totalOf(own)) === tables);
    await own.stop('SIGKILL')
    await reverting
    const next = await start(folder)
    const { body } = await next.call('POST', path)
    expect([body.status, body.data.length, await totalOf(next)]).toEqual(['success', tables, 0])
    expect(new Set(body.data.map(({ outcome }: { outcome: string }) => outcome))).toEqual(
      new Set(['unchanged', 'reverted']),
    )
    await closeAll()
  },
)

describe('a recursive delete that a kill -9 cut short', () => {
  afterEach(closeAll)

  test.each([
    ['hard', '&hardDelete=true', { live: 0, deleted: 0 }] as const,
    ...(thorough ? [['soft', '', { live: 0, deleted: tables }] as const] : []),
  ])(
    'is shown as finished from the first answer on, and finished behind it: %s',
    async (_, flag, { live, deleted }) => {
      const folder = newFolder()
      const own = await startWithTables(folder)
      const deleting = own.call('DELETE', `${service}?recursive=true${flag}`).catch(() => undefined)
      for (let total = tables; total === tables;)
        total = (await own.call('GET', '/v1/tables?limit=0')).body.paging.total
      await own.stop('SIGKILL')
      await deleting
      const { call } = await start(folder)
      const totalOf = async (query: string) => (await call('GET', `/v1/tables?limit=3&${query}`)).body.paging.total
      const hitsOf = async (query: string) =>
        (await call('GET', `/v1/search/query?index=table_search_index&${query}`)).body.hits.total.value
      // Where processes share the stores, one of them finishes it within seconds, and only then is it shown so.
      if (isShared) while ((await totalOf('')) !== live) await delay(100)
      for (let finishing = true; finishing;) {
        finishing = (await call('GET', '/readyz')).body.unfinishedDeletions !== undefined
        expect(await totalOf('')).toBe(live)
        expect(await totalOf('service=pg')).toBe(live)
        expect(await totalOf('include=deleted')).toBe(deleted)
        expect(await totalOf('include=all')).toBe(live + deleted)
        expect(await hitsOf('q=*')).toBe(live)
        expect(await hitsOf('q=*&deleted=true')).toBe(deleted)
        const last = `/v1/tables/name/pg.db.s.t${tables - 1}`
        expect((await call('GET', last)).status).toBe(404)
        const kept = await call('GET', `${last}?include=all`)
        expect(kept.status).toBe(deleted === 0 ? 404 : 200)
        if (deleted > 0) expect(kept.body).toMatchObject({ deleted: true, databaseSchema: { deleted: true } })
        expect((await call('PATCH', last, '{"description":"x"}', mergePatch)).status).toBe(404)
      }
      expect(await totalOf('include=deleted')).toBe(deleted)
      if (deleted === 0) return
      const { id } = (await call('GET', `${service}?include=deleted`)).body
      const restored = await call('PUT', '/v1/services/databaseServices/restore', { id })
      expect([restored.status, restored.body.deleted]).toEqual([200, false])
      expect(await totalOf('')).toBe(tables)
    },
  )
})
