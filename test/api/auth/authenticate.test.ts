import { describe, expect, it } from 'vitest'
import { makeAuthenticator, signToken } from '../../../src/api/auth/authenticate.ts'
import { secretSource } from '../../../src/api/auth/keys.ts'
import { secret } from '../support.ts'
import { useStoppedClock } from '../../support/clock.ts'
import { actorOf, authenticator, claims, now, refusal, sign } from '../tokens.ts'

const pass = useStoppedClock(now * 1000)

describe('a token', () => {
  it('names the actor and the roles', async () => {
    expect(await actorOf(sign(claims))).toEqual({ name: 'ada', roles: ['Admin'], until: (claims.exp + 60) * 1000 })
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

  it('a token without roles gets the configured one', async () => {
    expect(await actorOf(sign({ sub: 'ada', exp: now + 60 }), { defaultRole: 'Guest' })).toMatchObject({
      roles: ['Guest'],
    })
  })

  it('may have no expiry where that is configured', async () => {
    expect(await actorOf(sign({ sub: 'ada' }), { requireExpiry: false })).toEqual({
      name: 'ada',
      roles: ['DataConsumer'],
    })
    expect(await refusal(`Bearer ${sign({ sub: 'ada', exp: now - 61 })}`, { requireExpiry: false })).toMatchObject({
      code: 'UNAUTHORIZED',
    })
  })

  it.each([
    ['that ends after all dates', { exp: 1e300 }, 'exp'],
    ['in the name of the catalog itself', { preferred_username: 'system' }, 'system'],
  ])('a token %s is refused', async (_, more, said) => {
    const { code, message } = await refusal(`Bearer ${sign({ ...claims, ...more })}`)
    expect([code, message]).toEqual(['UNAUTHORIZED', expect.stringContaining(said)])
  })

  it('has at most 16 KiB, however the header is written', async () => {
    const alone = sign({ ...claims, more: '' }).length
    const longest = sign({ ...claims, more: 'x'.repeat(Math.floor(((16_384 - alone) * 3) / 4)) })
    expect(longest.length).toBeGreaterThan(16_380)
    expect(await actorOf(longest)).toMatchObject({ name: 'ada' })
    const { message } = await refusal(`Bearer ${sign({ ...claims, more: 'x'.repeat(16_384) })}`)
    expect(message).toContain('at most 16384 bytes')
  })

  it('a token that is missing is asked for', async () => {
    expect(await refusal(undefined)).toMatchObject({ code: 'UNAUTHORIZED', headers: { 'WWW-Authenticate': 'Bearer' } })
  })

  it.each([
    'Basic YTpi',
    'Bearer',
    'Bearer ',
    'Bearer abc',
    'Bearer a.b',
    `Bearer ${'a'.repeat(20_000)}.b.c`,
    'Bearer a.b.c d',
    'Bearer ..',
  ])('is not a token: %j', async (authorization) => {
    const { code, headers } = await refusal(authorization)
    expect(code).toBe('UNAUTHORIZED')
    expect(headers['WWW-Authenticate']).toMatch(/^Bearer error="invalid_token"/)
  })

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
    [
      'with critical extensions',
      sign(claims, secret, { header: { alg: 'HS256', crit: ['exp'] } as never }),
      /extensions/,
    ],
    [
      'that was changed',
      `${part({ alg: 'HS256' })}.${part({ ...claims, roles: ['Other'] })}.${sign(claims).split('.')[2]}`,
      /signature/,
    ],
    ['whose payload is not JSON', `${part({ alg: 'HS256', typ: 'JWT' })}.bm8ganNvbg.AAAA`, /not JSON/],
    ['without a user', sign({ exp: now + 60 }), /does not name a user/],
    ['with a user of two parts', sign({ ...claims, sub: 'a::b' }), /does not name a user/],
    ['with a user that is too long', sign({ ...claims, sub: 'a'.repeat(257) }), /does not name a user/],
    ['with a control character in the user', sign({ ...claims, sub: 'a\nb' }), /does not name a user/],
    ['with a zero-width character in the user', sign({ ...claims, sub: 'ann\u200B' }), /or invisible characters/],
    ['with a blank at the end of the user', sign({ ...claims, sub: 'ann ' }), /no blanks at its ends/],
    ['with a variation selector in the user', sign({ ...claims, sub: 'ann\uFE0F' }), /or invisible characters/],
    ['with a user that is not a text', sign({ ...claims, preferred_username: 7 }), /does not name a user/],
  ])('%s is refused', async (_, token, message) => {
    const refused = await refusal(`Bearer ${token}`)
    expect(refused.message).toMatch(message)
    // The characters that RFC 6750 allows in a description: neither quotes nor backslashes.
    expect(refused.headers['WWW-Authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[\x20\x21\x23-\x5b\x5d-\x7e]+"$/,
    )
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

describe('verified tokens', () => {
  it('are remembered until they expire', async () => {
    let asked = 0
    const inner = secretSource(secret)
    const authenticate = authenticator({
      keys: [
        (header) => {
          asked += 1
          return inner(header)
        },
      ],
    })
    const header = `Bearer ${sign(claims)}`
    const first = await authenticate(header)
    expect(authenticate(header)).toBe(first)
    expect(asked).toBe(1)
    pass(600_000)
    await authenticate(header)
    expect(asked).toBe(2)
    pass(61_000)
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

  it('are not verified again: a later call answers at once, with the same actor', async () => {
    const authenticate = authenticator()
    const header = `Bearer ${sign(claims)}`
    const first = authenticate(header)
    expect(first).toBeInstanceOf(Promise)
    const actor = await first
    expect(authenticate(header)).toBe(actor)
  })
})

describe('signToken', () => {
  it('makes a token that is accepted', async () => {
    const token = signToken(secret, {
      user: 'ada',
      roles: ['Admin'],
      ttl: 60,
      issuer: 'me',
      audience: 'catalog',
      rolesClaim: 'realm_access.roles',
    })
    const authenticate = makeAuthenticator({
      keys: [secretSource(secret)],
      issuer: 'me',
      audience: 'catalog',
      rolesClaim: 'realm_access.roles',
    })
    expect(await authenticate(`bearer ${token}`)).toMatchObject({ name: 'ada', roles: ['Admin'] })
  })

  it('refuses a user that could not sign in', () => {
    expect(() => signToken(secret, { user: 'a::b', roles: [], ttl: 60 })).toThrow(RangeError)
    expect(() => signToken('short', { user: 'ada', roles: [], ttl: 60 })).toThrow(RangeError)
  })
})
