import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest, type AgentOptions } from 'node:https'
import { isIP } from 'node:net'
import { ForbiddenTarget, guardedLookup, hostOf, isPublicAddress, type Resolve } from './addresses.ts'
import { signatureHeaders } from './signature.ts'
import { HttpAgent, httpRequest } from '../../shared/nodeHttp.ts'

interface Message {
  readonly endpoint: string
  /** `whsec_…` */
  readonly secret: string
  /** The same for every attempt, so that receivers can recognise duplicates. */
  readonly id: string
  readonly body: string
  /** Default: CloudEvents JSON. */
  readonly contentType?: string
}

export type SendResult =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false
      readonly error: string
      /** Milliseconds until the retry that the endpoint asks for. */
      readonly retryAfter?: number
      /** The endpoint is gone (410). */
      readonly gone?: true
    }

export interface Sender {
  /** Sends once. Never throws: a failure is a result. */
  send(message: Message, signal: AbortSignal): Promise<SendResult>
  close(): void
}

export interface SenderOptions {
  /** Allow addresses that are not public. */
  readonly allowPrivate: boolean
  readonly userAgent: string
  /** Timeout of one attempt in milliseconds, including the look-up, until the answer begins (default 15,000). */
  readonly timeout?: number
  /** Time in milliseconds to read the body of an answer before the connection is dropped (default 1,000). */
  readonly answerTime?: number
  readonly resolve?: Resolve
  /** Variables that name a proxy, which resolves names itself: it is used only where private addresses are allowed. */
  readonly proxyEnv?: AgentOptions['proxyEnv']
}

/** Largest answer in bytes before the connection is dropped. */
const maxAnswer = 65_536

/** Drains an answer, so that the connection can be reused; drops the connection if it is too large or slow. */
const drainAnswer = (response: IncomingMessage, time: number): void => {
  let size = 0
  const timer = setTimeout(() => response.destroy(), time)
  response.once('close', () => clearTimeout(timer))
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxAnswer) response.destroy()
  })
}

const resultOf = ({ statusCode: status = 0, headers }: IncomingMessage): SendResult => {
  if (status >= 200 && status < 300) return { ok: true, status }
  if (status === 410) return { ok: false, error: 'The endpoint answered 410: the webhook is disabled.', gone: true }
  const redirected = status >= 300 && status < 400
  const error = `The endpoint answered ${status}${redirected ? '; redirects are not followed' : ''}.`
  const retryAfter = status === 429 || status === 503 ? readRetryAfter(headers['retry-after'], Date.now()) : undefined
  return { ok: false, error, ...(retryAfter !== undefined && { retryAfter }) }
}

/** Milliseconds of a `Retry-After` header, given as seconds or a date. */
export const readRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return milliseconds >= 0 ? milliseconds : undefined
}

/**
 * Makes the sender. Connections are kept alive; each was checked when it was opened. A message has its connection until
 * it is sent, so a webhook, whose messages are sent one after the other, has one.
 */
export const makeSender = (options: SenderOptions): Sender => {
  const { allowPrivate, timeout = 15_000, answerTime = 1_000 } = options
  const agents = makeAgents(options)
  const settings = { ...options, timeout, answerTime, agents }
  return {
    send: async (message, signal) => {
      try {
        const url = new URL(message.endpoint)
        const host = hostOf(url)
        // A literal address is not looked up.
        if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new ForbiddenTarget(host)
        return await post(settings, url, message, signal)
      } catch (error) {
        return { ok: false, error: (error as Error).message }
      }
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const makeAgents = ({ allowPrivate, resolve, proxyEnv }: SenderOptions) => {
  const lookup = allowPrivate ? undefined : guardedLookup(resolve)
  const settings = {
    keepAlive: true,
    scheduling: 'lifo' as const,
    timeout: 30_000,
    ...(lookup && { lookup }),
    proxyEnv: allowPrivate ? proxyEnv : undefined,
  }
  return { http: new HttpAgent(settings), https: new HttpsAgent(settings) }
}

interface PostSettings extends Required<Pick<SenderOptions, 'userAgent' | 'timeout' | 'answerTime'>> {
  readonly agents: ReturnType<typeof makeAgents>
}

const post = (settings: PostSettings, url: URL, message: Message, signal: AbortSignal): Promise<SendResult> =>
  new Promise((done) => {
    const { agents, userAgent, timeout, answerTime } = settings
    const { secret, id, body, contentType = 'application/cloudevents+json; charset=utf-8' } = message
    const secure = url.protocol === 'https:'
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: secure ? agents.https : agents.http,
      signal,
      headers: {
        'Content-Type': contentType,
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': userAgent,
        ...signatureHeaders(secret, id, new Date(), body),
      },
    })
    const timer = setTimeout(() => request.destroy(new Error(`No answer within ${timeout / 1000} s.`)), timeout)
    // When an endpoint switches protocols, Node emits `close` alone.
    let result: SendResult = { ok: false, error: 'The endpoint ended the connection without an answer.' }
    request.on('response', (response) => {
      clearTimeout(timer)
      drainAnswer(response, answerTime)
      result = resultOf(response)
    })
    request.on('error', (failure: NodeJS.ErrnoException) => {
      // The endpoint closed an idle connection just when it was reused, so the message is sent again.
      const stale = request.reusedSocket && failure.code === 'ECONNRESET' && !signal.aborted
      const refused = { ok: false, error: failure.message === '' ? failure.name : failure.message } as const
      done(stale ? post(settings, url, message, signal) : refused)
    })
    request.on('close', () => {
      clearTimeout(timer)
      done(result)
    })
    request.end(body)
  })
