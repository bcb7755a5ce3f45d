import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { makeAuthenticator } from '../../../src/api/auth/authenticate.ts'
import { jwksSource, type KeySource } from '../../../src/api/auth/keys.ts'
import { makeLogger } from '../../../src/composition/logger.ts'
import { useStoppedClock } from '../../support/clock.ts'
import { listening } from '../../support/listening.ts'
import { startInProcess } from '../../support/running.ts'
import { ec, rsa } from '../support.ts'
import { actorOf, authenticator, claims as brief, now, refusal, sign } from '../tokens.ts'

const claims = { ...brief, exp: now + 86_400 }

/** A server of keys. */
const jwks = async () => {
  const jwk = (pair: typeof rsa | typeof ec, kid: string, alg: string) => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    kid,
    use: 'sig',
    alg,
  })
  const state = {
    requests: 0,
    status: 200,
    held: undefined as Promise<unknown> | undefined,
    keys: [jwk(rsa, 'one', 'RS256'), jwk(ec, 'two', 'ES256')],
  }
  const url = await listening(async (_, response) => {
    state.requests += 1
    const { keys } = state
    await state.held
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  })
  const told: unknown[] = []
  const keys = [jwksSource(`${url}/`, (failure) => told.push(failure))]
  return { state, url, keys, told }
}

const one = sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' })
const signedBy = (keyid: string, sub = 'x'): string =>
  sign({ ...claims, sub }, rsa.privateKey, { algorithm: 'RS256', keyid })

/** Until when, in epoch milliseconds, the first key may be used without being read again. */
const usedUntil = async ([source]: readonly KeySource[]): Promise<number | undefined> => {
  for await (const { until } of source?.({ alg: 'RS256', kid: 'one' }) ?? []) return until
  return undefined
}

