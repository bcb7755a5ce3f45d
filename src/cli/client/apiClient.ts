import { backoff, retrying } from '../../shared/backOff.ts'
import { LinesError } from '../../shared/errors/linesError.ts'
import { isObject, objectsOf, type Json, type JsonObject } from '../../shared/json.ts'
import { join } from 'node:path'
import { signToken } from '../../api/auth/authenticate.ts'
import type { Config } from '../../composition/settings/config.ts'
import { files } from '../../composition/settings/fixedNames.ts'
import { readSecret } from '../../stores/sqlite/dataFolder.ts'
import { UsageError, type CommandInput } from '../command/command.ts'
import { readSettings, serviceUrl } from '../command/settings.ts'
import { withoutTrailingSlashes } from '../../shared/returnPath.ts'

/** An error from the service, or no answer. The message says what to do. */
export class CallError extends LinesError {
  override readonly name = 'CallError'
  /** HTTP status; absent without an answer. */
  readonly status: number | undefined
  /** Code of the problem, if the service named one. */
  readonly code: unknown
  /** Seconds after which the service takes the call, if it says so. */
  readonly retryAfter: number | undefined
  constructor(
    lines: string | readonly string[],
    status?: number,
    { retryAfter, code, ...options }: ErrorOptions & Partial<Pick<CallError, 'retryAfter' | 'code'>> = {},
  ) {
    super([lines].flat(), options)
    this.status = status
    this.retryAfter = retryAfter
    this.code = code
  }
}

type Condition = Readonly<Record<string, string>>

interface ClientOptions {
  /** Base URL of the service, without `/api`. */
  readonly url: string
  /** Gives the token of a user; default: the calling user. */
  readonly tokenOf: (user: string | undefined) => string
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>
  /** Repeats a call that is answered with one of these: 503 for calls that write nothing, 429 for all. */
  readonly retries?: readonly (429 | 503)[]
}

const [mostRetries, pauses] = [4, { shortest: 2000, longest: 16_000 }]

const pauseAfter =
  (retries: readonly number[]) =>
  (error: unknown, failures: number): number => {
    if (!(error instanceof CallError) || !retries.includes(error.status ?? 0) || failures === mostRetries) throw error
    return error.status === 429 && error.retryAfter ? error.retryAfter * 1000 : backoff(failures, pauses)
  }

const refusalOf = (call: string, { status, headers }: Response, answer: unknown): CallError => {
  const retryAfter = Number(headers.get('retry-after'))
  if (!isObject(answer)) return new CallError(`${call} was answered with ${status}`, status, { retryAfter })
  const details = objectsOf(answer['errors']).map(({ path, message }) => `  ${String(path)} ${String(message)}`)
  const text = `${call} was answered with ${status}: ${String(answer['message'])}`
  return new CallError([text, ...details], status, { retryAfter, code: answer['code'] })
}

/** Codes of failures before a connection stands: nothing was sent. */
const unreached: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Codes of failures to verify a certificate: nothing was sent either. */
const ofCertificate = /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/

const failureText = ({ cause, message }: Error, { origin }: URL): string => {
  const { code, message: reason = message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return 'The service has not answered in five minutes and may still be at work. Look later, and run the command again.'
  // A port that fetch itself refuses has no code.
  const isReached = cause === undefined || (code !== undefined && !unreached.has(code))
  if (!isReached) return `Nothing answers at ${origin}. Start the service first, or check its address.`
  if (ofCertificate.test(code ?? ''))
    return (
      `The certificate of the service at ${origin} is not accepted, and nothing was sent: ${reason || code}. Name an ` +
      'address that it is for with --url, or as CATALOG_BASE_URL of the service. A certificate of an authority of your ' +
      'own is accepted where NODE_EXTRA_CA_CERTS names the file of that authority.'
    )
  return `The service at ${origin} gave no answer: ${reason || code}. The request may have been carried out.`
}

const isClosed = ({ cause }: Error): boolean => (cause as NodeJS.ErrnoException | undefined)?.code === 'UND_ERR_SOCKET'

const notAccepted =
  'The service does not accept the token. Give one with --token, or set CATALOG_DATA_DIR to the folder of the running ' +
  'service.'

/**
 * Sends a request. @throws CallError with the problems of the answer, or without a status where nothing answers
 */
export const sendRequest = async (
  url: string,
  token: string | undefined,
  init: RequestInit = {},
): Promise<Response> => {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...init.headers }
  const ask = () => fetch(url, { ...init, headers })
  const isRead = init.method === undefined || init.method === 'GET'
  const response = await ask()
    // A connection that was idle for long may end while it is used again: a read is repeated.
    .catch((error: Error) => (isRead && isClosed(error) ? ask() : Promise.reject(error)))
    .catch((error: Error) => {
      throw new CallError(failureText(error, new URL(url)), undefined, { cause: error })
    })
  if (response.status === 401) throw new CallError(notAccepted, 401)
  if (response.ok) return response
  const answer: unknown = await response.json().catch(() => undefined)
  throw refusalOf(`${init.method ?? 'GET'} ${url}`, response, answer)
}

/** The answer as JSON. @throws CallError where it breaks off, or another server gives it */
export const readAnswer = (response: Response): Promise<JsonObject> =>
  response.json().catch((error: Error) => {
    throw new CallError(`The answer of ${response.url} cannot be read: ${error.message}`, undefined, { cause: error })
  }) as Promise<JsonObject>

