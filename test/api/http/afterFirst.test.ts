import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { afterFirst } from '../../../src/api/http/server.ts'

it('what is done after the first request is done once, behind its answer, and not for probes', async () => {
  const order: string[] = []
  const answer = (request: IncomingMessage): void => void order.push(`answers ${request.url}`)
  const handler = afterFirst(
    (request, response) => {
      answer(request)
      response.statusCode = request.url === '/api/v1/nothing' ? 404 : 200
      response.end()
    },
    () => order.push('prepares'),
  )
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const paths = ['/readyz', '/metrics', '/api/v1/nothing', '/api/v1/tables', '/api/v1/users', '/api/v1/tables']
  for (const path of paths) await (await fetch(url + path, { headers: { connection: 'close' } })).text()
  expect(order.filter((each) => each === 'prepares')).toHaveLength(1)
  expect(order.indexOf('prepares')).toBeGreaterThan(order.indexOf('answers /api/v1/tables'))
  expect(order.filter((each) => each !== 'prepares')).toEqual(paths.map((path) => `answers ${path}`))
})
