import fc from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/shared/json.ts'
import { markPlainSecrets, maskSecrets } from '../../../src/shared/secrets/sealed.ts'
import { mask } from '../../../src/shared/secrets/shownText.ts'
import { needle, ways } from '../../shared/secrets/ways.ts'
import { derived, makeEffects, problemsIn, problemsOf } from '../support.ts'

const sealed = (config: JsonObject, before?: JsonObject, secretCodec = makeEffects()): JsonObject => {
  const members = derived(
    'databaseService',
    { connection: { config } },
    { before: before && { connection: { config: before } } },
    secretCodec,
  )
  return (members['connection'] as JsonObject)['config'] as JsonObject
}

const shown = (config: JsonObject): JsonObject => maskSecrets(config) as JsonObject

describe('a secret in a connection', () => {
  it.each(Object.entries(ways))(
    'where it is %s is not shown, stays when the answer is sent back, and cannot be guessed: the right one changes as much as a wrong one',
    (_, config) => {
      const secretCodec = makeEffects()
      const stored = sealed(config, undefined, secretCodec)
      expect(JSON.stringify(shown(stored))).not.toContain(needle)
      expect(JSON.stringify(stored)).toContain('$sealed')
      expect(sealed(shown(stored), stored, secretCodec)).toEqual(stored)
      const wrong = JSON.parse(JSON.stringify(config).replaceAll(needle, needle.replace('7', '8'))) as JsonObject
      const right = sealed(config, stored, secretCodec)
      expect(right).not.toEqual(stored)
      expect(shown(sealed(wrong, stored, secretCodec))).toEqual(shown(right))
    },
  )
})

