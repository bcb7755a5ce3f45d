import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import jwt from 'jsonwebtoken'
import { text } from 'node:stream/consumers'
import { portOf } from './ports.ts'

/** An OpenID Connect provider of this machine, at which everybody is signed in already. */
export interface Provider {
  readonly issuer: string
  readonly clientId: string
  /** Who is signed in, as the token says it; and what only the userinfo endpoint tells. */
  claims: Record<string, unknown>
  userinfo: Record<string, unknown>
  /** Spoils the next token, or refuses it; or the user refuses to sign in. */
  spoil: { nonce?: string; signature?: boolean; token?: string; user?: string }
  /** How it lets clients prove who they are, as it announces that; and how the last one did. */
  methods: readonly string[] | undefined
  provedBy: string
  /** How often user information was asked for. */
  asked: number
  close(): Promise<void>
}

interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}

const rsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Those of every provider, and those of somebody else: made once, since that takes long. */
const [keys, others] = [rsaKeys(), rsaKeys()]

/** Starts a provider that holds clients to PKCE with S256, to one use of each code, and to the redirect address. */
export const startProvider = async (): Promise<Provider> => {
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void answer(request, response))
  const issuer = `http://127.0.0.1:${await portOf(server)}`
  const provider: Provider = {
    issuer,
    clientId: 'catalog',
    claims: { sub: '4711', preferred_username: 'ida', roles: ['DataSteward'] },
    userinfo: {},
    spoil: {},
    methods: undefined,
    provedBy: '',
    asked: 0,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const redirectUri = query.get('redirect_uri') ?? ''
    const wrong = query.get('client_id') !== provider.clientId || query.get('code_challenge_method') !== 'S256'
    const back = new URL(redirectUri)
    back.searchParams.set('state', query.get('state') ?? '')
    if (wrong) back.searchParams.set('error', 'invalid_request')
    else if (provider.spoil.user !== undefined) {
      back.searchParams.set('error', provider.spoil.user)
      back.searchParams.set('error_description', 'Not today.')
    } else {
      const code = randomUUID()
      grants.set(code, { challenge: query.get('code_challenge') ?? '', nonce: query.get('nonce') ?? '', redirectUri })
      back.searchParams.set('code', code)
      back.searchParams.set('session_state', 'abc')
    }
    response.writeHead(302, { Location: back.href })
    response.end()
  }

  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = new URLSearchParams(await text(request))
    const basic = request.headers.authorization === `Basic ${btoa(`${provider.clientId}:secret`)}`
    const post = body.get('client_id') === provider.clientId && body.get('client_secret') === 'secret'
    provider.provedBy = basic ? 'client_secret_basic' : post ? 'client_secret_post' : 'none'
    if (provider.methods?.includes(provider.provedBy) === false) return send(response, 401, { error: 'invalid_client' })
    const grant = grants.get(body.get('code') ?? '')
    grants.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge || grant.redirectUri !== body.get('redirect_uri')) {
      return send(response, 400, { error: 'invalid_grant' })
    }
    const { nonce = grant.nonce, signature, token: refused } = provider.spoil
    if (refused !== undefined) return send(response, 400, { error: refused, error_description: 'Not today.' })
    const idToken = jwt.sign({ ...provider.claims, nonce }, signature ? others.privateKey : keys.privateKey, {
      algorithm: 'RS256',
      keyid: 'one',
      issuer,
      audience: provider.clientId,
      expiresIn: 300,
    })
    send(response, 200, { access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: idToken })
  }

  const documents: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: provider.methods,
    }),
    '/keys': () => ({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] }),
    '/userinfo': () => {
      provider.asked += 1
      return { sub: provider.claims['sub'], ...provider.userinfo }
    },
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/authorize') return authorize(url.searchParams, response)
    if (url.pathname === '/token') return token(request, response)
    const document = documents[url.pathname]
    send(response, document === undefined ? 404 : 200, document?.() ?? {})
  }
  return provider
}
