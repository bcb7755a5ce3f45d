import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { jsonAnswer, type ApiRequest, type Route } from '../../../src/api/http/route.ts'
import type { Roles } from '../../../src/api/auth/policies.ts'
import { ask, bearer, inQuery, jsonBody, ok, problem, raw, route, running, serve, token } from '../support.ts'

describe('an answer', () => {
  it('is written with its length, type and safe headers, and nothing of the framework', async () => {
    const api = await running([
      route('get', '/v1/apples', () => ({ status: 200, body: '{"é":1}', headers: { ETag: '"3"' } })),
    ])
    const response = await ask(api, '/api/v1/apples', { headers: { 'X-Correlation-ID': 'abc-1' } })
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '8',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'SAMEORIGIN',
      'x-permitted-cross-domain-policies': 'none',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-xss-protection': '0',
      vary: 'Accept-Encoding',
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
      route('get', '/json', () => jsonAnswer({ a: [1] })),
      route('get', '/bytes', () => ({
        status: 200,
        body: Buffer.from([0, 255]),
        contentType: 'image/png',
        headers: { 'Cache-Control': 'public' },
      })),
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
    expect([nothing.status, nothing.headers.get('content-length'), nothing.headers.get('content-type')]).toEqual([
      204,
      null,
      null,
    ])
    expect((await ask(api, '/api/same')).status).toBe(304)
    expect((await ask(api, '/api/empty')).headers.get('content-length')).toBe('0')
  })

  it('an answer to HEAD is that to GET without the body', async () => {
    let destroyed = false
    const api = await running([
      route('get', '/json', ok),
      route('get', '/stream', () => ({
        status: 200,
        body: new Readable({
          read() {},
          destroy: (_, done) => {
            destroyed = true
            done(null)
          },
        }),
      })),
    ])
    const response = await ask(api, '/api/json', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '11', ''])
    await ask(api, '/api/stream', { method: 'HEAD' })
    expect(destroyed).toBe(true)
  })

  it('carries its own identity as correlation id when the given one is not sensible', async () => {
    const api = await running([route('get', '/id', (request) => jsonAnswer(request.correlationId))])
    for (const given of ['', 'a b', 'x'.repeat(129), '<script>']) {
      const response = await ask(api, '/api/id', { headers: { 'x-correlation-id': given } })
      const id = await response.json()
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('x-correlation-id')).toBe(id)
    }
  })

  it('whose headers cannot be sent is an internal error, not a request that hangs', async () => {
    const api = await running([
      route('get', '/bad', () => ({ status: 200, body: '{}', headers: { Location: '/é\n☃' } })),
    ])
    expect((await ask(api, '/api/bad')).status).toBe(500)
  })
})

