import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Answer } from '../../../src/api/http/route.ts'
import { makePages } from '../../../src/api/http/pages.ts'
import { drain, makeServer, startingHandler } from '../../../src/api/http/server.ts'
import { ask, ok, raw, route, running, serve } from '../support.ts'

const certificate = (part: 'cert' | 'key'): Buffer =>
  readFileSync(join(import.meta.dirname, `../../composition/certificates/first.${part}.pem`))

describe('drain', () => {
  it('lets running requests finish, then closes', async () => {
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<Answer>()
    const api = await serve([
      route('get', '/slow', () => {
        entered.resolve()
        return gate.promise
      }),
    ])
    const asked = ask(api, '/api/slow')
    await entered.promise
    const drained = drain(api.server)
    await expect(fetch(`${api.url}/api/slow`)).rejects.toThrow()
    gate.resolve(ok())
    expect((await asked).status).toBe(200)
    await drained
  })

  it('cuts what takes too long, and says that it was the service', async () => {
    const entered = Promise.withResolvers<void>()
    const api = await serve([
      route('get', '/never', () => {
        entered.resolve()
        return new Promise<Answer>(() => {})
      }),
    ])
    const asked = ask(api, '/api/never').then(
      () => 'answered',
      () => 'cut',
    )
    await entered.promise
    expect(await drain(api.server, 10)).toBe(1)
    expect(await asked).toBe('cut')
    await expect.poll(() => api.log).toMatchObject([{ route: '/api/never', status: 503, cut: true }])
  })

  it('cuts connections that have not agreed on TLS', async () => {
    const server = makeServer(() => undefined, { tls: { cert: certificate('cert'), key: certificate('key') } })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    onTestFinished(() => void client.destroy())
    // The first bytes of a greeting that never ends.
    client.write(Buffer.from([22, 3, 1, 2, 0, 1]))
    const [socket] = await accepted
    await expect.poll(() => socket.bytesRead).toBe(6)
    expect(await drain(server, 10)).toBe(0)
  })

  it('closes connections that idle', async () => {
    const api = await serve([])
    const socket = connect(api.port, '127.0.0.1')
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    await Promise.all([drain(api.server), closed])
  })
})

it('a connection idles between requests for longer than in proxies, which would use it while it is closed', async () => {
  const api = await running([])
  const accepted = once(api.server, 'connection')
  const answer = await fetch(`${api.url}/api/v1/apples`)
  const [socket] = (await accepted) as [Socket]
  await answer.text()
  await expect.poll(() => socket.timeout).toBeGreaterThan(60_000)
})

describe('bytes that are not HTTP', () => {
  it('get a problem as well', async () => {
    const api = await running([])
    const answer = await raw(api.port, 'NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
    const large = await raw(api.port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1\.1 431 /)
    const [head, body] = large.split('\r\n\r\n') as [string, string]
    expect(head).toContain(`Content-Length: ${body.length}`)
    expect(JSON.parse(body)).toMatchObject({
      status: 431,
      code: 'HEADERS_TOO_LARGE',
      title: 'Request header fields too large',
      message: 'The request line and the headers may have at most 65536 bytes together.',
    })
  })

  it('never get into the middle of an answer: valid requests before them are answered first', async () => {
    const gates = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()]
    let asked = 0
    const wait = route('get', '/wait', () => (gates[asked++] as PromiseWithResolvers<Answer>).promise, {
      permission: 'open',
    })
    const api = await running([wait])
    const line = 'GET /api/wait HTTP/1.1\r\nHost: x\r\n\r\n'
    const answer = raw(api.port, `${line}${line}NONSENSE\r\n\r\n`)
    await expect.poll(() => asked).toBe(1)
    gates[0]?.resolve(ok())
    await expect.poll(() => asked).toBe(2)
    gates[1]?.resolve(ok())
    const statuses = [...(await answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses).toEqual(['200', '200', '400'])
  })
})

describe('requests on one connection', () => {
  it('are begun one after the other, and no more are read than wait', async () => {
    const underWay = { now: 0, most: 0, all: 0 }
    const one = route(
      'get',
      '/one',
      async () => {
        underWay.all += 1
        underWay.most = Math.max(underWay.most, ++underWay.now)
        await setImmediate()
        underWay.now -= 1
        return ok()
      },
      { permission: 'open' },
    )
    const api = await running([one])
    const count = 5000
    const requests = 'GET /api/one HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count - 1)
    const answer = await raw(api.port, `${requests}GET /api/one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(count)
    expect(underWay).toEqual({ now: 0, most: 1, all: count })
  })

  it('that wait are forgotten when their client has left', async () => {
    let asked = 0
    const wait = route('get', '/wait', async () => setImmediate((asked += 1)).then(ok), { permission: 'open' })
    const api = await running([wait])
    const socket = connect(api.port, '127.0.0.1')
    socket.write('GET /api/wait HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000))
    await expect.poll(() => asked).toBeGreaterThan(0)
    socket.resetAndDestroy()
    await drain(api.server)
    expect(asked).toBeLessThan(1000)
  })
})

it('A malformed precondition does not end a service that is starting, and an EventSource gets no status that would end it', async () => {
  const system: RequestListener = (_, response) => response.end('the app')
  const server = createServer(startingHandler(makePages('nowhere', undefined), system))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'if-none-match': 'abc' } })
  expect(await response.text()).toBe('the app')
  const streaming = fetch(`http://127.0.0.1:${port}/api/v1/events/stream`, { headers: { accept: 'text/event-stream' } })
  await expect(streaming).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) as string },
  })
})