describe('the settings of a connection', () => {
  const config = {
    type: 'Postgres',
    username: 'ann',
    password: 'one',
    hostPort: 'localhost:5432',
    port: 5432,
    maxPoolSize: 5,
    anyNumber: 3.5,
    pin: 1234,
    usePassword: true,
    useSsl: 'true',
    authType: { password: 'two', deeper: [{ apiKey: 'three' }, 'four'] },
    tokens: ['five', 6],
    credentials: { type: 'service_account', projectId: 'p1', clientEmail: 'x@y.z', privateKeyId: 'k1', number: 7 },
    url: 'jdbc:postgresql://ann:eight@host/db',
    emptyPassword: '',
    noPassword: null,
  }
  const masked = {
    ...config,
    password: mask,
    pin: mask,
    authType: { password: mask, deeper: [{ apiKey: mask }, mask] },
    tokens: [mask, mask],
    credentials: { ...config.credentials, number: mask },
    url: `jdbc:postgresql://${mask}@host/db`,
  }

  it('stay readable where they are known to be harmless', () => expect(shown(sealed(config))).toEqual(masked))

  it('are kept where they come as they are shown, and are sealed anew where they are sent', () => {
    const secretCodec = makeEffects()
    const stored = sealed(config, undefined, secretCodec)
    const now = sealed({ ...masked, port: 1, password: 'other' }, stored, secretCodec)
    expect({ ...now, password: stored['password'] }).toEqual({ ...stored, port: 1 })
    expect(secretCodec.open(now['password'] as JsonObject)).toBe('other')
  })

  it('keep their secrets in a list that loses an item, or say that it is not clear which', () => {
    const secretCodec = makeEffects()
    const stored = sealed(
      {
        hosts: [
          { name: 'a', password: '1' },
          { name: 'b', password: '2' },
        ],
      },
      undefined,
      secretCodec,
    )
    const [, second] = stored['hosts'] as Json[]
    expect(sealed({ hosts: [{ name: 'b', password: mask }] }, stored, secretCodec)).toEqual({ hosts: [second] })
    const tokens = sealed({ tokens: ['1', '2'] }, undefined, secretCodec)
    expect(() => sealed({ tokens: [mask] }, tokens, secretCodec)).toThrow('send the secret itself')
    const longer = sealed({ tokens: [mask, mask, '3'] }, tokens, secretCodec)['tokens'] as Json[]
    expect(longer.slice(0, 2)).toEqual(tokens['tokens'])
  })

  it('go to no other item of a list, wherever items are inserted, moved or changed', () => {
    const secretCodec = makeEffects()
    const host = (name: string, token: string = mask) => ({ name, token })
    const hosts = (...list: Json[]) => ({ hosts: list })
    const stored = sealed(hosts(host('a', '1'), host('b', '2')), undefined, secretCodec)
    const [a, b] = stored['hosts'] as [JsonObject, JsonObject]
    const kept = (...list: Json[]) => sealed(hosts(...list), stored, secretCodec)['hosts']
    expect(kept(host('b'), host('a'))).toEqual([b, a])
    expect(kept(host('a'), host('c'))).toEqual([a, { ...b, name: 'c' }])
    expect(kept(host('a'), { name: 'c' }, host('b'))).toEqual([a, { name: 'c' }, b])
    for (const list of [
      [host('c'), host('a'), host('b')],
      [host('a'), host('c'), host('b')],
      [host('c'), host('a')],
      [host('a'), host('b'), host('c')],
      [host('a'), host('a'), host('b')],
    ])
      expect(() => kept(...list)).toThrow('send the secret itself')
    const twins = sealed(hosts(host('z', '0'), host('a', '1'), host('a', '2')), undefined, secretCodec)
    const [z, one, two] = twins['hosts'] as [JsonObject, JsonObject, JsonObject]
    const among = (...list: Json[]) => sealed(hosts(...list), twins, secretCodec)['hosts']
    expect(among(host('z'), host('c'), host('a'))).toEqual([z, { ...one, name: 'c' }, two])
    expect(among(host('z'), host('a'), host('c'))).toEqual([z, one, { ...two, name: 'c' }])
    for (const list of [
      [host('a'), host('z'), host('a')],
      [host('z'), host('c'), host('a'), host('a')],
      [host('z'), host('c')],
    ])
      expect(() => among(...list)).toThrow('send the secret itself')
  })

  it('cannot have the mask where no secret is stored that is shown so', () => {
    const stored = sealed({ url: 'postgres://ann:pw@db/x' })
    expect(() => sealed({ url: `postgres://${mask}@other/x` }, stored)).toThrow('/connection/config/url')
    expect(problemsOf('databaseService', { connection: { config: { a: { 'pass/word': mask } } } })).toEqual([
      `/connection/config/a/pass~1word: has ${mask} in it, and no secret is stored here that is shown so: send the secret itself`,
    ])
  })

  it('cannot have a secret for the name of a member, since names are shown', () =>
    expect(problemsOf('databaseService', { connection: { config: { 'a://u:p@h': 1 } } })).toEqual([
      '/connection/config: has a member whose name looks like a secret: names are shown, so put it into a value',
    ]))

  it('cannot be sent sealed', () =>
    expect(
      problemsIn('databaseService', {
        name: 'a',
        serviceType: 'b',
        connection: { config: { password: { $sealed: 'x' } } },
      }),
    ).toEqual(['/connection/config/password/$sealed: this name is reserved']))

  it('are encrypted where an older event has them in the clear, with the next change of the connection', () => {
    const secretCodec = makeEffects()
    const old = markPlainSecrets(config) as JsonObject
    expect(shown(old)).toEqual(masked)
    expect(sealed(masked, old, secretCodec)).toEqual(old)
    const now = sealed({ ...masked, port: 1 }, old, secretCodec)
    expect(shown(now)).toEqual({ ...masked, port: 1 })
    expect(secretCodec.open(now['password'] as JsonObject)).toBe('one')
    expect(JSON.stringify(now)).not.toContain('v0:')
  })

  it('never change when an answer is sent back, whatever they hold', () => {
    const key = fc.constantFrom('password', 'token', 'a', 'host', 'credentials')
    const values = [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)]
    fc.assert(
      fc.property(fc.object({ key, values, maxDepth: 3 }), (any) => {
        const value = JSON.parse(JSON.stringify(any)) as JsonObject
        fc.pre(!JSON.stringify(value).includes(mask))
        const stored = sealed(value)
        expect(sealed(shown(stored), stored)).toEqual(stored)
      }),
    )
  })
})

it('masks only what is sealed', () =>
  expect(
    maskSecrets([{ $sealed: 'x' }, { $sealed: 'x', $shown: 'y' }, { $sealed: 5 }, { a: null }, 'b'] as Json),
  ).toEqual([mask, 'y', { $sealed: 5 }, { a: null }, 'b']))
