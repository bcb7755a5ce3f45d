import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { canProxy, describeWith, putProxyBefore, startBehind, type Proxied } from './support.ts'

/** Milliseconds within which another process projects. */
const takeOver = 10_000

describeWith({ log: true, readModels: true }, 'a process that projects and hears nothing of the log', () => {
  const skipped = skippedUnless(
    canProxy(external.eventStoreUrl),
    'a log that goes silent for one process',
    'no single server without TLS is given, so no proxy can stand in between',
  )
  const env = { CATALOG_SECRET_KEY: 'the key that all processes share, 32 bytes' }
  let folder: ReturnType<typeof temporaryDataDir>
  let proxy: Proxied
  let services: RunningService[]

  beforeEach(async () => {
    folder = temporaryDataDir()
    proxy = await putProxyBefore(external.eventStoreUrl as string)
    services = []
  })

  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')))
    await proxy.close()
    await folder.remove()
  })

  const start = async (starting: Promise<RunningService>): Promise<RunningService> => {
    const service = await starting
    services.push(service)
    return service
  }

  const projects = async (service: RunningService): Promise<boolean> => {
    const { body } = await service.call('GET', '/v1/system/processes')
    return (body.data as { projects: boolean; self: boolean }[]).some(({ projects, self }) => projects && self)
  }

  /** One that projects, with its log behind the proxy, and two others. */
  const startAll = async () => {
    const silent = await start(startBehind(folder.path, { log: proxy }, env))
    await expect.poll(() => projects(silent)).toBe(true)
    const startOther = () => start(startBuilt(folder.path, { ...storesFor(folder.path), ...env }))
    const [writing, other] = await Promise.all([startOther(), startOther()])
    const { status } = await writing.call('POST', '/v1/glossaries', { name: 'before' })
    expect(status).toBe(201)
    return { silent, writing, other }
  }

  const statusOf = async ({ call }: RunningService, name: string): Promise<number> =>
    (await call('GET', `/v1/glossaries/name/${name}`)).status

  it.skipIf(skipped).each(['stall', 'freeze', 'holdAnswers'] as const)(
    'is replaced within ten seconds, whether somebody waits for it or who wrote has been killed: %s',
    async (how) => {
      const { writing, other } = await startAll()
      proxy[how]()
      const since = performance.now()
      const cut = writing.call('POST', '/v1/glossaries', { name: 'unwaited' }).catch(() => undefined)
      await delay(500)
      await writing.stop('SIGKILL')
      await cut
      await expect.poll(() => statusOf(other, 'unwaited'), { interval: 50 }).toBe(200)
      expect(performance.now() - since).toBeLessThan(takeOver)
      expect(await projects(other)).toBe(true)
      expect((await other.call('POST', '/v1/glossaries', { name: 'waited' })).status).toBe(201)
    },
  )

  it.skipIf(skipped)('follows when it hears the log again, and the others keep what they have', async () => {
    const { silent, writing, other } = await startAll()
    proxy.stall()
    expect((await writing.call('POST', '/v1/glossaries', { name: 'meanwhile' })).status).toBe(201)
    proxy.resume()
    await expect.poll(() => statusOf(silent, 'meanwhile')).toBe(200)
    await delay(3000)
    expect([await projects(silent), (await projects(writing)) || (await projects(other))]).toEqual([false, true])
    expect((await silent.call('POST', '/v1/glossaries', { name: 'after' })).status).toBe(201)
    expect(await statusOf(other, 'after')).toBe(200)
  })
})
