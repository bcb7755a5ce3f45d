import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless } from '../support/external.ts'
import { schemaOf } from '../http/support.ts'
import { openService, startInProcess } from '../support/running.ts'
import { startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'

const logIsEmbedded = external.eventStoreUrl === undefined
const folderIsHeld = logIsEmbedded || external.mongodbUrl === undefined

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

it.skipIf(
  skippedUnless(folderIsHeld, 'one folder, one service', 'both stores are external, so nothing is in the folder'),
)('a folder has one service: a second one is refused, and says who has it', async () => {
  const { folder } = await startInProcess()
  await expect(openService({}, folder)).rejects.toThrow(`pid ${process.pid}`)
})

it('rebuild gives the same read models', async () => {
  const { url, call, close, folder } = await startInProcess()
  for (const [path, body] of schemaOf('pg')) await call('PUT', `/v1/${path}`, body)
  const columns = [{ name: 'id', dataType: 'INT' }]
  const tables = Array.from({ length: 200 }, (_, at) => ({ name: `t${at}`, databaseSchema: 'pg.db.s', columns }))
  expect((await call('PUT', '/v1/tables/bulk', tables)).body.numberOfRowsPassed).toBe(200)
  const respondAsync = { headers: { prefer: 'respond-async' } }
  const deleted = await call('DELETE', '/v1/databaseSchemas/name/pg.db.s?recursive=true', undefined, respondAsync)
  expect(deleted.status).toBe(202)
  await expect.poll(async () => (await call('GET', `/v1/operations/${deleted.body.id}`)).body.status).toBe('completed')
  const shown = '/v1/tables?include=deleted&limit=200&fields=*'
  const before = (await call('GET', shown)).body
  expect(before.data).toHaveLength(200)
  await close()
  expect((await catalogOn(folder, ['rebuild'])).code).toBe(0)
  expect((await catalogOn(folder, ['verify'])).code).toBe(0)
  const again = await startInProcess({}, folder)
  const plain = (page: unknown, url: string) => JSON.stringify(page).replaceAll(url, '')
  expect(plain((await again.call('GET', shown)).body, again.url)).toBe(plain(before, url))
})
