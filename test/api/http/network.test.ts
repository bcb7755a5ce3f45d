import { once } from 'node:events'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { connect, type AddressInfo } from 'node:net'
import { request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { jsonAnswer, type Route } from '../../../src/api/http/route.ts'
import { drain, makeServer } from '../../../src/api/http/server.ts'
import { setLimit } from '../../support/limits.ts'
import { ask, bearer, jsonBody, ok, problem, raw, route, running, sessions, type Running } from '../support.ts'

const large = JSON.stringify({ text: 'word '.repeat(4000) })
const routes = [
  route('get', '/v1/apples', ok),
  route('get', '/v1/large', () => ({ status: 200, body: large, headers: { ETag: '"1"' } })),
  route('put', '/v1/apples', ok, { body: jsonBody }),
  route('get', '/v1/base', (request) => jsonAnswer(request.baseUrl)),
]

describe('pages of other origins', () => {
  const origin = 'https://portal.example.org'

  it('get no permission unless it is configured', async () => {
    const api = await running(routes)
    const answer = await ask(api, '/api/v1/apples', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('may call the API and read its headers when their origin is configured', async () => {
    const api = await running(routes, { corsOrigins: [origin] })
    const answer = await ask(api, '/api/v1/apples', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    const exposed = answer.headers.get('access-control-expose-headers')?.split(',') ?? []
    expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Catalog-Position', 'Location', 'Retry-After']))
    const other = await ask(api, '/api/v1/apples', { headers: { origin: 'https://evil.example.org' } })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fetch(`${api.url}/api/v1/apples`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,if-match',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,if-match')
  })
})

describe('Vary', () => {
  const origin = 'https://portal.example.org'
  const named = [
    route('get', '/v1/shown', () => ({ status: 200, revision: 3n, body: '{}' })),
    route('get', '/v1/page', () => ({ status: 200, body: Readable.from(['[]']) })),
  ]

  it.each([
    ['Accept-Encoding', undefined],
    ['Accept-Encoding', ['*']],
    ['Origin, Accept-Encoding', [origin]],
  ])('is %s of all answers, also of 304, when pages of %j may call', async (vary, corsOrigins) => {
    const api = await running(named, { corsOrigins, pages: () => ({ status: 200, body: 'page' }) })
    const shown = '/api/v1/shown'
    const tag = (await ask(api, shown)).headers.get('etag') as string
    for (const headers of [{}, { origin }])
      for (const [status, path, more] of [
        [200, shown, {}],
        [304, shown, { 'if-none-match': tag }],
        [200, '/api/v1/page', {}],
        [404, '/api/v1/nothing', {}],
        [200, '/', {}],
      ] as const) {
        const answer = await ask(api, path, { headers: { ...headers, ...more } })
        expect([path, answer.status, answer.headers.get('vary')]).toEqual([path, status, vary])
      }
  })
})

describe('long answers', () => {
  const received = (
    api: Running,
    encoding: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }> =>
    new Promise((resolve) => {
      const headers = { ...bearer(), 'accept-encoding': encoding, ...more }
      httpRequest(`${api.url}/api/v1/large`, { headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
        )
      }).end()
    })

  it('are compressed for whoever takes them so, with an ETag of their own', async () => {
    const api = await running(routes)
    const { headers, bytes } = await received(api, 'gzip')
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: '"1-gzip"' })
    expect(bytes.length).toBeLessThan(large.length / 10)
    expect(gunzipSync(bytes).toString()).toBe(large)
    const plain = await received(api, 'identity')
    expect(plain.headers).toMatchObject({ 'content-length': String(large.length), etag: '"1"' })
    expect(plain.headers['vary']).toBe('Accept-Encoding')
    expect(plain.bytes.toString()).toBe(large)
    expect((await received(api, 'br')).headers['etag']).toBe('"1-br"')
  })

  it.each([
    ['gzip', '"1-gzip"', 304],
    ['br, gzip', '"2", W/"1-gzip"', 304],
    ['*', '"1-br"', 304],
    ['gzip', '"1"', 304],
    ['identity', '"1"', 304],
    ['identity', '"1-gzip"', 200],
    ['br', '"1-gzip"', 200],
    ['gzip', '"2-gzip"', 200],
  ])('are to a client that takes %s and has %s: %i', async (encoding, known, status) => {
    const api = await running(routes)
    const answer = await received(api, encoding, { 'if-none-match': known })
    expect(answer.status).toBe(status)
    if (status === 304) expect(known.split(', ').at(-1)).toMatch(`${String(answer.headers['etag'])}`)
  })
})

describe('a proxy', () => {
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'catalog.example.org',
    'x-forwarded-for': '1.2.3.4',
  }

  it('is believed when it is trusted, and nobody else', async () => {
    const trusting = await running(routes, { trustProxy: 'loopback' })
    expect(await (await ask(trusting, '/api/v1/base', { headers: forwarded })).json()).toBe(
      'https://catalog.example.org/api',
    )
    const wary = await running(routes)
    expect(await (await ask(wary, '/api/v1/base', { headers: forwarded })).json()).toBe(`${wary.url}/api`)
    const strange = await ask(trusting, '/api/v1/base', { headers: { 'x-forwarded-host': 'a/b"' } })
    expect(strange.status).toBe(400)
  })

  it('says by which address a console was opened whose browser does not say that it is the same origin', async () => {
    const change = async (more: Parameters<typeof running>[1], headers: Record<string, string>) => {
      const api = await running([route('post', '/v1/apples', ok)], more)
      const { cookie } = await sessions.begin(
        { name: 'ann', roles: ['Admin'] },
        { headers: { host: `127.0.0.1:${api.port}` }, baseUrl: `${api.url}/api` },
      )
      const origin = 'https://catalog.example.org'
      return (await fetch(`${api.url}/api/v1/apples`, { method: 'POST', headers: { cookie, origin, ...headers } }))
        .status
    }
    expect(await change({}, {})).toBe(403)
    expect(await change({ baseUrl: 'https://catalog.example.org/team' }, {})).toBe(200)
    expect(await change({ trustProxy: 'loopback' }, forwarded)).toBe(200)
    expect(await change({}, forwarded)).toBe(403)
  })

  it.each([
    ['8.8.8.1:5001', '8.8.8.1:5002'],
    ['[2001:db8::1]:5001', '2001:db8::1'],
  ])('that tells ports of clients with their addresses has them counted by address: %s, %s', async (one, other) => {
    const api = await running(routes, { rateLimit: 1, trustProxy: 1 })
    const from = async (address: string) =>
      (await fetch(`${api.url}/api/v1/apples`, { headers: { 'x-forwarded-for': address } })).status
    expect([await from(one), await from(other), await from('2001:db8::2')]).toEqual([401, 429, 401])
  })
})

it('a limit of requests holds for each caller by himself, and says when to try again', async () => {
  const api = await running(routes, { rateLimit: 3 })
  const statuses: number[] = []
  for (let n = 0; n < 4; n += 1) statuses.push((await ask(api, '/api/v1/apples')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const refused = await ask(api, '/api/v1/apples')
  expect(await problem(refused)).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask(api, '/api/v1/apples', { headers: bearer('bob') })).status).toBe(200)
  const anonymous = async () => (await fetch(`${api.url}/api/v1/apples`)).status
  expect([await anonymous(), await anonymous(), await anonymous(), await anonymous()]).toEqual([401, 401, 401, 429])
})

it('a limit of requests says to wait for a minute at most, although the clock is set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const api = await running(routes, { rateLimit: 1 })
  await ask(api, '/api/v1/apples')
  vi.setSystemTime(Date.now() - 3_600_000)
  const refused = await ask(api, '/api/v1/apples')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
})

