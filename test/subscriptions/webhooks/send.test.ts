import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import fc from '../../support/fastCheck.ts'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeSender, readRetryAfter, type SenderOptions } from '../../../src/subscriptions/webhooks/send.ts'
import { isSecret, newSecret, signatureHeaders } from '../../../src/subscriptions/webhooks/signature.ts'
import { listening } from '../../support/listening.ts'
import { longEnough } from '../../support/patience.ts'

const secret = newSecret()

/** A sender until the end of the test. */
const open = (options: Partial<SenderOptions> = {}) => {
  const sender = makeSender({ allowPrivate: true, userAgent: 'test', ...options })
  onTestFinished(() => sender.close())
  return (endpoint: string, signal = new AbortController().signal) =>
    sender.send({ endpoint, secret, id: 'event-1', body: '{"ä":1}' }, signal)
}

const send = (endpoint: string, options?: Partial<SenderOptions>) => open(options)(endpoint)

test('what is sent is a CloudEvent that passes the check of Standard Webhooks', async () => {
  let verified: unknown
  const url = await listening((request, response) => {
    void text(request).then((body) => {
      verified = new Webhook(secret).verify(body, request.headers as Record<string, string>)
      expect(request.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8')
      expect(request.headers['webhook-id']).toBe('event-1')
      response.writeHead(204).end()
    })
  })
  expect(await send(`${url}/in?a=b`)).toEqual({ ok: true, status: 204 })
  expect(verified).toEqual({ ä: 1 })
})

test('any body signed with any secret passes the check', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 24, maxLength: 64 }), (text, key) => {
      const own = `whsec_${Buffer.from(key).toString('base64')}`
      const body = JSON.stringify({ text })
      expect(isSecret(own)).toBe(true)
      const headers = signatureHeaders(own, 'm', new Date(), body)
      expect(() => new Webhook(own).verify(body, headers)).not.toThrow()
      expect(() => new Webhook(own).verify(`${body} `, headers)).toThrow()
    }),
    { numRuns: 30 },
  )
})

test.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'secret', `whsec_${'A'.repeat(400)}`, 'whsec_ÄÄÄ'])(
  '%s is not a secret',
  (text) => expect(isSecret(text)).toBe(false),
)

test('a message goes through a proxy where private addresses are allowed, and else directly, since only a direct connection can be checked', async () => {
  const seen: string[] = []
  const proxy = await listening((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.writeHead(204).end()
  })
  const endpoint = 'http://nowhere.invalid/in'
  const proxyEnv = { HTTP_PROXY: proxy }
  expect(await send(endpoint, { proxyEnv, allowPrivate: false })).toMatchObject({ ok: false })
  expect(seen).toEqual([])
  expect(await send(endpoint, { proxyEnv })).toEqual({ ok: true, status: 204 })
  expect(seen).toEqual([`POST ${endpoint}`])
})

