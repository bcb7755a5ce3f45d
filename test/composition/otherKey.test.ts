import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { catalogOn } from '../support/commandLine.ts'
import { external, skippedUnless, storesFor } from '../support/external.ts'
import { temporaryFolder } from '../support/folders.ts'
import { receiving } from '../support/listening.ts'
import { startInProcess } from '../support/running.ts'
import { startBuilt } from '../support/service.ts'

const [first, second] = [{ CATALOG_SECRET_KEY: 'a'.repeat(32) }, { CATALOG_SECRET_KEY: 'b'.repeat(32) }]

test('what another key sealed is said to be so where it is first used, and nothing of it is lost', async () => {
  const received: string[] = []
  const endpoint = await receiving((body) => (received.push(body), 204))
  const folder = await temporaryFolder()
  const warnings: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) })
  const start = (key: Record<string, string>) =>
    startInProcess({ ...storesFor(folder), ...key, CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }, folder, logger)

  const one = await start(first)
  expect((await one.call('POST', '/v1/webhooks', { name: 'w', endpoint: endpoint.url })).status).toBe(201)
  const { token } = (await one.call('POST', '/v1/tokens', { name: 'nightly', roles: ['Ingestion'] })).body
  expect((await one.call('GET', '/v1/me', undefined, { token })).status).toBe(200)
  await one.close()

  const other = await start(second)
  const refused = await other.call('GET', '/v1/me', undefined, { token })
  expect([refused.status, refused.body.detail]).toEqual([401, expect.stringContaining('CATALOG_SECRET_KEY')])
  expect((await other.call('POST', '/v1/glossaries', { name: 'meanwhile' })).status).toBe(201)
  await endpoint.until(() => warnings.some((line) => line.includes('the key (CATALOG_SECRET_KEY')))
  const hook = (await other.call('GET', '/v1/webhooks')).body.data[0]
  expect((await other.call('GET', `/v1/webhooks/${hook.id}/deadLetters`)).body.data).toEqual([])
  await other.close()
  expect(received.filter((body) => body.includes('meanwhile'))).toEqual([])

  const again = await start(first)
  expect((await again.call('GET', '/v1/me', undefined, { token })).status).toBe(200)
  await endpoint.until(() => received.some((body) => body.includes('meanwhile')))
})

const embedded = external.eventStoreUrl === undefined && external.mongodbUrl === undefined

test.skipIf(skippedUnless(embedded, 'a backup of a folder', 'the stores are external'))(
  'a backup beside a service whose key is set says that it lacks it, though it is not told the settings',
  async () => {
    const folder = await temporaryFolder()
    const service = await startBuilt(folder, first)
    onTestFinished(() => service.stop('SIGKILL').then(() => undefined))
    const { stdout } = await catalogOn(folder, ['backup', `${await temporaryFolder()}/copy`])
    expect(stdout).toContain('Not copied: CATALOG_SECRET_KEY, which seals secrets in the log.')
  },
)
