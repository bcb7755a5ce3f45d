import { createServer } from 'node:http'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthenticator, signToken, type AuthenticatorOptions } from '../../src/api/auth.ts'
import { jwksSource, publicKeySource, readKeys, secretInFile, secretSource } from '../../src/api/keys.ts'
import { temporaryFolder } from '../support/folders.ts'
import { ec, rsa, secret } from './support.ts'

const now = 1_700_000_000
const claims = { sub: 'ada', roles: ['Admin'], exp: now + 600 }
const pem = (pair: typeof rsa | typeof ec): string => pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const sign = (payload: object, key: jwt.Secret = secret, options: jwt.SignOptions = {}): string =>
  jwt.sign(payload, key, { noTimestamp: true, ...options })

const authenticator = (more: Partial<AuthenticatorOptions> = {}) =>
  makeAuthenticator({ keys: [secretSource(secret)], now: () => now * 1000, ...more })

const actorOf = async (token: string, more?: Partial<AuthenticatorOptions>) => authenticator(more)(`Bearer ${token}`)

const refusal = async (authorization: string | undefined, more?: Partial<AuthenticatorOptions>): Promise<{ code: string; message: string; headers: Record<string, string> }> => {
  try {
    await authenticator(more)(authorization)
  } catch (error) {
    return error as never
  }
  throw new Error('the token was accepted')
}

describe('a token', () => {
  it('names the actor and the roles', async () => {
    expect(await actorOf(sign(claims))).toEqual({ name: 'ada', roles: ['Admin'] })
    expect(await actorOf(sign({ ...claims, preferred_username: 'lovelace' }))).toMatchObject({ name: 'lovelace' })
    expect(await actorOf(sign({ ...claims, preferred_username: '' }))).toMatchObject({ name: 'ada' })
  })

  it.each([
    [undefined, {}, ['DataConsumer']],
    [undefined, { roles: [] }, ['DataConsumer']],
    [undefined, { roles: 'Admin Auditor,Admin' }, ['Admin', 'Auditor']],
    [undefined, { roles: ['Admin', 7, null, ''] }, ['Admin']],
    [undefined, { roles: { Admin: true } }, ['DataConsumer']],
    ['realm_access.roles', { realm_access: { roles: ['Admin'] } }, ['Admin']],
    ['realm_access.roles', { realm_access: 'x' }, ['DataConsumer']],
    ['https://example.org/roles', { 'https://example.org/roles': ['Admin'] }, ['Admin']],
    ['constructor.name', {}, ['DataConsumer']],
  ])('with the roles claim %j and %j has the roles %j', async (rolesClaim, more, roles) => {
    const actor = await actorOf(sign({ sub: 'ada', exp: now + 60, ...more }), { rolesClaim })
    expect(actor.roles).toEqual(roles)
  })

  it('without roles gets the configured one', async () => {
    expect(await actorOf(sign({ sub: 'ada', exp: now + 60 }), { defaultRole: 'Guest' })).toMatchObject({ roles: ['Guest'] })
  })

  it('that is missing is asked for', async () => {
    expect(await refusal(undefined)).toMatchObject({ code: 'UNAUTHORIZED', headers: { 'WWW-Authenticate': 'Bearer' } })
  })

  it.each(['Basic YTpi', 'Bearer', 'Bearer ', 'Bearer abc', 'Bearer a.b', `Bearer ${'a'.repeat(20_000)}.b.c`, 'Bearer a.b.c d', 'Bearer ..'])(
    'is no token: %j',
    async (authorization) => {
      const { code, headers } = await refusal(authorization)
      expect(code).toBe('UNAUTHORIZED')
      expect(headers['WWW-Authenticate']).toMatch(/^Bearer error="invalid_token"/)
    },
  )

  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each([
    ['expired', sign({ ...claims, exp: now - 61 }), /expired/],
    ['without expiry', sign({ sub: 'ada' }), /expiry/],
    ['of the future', sign({ ...claims, nbf: now + 61 }), /not valid yet/],
    ['of another secret', sign(claims, 'another secret that is long enough too'), /signature/],
    ['with HS512', sign(claims, secret, { algorithm: 'HS512' }), /signed with HS256, RS256, ES256/],
    ['with alg none', `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`, /JWT/],
    ['with alg none and a signature', `${part({ alg: 'none' })}.${part(claims)}.AAAA`, /signed with/],
    ['with alg None', `${part({ alg: 'None' })}.${part(claims)}.AAAA`, /signed with/],
    ['with critical extensions', sign(claims, secret, { header: { alg: 'HS256', crit: ['exp'] } as never }), /extensions/],
    ['that was changed', `${part({ alg: 'HS256' })}.${part({ ...claims, roles: ['Other'] })}.${sign(claims).split('.')[2]}`, /signature/],
    ['without a user', sign({ exp: now + 60 }), /names no user/],
    ['with a user of two parts', sign({ ...claims, sub: 'a::b' }), /names no user/],
    ['with a user that is too long', sign({ ...claims, sub: 'a'.repeat(257) }), /names no user/],
    ['with a control character in the user', sign({ ...claims, sub: 'a\nb' }), /names no user/],
    ['with a user that is no text', sign({ ...claims, preferred_username: 7 }), /names no user/],
  ])('%s is refused', async (_, token, message) => {
    expect((await refusal(`Bearer ${token}`)).message).toMatch(message)
  })

  it('may be a minute off', async () => {
    await expect(actorOf(sign({ ...claims, exp: now - 59, nbf: now + 59 }))).resolves.toMatchObject({ name: 'ada' })
  })

  it('must come from the issuer and be for the audience', async () => {
    const wanted = { issuer: 'me', audience: 'catalog' }
    await expect(actorOf(sign({ ...claims, iss: 'me', aud: ['other', 'catalog'] }), wanted)).resolves.toBeDefined()
    expect((await refusal(`Bearer ${sign({ ...claims, aud: 'catalog' })}`, wanted)).message).toMatch(/issuer/)
    expect((await refusal(`Bearer ${sign({ ...claims, iss: 'me' })}`, wanted)).message).toMatch(/audience/)
  })
})