describe('a JSON Web Key Set', () => {
  const pass = useStoppedClock(now * 1000)

  it('is read once for many tokens and keys', async () => {
    const { state, keys } = await jwks()
    await expect(actorOf(one, { keys })).resolves.toBeDefined()
    await expect(actorOf(signedBy('one'), { keys })).resolves.toBeDefined()
    const two = sign(claims, ec.privateKey, { algorithm: 'ES256', keyid: 'two' })
    await expect(actorOf(two, { keys })).resolves.toBeDefined()
    expect(state.requests).toBe(1)
  })

  it('refuses an unknown key and one of another algorithm', async () => {
    const { keys } = await jwks()
    expect((await refusal(`Bearer ${signedBy('three')}`, { keys })).code).toBe('UNAUTHORIZED')
    expect((await refusal(`Bearer ${signedBy('two')}`, { keys })).code).toBe('UNAUTHORIZED')
    expect((await refusal(`Bearer ${sign(claims)}`, { keys })).code).toBe('UNAUTHORIZED')
  })

  it('a JSON Web Key Set that cannot be read makes the service unavailable, not the token invalid', async () => {
    const { state, keys } = await jwks()
    state.status = 500
    expect(await refusal(`Bearer ${one}`, { keys })).toMatchObject({ code: 'UNAVAILABLE' })
    state.status = 200
    await expect(actorOf(one, { keys })).resolves.toBeDefined()
  })

  it('is read from its own address alone: redirects are not followed', async () => {
    let asked = 0
    const elsewhere = await listening((_, response) => {
      asked += 1
      response.end('{"keys":[]}')
    })
    const url = await listening((_, response) => response.writeHead(302, { location: elsewhere }).end())
    expect(await refusal(`Bearer ${one}`, { keys: [jwksSource(url)] })).toMatchObject({ code: 'UNAVAILABLE' })
    expect(asked).toBe(0)
  })

  it('is not exhausted by invented key ids: known keys are answered, and the others cost a request now and then', async () => {
    const { state, keys } = await jwks()
    await actorOf(one, { keys })
    for (let index = 0; index < 100; index++)
      expect((await refusal(`Bearer ${signedBy(`invented ${index}`)}`, { keys })).code).toBe('UNAUTHORIZED')
    await expect(actorOf(signedBy('one', 'somebody else'), { keys })).resolves.toBeDefined()
    expect(state.requests).toBeLessThanOrEqual(2)
    pass(10_000)
    await refusal(`Bearer ${signedBy('invented again')}`, { keys })
    expect(state.requests).toBeLessThanOrEqual(3)
  })

  it('answers with known keys at once while unknown ones are looked for', async () => {
    const { state, keys } = await jwks()
    await actorOf(one, { keys })
    pass(20_000)
    const { promise, resolve: release } = Promise.withResolvers<void>()
    state.held = promise
    const unknown = refusal(`Bearer ${signedBy('unknown')}`, { keys })
    await expect(actorOf(signedBy('one', 'ben'), { keys })).resolves.toBeDefined()
    release()
    expect((await unknown).code).toBe('UNAUTHORIZED')
  })

  it('is read again ahead of time, while the keys that are known serve on', async () => {
    const { state, keys } = await jwks()
    await actorOf(one, { keys })
    pass(300_000)
    const { promise, resolve: release } = Promise.withResolvers<void>()
    state.held = promise
    await expect(actorOf(signedBy('one', 'ben'), { keys })).resolves.toBeDefined()
    release()
    await expect.poll(() => usedUntil(keys)).toBe(performance.now() + 600_000)
    expect(state.requests).toBe(2)
    state.status = 500
    pass(599_000)
    await expect(actorOf(signedBy('one', 'cid'), { keys })).resolves.toBeDefined()
    pass(2_000)
    expect((await refusal(`Bearer ${signedBy('one', 'dan')}`, { keys })).code).toBe('UNAVAILABLE')
  })

  it('tells when it can no longer be read, and when it can again; meanwhile a token of an unknown key is not refused for good', async () => {
    const { state, keys, told } = await jwks()
    await actorOf(one, { keys })
    state.status = 500
    for (let time = 0; time < 3; time++) {
      pass(10_000)
      expect(await refusal(`Bearer ${signedBy('new')}`, { keys })).toMatchObject({ code: 'UNAVAILABLE' })
      expect(await refusal(`Bearer ${signedBy('new')}`, { keys })).toMatchObject({ code: 'UNAVAILABLE' })
    }
    await expect(actorOf(signedBy('one', 'ben'), { keys })).resolves.toBeDefined()
    expect(told).toEqual([new Error('The key set was answered with status 500.')])
    state.status = 200
    pass(10_000)
    expect((await refusal(`Bearer ${signedBy('new')}`, { keys })).code).toBe('UNAUTHORIZED')
    expect(told).toEqual([expect.any(Error), undefined])
  })

  it('is as old as its reading, also for those who come while that goes on', async () => {
    const { state, keys } = await jwks()
    const { promise, resolve: release } = Promise.withResolvers<void>()
    state.held = promise
    const begun = performance.now()
    const first = usedUntil(keys)
    pass(5_000)
    const second = usedUntil(keys)
    release()
    expect(await Promise.all([first, second])).toEqual([begun + 600_000, begun + 600_000])
  })

  it('a JSON Web Key Set that has a new key is read for the first token that it signed', async () => {
    const { state, keys } = await jwks()
    await actorOf(one, { keys })
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 })
    state.keys = [{ ...next.publicKey.export({ format: 'jwk' }), kid: 'next', use: 'sig', alg: 'RS256' }]
    pass(10_000)
    const token = sign(claims, next.privateKey, { algorithm: 'RS256', keyid: 'next' })
    await expect(actorOf(token, { keys })).resolves.toBeDefined()
  })

  it('has keys of one id, or without any: the one that signed the token is found, and a new one is read', async () => {
    const { state, keys } = await jwks()
    const [first, other] = [rsa, generateKeyPairSync('rsa', { modulusLength: 2048 })]
    const publicKey = ({ publicKey: key }: typeof first | typeof ec, kid?: string) => ({
      ...key.export({ format: 'jwk' }),
      ...(kid !== undefined && { kid }),
    })
    const by = ({ privateKey }: typeof first | typeof ec, algorithm: 'RS256' | 'ES256', keyid?: string) =>
      actorOf(sign(claims, privateKey, { algorithm, ...(keyid !== undefined && { keyid }) }), { keys })
    state.keys = [publicKey(first, 'a'), publicKey(ec, 'a'), publicKey(first)] as typeof state.keys
    for (const token of [by(first, 'RS256', 'a'), by(ec, 'ES256', 'a'), by(first, 'RS256')])
      await expect(token).resolves.toBeDefined()
    expect(state.requests).toBe(1)
    state.keys = [publicKey(other), publicKey(first)] as typeof state.keys
    await expect(by(other, 'RS256')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    pass(10_000)
    await expect(by(other, 'RS256')).resolves.toBeDefined()
    await expect(by(first, 'RS256')).resolves.toBeDefined()
    expect(state.requests).toBe(2)
    state.status = 500
    pass(10_000)
    const ended = sign({ ...claims, exp: now - 120 }, rsa.privateKey, { algorithm: 'RS256' })
    expect((await refusal(`Bearer ${ended}`, { keys })).message).toBe('The token has expired.')
    expect(state.requests).toBe(2)
  })

  it('withdraws a key in time although the clock was set back', async () => {
    const { state, url } = await jwks()
    const authenticate = makeAuthenticator({ keys: [jwksSource(url)] })
    const token = sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' })
    await expect(authenticate(`Bearer ${token}`)).resolves.toBeDefined()
    state.keys = state.keys.slice(1)
    vi.setSystemTime(Date.now() - 3_600_000)
    pass(600_001)
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('withdraws a key for tokens, too, that were verified by it before', async () => {
    const { state, keys } = await jwks()
    const authenticate = authenticator({ keys })
    const token = sign(claims, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' })
    await expect(authenticate(`Bearer ${token}`)).resolves.toBeDefined()
    state.keys = state.keys.slice(1)
    pass(599_000)
    expect(authenticate(`Bearer ${token}`)).not.toBeInstanceOf(Promise)
    pass(1_001)
    await expect(authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

it('A service that cannot read the keys of an identity provider says so in its log and its metrics, until it can', async () => {
  const { state, url } = await jwks()
  const lines: string[] = []
  const logger = makeLogger('info', { write: (line) => lines.push(line) })
  const service = await startInProcess({ CATALOG_JWKS_URL: url }, undefined, logger)
  const failing = async () => /^catalog_jwks_failing (\d)$/m.exec((await service.call('GET', '/metrics')).body)?.[1]
  const status = async () => (await service.call('GET', '/v1/me', undefined, { token: one })).status
  const said = () => lines.filter((line) => line.includes('the keys at CATALOG_JWKS_URL')).length
  expect([await failing(), said()]).toEqual(['0', 0])
  state.status = 500
  expect([await status(), await failing(), said()]).toEqual([503, '1', 1])
  state.status = 200
  expect([await status(), await failing(), said()]).toEqual([401, '0', 2])
})
