import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { files } from '../../src/composition/settings/fixedNames.ts'
import { searchPathOf } from '../../src/projections/search/sqlite/indexFile.ts'
import { external, storesFor } from '../support/external.ts'
import { startMongoProxy, type MongoAnswerer } from '../support/mongoProxy.ts'
import { openService, type InProcess } from '../support/running.ts'
import { temporaryDataDir } from '../support/service.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A service of whose read models the index of the search alone can be kept from being written. */
interface Holdable {
  readonly service: InProcess
  hold(): void
  release(): void
}

const writes = ['insert', 'update', 'delete', 'findAndModify']

const onMongo = async (dataDir: string, mongodbUrl: string): Promise<Holdable> => {
  let held = false
  const answerer: MongoAnswerer = (command) => {
    const isHeld = held && writes.some((name) => String(command[name] ?? '').startsWith('search_'))
    return isHeld ? { ok: 0, code: 2, codeName: 'BadValue', errmsg: 'this is not written' } : undefined
  }
  const proxy = await startMongoProxy(mongodbUrl, answerer)
  closing.push(proxy.close)
  const service = await openService(storesFor(dataDir, { ...external, mongodbUrl: proxy.url }), dataDir)
  return { service, hold: () => void (held = true), release: () => void (held = false) }
}

const embedded = async (dataDir: string): Promise<Holdable> => {
  const service = await openService({}, dataDir)
  const other = new DatabaseSync(searchPathOf(join(dataDir, files.readModels)), { timeout: 5000 })
  closing.push(() => other.close())
  return { service, hold: () => other.exec('BEGIN IMMEDIATE'), release: () => other.exec('ROLLBACK') }
}

const startHoldable = async (): Promise<Holdable> => {
  const folder = temporaryDataDir()
  closing.push(folder.remove)
  const { mongodbUrl } = external
  const holdable = await (mongodbUrl === undefined ? embedded(folder.path) : onMongo(folder.path, mongodbUrl))
  closing.push(() => holdable.service.close())
  return holdable
}

const readinessOf = async ({ call }: InProcess) => {
  const { status, body } = await call('GET', '/readyz')
  return { status, behind: Object.keys(body.dependencies?.projections.behind ?? {}) }
}

const behindIn = async ({ url }: InProcess): Promise<number | undefined> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^catalog_projection_behind\{projection="search"\} (\d+)$/m.exec(text)?.[1])
}

describe('while the index of the search alone is not written', () => {
  it('readiness and metrics say so, and all else is served', async () => {
    const { service, hold, release } = await startHoldable()
    const create = async (name: string) => (await service.call('POST', '/v1/glossaries', { name })).status
    const level = { status: 200, behind: [] }
    expect(await create('first')).toBe(201)
    await expect.poll(() => readinessOf(service)).toEqual(level)
    hold()
    expect(await create('second')).toBe(201)
    await expect.poll(() => readinessOf(service)).toEqual({ status: 200, behind: ['search'] })
    await expect.poll(() => behindIn(service)).toBeGreaterThan(0)
    expect((await service.call('GET', '/v1/glossaries/name/second')).status).toBe(200)
    release()
    await expect.poll(() => readinessOf(service)).toEqual(level)
    await expect.poll(() => behindIn(service)).toBe(0)
  })
})