describe('keys', () => {
  it('of several sources all count', async () => {
    const keys = [secretSource(secret), publicKeySource(pem(rsa)), publicKeySource(pem(ec))]
    await expect(actorOf(sign(claims), { keys })).resolves.toBeDefined()
    await expect(actorOf(sign(claims, rsa.privateKey, { algorithm: 'RS256' }), { keys })).resolves.toBeDefined()
    await expect(actorOf(sign(claims, ec.privateKey, { algorithm: 'ES256' }), { keys })).resolves.toBeDefined()
    const late = sign({ ...claims, exp: 1 }, rsa.privateKey, { algorithm: 'RS256' })
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect((await refusal(`Bearer ${late}`, { keys: [...keys, publicKeySource(pem(other))] })).message).toMatch(/expired/)
  })

  it('that are public are never a secret', async () => {
    const [header, payload] = sign(claims).split('.')
    const { createHmac } = await import('node:crypto')
    const forged = createHmac('sha256', pem(rsa)).update(`${header}.${payload}`).digest('base64url')
    const keys = [publicKeySource(pem(rsa))]
    expect((await refusal(`Bearer ${header}.${payload}.${forged}`, { keys })).message).toMatch(/signature/)
  })

  it('are refused when they are weak or of the wrong sort', () => {
    expect(() => secretSource('too short')).toThrow(RangeError)
    expect(() => publicKeySource('nonsense')).toThrow()
    expect(() => publicKeySource(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(/private key/)
    expect(() => publicKeySource(pem(generateKeyPairSync('rsa', { modulusLength: 1024 })))).toThrow(/2,048/)
    expect(() => publicKeySource(pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }) as typeof ec))).toThrow(/P-256/)
  })

  it('come from a file, and a mistake names it', async () => {
    const folder = await temporaryFolder()
    const secretFile = join(folder, 'made')
    await writeFile(join(folder, 'key.pem'), pem(ec))
    await writeFile(join(folder, 'bad.pem'), 'nonsense')
    const keys = await readKeys({ publicKeyFile: join(folder, 'key.pem'), secretFile })
    await expect(actorOf(sign(claims, ec.privateKey, { algorithm: 'ES256' }), { keys })).resolves.toBeDefined()
    await expect(readKeys({ publicKeyFile: join(folder, 'bad.pem'), secretFile })).rejects.toThrow(/bad\.pem/)
    await expect(stat(secretFile)).rejects.toThrow('ENOENT')
  })

  it('are made on first start when none is configured: one secret, for its owner alone', async () => {
    const path = join(await temporaryFolder(), 'data', 'token-secret')
    const made = await Promise.all(Array.from({ length: 8 }, () => secretInFile(path)))
    expect(new Set(made).size).toBe(1)
    expect(made[0]?.length).toBeGreaterThanOrEqual(32)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const keys = await readKeys({ secretFile: path })
    await expect(actorOf(sign(claims, made[0]), { keys })).resolves.toBeDefined()
  })
})

