import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { startBuilt, temporaryDataDir, tokenFor, type RunningService } from '../support/service.ts'
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
    // Who starts first projects: a projector that hears nothing any more is noticed later than this test waits.
    const other = await startBuilt(folder.path, { ...storesFor(folder.path), ...key })
    const cut = await startBehind(folder.path, { log: proxy }, key)
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
    await expect.poll(() => total(other, 'non-deleted'), { interval: 100 }).toBe(0)
    expect(await total(other, 'deleted')).toBe(40)
    expectUnavailable(await deleting)
    proxy.cut()
    proxy.resume()
    await expect.poll(() => total(cut, 'deleted')).toBe(40)
    for (const { body } of terms.slice(0, 5)) {
      const history = await other.call('GET', `/v1/glossaryTerms/${body.id}/history`)
      expect(history.body.data.map(({ type }: { type: string }) => type)).toEqual(['Created', 'SoftDeleted'])
    }
  })

  const roles = `
roles:
  NoTables:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [table] }
`

  /** Statuses of a service and of what stands below it, down to a table. */
  const statusesBelow = ({ call }: RunningService) =>
    Promise.all(
      [
        'services/databaseServices/name/s',
        'databases/name/s.d',
        'databaseSchemas/name/s.d.c',
        'tables/name/s.d.c.t',
      ].map(async (path) => (await call('GET', `/v1/${path}`)).status),
    )

  it.skipIf(skipped)('and is killed takes nothing along that its recursive delete may not take', async () => {
    const policies = join(folder.path, 'policies.yaml')
    mkdirSync(folder.path, { recursive: true })
    writeFileSync(policies, roles)
    const env = { ...key, CATALOG_POLICIES_FILE: policies }
    const other = await startBuilt(folder.path, { ...storesFor(folder.path), ...env })
    const deleting = await startBehind(folder.path, { log: proxy }, env)
    running.push(deleting, other)
    const made = [
      ['services/databaseServices', { name: 's', serviceType: 'Mysql' }],
      ['databases', { name: 'd', service: 's' }],
      ['databaseSchemas', { name: 'c', database: 's.d' }],
    ] as const
    for (const [path, body] of made) expect((await other.call('POST', `/v1/${path}`, body)).status).toBe(201)
    // Who writes for the first time gets an entity, which has nothing to do with what follows.
    const token = tokenFor('nora', ['NoTables'])
    expect((await other.call('POST', '/v1/glossaries', { name: 'hers' }, { token })).status).toBe(201)
    expect((await deleting.call('GET', '/v1/databaseSchemas/name/s.d.c')).status).toBe(200)
    // It looks below, and what it decides waits for the log while a table comes.
    proxy.stall()
    const path = '/v1/services/databaseServices/name/s?recursive=true'
    const answer = deleting.call('DELETE', path, undefined, { token }).catch(() => undefined)
    const head = async () => (await other.call('GET', '/v1/events?after=latest')).body.paging.after as string
    await delay(1000)
    const table = { name: 't', databaseSchema: 's.d.c', columns: [] }
    expect((await other.call('POST', '/v1/tables', table)).status).toBe(201)
    const before = await head()
    proxy.holdAnswers()
    await expect.poll(head).not.toBe(before)
    await deleting.stop('SIGKILL')
    await expect.poll(() => statusesBelow(other)).toEqual([200, 200, 200, 200])
    expect(await answer).toBeUndefined()
    const { body } = await other.call('GET', `/v1/events?after=${before}`)
    const told = body.data.map(({ type, subject }: { type: string; subject: string }) => `${type} ${subject}`)
    expect(told[0]).toBe('catalog.databaseService.SoftDeleted s')
    expect(told).toContain('catalog.databaseService.Restored s')
    expect(told.filter((line: string) => line.includes('.table.'))).toEqual([])
  })
})
