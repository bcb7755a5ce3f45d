import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../support/listening.ts'
import { startBuilt, temporaryDataDir } from '../support/service.ts'
import { waitFor } from '../support/waitFor.ts'

it('webhooks go through the proxy that Node is told to use', async () => {
  const seen = new Set<string>()
  const proxy = await listening((request, response) => {
    seen.add(`${request.method} ${request.url}`)
    response.writeHead(204).end()
  })
  const folder = temporaryDataDir()
  onTestFinished(folder.remove)
  const service = await startBuilt(folder.path, {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  onTestFinished(() => void service.stop('SIGKILL'))
  const webhook = { name: 'out', endpoint: 'http://nowhere.invalid/in' }
  expect((await service.call('POST', '/v1/webhooks', webhook)).status).toBe(201)
  expect((await service.call('POST', '/v1/glossaries', { name: 'g' })).status).toBe(201)
  await waitFor(() => expect([...seen]).toEqual(['POST http://nowhere.invalid/in']))
})
