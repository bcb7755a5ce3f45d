import { z } from 'zod'
import { shorten } from '../../shared/bounds.ts'
import { returnPath } from '../../shared/returnPath.ts'
import { route, queryParameter, type ApiRequest, type Answer, type Route, type Actor } from '../http/route.ts'
import type { JwtPayload } from 'jsonwebtoken'
import type { ClientAuth, Configuration, IDToken } from 'openid-client'
import type { Logger } from 'pino'
import { actorOf, toldBy, type ClaimNames } from './authenticate.ts'
import { readCookie, sessionLength, type Sessions } from './sessions.ts'

interface OpenIdConnectOptions extends ClaimNames {
  /** Issuer URL of the provider, as in `iss`. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly logger: Logger
}

const secret = z.string().min(1)

/** Secrets of a started sign-in, known to this browser and the service only, and the path to return to. */
const started = z.object({ verifier: secret, state: secret, nonce: secret, return: z.string() })

type Secrets = Omit<z.infer<typeof started>, 'return'>

/** The package is only loaded for a configured provider. */
const library = () => import('openid-client')

const scope = 'openid profile email'

/** Whether a provider is local: only those may be without TLS. */
const isLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

/** Sends the secret in a header, as every provider should take it, or in the body to one that announces that alone. */
const bySecret =
  (client: Awaited<ReturnType<typeof library>>, secret: string): ClientAuth =>
  (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isInBody = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    return (isInBody ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret))(server, ...rest)
  }

const discover = async ({ issuer, clientId, clientSecret }: OpenIdConnectOptions): Promise<Configuration> => {
  const client = await library()
  const server = new URL(issuer)
  const authentication = clientSecret === undefined ? client.None() : bySecret(client, clientSecret)
  return client.discovery(server, clientId, {}, authentication, {
    timeout: 10,
    execute: [client.enableNonRepudiationChecks, ...(isLocal(server) ? [client.allowInsecureRequests] : [])],
  })
}

/** What the provider tells of the user of a token, if the token does not tell their name and roles itself. */
const userInfoFor = async (
  configuration: Configuration,
  accessToken: string,
  claims: IDToken,
  names: ClaimNames,
): Promise<JwtPayload> => {
  const { name, roles } = toldBy(claims, names)
  const isEnough = name !== undefined && roles !== undefined
  if (isEnough || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return (await library()).fetchUserInfo(configuration, accessToken, claims.sub)
}

/**
 * Makes the client of a provider (authorization code flow with PKCE), which is discovered on the first sign-in and again
 * after a failure.
 */
export const makeOpenIdConnect = (options: OpenIdConnectOptions) => {
  let discovered: Promise<Configuration> | undefined
  const forget = (error: unknown): never => {
    discovered = undefined
    throw error
  }
  const configuration = (): Promise<Configuration> => (discovered ??= discover(options).catch(forget))
  return {
    /** The redirect to the provider, and the secrets to keep. */
    begin: async (redirectUri: string) => {
      const client = await library()
      const secrets = {
        verifier: client.randomPKCECodeVerifier(),
        state: client.randomState(),
        nonce: client.randomNonce(),
      }
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      })
      return { url, secrets }
    },
    /** The actor of a callback URL. Rejects if the provider or the URL refuses. */
    finish: async (url: URL, { verifier, state, nonce }: Secrets): Promise<Actor> => {
      const client = await library()
      const known = await configuration()
      const expected = { expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      const grant = client.authorizationCodeGrant(known, url, { pkceCodeVerifier: verifier, ...expected })
      // The provider may have other keys and addresses now.
      const tokens = await grant.catch(forget)
      const claims = tokens.claims() as IDToken
      const userInfo = await userInfoFor(known, tokens.access_token, claims, options)
      return { ...actorOf({ ...claims, exp: undefined }, options, userInfo), until: Date.now() + sessionLength }
    },
  }
}

export type OpenIdConnect = ReturnType<typeof makeOpenIdConnect>

/** Seconds to complete a sign-in with the provider. */
const signInTimeout = 600

/** Longest path to return to: a browser keeps the cookie that has it. */
const longestReturn = 2048

const cookieFor = ({ cookieNamed }: Sessions): string => cookieNamed('catalog-sign-in')

const toConsole = ({ baseUrl }: ApiRequest, path: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 302,
  headers: { ...headers, Location: `${baseUrl.replace(/\/api$/, '')}${path}`, 'Cache-Control': 'no-store' },
})

const address = '/v1/session/oidc'

const callback = ({ baseUrl }: ApiRequest): string => `${baseUrl}${address}/callback`

/** The error and its description (RFC 6749, 5.2) in an answer of the provider, if it was one. */
const saidByProvider = (thrown: unknown) => {
  const { error, error_description: text } = thrown as Readonly<Record<string, unknown>>
  if (typeof error !== 'string') return {}
  return {
    provider: { error: shorten(error, 300), ...(typeof text === 'string' && { description: shorten(text, 300) }) },
  }
}

/** The two routes of a sign-in: its start, and the callback of the provider. */
export const openIdConnectRoutes = (provider: OpenIdConnect, sessions: Sessions, logger: Logger): Route[] => {
  const failed = (request: ApiRequest, error: unknown): Answer => {
    const { correlationId } = request
    logger.warn({ err: error, ...saidByProvider(error), correlationId }, 'a sign-in with the identity provider failed')
    return toConsole(request, '/sign-in?problem=provider')
  }
  const shared = { tag: 'session', permission: 'open' } as const
  const answers = { 302: { description: 'Redirect', headers: ['Location'] } } as const
  return [
    route('get', address, 'begin_open_id_connect', {
      ...shared,
      summary: 'Sign in with the identity provider: redirects the browser to it',
      parameters: [
        queryParameter(
          'return',
          `Path of the console to return to, of at most ${longestReturn} characters`,
          z.string(),
        ),
      ],
      answers,
      handle: async (request) => {
        try {
          const { url, secrets } = await provider.begin(callback(request))
          const path = returnPath(request.query.get('return'))
          const value = sessions.sign(
            'sign-in',
            { ...secrets, return: path.length > longestReturn ? '/' : path },
            signInTimeout,
          )
          const attributes = `Max-Age=${signInTimeout}; SameSite=Lax; ${sessions.attributes(request)}`
          const cookie = `${cookieFor(sessions)}=${value}; ${attributes}`
          return { status: 302, headers: { Location: url.href, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } }
        } catch (error) {
          return failed(request, error)
        }
      },
    }),
    route('get', `${address}/callback`, 'finish_open_id_connect', {
      ...shared,
      summary: 'The callback of the identity provider',
      parameters: [
        queryParameter('code', 'From the provider', z.string()),
        queryParameter('state', 'From the request', z.string()),
      ],
      answers,
      handle: async (request) => {
        try {
          const secrets = sessions.verify('sign-in', started, readCookie(request.headers, cookieFor(sessions)) ?? '')
          if (secrets === undefined) return toConsole(request, '/sign-in?problem=late')
          const url = new URL(`${callback(request)}?${new URLSearchParams([...request.query])}`)
          const actor = await provider.finish(url, secrets)
          const { cookie } = await sessions.begin(actor, request)
          return toConsole(request, returnPath(secrets.return), { 'Set-Cookie': cookie })
        } catch (error) {
          return failed(request, error)
        }
      },
    }),
  ]
}
