import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { patient, runCli, startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'

const logIsEmbedded = external.eventStoreUrl === undefined
const folderIsHeld = logIsEmbedded || external.mongodbUrl === undefined
const whole = 'both stores are external, so nothing is in the folder'

let folder: ReturnType<typeof temporaryDataDir>
let running: RunningService | undefined

const newFolder = (): void => void (folder = temporaryDataDir())

const removeFolder = async (): Promise<void> => {
  await running?.stop('SIGKILL')
  running = undefined
  await folder.remove()
}

const start = async (): Promise<RunningService> => {
  running = await startBuilt(folder.path)
  return running
}

const makeTables = async ({ call }: RunningService, count: number): Promise<void> => {
  await call('PUT', '/v1/services/databaseServices', { name: 'pg', serviceType: 'Postgres' })
  await call('PUT', '/v1/databases', { name: 'db', service: 'pg' })
  await call('PUT', '/v1/databaseSchemas', { name: 's', database: 'pg.db' })
  const tables = Array.from({ length: count }, (_, index) => ({
    name: `t${index}`,
    databaseSchema: 'pg.db.s',
    columns: [{ name: 'id', dataType: 'INT' }],
  }))
  const answer = await call('PUT', '/v1/tables/bulk', tables)
  expect(answer.body.numberOfRowsPassed).toBe(count)
}

describe('kill -9', () => {
  beforeEach(newFolder)
  afterEach(removeFolder)

  it('kill -9 in the middle of writes loses nothing that was acknowledged, and log and read models agree', async () => {
    const service = await start()
    const acknowledged: string[] = []
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; ; index++) {
        const name = `w${writer}_${index}`
        const answer = await service.call('POST', '/v1/glossaries', { name }).catch(() => undefined)
        if (answer?.status !== 201) return
        acknowledged.push(name)
        if (acknowledged.length === 200) service.process.kill('SIGKILL')
      }
    })
    await Promise.all(writers)
    expect(acknowledged.length).toBeGreaterThanOrEqual(200)

    const again = await start()
    const list = await again.call('GET', '/v1/glossaries?limit=1000')
    const names = new Set(list.body.data.map((glossary: { name: string }) => glossary.name))
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
    expect(list.body.paging.total).toBe(names.size)
    const verified = await catalogOn(folder.path, ['verify'])
    expect(verified.stdout + verified.stderr).toMatch(/agree with the log/)
    expect(verified.code).toBe(0)
  })

  it('kill -9 while proposals are accepted leaves no change without its acceptance, and no acceptance twice', async () => {
    const service = await start()
    const [ann, bob] = ['ann', 'bob'].map((name) => ({ token: tokenFor(name, ['DataConsumer']) }))
    await service.call('PUT', '/v1/users', { name: 'bob' })
    const made = await Promise.all(
      Array.from({ length: 80 }, async (_, at) => {
        const body = { name: `g${at}`, description: 'first', owners: ['bob'] }
        const { id } = (await service.call('POST', '/v1/glossaries', body)).body
        const patch = { description: 'second' }
        const answer = await service.call('POST', `/v1/glossaries/${id}/proposals`, { patch }, ann)
        expect(answer.status).toBe(201)
        return { id, proposal: answer.body.id }
      }),
    )
    const waiting = [...made]
    const acknowledged: string[] = []
    const deciders = Array.from({ length: 8 }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const path = `/v1/proposals/${next.proposal}/accept`
        const answer = await service.call('PUT', path, undefined, bob).catch(() => undefined)
        if (answer === undefined) return
        expect(answer.status).toBe(200)
        acknowledged.push(next.proposal)
        if (acknowledged.length === 20) service.process.kill('SIGKILL')
      }
    })
    await Promise.all(deciders)
    expect(waiting).not.toEqual([])

    const call = patient((await start()).call)
    const statuses = async () =>
      Promise.all(
        made.map(async ({ id, proposal }) => {
          const { status } = (await call('GET', `/v1/proposals/${proposal}`, undefined, bob)).body
          const { description } = (await call('GET', `/v1/glossaries/${id}`)).body
          return [proposal, `${status} ${description}`] as const
        }),
      )
    const settled = /^(open first|accepted second)$/
    await expect.poll(async () => (await statuses()).filter(([, is]) => !settled.test(is))).toEqual([])
    const after = new Map(await statuses())
    expect(acknowledged.filter((proposal) => after.get(proposal) !== 'accepted second')).toEqual([])
    for (const { proposal } of made) {
      const isOpen = after.get(proposal) === 'open first'
      const answer = await call('PUT', `/v1/proposals/${proposal}/accept`, undefined, bob)
      expect([proposal, answer.status]).toEqual([proposal, isOpen ? 200 : 409])
    }
    const { data } = (await call('GET', '/v1/events?kind=glossary&type=Updated&limit=1000')).body
    const accepted = data.map(({ proposalid }: { proposalid: string }) => proposalid)
    expect(accepted.toSorted()).toEqual(made.map(({ proposal }) => proposal).toSorted())
  })
})

