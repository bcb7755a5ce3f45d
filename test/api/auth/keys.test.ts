import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { publicKeySource, secretSource } from '../../../src/api/auth/keys.ts'
import { useStoppedClock } from '../../support/clock.ts'
import { ec, rsa, secret } from '../support.ts'
import { actorOf, claims, now, pem, refusal, sign } from '../tokens.ts'

useStoppedClock(now * 1000)

describe('keys', () => {
  it('keys of several sources all count', async () => {
    const keys = [secretSource(secret), publicKeySource(pem(rsa)), publicKeySource(pem(ec))]
    await expect(actorOf(sign(claims), { keys })).resolves.toBeDefined()
    await expect(actorOf(sign(claims, rsa.privateKey, { algorithm: 'RS256' }), { keys })).resolves.toBeDefined()
    await expect(actorOf(sign(claims, ec.privateKey, { algorithm: 'ES256' }), { keys })).resolves.toBeDefined()
    const late = sign({ ...claims, exp: 1 }, rsa.privateKey, { algorithm: 'RS256' })
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect((await refusal(`Bearer ${late}`, { keys: [...keys, publicKeySource(pem(other))] })).message).toMatch(
      /expired/,
    )
  })

  it('keys that are public are never a secret', async () => {
    const [header, payload] = sign(claims).split('.')
    const forged = createHmac('sha256', pem(rsa)).update(`${header}.${payload}`).digest('base64url')
    const keys = [publicKeySource(pem(rsa))]
    expect((await refusal(`Bearer ${header}.${payload}.${forged}`, { keys })).message).toMatch(/signature/)
  })

  it('are refused when they are weak or of the wrong sort', () => {
    expect(() => secretSource('too short')).toThrow(RangeError)
    expect(() => publicKeySource('nonsense')).toThrow()
    expect(() => publicKeySource(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
      /private key/,
    )
    expect(() => publicKeySource(pem(generateKeyPairSync('rsa', { modulusLength: 1024 })))).toThrow(/2,048/)
    expect(() => publicKeySource(pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }) as typeof ec))).toThrow(/P-256/)
  })
})
