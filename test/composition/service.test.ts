import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { startInProcess } from '../support/running.ts'

it('a service that cannot listen closes what it has opened', async () => {
  const folder = join(await temporaryFolder(), 'data')
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const taken = String((other.address() as AddressInfo).port)
  await expect(startInProcess({ CATALOG_PORT: taken }, folder)).rejects.toThrow(taken)
  const { call } = await startInProcess({}, folder)
  expect((await call('GET', '/v1/glossaries')).status).toBe(200)
})
