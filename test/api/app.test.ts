import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DomainError, invalid } from '../../src/commands/errors.ts'
import { AppendTooLarge, StoreUnavailable } from '../../src/events/eventStore.ts'
import type { AppOptions } from '../../src/api/app.ts'
import type { Answer, ApiRequest, Route } from '../../src/api/route.ts'
import type { Roles } from '../../src/api/policies.ts'
import { drain } from '../../src/api/server.ts'
import { bearer, jsonBody, raw, route, serve, token, type Running } from './support.ts'

const ok = (): Answer => ({ status: 200, body: '{"ok":true}' })

const running = async (routes: Route[], more?: Partial<AppOptions> & { roles?: Roles; level?: string }): Promise<Running> => {
  const made = await serve(routes, more)
  onTestFinished(() => made.close())
  return made
}

const ask = (api: Running, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${api.url}${path}`, { ...init, headers: { ...bearer(), ...init.headers as Record<string, string> } })

const problem = async (response: Response): Promise<Record<string, unknown>> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return await response.json() as Record<string, unknown>
}

describe('an answer', () => {
  it('is written with its length, type and safe headers, and nothing of the framework', async () => {
    const api = await running([route('get', '/v1/apples', () => ({ status: 200, body: '{"é":1}', headers: { ETag: '"3"' } }))])
    const response = await ask(api, '/api/v1/apples', { headers: { 'X-Correlation-ID': 'abc-1' } })
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'x-content-type-options': 'nosniff',
      'x-correlation-id': 'abc-1',
      'cache-control': 'private, no-cache',
      etag: '"3"',
      date: expect.any(String),
      connection: 'keep-alive',
      'keep-alive': expect.any(String),
    })
    expect(await response.text()).toBe('{"é":1}')
  })

  it('may be JSON, bytes, a stream or nothing', async () => {
    const api = await running([
      route('get', '/json', () => ({ status: 200, body: { json: { a: [1] } } })),
      route('get', '/bytes', () => ({ status: 200, body: Buffer.from([0, 255]), contentType: 'image/png', headers: { 'Cache-Control': 'public' } })),
      route('get', '/stream', () => ({ status: 200, body: Readable.from(['[1,', '2]']) })),
      route('get', '/nothing', () => ({ status: 204 })),
      route('get', '/same', () => ({ status: 304, headers: { ETag: '"1"' } })),
      route('get', '/empty', () => ({ status: 200 })),
    ])
    expect(await (await ask(api, '/api/json')).json()).toEqual({ a: [1] })
    const bytes = await ask(api, '/api/bytes')
    expect([bytes.headers.get('content-type'), bytes.headers.get('cache-control')]).toEqual(['image/png', 'public'])
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(Buffer.from([0, 255]))
    const stream = await ask(api, '/api/stream')
    expect([await stream.text(), stream.headers.get('x-content-type-options')]).toEqual(['[1,2]', 'nosniff'])
    const nothing = await ask(api, '/api/nothing')
    expect([nothing.status, nothing.headers.get('content-length'), nothing.headers.get('content-type')]).toEqual([204, null, null])
    expect((await ask(api, '/api/same')).status).toBe(304)
    expect((await ask(api, '/api/empty')).headers.get('content-length')).toBe('0')
  })

  it('to HEAD is that to GET without the body', async () => {
    let destroyed = false
    const api = await running([
      route('get', '/json', ok),
      route('get', '/stream', () => ({ status: 200, body: new Readable({ read() {}, destroy: (_, done) => {
        destroyed = true
        done(null)
      } }) })),
    ])
    const response = await ask(api, '/api/json', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '11', ''])
    await ask(api, '/api/stream', { method: 'HEAD' })
    expect(destroyed).toBe(true)
  })

  it('carries a new correlation id when the given one is not sensible', async () => {
    const api = await running([route('get', '/id', (request) => ({ status: 200, body: { json: request.correlationId } }))])
    for (const given of ['', 'a b', 'x'.repeat(129), '<script>']) {
      const response = await ask(api, '/api/id', { headers: { 'x-correlation-id': given } })
      const id = await response.json()
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('x-correlation-id')).toBe(id)
    }
  })

  it('whose headers cannot be sent is an internal error, not a request that hangs', async () => {
    const api = await running([route('get', '/bad', () => ({ status: 200, body: '{}', headers: { Location: '/é\n☃' } }))])
    expect((await ask(api, '/api/bad')).status).toBe(500)
  })
})

describe('a request', () => {
  it('reaches its route parsed', async () => {
    let seen: ApiRequest | undefined
    const api = await running([route('put', '/v1/apples/{id}/name/{fqn}', (request) => {
      seen = request
      return ok()
    }, { body: jsonBody })])
    await ask(api, '/api/v1/apples/7/name/a%2Fb?x=1&x=2&y=%20&__proto__=z&e', {
      method: 'PUT', body: '{"a":1}', headers: { 'content-type': 'Application/JSON; charset=UTF-8', 'x-correlation-id': 'c' },
    })
    expect(seen).toMatchObject({
      actor: { name: 'ada', roles: ['Admin'] },
      permission: 'yes',
      params: { id: '7', fqn: 'a/b' },
      body: { a: 1 },
      contentType: 'application/json',
      correlationId: 'c',
      baseUrl: `${api.url}/api`,
    })
    expect([...seen?.query ?? []]).toEqual([['x', '1'], ['y', ' '], ['__proto__', 'z'], ['e', '']])
    expect(seen?.time).toBeInstanceOf(Date)
  })

  it('knows the public address that is configured, and refuses a Host that is none', async () => {
    const routes = [route('get', '/base', (request) => ({ status: 200, body: { json: request.baseUrl } }))]
    const configured = await running(routes, { baseUrl: 'https://example.org/catalog' })
    expect(await (await ask(configured, '/api/base')).json()).toBe('https://example.org/catalog/api')
    const api = await running(routes)
    const { authorization } = bearer()
    const answer = await raw(api.port, `GET /api/base HTTP/1.1\r\nHost: a"><script>\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('is refused for what is wrong with its path or query', async () => {
    const api = await running([route('get', '/v1/apples/{id}', ok)])
    for (const path of ['/api/v1/apples/%zz', '/api/v1/apples/%00', '/api/v1/apples/1?q=%00']) {
      expect((await ask(api, path)).status).toBe(400)
    }
  })

  it('may have the longest name, escaped', async () => {
    const api = await running([route('get', '/v1/apples/name/{fqn}', (request) => ({ status: 200, body: { json: request.params.fqn ?? '' } }))])
    const name = '€'.repeat(3072)
    expect(await (await ask(api, `/api/v1/apples/name/${encodeURIComponent(name)}`)).json()).toBe(name)
  })
})

