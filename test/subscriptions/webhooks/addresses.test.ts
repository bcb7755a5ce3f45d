import { describe, expect, test } from 'vitest'
import {
  ForbiddenTarget,
  guardedLookup,
  hostOf,
  isPublicAddress,
  mustBePublic,
  type Resolve,
} from '../../../src/subscriptions/webhooks/addresses.ts'

const forbidden = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2001::1',
  'no address',
]

test.each(forbidden)('%s is not a target', (address) => expect(isPublicAddress(address)).toBe(false))

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '%s is one',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

const resolvesTo =
  (...addresses: string[]): Resolve =>
  (_, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

const lookedUp = (resolve: Resolve, all: boolean): Promise<unknown[]> =>
  new Promise((done) => guardedLookup(resolve)('example.com', { all }, (...answer) => done(answer)))

describe('looking a name up', () => {
  test('gives its addresses in the form that was asked for', async () => {
    expect(await lookedUp(resolvesTo('8.8.8.8', '2606:4700::1111'), false)).toEqual([null, '8.8.8.8', 4])
    expect(await lookedUp(resolvesTo('8.8.8.8'), true)).toEqual([null, [{ address: '8.8.8.8', family: 4 }]])
  })

  test('fails when any of its addresses is not public, when it has none and when it does not resolve', async () => {
    expect((await lookedUp(resolvesTo('8.8.8.8', '127.0.0.1'), true))[0]).toBeInstanceOf(ForbiddenTarget)
    expect((await lookedUp(resolvesTo(), true))[0]).toBeInstanceOf(Error)
    expect((await lookedUp((_, callback) => callback(new Error('ENOTFOUND'), []), false))[0]).toEqual(
      new Error('ENOTFOUND'),
    )
  })
})

describe('looking at an endpoint before anything is sent', () => {
  test.each([
    'http://127.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://017700000001/',
  ])('%s is refused however it is written', async (url) => {
    await expect(mustBePublic(hostOf(new URL(url)), resolvesTo('8.8.8.8'))).rejects.toBeInstanceOf(ForbiddenTarget)
  })

  test('a name passes when it is public, does not resolve, or not in time', async () => {
    await mustBePublic('example.com', resolvesTo('8.8.8.8'))
    await mustBePublic('example.com', (_, callback) => callback(new Error('ENOTFOUND'), []))
    await mustBePublic('example.com', () => {}, 5)
    await expect(mustBePublic('localhost', resolvesTo('127.0.0.1'))).rejects.toThrow(
      'localhost is at no public address; webhooks go to those only.',
    )
  })
})
