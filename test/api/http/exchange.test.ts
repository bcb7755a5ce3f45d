import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DomainError, invalid } from '../../../src/commands/errors.ts'
import { StoreFailed, StoreUnavailable, UnsupportedServer } from '../../../src/events/eventStore.ts'
import type { Answer } from '../../../src/api/http/route.ts'
import { limits } from '../../../src/shared/limits.ts'
import { setLimit } from '../../support/limits.ts'
import { ask, bearer, inQuery, jsonBody, ok, problem, route, running, sessions, token } from '../support.ts'

describe('an error', () => {
  it.each([
    [
      invalid([
        { path: '/a', message: 'is missing' },
        { path: '/b', message: 'is odd' },
      ]),
      400,
      'BAD_REQUEST',
    ],
    [new DomainError('not_found', 'm'), 404, 'NOT_FOUND'],
    [new DomainError('already_exists', 'm'), 409, 'ENTITY_ALREADY_EXISTS'],
    [new DomainError('conflict', 'm'), 409, 'CONFLICT'],
    [new DomainError('busy', 'm'), 503, 'UNAVAILABLE'],
    [new DomainError('precondition_failed', 'm'), 412, 'PRECONDITION_FAILED'],
    [new DomainError('too_large', 'm'), 413, 'PAYLOAD_TOO_LARGE'],
    [new StoreUnavailable('host 10.1.2.3 refused'), 503, 'UNAVAILABLE'],
    [new StoreFailed('The map of host 10.1.2.3 is closed'), 503, 'UNAVAILABLE'],
    [new UnsupportedServer('host 10.1.2.3 is too old'), 503, 'UNAVAILABLE'],
    [new Error('secret of the house'), 500, 'INTERNAL'],
    ['text', 500, 'INTERNAL'],
    [undefined, 500, 'INTERNAL'],
  ])('%s is %d %s', async (error, status, code) => {
    const api = await running([
      route('get', '/x', () => {
        throw error
      }),
    ])
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
      correlationId: response.headers.get('x-request-id'),
      errors: error instanceof DomainError ? error.problems : [],
    })
    expect(JSON.stringify(body)).not.toMatch(/secret of the house|10\.1\.2\.3/)
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '5' : null)
    const logged = api.log.filter((line) => line.instance === body.instance && line.msg !== 'request')
    expect(logged).toHaveLength(status >= 500 ? 1 : 0)
    const isForeseen = error instanceof StoreUnavailable || error instanceof DomainError
    expect(logged[0]?.level).toBe(status >= 500 ? (isForeseen ? 40 : 50) : undefined)
  })

  it('an internal error of one part of a request is logged under the instance that its answer names', async () => {
    const api = await running([
      route('get', '/parts', ({ problemOf }) => {
        const said = problemOf(new Error('the secret of the house'))
        return { status: 200, body: JSON.stringify(said) }
      }),
    ])
    const { status, instance, message } = (await (await ask(api, '/api/parts')).json()) as Record<string, unknown>
    expect([status, message]).toEqual([500, expect.not.stringContaining('secret')])
    const logged = api.log.filter((line) => line.instance === instance)
    expect(logged).toMatchObject([{ level: 50, err: { message: 'the secret of the house' }, route: '/api/parts' }])
  })

  it('an error in a stream before its first byte is answered, and a later one cuts the connection', async () => {
    const api = await running([
      route('get', '/early', () => ({
        status: 200,
        body: new Readable({
          read() {
            this.destroy(new StoreUnavailable('x'))
          },
        }),
      })),
      route('get', '/late', () => {
        let count = 0
        return {
          status: 200,
          body: new Readable({
            read() {
              if (count++ === 0) this.push('[1,')
              else this.destroy(new Error('broken'))
            },
          }),
        }
      }),
    ])
    expect(await problem(await ask(api, '/api/early'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    await expect(ask(api, '/api/late').then((response) => response.text())).rejects.toThrow()
    expect(api.log.some((line) => line.msg === 'an answer broke off')).toBe(true)
  })
})

describe('time', () => {
  it('a request whose time is up is 503 and its handler is told', async () => {
    let aborted = false
    setLimit('requestTime', 20)
    const api = await running([
      route('get', '/slow', async ({ signal }) => {
        await once(signal, 'abort')
        aborted = true
        throw new Error('aborted')
      }),
    ])
    const response = await ask(api, '/api/slow')
    expect(await problem(response)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect(response.headers.get('retry-after')).toBe('5')
    expect(aborted).toBe(true)
    expect(api.log.filter((line) => line.level === 50)).toEqual([])
  })

  it('begins with the turn of a request, and one whose turn does not come in time is 429', async () => {
    setLimit('requestTime', 1000)
    const turns: string[] = []
    const end = Promise.withResolvers<void>()
    const past = (path: string, handle: () => Promise<unknown>) =>
      route(
        'get',
        path,
        async () => {
          turns.push(path)
          await handle()
          return { status: 204 }
        },
        { bulkhead: 'past' },
      )
    const api = await running([past('/slow', () => delay(600)), past('/stuck', () => end.promise)])
    const twice = Array.from({ length: 2 * limits.pastAtOnce.value })
    const slow = await Promise.all(twice.map(() => ask(api, '/api/slow')))
    expect(slow.map(({ status }) => status)).toEqual(twice.map(() => 204))
    turns.length = 0
    const stuck = await Promise.all(twice.map(async () => problem(await ask(api, '/api/stuck'))))
    end.resolve()
    expect(turns).toHaveLength(limits.pastAtOnce.value)
    expect(stuck.filter(({ status }) => status === 503)).toHaveLength(limits.pastAtOnce.value)
    const refused = stuck.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(limits.pastAtOnce.value)
    for (const { message } of refused) expect(message).toContain('was not begun')
  })

  it('begins anew whenever long work has come on', async () => {
    setLimit('requestTime', 150)
    const api = await running([
      route('get', '/long', async ({ progress, signal }) => {
        for (let step = 0; step < 12; step++) {
          await delay(25)
          progress()
        }
        return { status: signal.aborted ? 500 : 204 }
      }),
      route('get', '/stuck', async ({ progress }) => {
        progress()
        return new Promise<Answer>(() => undefined)
      }),
    ])
    expect((await ask(api, '/api/long')).status).toBe(204)
    expect(await problem(await ask(api, '/api/stuck'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  })

  it('an answer in parts that nobody reads to its end is ended, so that what its route holds is let go', async () => {
    let open = 0
    const parts = async function* (): AsyncGenerator<string> {
      open++
      try {
        for (let at = 0; at < 100; at++) yield 'x'.repeat(1_000_000)
      } finally {
        open--
      }
    }
    const api = await running([route('get', '/parts', () => ({ status: 200, parts: parts() }))])
    await ask(api, '/api/parts', { method: 'HEAD' })
    await expect.poll(() => open).toBe(0)
    const leaving = new AbortController()
    const answer = await fetch(`${api.url}/api/parts`, { headers: bearer(), signal: leaving.signal })
    await answer.body?.getReader().read()
    expect(open).toBe(1)
    leaving.abort()
    await expect.poll(() => open).toBe(0)
  })

  it('an answer in parts is made part by part: as many at once as its bulkhead has turns, and none for who has left', async () => {
    let [making, most, made] = [0, 0, 0]
    const parts = async function* (): AsyncGenerator<string> {
      for (let part = 0; part < 5; part++) {
        most = Math.max(most, ++making)
        await delay(5)
        making--
        made++
        yield 'x'.repeat(200_000)
      }
    }
    const api = await running([route('get', '/parts', () => ({ status: 200, parts: parts() }), { bulkhead: 'list' })])
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(api, '/api/parts')))
    for (const answer of answers) expect(await answer.text()).toBe('x'.repeat(1_000_000))
    expect(most).toBe(limits.listsAtOnce.value)
    made = 0
    const leaving = new AbortController()
    const left = Promise.allSettled(
      Array.from({ length: 20 }, () => fetch(`${api.url}/api/parts`, { headers: bearer(), signal: leaving.signal })),
    )
    await expect.poll(() => made).toBeGreaterThan(2)
    leaving.abort()
    await left
    expect(await (await ask(api, '/api/parts')).text()).toBe('x'.repeat(1_000_000))
    expect(made).toBeLessThan(30)
  })

  it('a late answer to a request whose time is up is dropped', async () => {
    const late = new PassThrough()
    setLimit('requestTime', 20)
    const api = await running([
      route('get', '/slow', async ({ signal }) => {
        await once(signal, 'abort')
        return { status: 200, body: late }
      }),
    ])
    expect((await ask(api, '/api/slow')).status).toBe(503)
    expect(late.destroyed).toBe(true)
  })

  it('ends for a handler when the client goes away', async () => {
    const started = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const api = await running([
      route('get', '/wait', async ({ signal }) => {
        started.resolve()
        await once(signal, 'abort')
        aborted.resolve()
        throw new Error('aborted')
      }),
    ])
    const control = new AbortController()
    const asked = ask(api, '/api/wait', { signal: control.signal }).catch(() => 'gone')
    await started.promise
    control.abort()
    await aborted.promise
    expect(await asked).toBe('gone')
    await expect.poll(() => api.log).toMatchObject([{ level: 30, status: 499 }])
    expect(api.log[0]).not.toHaveProperty('cut')
  })
})

describe('server-sent events', () => {
  const events = (body: Readable) =>
    route('get', '/events', () => ({ status: 200, body, contentType: 'text/event-stream' }), {
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
    await expect.poll(() => api.log.some(({ msg }) => msg === 'request')).toBe(true)
    expect(api.log.find(({ msg }) => msg === 'request')).toMatchObject({ status: 200, route: '/api/events' })
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
  it('names the instance of the problem that a request was refused with, so that one leads to the other', async () => {
    const api = await running([route('get', '/v1/apples', ok)])
    const answer = await ask(api, '/api/v1/pears', { headers: { 'x-correlation-id': 'c9' } })
    const { instance, correlationId } = await problem(answer)
    expect(correlationId).toBe(answer.headers.get('x-request-id'))
    expect(answer.headers.get('x-correlation-id')).toBe('c9')
    await expect.poll(() => api.log).toMatchObject([{ status: 404, correlationId, instance }])
  })

  it('names the joint request of a call, by whose id its events are found, also where it fails', async () => {
    const seen: string[] = []
    const api = await running([
      route('post', '/v1/apples', (request) => {
        seen.push(request.correlationId)
        if (seen.length === 2) throw new Error('a defect')
        return ok()
      }),
    ])
    const request = '01890a5d-ac96-774b-bcce-b302099a8057'
    const headers = { 'catalog-request': sessions.sign('request', { request, user: 'ada' }, 60) }
    const answers = [
      await ask(api, '/api/v1/apples', { method: 'POST', headers }),
      await ask(api, '/api/v1/apples', { method: 'POST', headers }),
    ]
    await api.close()
    const [first, failed] = answers.map((answer) => answer.headers.get('x-request-id'))
    expect(seen).toEqual([request, request])
    expect(api.log).toMatchObject([
      { msg: 'request', correlationId: first, jointRequest: request },
      { msg: 'a request failed', correlationId: failed, jointRequest: request },
      { msg: 'request', correlationId: failed, jointRequest: request },
    ])
  })

  it('has who asked what and how it ended, and no secret', async () => {
    const api = await running([
      route('post', '/v1/apples/{id}', ok, { body: jsonBody, ...inQuery('password') }),
      route('get', '/v1/apples', ok),
    ])
    const sent = token('ada')
    await ask(api, '/api/v1/apples/7?password=hidden', {
      method: 'POST',
      body: '{"password":"hidden"}',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sent}`, 'x-correlation-id': 'c1' },
    })
    await ask(api, '/api/v1/apples')
    await api.close()
    const { log } = api
    expect(
      log.map(({ level, method, route: at, path, status, user }) => [level, method, at, path, status, user]),
    ).toEqual([
      [30, 'POST', '/api/v1/apples/{id}', '/api/v1/apples/7', 200, 'ada'],
      [20, 'GET', '/api/v1/apples', '/api/v1/apples', 200, 'ada'],
    ])
    expect(log.map(({ msg }) => msg)).toEqual(['request', 'request'])
    expect(api.log[0]).toMatchObject({ clientCorrelationId: 'c1', ms: expect.any(Number) })
    expect(JSON.stringify(api.log)).not.toMatch(/hidden|Bearer/)
    expect(JSON.stringify(api.log)).not.toContain(sent)
    const text = (await api.metrics.text()).join('')
    expect(text).toContain('catalog_http_requests_total{method="POST",route="/api/v1/apples/{id}",status="200"} 1')
  })
})
