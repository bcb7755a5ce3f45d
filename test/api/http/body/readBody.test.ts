import { connect } from 'node:net'
import { once } from 'node:events'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonAnswer } from '../../../../src/api/http/route.ts'
import { bearer, jsonBody, raw, route, serve, type Running } from '../../support.ts'

let api: Running

beforeAll(async () => {
  const echo = (request: { body: unknown; contentType: string | undefined }) =>
    jsonAnswer({
      type: request.contentType ?? null,
      body: Buffer.isBuffer(request.body)
        ? `bytes ${request.body.toString()}`
        : ((request.body as string | undefined) ?? null),
    })
  api = await serve([
    route('post', '/json', echo, { body: jsonBody }),
    route('post', '/large', echo, { body: { ...jsonBody, limit: 2_000_000 } }),
    route('post', '/raw', echo, { body: { ...jsonBody, raw: true } }),
    route('post', '/many', echo, {
      body: {
        ...jsonBody,
        contentTypes: ['application/json', 'text/plain', 'application/merge-patch+json'],
        required: false,
      },
    }),
    route('post', '/none', echo),
    route('get', '/none', echo),
  ])
})

afterAll(() => api.close())

const post = (
  path: string,
  body: RequestInit['body'],
  headers: Record<string, string> = { 'content-type': 'application/json' },
) =>
  fetch(`${api.url}/api${path}`, {
    method: 'POST',
    body,
    headers: { ...bearer(), ...headers },
    duplex: 'half',
  } as RequestInit)

const codeOf = async (response: Response): Promise<unknown> => ((await response.json()) as { code: unknown }).code

describe('a body', () => {
  it('is parsed when it is JSON and handed over as bytes when it is not', async () => {
    expect(await (await post('/json', '{"a":1}')).json()).toEqual({ type: 'application/json', body: { a: 1 } })
    expect(await (await post('/many', '{}', { 'content-type': 'application/merge-patch+json' })).json()).toEqual({
      type: 'application/merge-patch+json',
      body: {},
    })
    expect(await (await post('/many', 'x', { 'content-type': 'TEXT/plain;charset="UTF-8"' })).json()).toEqual({
      type: 'text/plain',
      body: 'bytes x',
    })
    expect(await (await post('/raw', '{"a":1,"a":2}')).json()).toEqual({
      type: 'application/json',
      body: 'bytes {"a":1,"a":2}',
    })
  })

  it('may be JSON of any sort', async () => {
    for (const [text, value] of [
      ['"x"', 'x'],
      ['[]', []],
      ['0', 0],
      ['false', false],
    ] as const) {
      expect(await (await post('/json', text)).json()).toMatchObject({ body: value })
    }
  })

  it('must be there when it is needed', async () => {
    expect(await codeOf(await post('/json', null))).toBe('BAD_REQUEST')
    expect(await codeOf(await post('/json', ''))).toBe('BAD_REQUEST')
    expect(await codeOf(await post('/json', new ReadableStream({ start: (it) => it.close() })))).toBe('BAD_REQUEST')
    expect(await (await post('/many', null, {})).json()).toEqual({ type: null, body: null })
  })

  it('is refused where none is expected, unless it is an empty object', async () => {
    for (const sent of ['x'.repeat(200_000), '{"dryRun":true}', '[]', 'x'])
      for (const type of ['application/json', 'text/plain'])
        expect(await codeOf(await post('/none', sent, { 'content-type': type }))).toBe('BAD_REQUEST')
    for (const empty of [null, '', '{}', new ReadableStream({ start: (it) => it.close() })])
      expect((await post('/none', empty, { 'content-type': 'text/plain' })).status).toBe(200)
  })

  it('is ignored of a GET, and the connection goes on', async () => {
    const { authorization } = bearer()
    const common = `/api/none HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`
    const one = `GET ${common}Content-Length: 5\r\n\r\nhello`
    const two = `GET ${common}Connection: close\r\n\r\n`
    expect((await raw(api.port, one, two)).match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })

  it.each([
    [{}],
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/jsonx' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'application/json; charset=latin1' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'zstd' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip, gzip' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'constructor' }],
  ])('of an unknown type is refused: %j', async (headers) => {
    const response = await post('/json', Buffer.from('{}'), headers as Record<string, string>)
    expect(response.status).toBe(415)
    expect(response.headers.get('accept') ?? response.headers.get('accept-encoding')).toBeTruthy()
  })

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('may be packed with %s', async (encoding, pack) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    expect(await (await post('/json', pack('{"a":1}') as never, headers)).json()).toMatchObject({ body: { a: 1 } })
    expect(await codeOf(await post('/json', pack(JSON.stringify('x'.repeat(5_000_000))) as never, headers))).toBe(
      'PAYLOAD_TOO_LARGE',
    )
    expect(await codeOf(await post('/json', 'nonsense', headers))).toBe('BAD_REQUEST')
  })

  it.each([
    ['not JSON', '{', /line 1 column 2/],
    ['JSON with a flaw', '"\\u0000"', /NUL/],
  ])('that is %s is refused', async (_, body, message) => {
    const response = await post('/json', body)
    const problem = (await response.json()) as { code: string; message: string }
    expect([response.status, problem.code]).toEqual([400, 'BAD_REQUEST'])
    expect(problem.message).toMatch(message)
  })
})

describe('the limit', () => {
  it('lets through what just fits', async () => {
    expect((await post('/json', JSON.stringify('x'.repeat(9_998)))).status).toBe(200)
    expect(await codeOf(await post('/json', JSON.stringify('x'.repeat(9_999))))).toBe('PAYLOAD_TOO_LARGE')
  })

  const head = (more: string, path = '/json'): string =>
    [
      `POST /api${path} HTTP/1.1`,
      'Host: x',
      `Authorization: ${bearer().authorization}`,
      'Content-Type: application/json',
      `${more}\r\n\r\n`,
    ].join('\r\n')

  it('holds by the announced length, before a byte has come', async () => {
    const answer = await raw(api.port, head('Content-Length: 10001\r\nConnection: close'))
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(await raw(api.port, head('Content-Length: 99999999999\r\nExpect: 100-continue'))).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('holds while bytes stream in', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
    const answer = await raw(api.port, head('Transfer-Encoding: chunked'), chunk, chunk, chunk, chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toMatch(/Connection: close/)
  })

  it('reaches a client that is still sending', async () => {
    const body = JSON.stringify('x'.repeat(1_500_000))
    expect((await post('/large', body)).status).toBe(200)
    expect(await codeOf(await post('/json', body))).toBe('PAYLOAD_TOO_LARGE')
    expect(await codeOf(await post('/json', body, { 'content-type': 'text/plain' }))).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  it.each(['/json', '/none'])('says go on to a client that asks first: %s', async (path) => {
    const socket = connect(api.port, '127.0.0.1')
    socket.write(head('Content-Length: 2\r\nExpect: 100-continue\r\nConnection: close', path))
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toMatch(/^HTTP\/1\.1 100 Continue/)
    socket.write('{}')
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(second.toString()).toMatch(/^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  it('does not wait for a client that went away', async () => {
    const socket = connect(api.port, '127.0.0.1')
    socket.write(`${head('Content-Length: 50')}{`)
    await once(socket, 'connect')
    socket.destroy()
    expect((await post('/json', '{}')).status).toBe(200)
  })
})