describe.skipIf(skippedUnless(logIsEmbedded && process.platform === 'linux', 'a log of limited size', 'prlimit'))(
  'a log that can no longer grow',
  () => {
    beforeEach(newFolder)
    afterEach(removeFolder)

    /** Limits the size of files that the service writes. */
    const limitFiles = ({ process: { pid } }: RunningService, bytes: number | 'unlimited'): void =>
      expect(spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]).status).toBe(0)

    const health = async ({ url }: RunningService) => {
      const ready = await fetch(`${url}/readyz`)
      const metrics = await (await fetch(`${url}/metrics`)).text()
      return [
        ready.status,
        ((await ready.json()) as { dependencies: { eventStore: unknown } }).dependencies.eventStore,
        /^catalog_store_up\{store="event_store"\} (\d)$/m.exec(metrics)?.[1],
      ]
    }

    it('is told by readiness and metrics until it can be written again', async () => {
      const service = await start()
      const up = [200, { status: 'up' }, '1']
      expect(await health(service)).toEqual(up)
      limitFiles(service, 65_536)
      expect((await service.call('POST', '/v1/glossaries', { name: 'refused' })).status).toBe(503)
      expect((await service.call('GET', '/v1/glossaries')).status).toBe(200)
      expect(await health(service)).toEqual([503, { status: 'down' }, '0'])
      limitFiles(service, 'unlimited')
      await expect.poll(() => health(service)).toEqual(up)
      expect((await service.call('POST', '/v1/glossaries', { name: 'taken' })).status).toBe(201)
    })
  },
)

describe('one folder, one service', () => {
  let service: RunningService

  beforeAll(async () => {
    newFolder()
    service = await start()
    await makeTables(service, 50)
  })
  afterAll(removeFolder)

  it.skipIf(skippedUnless(folderIsHeld, 'one folder, one service', whole))(
    'refuses a second one and says who has it',
    () => {
      const second = runCli(folder.path, ['serve'])
      expect(second.code).toBe(1)
      expect(second.stderr).toContain(`pid ${service.process.pid}`)
    },
  )

  it('verify and token work beside a running service', async () => {
    expect((await catalogOn(folder.path, ['token', '--user', 'ann', '--role', 'Admin'])).stdout).toMatch(/^ey/)
    expect((await catalogOn(folder.path, ['verify'])).code).toBe(0)
  })

  it.skipIf(skippedUnless(logIsEmbedded, 'backup', 'EventStoreDB has its own'))(
    'backup works beside a running service, and the copy has everything',
    async () => {
      const target = join(await temporaryFolder(), 'data')
      expect((await catalogOn(folder.path, ['backup', target])).code).toBe(0)
      const copy = await startBuilt(target)
      onTestFinished(async () => void (await copy.stop('SIGKILL')))
      expect((await copy.call('GET', '/v1/tables?limit=0')).body.paging.total).toBe(50)
    },
  )

  it('finishes running requests at SIGTERM, then ends with 0', async () => {
    const tables = Array.from({ length: 1000 }, (_, index) => ({ name: `more${index}`, databaseSchema: 'pg.db.s' }))
    const writing = service.call('PUT', '/v1/tables/bulk', tables)
    await expect
      .poll(async () => (await service.call('GET', '/v1/tables?limit=0')).body.paging.total)
      .toBeGreaterThan(50)
    const ended = service.stop('SIGTERM')
    expect((await writing).body.numberOfRowsPassed).toBe(1000)
    expect(await ended).toBe(0)
  })

  it('rebuild gives the same read models', async () => {
    service = await start()
    const respondAsync = { headers: { prefer: 'respond-async' } }
    const deleted = await service.call(
      'DELETE',
      '/v1/databaseSchemas/name/pg.db.s?recursive=true',
      undefined,
      respondAsync,
    )
    expect(deleted.status).toBe(202)
    await expect
      .poll(async () => (await service.call('GET', `/v1/operations/${deleted.body.id}`)).body.status)
      .toBe('completed')
    const before = (await service.call('GET', '/v1/tables?include=deleted&limit=200&fields=*')).body
    expect(before.data).toHaveLength(200)
    await service.stop()
    expect((await catalogOn(folder.path, ['rebuild'])).code).toBe(0)
    expect((await catalogOn(folder.path, ['verify'])).code).toBe(0)
    const again = await start()
    const after = (await again.call('GET', '/v1/tables?include=deleted&limit=200&fields=*')).body
    const plain = (page: unknown, url: string) => JSON.stringify(page).replaceAll(url, '')
    expect(plain(after, again.url)).toBe(plain(before, service.url))
  })
})
