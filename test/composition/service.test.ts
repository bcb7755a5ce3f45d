import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { listening } from '../support/listening.ts'
import { startInProcess } from '../support/running.ts'

it('a service that cannot listen closes what it has opened', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const { port: taken } = new URL(await listening(() => undefined))
  await expect(startInProcess({ CATALOG_PORT: taken }, folder)).rejects.toThrow(taken)
  const { call } = await startInProcess({}, folder)
  expect((await call('GET', '/v1/glossaries')).status).toBe(200)
})