describe('a JSON Web Key Set', () => {
  const jwks = async () => {
    const state = { requests: 0, status: 200 }
    const keys = [
      { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' },
      { ...ec.publicKey.export({ format: 'jwk' }), kid: 'two', use: 'sig', alg: 'ES256' },
    ]
    const server = createServer((_, response) => {
      state.requests += 1
      response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { state, source: jwksSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) }
  }
  const one = sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' })

  it('is read once for many tokens', async () => {
    const { state, source } = await jwks()
    const keys = [source]
    await expect(actorOf(one, { keys })).resolves.toBeDefined()
    await expect(actorOf(sign({ ...claims, sub: 'x' }, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' }), { keys })).resolves.toBeDefined()
    expect(state.requests).toBe(1)
    await expect(actorOf(sign(claims, ec.privateKey, { algorithm: 'ES256', keyid: 'two' }), { keys })).resolves.toBeDefined()
  })

  it('refuses an unknown key and one of another algorithm', async () => {
    const { source } = await jwks()
    const keys = [source]
    expect((await refusal(`Bearer ${sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'three' })}`, { keys })).code).toBe('UNAUTHORIZED')
    expect((await refusal(`Bearer ${sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'two' })}`, { keys })).code).toBe('UNAUTHORIZED')
    expect((await refusal(`Bearer ${sign(claims)}`, { keys })).code).toBe('UNAUTHORIZED')
  })

  it('that cannot be read makes the service unavailable, not the token invalid', async () => {
    const { state, source } = await jwks()
    state.status = 500
    expect(await refusal(`Bearer ${one}`, { keys: [source] })).toMatchObject({ code: 'UNAVAILABLE' })
    state.status = 200
    await expect(actorOf(one, { keys: [source] })).resolves.toBeDefined()
  })
})

describe('verified tokens', () => {
  it('are remembered until they expire', async () => {
    let time = now
    let asked = 0
    const inner = secretSource(secret)
    const authenticate = authenticator({ now: () => time * 1000, keys: [(header) => {
      asked += 1
      return inner(header)
    }] })
    const header = `Bearer ${sign(claims)}`
    const first = await authenticate(header)
    expect(authenticate(header)).toBe(first)
    expect(asked).toBe(1)
    time = now + 600
    await authenticate(header)
    expect(asked).toBe(2)
    time = now + 661
    await expect(authenticate(header)).rejects.toThrow(/expired/)
  })

  it('are bounded in number; the one not used for longest goes', async () => {
    const authenticate = authenticator({ cacheSize: 2 })
    const [a, b, c] = ['a', 'b', 'c'].map((sub) => `Bearer ${sign({ ...claims, sub })}`)
    await authenticate(a)
    await authenticate(b)
    await authenticate(a)
    await authenticate(c)
    expect(authenticate(a)).not.toBeInstanceOf(Promise)
    expect(authenticate(c)).not.toBeInstanceOf(Promise)
    expect(authenticate(b)).toBeInstanceOf(Promise)
  })

  it('cost less than five microseconds', async () => {
    const authenticate = authenticator()
    const header = `Bearer ${sign(claims)}`
    await authenticate(header)
    const round = (): number => {
      const start = performance.now()
      for (let count = 0; count < 5_000; count += 1) void authenticate(header)
      return (performance.now() - start) / 5_000
    }
    expect(Math.min(...Array.from({ length: 5 }, round))).toBeLessThan(0.005)
  })
})

describe('signToken', () => {
  it('makes a token that is accepted', async () => {
    const token = signToken(secret, { user: 'ada', roles: ['Admin'], ttl: 60, issuer: 'me', audience: 'catalog', rolesClaim: 'realm_access.roles' })
    const authenticate = makeAuthenticator({ keys: [secretSource(secret)], issuer: 'me', audience: 'catalog', rolesClaim: 'realm_access.roles' })
    expect(await authenticate(`bearer ${token}`)).toEqual({ name: 'ada', roles: ['Admin'] })
  })

  it('refuses a user that could not sign in', () => {
    expect(() => signToken(secret, { user: 'a::b', roles: [], ttl: 60 })).toThrow(RangeError)
    expect(() => signToken('short', { user: 'ada', roles: [], ttl: 60 })).toThrow(RangeError)
  })
})
