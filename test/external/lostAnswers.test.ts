import { afterEach, beforeEach, expect, it } from 'vitest'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { startBuilt, temporaryDataDir, type RunningService } from '../support/service.ts'
import { canProxy, describeWith, expectUnavailable, putProxyBefore, startBehind, type Proxied } from './support.ts'

const skipped = skippedUnless(
  canProxy(external.eventStoreUrl),
  'lost answers of EventStoreDB',
  'no single server without TLS is given, so no proxy can stand in between',
)

describeWith({ log: true, readModels: true }, 'a process that EventStoreDB does not answer any more', () => {
  let folder: ReturnType<typeof temporaryDataDir>
  let proxy: Proxied
  const running: RunningService[] = []
  const key = { CATALOG_SECRET_KEY: 'the key that all processes share, 32 bytes' }

  beforeEach(async () => {
    folder = temporaryDataDir()
    if (!skipped) proxy = await putProxyBefore(external.eventStoreUrl as string)
  })

  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop('SIGKILL')))
    await proxy.close()
    await folder.remove()
  })

  const total = async ({ call }: RunningService, include: string): Promise<number> =>
    (await call('GET', `/v1/glossaryTerms?glossary=doomed&limit=0&include=${include}`)).body.paging.total

  it.skipIf(skipped)('leaves its recursive delete to the others, who finish it within seconds, once', async () => {
    const cut = await startBehind(folder.path, { log: proxy }, key)
    const other = await startBuilt(folder.path, { ...storesFor(folder.path), ...key })
    running.push(cut, other)
    expect((await other.call('POST', '/v1/glossaries', { name: 'doomed' })).status).toBe(201)
    const terms = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        other.call('POST', '/v1/glossaryTerms', { name: `t${index}`, glossary: 'doomed' }),
      ),
    )
    expect(terms.filter(({ status }) => status !== 201)).toEqual([])
    const headers = { 'catalog-position': terms.at(-1)?.headers.get('catalog-position') as string }
    expect((await cut.call('GET', '/v1/glossaries/name/doomed', undefined, { headers })).status).toBe(200)
    proxy.holdAnswers()
    const deleting = cut.call('DELETE', '/v1/glossaries/name/doomed?recursive=true')
    await expect.poll(() => total(other, 'non-deleted'), { timeout: 25_000, interval: 100 }).toBe(0)
    expect(await total(other, 'deleted')).toBe(40)
    expectUnavailable(await deleting)
    proxy.cut()
    proxy.resume()
    await expect.poll(() => total(cut, 'deleted'), { timeout: 30_000 }).toBe(40)
    for (const { body } of terms.slice(0, 5)) {
      const history = await other.call('GET', `/v1/glossaryTerms/${body.id}/history`)
      expect(history.body.data.map(({ type }: { type: string }) => type)).toEqual(['Created', 'SoftDeleted'])
    }
  })
})