it('a limit of requests counts open routes by address, but no probes', async () => {
  const open = [
    route('get', '/v1/session', ok, { permission: 'open' }),
    route('get', '/livez', ok, { permission: 'open', atRoot: true }),
  ]
  const api = await running(open, { rateLimit: 2 })
  const statuses: number[] = []
  for (const path of ['/livez', '/api/v1/session', '/livez', '/api/v1/session', '/api/v1/session', '/livez'])
    statuses.push((await fetch(api.url + path)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429, 200])
})

describe('requests that are hardly HTTP', () => {
  const { authorization } = bearer()

  it.each([
    [
      'with two of Host',
      'GET /livez HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n',
      400,
      'There is more than one Host header',
    ],
    ['without Host', `GET /api/v1/apples HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'The Host header is missing'],
    [
      'with an unknown Expect',
      `GET /livez HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n`,
      417,
      'Expect',
    ],
    [
      'with two lengths',
      `PUT /api/v1/apples HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'not valid HTTP',
    ],
    ['with NUL in its path', 'GET /api/v1/apples/a\0b HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'not valid HTTP'],
    [
      'with broken chunks',
      `PUT /api/v1/apples HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\nNONSENSE\r\n`,
      400,
      'not valid HTTP',
    ],
  ])('%s get a problem', async (_, text, status, message) => {
    const api = await running(routes)
    const [head = '', body = ''] = (await raw(api.port, text)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toContain('application/problem+json')
    expect(JSON.parse(body).message).toContain(message)
  })

  it('of HTTP/1.0 need no Host: links then have the address that was connected to', async () => {
    const link: Route['handle'] = async ({ baseUrl }) => jsonAnswer({ baseUrl })
    const api = await running([route('get', '/livez', link, { permission: 'open', atRoot: true })])
    const [head = '', body = ''] = (await raw(api.port, 'GET /livez HTTP/1.0\r\n\r\n')).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(JSON.parse(body)).toEqual({ baseUrl: `http://127.0.0.1:${api.port}/api` })
  })

  it('bodies that come too slowly are given up', async () => {
    setLimit('bodyTime', 100)
    const api = await running(routes)
    const answer = await raw(
      api.port,
      `PUT /api/v1/apples HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 408 /)
  })

  it('bodies that go on after the answer end the connection', async () => {
    const open = route('get', '/v1/open', ok, { permission: 'open' })
    setLimit('bodyTime', 100)
    setLimit('restTime', 300)
    const { port } = await running([...routes, open])
    const head = 'Host: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n'
    const dripped = (line: string, more = ''): Promise<string> => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      socket.on('error', () => {})
      socket.write(`${line} HTTP/1.1\r\n${head}${more}\r\n{`)
      const dripping = setInterval(() => socket.write(' '), 50)
      let received = ''
      socket.on('data', (text: string) => (received += text))
      return new Promise((resolve) =>
        socket.on('close', () => {
          clearInterval(dripping)
          resolve(received)
        }),
      )
    }
    const answers = await Promise.all([
      dripped('PUT /api/v1/apples'),
      dripped('GET /api/v1/open'),
      dripped('GET /api/v1/nothing'),
      dripped('PUT /api/v1/apples', `Authorization: ${authorization}\r\n`),
    ])
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['401', '200', '401', '408'])
    expect(answers[3]).toContain('Connection: close')
  })

  it('bodies that take too much memory together are refused', async () => {
    setLimit('bodies', 8000)
    setLimit('bulkBody', 1000)
    const api = await running(routes)
    const put = (length: number) =>
      ask(api, '/api/v1/apples', {
        method: 'PUT',
        body: JSON.stringify('x'.repeat(length)),
        headers: { 'content-type': 'application/json' },
      })
    expect((await put(1500)).status).toBe(200)
    const refused = await put(2500)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await put(1500)).status).toBe(200)
  })
})

describe('clients that take nothing', () => {
  const huge = 'x'.repeat(30_000_000)
  const hugeRoute = route('get', '/v1/huge', () => ({ status: 200, body: huge }))
  function* endless() {
    for (;;) yield Buffer.alloc(65_536, 'x')
  }
  const eventsRoute = route('get', '/v1/events', () => ({
    status: 200,
    body: Readable.from(endless(), { objectMode: false }),
    contentType: 'text/event-stream',
  }))

  /** A client that asks and then reads nothing. */
  const unreading = (port: number, path = '/v1/huge') => {
    const socket = connect(port, '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write(`GET /api${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${bearer().authorization}\r\n\r\n`)
    return socket
  }

  it.each([hugeRoute, eventsRoute])('are cut off after a while: $path', async (asked) => {
    setLimit('unreadTime', 200)
    const { server, port } = await running([asked])
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
    const accepted = once(server, 'connection')
    const socket = unreading(port, asked.path)
    await accepted
    await expect.poll(open).toBe(0)
    socket.destroy()
  })

  it('are cut off, the one that waits longest first, when their answers take too much memory', async () => {
    setLimit('unreadAnswers', 50_000_000)
    const api = await running([hugeRoute])
    const first = unreading(api.port)
    const gone = () => api.log.filter(({ msg }) => msg === 'a client that took nothing was cut').length
    await expect.poll(() => api.server.listening && first.bytesWritten > 0).toBe(true)
    const second = unreading(api.port)
    await expect.poll(gone).toBe(1)
    for (const socket of [first, second]) socket.destroy()
  })

  it('do not keep others from taking the same', async () => {
    const api = await running([hugeRoute])
    expect((await (await ask(api, '/api/v1/huge')).text()).length).toBe(huge.length)
  })
})

describe('connections', () => {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  it('have a bound, beyond which only the probes are answered, and a few connections later nothing', async () => {
    const livez = route('get', '/livez', ok, { atRoot: true, permission: 'open' })
    const api = await running([...routes, livez])
    let refused = 0
    const limited = { maxConnections: 1, onRefused: () => void (refused += 1) }
    const server = makeServer(api.app, limited).listen(0, '127.0.0.1')
    onTestFinished(async () => void (await drain(server, 0)))
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const idle = async (): Promise<void> => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
    }
    await idle()
    expect(await raw(port, get('/livez'))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await raw(port, get('/api/v1/apples'))).toMatch(/^HTTP\/1\.1 503 [^]*"code":"UNAVAILABLE"/)
    expect(refused).toBe(1)
    for (let spare = 0; spare < 16; spare++) await idle()
    expect(await raw(port, get('/livez'))).toBe('')
    expect(refused).toBe(2)
  })
})
