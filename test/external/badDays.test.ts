import type { ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { databaseOf, external, skippedUnless, storesFor, withMongo } from '../support/external.ts'
import { freePort } from '../support/ports.ts'
import {
  clientOf,
  runCli,
  runCliAlongside,
  startBuilt,
  temporaryDataDir,
  type RunningService,
} from '../support/service.ts'
import {
  canProxy,
  describeWith,
  expectNothingLost,
  expectUnavailable,
  glossaryNames,
  putProxyBefore,
  readiness,
  startBehind,
  startWriters,
  untilReady,
  type Proxied,
} from './support.ts'

/** A request is answered within so many milliseconds, whatever the stores do. */
const bounded = 25_000

let folder: ReturnType<typeof temporaryDataDir>
let running: RunningService | undefined
let proxy: Proxied | undefined

beforeEach(() => {
  folder = temporaryDataDir()
})

afterEach(async () => {
  await running?.stop('SIGKILL')
  await proxy?.close()
  running = proxy = undefined
  await folder.remove()
})

const start = async (half?: 'log' | 'readModels', env?: Record<string, string>): Promise<RunningService> => {
  running = await startBehind(folder.path, half === undefined ? {} : { [half]: proxy as Proxied }, env)
  return running
}

/** Alongside, since the proxy is in this process: projections go on meanwhile. */
const verifyAgrees = async (): Promise<void> => {
  const { code, stdout, stderr } = await runCliAlongside(folder.path, ['verify'])
  expect(stdout + stderr).toContain('agree with the log')
  expect(code).toBe(0)
}

const timed = async <T>(work: Promise<T>): Promise<T> => {
  const begun = performance.now()
  const result = await work
  expect(performance.now() - begun).toBeLessThan(bounded)
  return result
}

const create = ({ call }: Pick<RunningService, 'call'>, name: string) => call('POST', '/v1/glossaries', { name })

const read = ({ call }: Pick<RunningService, 'call'>, name: string) => call('GET', `/v1/glossaries/name/${name}`)

const halves = [
  { half: 'log', store: 'EventStoreDB', url: external.eventStoreUrl, named: 'eventStore', other: 'readModels' },
  { half: 'readModels', store: 'MongoDB', url: external.mongodbUrl, named: 'readModels', other: 'eventStore' },
] as const

describe.each(halves)('$store', ({ half, store, url, named, other }) => {
  const skipped = skippedUnless(
    canProxy(url),
    `bad days of ${store}`,
    'no single server without TLS is given, so no proxy can stand in between',
  )

  beforeEach(async () => {
    if (!skipped) proxy = await putProxyBefore(url as string)
  })

  it.skipIf(skipped)(
    'is down at start: the service listens, says which store it waits for, and goes on by itself',
    async () => {
      proxy?.refuse()
      const port = await freePort()
      const address = `http://127.0.0.1:${port}`
      const starting = start(half, { CATALOG_PORT: String(port) })
      await expect.poll(() => readiness(address)).toMatchObject({ status: 503, [named]: 'down', [other]: 'up' })
      expectUnavailable(await clientOf(address)('GET', '/v1/glossaries'))
      proxy?.resume()
      const service = await starting
      await untilReady(service.url)
      expect((await create(service, 'late')).status).toBe(201)
    },
  )

  it.skipIf(skipped)(
    'goes away and comes back: requests are refused in between, and nothing that was acknowledged is lost',
    async () => {
      const service = await start(half)
      expect((await create(service, 'before')).status).toBe(201)
      proxy?.refuse()
      expectUnavailable(await timed(create(service, 'during')))
      await expect.poll(() => readiness(service.url)).toMatchObject({ status: 503, [named]: 'down', [other]: 'up' })
      const while_ = await timed(read(service, 'before'))
      if (half === 'log') expect(while_.status).toBe(200)
      else expectUnavailable(while_)
      proxy?.resume()
      await untilReady(service.url)
      expect([201, 409]).toContain((await create(service, 'during')).status)
      expect((await create(service, 'after')).status).toBe(201)
      expect(await glossaryNames(service)).toEqual(new Set(['before', 'during', 'after']))
      await verifyAgrees()
    },
  )

  it.skipIf(skipped)(
    'breaks its connections again and again under load: no acknowledged write is lost, and reads catch up',
    async () => {
      const service = await start(half)
      const writers = startWriters([service], 8)
      for (let round = 0; round < 5; round++) {
        const before = writers.acknowledged.length
        await expect.poll(() => writers.acknowledged.length, { interval: 10 }).toBeGreaterThan(before + 30)
        proxy?.cut()
      }
      await expectNothingLost(writers, service)
      expect([...writers.statuses.keys()].filter((status) => ![201, 409, 503].includes(status))).toEqual([])
      await verifyAgrees()
    },
  )

  it.skipIf(skipped)(
    'hangs without closing anything: every request is answered in bounded time, and all goes on afterwards',
    async () => {
      const service = await start(half)
      expect((await create(service, 'before')).status).toBe(201)
      proxy?.stall()
      const [written, found] = await Promise.all([
        timed(create(service, 'during')),
        timed(read(service, 'before')),
        timed(readiness(service.url)),
      ])
      expectUnavailable(written)
      if (half === 'log') expect(found.status).toBe(200)
      else expectUnavailable(found)
      proxy?.resume()
      await untilReady(service.url)
      expect([201, 409]).toContain((await create(service, 'during')).status)
      await expect.poll(() => glossaryNames(service)).toEqual(new Set(['before', 'during']))
      await verifyAgrees()
    },
  )

  it.skipIf(skipped)('is slow: requests wait for it', async () => {
    const service = await start(half)
    proxy?.slow(30_000)
    const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => timed(create(service, `slow${index}`))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    proxy?.resume()
    expect((await glossaryNames(service)).size).toBe(5)
  })
})

const makeTerms = async ({ call }: RunningService, glossary: string, count: number): Promise<void> => {
  await call('POST', '/v1/glossaries', { name: glossary })
  for (let start = 0; start < count; start += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, count - start) }, (_, index) =>
        call('POST', '/v1/glossaryTerms', { name: `t${start + index}`, glossary }),
      ),
    )
  }
}