describe('routing', () => {
  const routes = [
    route('get', '/v1/apples', ok),
    route('post', '/v1/apples', ok, { permission: { operation: 'create', kind: 'apple' } }),
    route('get', '/livez', ok, { atRoot: true, permission: 'open' }),
  ]

  it('answers 404 for a path and 405 for a method that is not there', async () => {
    const api = await running(routes)
    expect(await problem(await ask(api, '/api/v1/plums'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await problem(await ask(api, '/elsewhere'))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    const other = await ask(api, '/api/v1/apples', { method: 'DELETE' })
    expect(other.headers.get('allow')).toBe('GET, HEAD, POST')
    expect(await problem(other)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
    const open = await fetch(`${api.url}/livez`, { method: 'POST' })
    expect([open.status, open.headers.get('allow')]).toEqual([401, null])
  })

  it('tells nobody without a token which paths there are', async () => {
    const api = await running(routes)
    const answers = await Promise.all(['/api/v1/apples', '/api/v1/plums', '/api/livez'].map((path) => fetch(`${api.url}${path}`)))
    expect(answers.map((response) => response.status)).toEqual([401, 401, 401])
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer')
    expect((await fetch(`${api.url}/livez`)).status).toBe(200)
  })

  it('answers 406 when nothing that is produced is accepted', async () => {
    const api = await running([...routes, route('get', '/yaml', () => ({ status: 200, body: 'a: 1\n', contentType: 'application/yaml' }), {
      answers: { 200: { description: '', contentType: 'application/yaml' } },
    })])
    expect(await problem(await ask(api, '/api/v1/apples', { headers: { accept: 'text/html' } }))).toMatchObject({ code: 'NOT_ACCEPTABLE' })
    expect((await ask(api, '/api/yaml', { headers: { accept: 'application/json' } })).status).toBe(406)
    expect((await ask(api, '/api/yaml', { headers: { accept: 'application/*' } })).status).toBe(200)
  })

  it('mounts nothing that is open by accident or there twice', async () => {
    const open = { ...route('get', '/x', ok), permission: undefined } as unknown as Route
    await expect(serve([open])).rejects.toThrow('GET /api/x has no permission')
    await expect(serve([route('get', '/x', ok), route('get', '/x', ok, { id: 'other' })])).rejects.toThrow('GET /api/x is mounted twice')
    await expect(serve([route('get', '/x', ok), route('get', '/y', ok, { id: 'get /x' })])).rejects.toThrow('has the id get /x already')
  })
})

describe('permission', () => {
  const routes = [
    route('get', '/see', (request) => ({ status: 200, body: { json: request.permission } })),
    route('post', '/make', (request) => ({ status: 200, body: { json: request.permission } }), {
      permission: { operation: 'create', kind: 'apple' }, body: jsonBody,
    }),
    route('get', '/open', (request) => ({ status: 200, body: { json: [request.actor.name, request.permission] } }), { permission: 'open' }),
  ]
  const roles: Roles = { Owner: [{ effect: 'allow', operations: ['*'], kinds: ['*'], condition: 'isOwner' }] }

  it('is what the roles give', async () => {
    const api = await running(routes, { roles })
    const as = (...names: string[]) => ({ headers: bearer('ada', ...names) })
    expect(await (await ask(api, '/api/see', as('DataConsumer'))).json()).toBe('yes')
    expect(await (await ask(api, '/api/see', as('Owner'))).json()).toBe('ifOwner')
    const refused = await ask(api, '/api/make', { method: 'POST', body: '{', ...as('DataConsumer') })
    expect(await problem(refused)).toMatchObject({ status: 403, code: 'FORBIDDEN', message: 'You are not allowed to create on apple.' })
    expect(await (await fetch(`${api.url}/api/open`)).json()).toEqual(['anonymous', 'yes'])
  })

  it('is not given by a token that does not hold', async () => {
    const api = await running(routes)
    const response = await fetch(`${api.url}/api/see`, { headers: { authorization: `Bearer ${token()}x` } })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
    expect(await problem(response)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })
})

describe('an error', () => {
  it.each([
    [invalid([{ path: '/a', message: 'is missing' }, { path: '/b', message: 'is odd' }]), 400, 'BAD_REQUEST'],
    [new DomainError('not_found', 'm'), 404, 'NOT_FOUND'],
    [new DomainError('already_exists', 'm'), 409, 'ENTITY_ALREADY_EXISTS'],
    [new DomainError('conflict', 'm'), 409, 'CONFLICT'],
    [new DomainError('precondition_failed', 'm'), 412, 'PRECONDITION_FAILED'],
    [new DomainError('too_large', 'm'), 413, 'PAYLOAD_TOO_LARGE'],
    [new AppendTooLarge(5), 413, 'PAYLOAD_TOO_LARGE'],
    [new StoreUnavailable('host 10.1.2.3 refused'), 503, 'UNAVAILABLE'],
    [new Error('secret of the house'), 500, 'INTERNAL'],
    ['text', 500, 'INTERNAL'],
    [undefined, 500, 'INTERNAL'],
  ])('%s is %d %s', async (error, status, code) => {
    const api = await running([route('get', '/x', () => {
      throw error
    })])
    const response = await ask(api, '/api/x')
    const body = await problem(response)
    expect(response.status).toBe(status)
    expect(body).toEqual({
      type: `urn:problem-type:catalog:${code.toLowerCase().replaceAll('_', '-')}`,
      title: expect.any(String),
      status,
      code,
      message: expect.any(String),
      detail: body.message,
      instance: expect.stringMatching(/^urn:uuid:/),
      errors: error instanceof DomainError ? error.problems : [],
    })
    expect(JSON.stringify(body)).not.toMatch(/secret of the house|10\.1\.2\.3/)
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '5' : null)
    const logged = api.log.filter((line) => line.instance === body.instance)
    expect(logged).toHaveLength(status >= 500 ? 1 : 0)
    expect(logged[0]?.level).toBe(status >= 500 ? (status === 500 ? 50 : 40) : undefined)
  })

  it('in a stream before its first byte is answered, later it cuts the connection', async () => {
    const api = await running([
      route('get', '/early', () => ({ status: 200, body: new Readable({ read() {
        this.destroy(new StoreUnavailable('x'))
      } }) })),
      route('get', '/late', () => {
        let count = 0
        return { status: 200, body: new Readable({ read() {
          if (count++ === 0) this.push('[1,')
          else this.destroy(new Error('broken'))
        } }) }
      }),
    ])
    expect(await problem(await ask(api, '/api/early'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    await expect(ask(api, '/api/late').then((response) => response.text())).rejects.toThrow()
    expect(api.log.some((line) => line.msg === 'an answer broke off')).toBe(true)
  })
})

describe('time', () => {
  it('that is up is 503 and tells the handler', async () => {
    let aborted = false
    const api = await running([route('get', '/slow', (request) => new Promise<Answer>((_, reject) => {
      request.signal.addEventListener('abort', () => {
        aborted = true
        reject(new Error('aborted'))
      })
    }))], { requestTimeout: 20 })
    const response = await ask(api, '/api/slow')
    expect(await problem(response)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect(response.headers.get('retry-after')).toBe('5')
    expect(aborted).toBe(true)
    expect(api.log.filter((line) => line.level === 50)).toEqual([])
  })

  it('that is up drops a late answer', async () => {
    const late = new PassThrough()
    const api = await running([route('get', '/slow', (request) => new Promise<Answer>((resolve) => {
      request.signal.addEventListener('abort', () => resolve({ status: 200, body: late }))
    }))], { requestTimeout: 20 })
    expect((await ask(api, '/api/slow')).status).toBe(503)
    expect(late.destroyed).toBe(true)
  })

  it('ends for a handler when the client goes away', async () => {
    const started = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const api = await running([route('get', '/wait', (request) => new Promise<Answer>((_, reject) => {
      request.signal.addEventListener('abort', () => {
        aborted.resolve()
        reject(new Error('aborted'))
      })
      started.resolve()
    }))])
    const control = new AbortController()
    const asked = ask(api, '/api/wait', { signal: control.signal }).catch(() => 'gone')
    await started.promise
    control.abort()
    await aborted.promise
    expect(await asked).toBe('gone')
    expect(api.log.filter((line) => line.level === 50)).toEqual([])
  })
})

describe('server-sent events', () => {
  const events = (body: Readable) => route('get', '/events', () => ({ status: 200, body, contentType: 'text/event-stream' }), {
    answers: { 200: { description: '', contentType: 'text/event-stream' } },
  })

  it('begin before the first event and stop when the client goes', async () => {
    const body = new PassThrough()
    const api = await running([events(body)])
    const control = new AbortController()
    const response = await ask(api, '/api/events', { signal: control.signal, headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(200)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    body.write('data: 1\n\n')
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('data: 1\n\n')
    const closed = once(body, 'close')
    control.abort()
    await closed
  })

  it('end when the process is about to stop', async () => {
    const stop = new AbortController()
    const body = new PassThrough()
    const api = await running([events(body)], { stopping: stop.signal })
    const response = await ask(api, '/api/events')
    stop.abort()
    expect(await response.text()).toBe('')
    expect(body.destroyed).toBe(true)
  })
})

describe('the access log', () => {
  it('has who asked what and how it ended, and no secret', async () => {
    const api = await running([route('post', '/v1/apples/{id}', ok, { body: jsonBody }), route('get', '/v1/apples', ok)])
    const sent = token('ada')
    await ask(api, '/api/v1/apples/7?password=hidden', {
      method: 'POST', body: '{"password":"hidden"}', headers: { 'content-type': 'application/json', authorization: `Bearer ${sent}`, 'x-correlation-id': 'c1' },
    })
    await ask(api, '/api/v1/apples')
    await api.close()
    expect(api.log.map(({ level, method, route: template, path, status, user, msg }) => ({ level, method, template, path, status, user, msg }))).toEqual([
      { level: 30, method: 'POST', template: '/api/v1/apples/{id}', path: '/api/v1/apples/7', status: 200, user: 'ada', msg: 'request' },
      { level: 20, method: 'GET', template: '/api/v1/apples', path: '/api/v1/apples', status: 200, user: 'ada', msg: 'request' },
    ])
    expect(api.log[0]).toMatchObject({ correlationId: 'c1', ms: expect.any(Number) })
    expect(JSON.stringify(api.log)).not.toMatch(/hidden|Bearer/)
    expect(JSON.stringify(api.log)).not.toContain(sent)
    const text = await api.metrics.text()
    expect(text).toContain('catalog_http_request_duration_seconds_count{method="POST",route="/api/v1/apples/{id}",status="200"} 1')
  })
})

describe('drain', () => {
  it('lets running requests finish, then closes', async () => {
    const entered = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<Answer>()
    const api = await serve([route('get', '/slow', () => {
      entered.resolve()
      return gate.promise
    })])
    const asked = ask(api, '/api/slow')
    await entered.promise
    const drained = drain(api.server)
    await expect(fetch(`${api.url}/api/slow`)).rejects.toThrow()
    gate.resolve(ok())
    expect((await asked).status).toBe(200)
    await drained
  })

  it('cuts what takes too long', async () => {
    const entered = Promise.withResolvers<void>()
    const api = await serve([route('get', '/never', () => {
      entered.resolve()
      return new Promise<Answer>(() => {})
    })])
    const asked = ask(api, '/api/never').then(() => 'answered', () => 'cut')
    await entered.promise
    await drain(api.server, 10)
    expect(await asked).toBe('cut')
  })

  it('closes connections that idle', async () => {
    const api = await serve([])
    const socket = connect(api.port, '127.0.0.1')
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    await Promise.all([drain(api.server), closed])
  })
})

describe('bytes that are no HTTP', () => {
  it('get a problem as well', async () => {
    const api = await running([])
    const answer = await raw(api.port, 'NONSENSE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/)
    const large = await raw(api.port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1\.1 431 /)
  })
})