/** A client of a running service. Paths are relative to `/api/v1/`. @throws CallError */
export const makeClient = ({ url, tokenOf, headers = {}, retries = [] }: ClientOptions) => {
  const json = { 'content-type': 'application/json' }
  const send = (method: string, target: string, body?: string, user?: string, own: Condition = json) => {
    const sent = {
      method,
      headers: { ...headers, ...(body !== undefined && own) },
      ...(body !== undefined && { body }),
    }
    return retrying(() => sendRequest(target, tokenOf(user), sent), pauseAfter(retries))
  }
  const sendText = async (
    method: string,
    path: string,
    text?: string,
    user?: string,
    own?: Condition,
  ): Promise<JsonObject> => {
    const response = await send(method, `${url}/api/v1/${path}`, text, user, own)
    return response.status === 204 ? {} : readAnswer(response)
  }
  const call = (method: string, path: string, body?: Json, user?: string): Promise<JsonObject> =>
    sendText(method, path, body === undefined ? undefined : JSON.stringify(body), user)
  return {
    get: (path: string) => call('GET', path),
    /** An entity as it stands, also if it is soft-deleted, with its ETag. */
    getStanding: async (path: string): Promise<readonly [JsonObject, etag: string]> => {
      const response = await send('GET', `${url}/api/v1/${path}?fields=*&include=all`)
      return [await readAnswer(response), response.headers.get('etag') ?? '*']
    },
    put: (path: string, body: Json, user?: string) => call('PUT', path, body, user),
    /** @param condition headers such as `If-Match` */
    putText: (path: string, text: string, mediaType: string, condition?: Condition) =>
      sendText('PUT', path, text, undefined, { ...condition, 'content-type': mediaType }),
    post: (path: string, body?: Json) => call('POST', path, body),
    delete: (path: string) => call('DELETE', path),
    /** Sends a message of the Model Context Protocol. @returns the answer as JSON text; `undefined` to a notification */
    message: async (text: string) => (await (await send('POST', `${url}/mcp`, text)).text()) || undefined,
  }
}

export type ApiClient = ReturnType<typeof makeClient>

/** Calls that a command makes concurrently. */
export const callsAtOnce = 16

/** The configured secret, or the one from the data folder. */
export const secretOf = ({ dataDir, jwt }: Config): string => {
  const secret = jwt.secret ?? readSecret(join(dataDir, files.jwtSecret))
  const others = [jwt.publicKeyFile && 'CATALOG_JWT_PUBLIC_KEY_FILE', jwt.jwksUrl && 'CATALOG_JWKS_URL'].filter(Boolean)
  if (others.length > 0 && jwt.secret === undefined)
    throw new CallError(
      `The service accepts tokens from another issuer (${others.join(', ')}): get one there, or set CATALOG_JWT_SECRET ` +
        'too.',
    )
  if (secret !== undefined) return secret
  throw new CallError(
    `There is no key for tokens in ${dataDir}. Start the service first, set CATALOG_DATA_DIR to its folder or ` +
      'CATALOG_JWT_SECRET to its key, or pass a token with --token.',
  )
}

/**
 * Signs a token for each call, since a command may run for longer than a token is valid: `admin` is an administrator,
 * others are consumers.
 */
const signer = (config: Config, admin: string): ((user: string | undefined) => string) => {
  const secret = secretOf(config)
  const { issuer, audience, rolesClaim } = config.jwt
  return (user = admin) => {
    const roles = user === admin ? ['Admin'] : ['DataConsumer']
    return signToken(secret, { user, roles, ttl: 3600, issuer, audience, rolesClaim })
  }
}

/** The token of an option, or of the environment. */
export const givenToken = ({ token }: CommandInput['texts']): string | undefined =>
  token ?? process.env['CATALOG_TOKEN']

/** Whether a text is the address of a service. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** Options of commands that call a running service. */
export const clientOptions = ['url', 'token']

/** Where a service is reached, by whichever name this machine calls itself. */
const originOf = (url: string): string => new URL(url).origin.replace(/\/\/(localhost|\[::1\])(?=:|$)/, '//127.0.0.1')

/**
 * Makes clients of the service given by options, or of the local one, which alone gets tokens that are signed here.
 * @param admin user of calls without --token
 */
export const clientsFor = (
  texts: CommandInput['texts'],
  admin: string,
): ((options?: Pick<ClientOptions, 'headers' | 'retries'>) => ApiClient) => {
  const config = readSettings(process.env, 'tokens')
  const given = givenToken(texts)
  const own = serviceUrl(config)
  const target = texts['url'] === undefined ? own : withoutTrailingSlashes(texts['url'])
  if (!isWebAddress(target)) throw new UsageError(`--url ${target} must be an address such as http://127.0.0.1:8585`)
  if (given === undefined && ![own, config.baseUrl ?? own].map(originOf).includes(originOf(target)))
    throw new UsageError(
      `--url ${target} is not ${own}, the service of this machine: give a token with --token, or in CATALOG_TOKEN.`,
    )
  const tokenOf = given === undefined ? signer(config, admin) : () => given
  return (options) => makeClient({ url: target, tokenOf, ...options })
}