const emptyDatabase = (): Promise<unknown> => withMongo((client) => client.db(databaseOf(folder.path)).dropDatabase())

describeWith({ readModels: true }, 'a MongoDB that somebody empties', () => {
  const deleteDocuments = (): Promise<unknown> =>
    withMongo(async (client) => {
      const db = client.db(databaseOf(folder.path))
      for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
        await db.collection(name).deleteMany({})
    })

  it.each([
    ['its database dropped', emptyDatabase],
    ['its documents deleted', deleteDocuments],
  ] as const)('has everything again by itself after having %s while nothing is written', async (_, empty) => {
    const service = await start()
    await makeTerms(service, 'kept', 300)
    await empty()
    expect((await readiness(service.url))?.status).toBe(503)
    await expect.poll(async () => (await service.call('GET', '/v1/glossaryTerms?limit=0')).body.paging?.total).toBe(300)
    await untilReady(service.url)
    expect((await create(service, 'after')).status).toBe(201)
    expect(await glossaryNames(service)).toEqual(new Set(['kept', 'after']))
    await verifyAgrees()
  })

  it('makes nothing follow again from what happened before it was emptied', async () => {
    let service = await start()
    const make = async (path: string, body: object): Promise<void> => {
      expect([200, 201]).toContain((await service.call('PUT', `/v1/${path}`, body)).status)
    }
    const describeTable = (name: string, description: string) =>
      make('tables', { name, databaseSchema: 's.d.c', columns: [{ name: 'a', dataType: 'STRING' }], description })
    await make('services/databaseServices', { name: 's', serviceType: 'Mysql' })
    await make('databases', { name: 'd', service: 's' })
    await make('databaseSchemas', { name: 'c', database: 's.d' })
    for (const name of ['one', 'two']) {
      await describeTable(name, 'new')
      await describeTable(name, 'described before it had a contract')
      const entity = { type: 'table', fullyQualifiedName: `s.d.c.${name}` }
      await make('dataContracts', {
        name: 'k',
        entity,
        entityStatus: 'Active',
        schema: [{ name: 'a', dataType: 'INT' }],
      })
    }
    await service.stop()
    // What is still in memory is not read from the log again.
    service = await start()
    const { after } = (await service.call('GET', '/v1/events?after=latest')).body.paging
    const newEvents = async (): Promise<string[]> => {
      const { body } = await service.call('GET', `/v1/events?limit=1000&after=${after}`)
      return body.data?.map(({ subject }: { subject: string }) => subject)
    }
    await emptyDatabase()
    expect((await readiness(service.url))?.status).toBe(503)
    await untilReady(service.url)
    await describeTable('two', 'described after that')
    await expect.poll(newEvents).toEqual(['s.d.c.two', 's.d.c.two.k'])
  })

  it('has everything again after it was emptied under load', async () => {
    const service = await start()
    const writers = startWriters([service], 8)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(100)
    await deleteDocuments()
    const before = writers.acknowledged.length
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(before + 100)
    await expectNothingLost(writers, service)
    await verifyAgrees()
  })

  it('is filled again over a link that is slower than the log, with all that was acknowledged', async ({ skip }) => {
    if (!canProxy(external.mongodbUrl)) return skip('no single server without TLS is given')
    proxy = await putProxyBefore(external.mongodbUrl as string)
    const service = await start('readModels')
    await makeTerms(service, 'kept', 1000)
    await deleteDocuments()
    proxy.slow(400_000)
    await expect.poll(() => readiness(service.url), { interval: 20 }).toMatchObject({ status: 503 })
    await untilReady(service.url)
    proxy.resume()
    await expect
      .poll(async () => (await service.call('GET', '/v1/glossaryTerms?limit=0')).body.paging?.total)
      .toBe(1000)
    await verifyAgrees()
  })

  /** Starts a service and kills it when the read models have come so far. */
  const killWhileProjecting = async (rows: number): Promise<void> => {
    let child: ChildProcess | undefined
    const started = startBuilt(folder.path, {}, (spawned) => (child = spawned)).then(
      () => 'ready',
      () => 'killed',
    )
    const countRows = () =>
      withMongo(async (client) => {
        const db = client.db(databaseOf(folder.path))
        const collections = await db.listCollections({}, { nameOnly: true }).toArray()
        const counts = await Promise.all(collections.map(({ name }) => db.collection(name).countDocuments()))
        return Math.max(0, ...counts)
      })
    await expect.poll(countRows, { interval: 5 }).toBeGreaterThan(rows)
    child?.kill('SIGKILL')
    await started
  }

  it('is filled again at the next start, also when that is killed several times meanwhile', async () => {
    const service = await start()
    await makeTerms(service, 'kept', 1000)
    await service.stop()
    await emptyDatabase()
    for (const reached of [50, 300, 700]) await killWhileProjecting(reached)
    const again = await start()
    expect((await again.call('GET', '/v1/glossaryTerms?limit=0')).body.paging.total).toBe(1000)
    await verifyAgrees()
  })

  /** Whether a rebuild has stored some entities and how far it has come. */
  const isFilling = () =>
    withMongo(async (client) => {
      const db = client.db(databaseOf(folder.path))
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
      const states = names
        .filter((name) => name.startsWith('entities_'))
        .map((name) => db.collection<{ _id: string; builder?: string; position: string | null }>(name))
        .map((documents) => documents.findOne({ _id: 'state', builder: { $exists: true }, position: { $ne: null } }))
      return (await Promise.all(states)).some((state) => state !== null)
    })

  it('is rebuilt from where a rebuild was killed on', async () => {
    const service = await start()
    for (let from = 0; from < 3000; from += 500) {
      const items = Array.from({ length: 500 }, (_, index) => ({ name: `s${from + index}`, serviceType: 'Mysql' }))
      expect((await service.call('PUT', '/v1/services/databaseServices/bulk', items)).status).toBe(200)
    }
    await service.stop()
    let child: ChildProcess | undefined
    const killed = runCliAlongside(folder.path, ['rebuild'], {}, (spawned) => (child = spawned))
    await expect.poll(isFilling, { interval: 5 }).toBe(true)
    child?.kill('SIGKILL')
    expect((await killed).code).toBeNull()
    const again = runCli(folder.path, ['rebuild'])
    const [, events] = /Rebuilt from (\d+) events/.exec(again.stdout + again.stderr) ?? []
    expect(Number(events)).toBeGreaterThan(0)
    expect(Number(events)).toBeLessThan(3000)
    await verifyAgrees()
  })

  it('holds no tree that the log could be compared with, which catalog audit verify says', async () => {
    const service = await start()
    await makeTerms(service, 'kept', 1)
    await service.stop()
    const said = () => runCli(folder.path, ['audit', 'verify']).stdout
    expect(said()).not.toContain('compared with no stored tree')
    await emptyDatabase()
    expect(said()).toContain('It was compared with no stored tree: ')
  })

  it('is filled by catalog rebuild, beside the running service', async () => {
    const service = await start()
    await makeTerms(service, 'kept', 200)
    const alone = external.eventStoreUrl === undefined
    if (alone) await service.stop()
    const rebuilt = runCli(folder.path, ['rebuild'])
    expect(rebuilt.stdout + rebuilt.stderr).toContain('Rebuilt from')
    const after = alone ? await start() : service
    expect((await create(after, 'after')).status).toBe(201)
    expect((await after.call('DELETE', '/v1/glossaries/name/after?hardDelete=true')).status).toBe(204)
    await untilReady(after.url)
    await verifyAgrees()
  })
})

describeWith({ readModels: true }, 'a primary of MongoDB that steps down', () => {
  it('loses nothing that was acknowledged, and writes go on with the next primary', async ({ skip }) => {
    const isSet = await withMongo((client) => client.db('admin').command({ hello: 1 })).then(
      ({ setName }) => setName !== undefined,
      () => false,
    )
    if (skippedUnless(isSet, 'primary step-down', 'the server is not a member of a replica set')) skip()
    const service = await start(undefined, storesFor(folder.path))
    const writers = startWriters([service], 8)
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(100)
    await withMongo((client) => client.db('admin').command({ replSetStepDown: 5, force: true })).catch(() => undefined)
    const before = writers.acknowledged.length
    await expect.poll(() => writers.acknowledged.length).toBeGreaterThan(before + 100)
    await expectNothingLost(writers, service)
    await verifyAgrees()
  })
})