describe('an endpoint', () => {
  test('an endpoint that answers anything but success fails, and redirects are not followed', async () => {
    let visits = 0
    const url = await listening((request, response) => {
      visits++
      if (request.url === '/away') response.writeHead(302, { Location: '/in' }).end()
      else response.writeHead(500).end('oops')
    })
    expect(await send(`${url}/in`)).toEqual({ ok: false, error: 'The endpoint answered 500.' })
    expect(await send(`${url}/away`)).toEqual({
      ok: false,
      error: 'The endpoint answered 302; redirects are not followed.',
    })
    expect(visits).toBe(2)
  })

  test('an endpoint that says when to come again is heard, and one that is gone too', async () => {
    const url = await listening((request, response) => {
      const [status, retryAfter] = (request.url as string).slice(1).split('/') as [string, string?]
      response
        .writeHead(Number(status), retryAfter === undefined ? {} : { 'Retry-After': decodeURIComponent(retryAfter) })
        .end()
    })
    for (const status of [429, 503])
      expect(await send(`${url}/${status}/120`)).toEqual({
        ok: false,
        error: `The endpoint answered ${status}.`,
        retryAfter: 120_000,
      })
    for (const path of ['500/120', '503', '503/soon', '503/-1'])
      expect(await send(`${url}/${path}`)).not.toHaveProperty('retryAfter')
    expect(await send(`${url}/410`)).toEqual({
      ok: false,
      error: 'The endpoint answered 410: the webhook is disabled.',
      gone: true,
    })
    expect(readRetryAfter('Wed, 21 Oct 2015 07:28:10 GMT', Date.parse('2015-10-21T07:28:00Z'))).toBe(10_000)
    expect(readRetryAfter('Wed, 21 Oct 2015 07:27:00 GMT', Date.parse('2015-10-21T07:28:00Z'))).toBeUndefined()
  })

  test('an endpoint that hangs is given up', async () => {
    const url = await listening(() => {})
    expect(await send(url, { timeout: 30 })).toEqual({ ok: false, error: 'No answer within 0.03 s.' })
  })

  test('an endpoint that ends the connection without an answer, or switches to another protocol, fails', async () => {
    const answers = ['', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n']
    const url = await listening((request) => void request.socket.end(answers[Number(request.url?.slice(1))] ?? ''))
    for (const at of answers.keys())
      expect(await send(`${url}/${at}`)).toEqual({ ok: false, error: expect.stringMatching(/./) })
  })

  test('an endpoint that answers without end is cut', async () => {
    let cut: Promise<unknown> | undefined
    const url = await listening((request, response) => {
      request.resume()
      cut = once(response, 'close')
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      write()
    })
    expect(await open()(url)).toEqual({ ok: true, status: 200 })
    await cut
  })

  test('an endpoint whose answers do not end has one connection at a time, and has succeeded', async () => {
    let [now, most] = [0, 0]
    const url = await listening((request, response) => {
      request.resume()
      most = Math.max(most, ++now)
      response.once('close', () => (now -= 1))
      response.writeHead(200).write('never the end')
    })
    const sendAgain = open({ answerTime: 20 })
    for (let at = 0; at < 5; at++) expect(await sendAgain(url)).toEqual({ ok: true, status: 200 })
    expect(most).toBe(1)
  })

  test('many endpoints of one host that hang keep no other one from an answer', async () => {
    const url = await listening((request, response) => {
      request.resume()
      if (request.url === '/sound') response.end()
    })
    const sendOne = open()
    const leaving = new AbortController()
    const hanging = Array.from({ length: 20 }, (_, at) => sendOne(`${url}/hangs/${at}`, leaving.signal))
    expect(await sendOne(`${url}/sound`)).toEqual({ ok: true, status: 200 })
    leaving.abort()
    await Promise.all(hanging)
  })

  test('an endpoint at a private address is refused, named or written, however its name resolved before', async () => {
    let visits = 0
    const url = await listening((_, response) => {
      visits++
      response.end()
    })
    const { port } = new URL(url)
    expect(await send(url, { allowPrivate: false })).toMatchObject({
      ok: false,
      error: expect.stringContaining('no public address') as string,
    })
    let asked = 0
    const rebinding: SenderOptions['resolve'] = (_, callback) =>
      callback(null, [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }])
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = await send(`http://rebinding.example:${port}/`, {
        allowPrivate: false,
        resolve: rebinding,
        timeout: longEnough,
      })
      expect(result).toMatchObject({ ok: false, error: expect.stringContaining('no public address') as string })
    }
    expect(visits).toBe(0)
  })

  test('an endpoint that nobody listens at, or that is not an address, fails', async () => {
    expect(await send('http://127.0.0.1:1/')).toMatchObject({
      ok: false,
      error: expect.stringContaining('ECONNREFUSED') as string,
    })
    expect(await send('nonsense')).toMatchObject({ ok: false })
  })
})