describe('a request', () => {
  it('reaches its route parsed', async () => {
    let seen: ApiRequest | undefined
    const api = await running([
      route(
        'put',
        '/v1/apples/{id}/name/{fqn}',
        (request) => {
          seen = request
          return ok()
        },
        { body: jsonBody, ...inQuery('x', 'y', '__proto__', 'e') },
      ),
    ])
    await ask(api, '/api/v1/apples/7/name/a%2Fb?x=1&y=%20&__proto__=z&e', {
      method: 'PUT',
      body: '{"a":1}',
      headers: { 'content-type': 'Application/JSON; charset=UTF-8', 'x-correlation-id': 'c' },
    })
    expect(seen).toMatchObject({
      actor: { name: 'ada', roles: ['Admin'] },
      permission: 'yes',
      params: { id: '7', fqn: 'a/b' },
      body: { a: 1 },
      contentType: 'application/json',
      clientCorrelationId: 'c',
      baseUrl: `${api.url}/api`,
    })
    expect([...(seen?.query ?? [])]).toEqual([
      ['x', '1'],
      ['y', ' '],
      ['__proto__', 'z'],
      ['e', ''],
    ])
  })

  it('knows the public address that is configured, and refuses a Host that is none', async () => {
    const routes = [route('get', '/base', (request) => jsonAnswer(request.baseUrl))]
    const configured = await running(routes, { baseUrl: 'https://example.org/catalog' })
    expect(await (await ask(configured, '/api/base')).json()).toBe('https://example.org/catalog/api')
    const api = await running(routes)
    const { authorization } = bearer()
    const answer = await raw(
      api.port,
      `GET /api/base HTTP/1.1\r\nHost: a"><script>\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('may have a whole URL as its target', async () => {
    const api = await running([route('get', '/v1/apples', ok, inQuery('a'))])
    const { authorization } = bearer()
    for (const target of ['http://x/api/v1/apples?a=%2F/b', 'HTTPS://x:80/api/v1/apples?a=/b']) {
      const answer = await raw(
        api.port,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    }
    const none = await raw(api.port, 'GET http://x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(none).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('is refused for what is wrong with its path or query', async () => {
    const api = await running([route('get', '/v1/apples/{id}', ok)])
    for (const path of ['/api/v1/apples/%zz', '/api/v1/apples/%00', '/api/v1/apples/1?q=%00']) {
      expect((await ask(api, path)).status).toBe(400)
    }
  })

  it('may have the longest name, escaped', async () => {
    const api = await running([
      route('get', '/v1/apples/name/{fqn}', (request) => jsonAnswer(request.params.fqn ?? '')),
    ])
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
    const answers = await Promise.all(
      ['/api/v1/apples', '/api/v1/plums', '/api/livez'].map((path) => fetch(`${api.url}${path}`)),
    )
    expect(answers.map((response) => response.status)).toEqual([401, 401, 401])
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer')
    expect((await fetch(`${api.url}/livez`)).status).toBe(200)
  })

  it('answers 406 when nothing that is produced is accepted', async () => {
    const api = await running([
      ...routes,
      route('get', '/yaml', () => ({ status: 200, body: 'a: 1\n', contentType: 'application/yaml' }), {
        answers: { 200: { description: '', contentType: 'application/yaml' } },
      }),
    ])
    expect(await problem(await ask(api, '/api/v1/apples', { headers: { accept: 'text/html' } }))).toMatchObject({
      code: 'NOT_ACCEPTABLE',
      message: 'The Accept header excludes what is answered here: application/json.',
    })
    expect((await ask(api, '/api/yaml', { headers: { accept: 'application/json' } })).status).toBe(406)
    expect((await ask(api, '/api/yaml', { headers: { accept: 'application/*' } })).status).toBe(200)
  })

  it('mounts nothing that is open by accident or there twice', async () => {
    const open = { ...route('get', '/x', ok), permission: undefined } as unknown as Route
    await expect(serve([open])).rejects.toThrow('GET /api/x has no permission')
    await expect(serve([route('get', '/x', ok), route('get', '/x', ok, { id: 'other' })])).rejects.toThrow(
      'GET /api/x is mounted twice',
    )
    await expect(serve([route('get', '/x', ok), route('get', '/y', ok, { id: 'get /x' })])).rejects.toThrow(
      'has the id get /x already',
    )
  })
})

describe('permission', () => {
  const routes = [
    route('get', '/see', (request) => jsonAnswer(request.permission)),
    route('post', '/make', (request) => jsonAnswer(request.permission), {
      permission: { operation: 'create', kind: 'apple' },
      body: jsonBody,
    }),
    route('get', '/read', ok, { permission: { operation: 'history', or: 'feed' } }),
    route('get', '/open', (request) => jsonAnswer([request.actor.name, request.permission]), {
      permission: 'open',
    }),
  ]
  const roles: Roles = { Owner: [{ effect: 'allow', operations: ['*'], kinds: ['*'], condition: 'isOwner' }] }

  it('is what the roles give', async () => {
    const api = await running(routes, { roles })
    const as = (...names: string[]) => ({ headers: bearer('ada', ...names) })
    expect(await (await ask(api, '/api/see', as('DataConsumer'))).json()).toBe('yes')
    expect(await (await ask(api, '/api/see', as('Owner'))).json()).toBe('ifOwner')
    const refused = await ask(api, '/api/make', { method: 'POST', body: '{', ...as('DataConsumer') })
    expect(await problem(refused)).toMatchObject({
      status: 403,
      code: 'FORBIDDEN',
      message: 'Your roles do not allow create on apple.',
    })
    const unread = await ask(api, '/api/read', as('DataConsumer'))
    expect(await problem(unread)).toMatchObject({
      status: 403,
      message: 'Your roles do not allow history or feed.',
    })
    expect(await (await fetch(`${api.url}/api/open`)).json()).toEqual(['anonymous', 'yes'])
  })

  it('is not given by a token that does not hold', async () => {
    const api = await running(routes)
    const response = await fetch(`${api.url}/api/see`, { headers: { authorization: `Bearer ${token()}x` } })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
    expect(await problem(response)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })
})
