import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Attack } from './requests.ts'

/** What came back; `undefined` status when nothing did. */
export interface Outcome {
  readonly status: number | undefined
  readonly headers: Headers
  readonly body: Buffer
  /** The whole answer was read, of the length that it said. */
  readonly whole: boolean
  readonly milliseconds: number
  /** Why there is no answer. */
  readonly error?: string
}

/** Milliseconds without an answer after which a request is given up: requests end after 30 s. */
const patience = 40_000

/** Sends requests to one service. */
export interface Sender {
  send(attack: Attack, token: string | undefined): Promise<Outcome>
  close(): void
}

export const makeSender = (url: string): Sender => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    send: async (attack, token) => {
      const began = performance.now()
      const outcome = await (needsRaw(attack)
        ? sendRaw(attack, token, hostname, Number(port))
        : sendOrdinary(attack, token, { hostname, port, agent }))
      return { ...outcome, milliseconds: performance.now() - began }
    },
    close: () => agent.destroy(),
  }
}

type Half = Omit<Outcome, 'milliseconds'>

const failed = (error: string): Half => ({
  status: undefined,
  headers: new Headers(),
  body: Buffer.alloc(0),
  whole: false,
  error,
})

const needsRaw = ({ manner, target, headers }: Attack): boolean =>
  manner === 'raw' || /[^\x21-\x7e]/.test(target) || headers.some(([, value]) => /[^\t\x20-\x7e]/.test(value))

const framing = (body: Buffer, manner: Attack['manner']): [string, string] =>
  manner === 'chunked' ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]

const allHeaders = ({ headers, body, manner }: Attack, token: string | undefined): [string, string][] => [
  ...headers.map(([name, value]): [string, string] => [name, value]),
  ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as [string, string]]),
  ...(body === undefined ? [] : [framing(body, manner)]),
]

interface Place {
  readonly hostname: string
  readonly port: string
  readonly agent: Agent
}

const sendOrdinary = (attack: Attack, token: string | undefined, place: Place): Promise<Half> =>
  new Promise((resolve) => {
    const { method, target, body, manner } = attack
    const headers = Object.fromEntries(allHeaders(attack, token))
    const request = httpRequest({
      ...place,
      method,
      path: target,
      headers,
      timeout: patience,
      ...(manner === 'cut' && { agent: false }),
    })
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${patience} ms`)))
    request.on('error', (error) => resolve(failed(error.message)))
    request.on('response', (response) => void readAnswer(response, manner).then(resolve))
    request.on('upgrade', (_, socket) => socket.destroy())
    if (manner === 'slow' || manner === 'cut') void dribble(request, body ?? Buffer.alloc(0), manner === 'cut')
    else request.end(body)
  })

const dribble = async (request: ReturnType<typeof httpRequest>, body: Buffer, cut: boolean): Promise<void> => {
  const step = Math.max(1, Math.ceil(body.length / 4))
  request.flushHeaders()
  for (let at = 0; at < body.length && !request.destroyed; at += step) {
    request.write(body.subarray(at, at + step))
    await pause(5)
    if (cut) return void request.destroy(new Error('cut off'))
  }
  if (cut) request.destroy(new Error('cut off'))
  else request.end()
}

/** A stream of events never ends: its beginning is enough. */
const endless = (response: IncomingMessage): boolean =>
  String(response.headers['content-type']).startsWith('text/event-stream')

const readAnswer = async (response: IncomingMessage, manner: Attack['manner']): Promise<Half> => {
  const status = response.statusCode
  const headers = new Headers(
    Object.entries(response.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  )
  const answer = { status, headers, body: Buffer.alloc(0), whole: false }
  response.on('error', () => {})
  if (manner === 'unread' || endless(response)) {
    await pause(20)
    response.destroy()
    return answer
  }
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    return { ...answer, body: Buffer.concat(chunks), error: `the answer broke off: ${(error as Error).message}` }
  }
  return { ...answer, body: decoded(Buffer.concat(chunks), headers.get('content-encoding')), whole: true }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** The body as it was before it was compressed. */
const decoded = (body: Buffer, encoding: string | null): Buffer =>
  body.length === 0 ? body : (decoders[encoding ?? '']?.(body) ?? body)

/** Bytes as they are: for what a client library would not send. Only status and headers of the answer are read. */
const sendRaw = (attack: Attack, token: string | undefined, host: string, port: number): Promise<Half> =>
  new Promise((resolve) => {
    const { method, target, body = Buffer.alloc(0) } = attack
    const lines = [
      `${method} ${target} HTTP/1.1`,
      `Host: ${host}:${port}`,
      ...allHeaders(attack, token).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
    ]
    const socket = connect(port, host)
    const chunks: Buffer[] = []
    socket.setTimeout(patience, () => socket.destroy(new Error(`nothing came for ${patience} ms`)))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (/text\/event-stream/.test(chunk.toString('latin1'))) socket.destroy()
    })
    socket.on('close', () => resolve(readRaw(Buffer.concat(chunks).toString('latin1'))))
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
  })

const readRaw = (text: string): Half => {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const [first = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1])
  if (Number.isNaN(status)) return failed('the connection was closed without an answer')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status, headers, body: Buffer.alloc(0), whole: false }
}
