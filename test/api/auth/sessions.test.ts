import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { makeAuthenticator } from '../../../src/api/auth/authenticate.ts'
import {
  makeIdentify,
  mustBeSameOrigin,
  makeSessions,
  sessionLength,
  makeSignInCodes,
} from '../../../src/api/auth/sessions.ts'
import { secretSource } from '../../../src/api/auth/keys.ts'
import { useStoppedClock } from '../../support/clock.ts'
import { bearer, secret } from '../support.ts'

const currentSeries = async (): Promise<string> => 'first'

const start = 1_800_000_000_000
const ada = { name: 'ada', roles: ['Admin'] }

const turn = useStoppedClock(start)

const started = (secure = false) => {
  let series = 'first'
  const currentSeries = async (): Promise<string> => series
  const sessions = makeSessions({ secret, roles: ['Admin'], secure, currentSeries })
  const end = (): string => (series += ', ended')
  return { sessions, end }
}

const host = { host: '127.0.0.1:8585' }
const baseUrl = 'http://127.0.0.1:8585/api'
const browser = { headers: host, baseUrl }

/** Headers of a browser that was given the cookie. */
const withCookie = (setCookie: string, more: IncomingHttpHeaders = host): IncomingHttpHeaders => ({
  ...more,
  cookie: `other=1; ${setCookie.split(';', 1)[0]}`,
})

const message = async (act: () => unknown): Promise<string> => {
  try {
    await act()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing was thrown'
}

describe('a session', () => {
  it('is a cookie that scripts cannot read and that other sites do not send', async () => {
    const { cookie } = await started().sessions.begin(ada, browser)
    expect(cookie).toMatch(
      /^catalog-session-8585=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=43200; SameSite=Strict; Path=\/; HttpOnly$/,
    )
    const { cookie: secure } = await started(true).sessions.begin(ada, browser)
    expect(secure).toMatch(/^__Host-catalog-session-8585=.*; Secure$/)
    const forwarded = { ...browser, baseUrl: 'https://catalog.example.org/api' }
    expect((await started().sessions.begin(ada, forwarded)).cookie).toMatch(/^catalog-session-8585=.*; Secure$/)
  })

  it('holds the roles that there are, and no more than browsers keep', async () => {
    const { sessions } = started()
    const groups = Array.from({ length: 400 }, (_, at) => `group-${at}`)
    const { cookie } = await sessions.begin({ name: 'ada', roles: [...groups, 'Admin'] }, browser)
    expect(cookie.length).toBeLessThan(1000)
    expect(await sessions.actorOf(withCookie(cookie))).toMatchObject(ada)
    const many = makeSessions({ secret, roles: groups, secure: false, currentSeries })
    expect(await message(() => many.begin({ name: 'ada', roles: groups }, browser))).toContain('at most 4096')
  })

  it('says who has it until it ends', async () => {
    const { sessions } = started()
    const { cookie } = await sessions.begin(ada, browser)
    expect(await sessions.actorOf(withCookie(cookie))).toMatchObject({ ...ada, until: start + sessionLength })
    turn(sessionLength - 1000)
    expect(await sessions.actorOf(withCookie(cookie))).toMatchObject(ada)
    turn(2000)
    expect(await message(() => sessions.actorOf(withCookie(cookie)))).toBe('The session has ended: sign in again.')
  })

  it('lasts no longer than the token that began it', async () => {
    const { sessions } = started()
    const { cookie, until } = await sessions.begin({ ...ada, until: start + 60_000 }, browser)
    expect(until).toBe(start + 60_000)
    expect(cookie).toContain('Max-Age=60;')
  })

  it('is of one port alone, and nobody has it without the cookie', async () => {
    const { sessions } = started()
    const { cookie } = await sessions.begin(ada, browser)
    expect(await sessions.actorOf(withCookie(cookie, { host: '127.0.0.1:9000' }))).toBeUndefined()
    expect(await sessions.actorOf(host)).toBeUndefined()
    expect(await sessions.actorOf(withCookie(sessions.end(browser)))).toBeUndefined()
  })

  it('is of one catalog alone where several are below one address', async () => {
    const at = (path: string, secure: boolean) =>
      makeSessions({ secret, roles: ['Admin'], secure, path, currentSeries })
    for (const secure of [false, true]) {
      const { cookie } = await at('/team/catalog', secure).begin(ada, browser)
      expect(cookie).toMatch(/^(__Host-)?catalog-session-8585%2Fteam%2Fcatalog=.* Path=\/;/)
      expect(cookie.startsWith('__Host-')).toBe(secure)
      expect(await at('/team/catalog', secure).actorOf(withCookie(cookie))).toMatchObject(ada)
      for (const other of ['', '/team', '/team-catalog', '/team/catalog/b'])
        expect(await at(other, secure).actorOf(withCookie(cookie))).toBeUndefined()
    }
  })

  it('cannot be made by others or changed', async () => {
    const { sessions } = started()
    const foreign = makeSessions({
      secret: `${secret}!`,
      roles: ['Admin'],
      secure: false,
      currentSeries,
    })
    const { cookie } = await sessions.begin(ada, browser)
    for (const wrong of [
      (await foreign.begin(ada, browser)).cookie,
      cookie.replace('.', '.x'),
      'catalog-session-8585=x',
    ]) {
      expect(await message(() => sessions.actorOf(withCookie(wrong)))).toContain('has ended')
    }
  })

  it('ends for good with all others of its user, at once', async () => {
    const { sessions, end } = started()
    const first = withCookie((await sessions.begin(ada, browser)).cookie)
    const actor = await sessions.actorOf(first)
    end()
    expect(await actor?.holds?.()).toBe(false)
    expect(await message(() => sessions.actorOf(first))).toContain('has ended')
    // In the same millisecond: what is compared is not a time.
    const second = withCookie((await sessions.begin(ada, browser)).cookie)
    expect(await sessions.actorOf(second)).toMatchObject(ada)
    end()
    expect(await message(() => sessions.actorOf(second))).toContain('has ended')
  })

  it('is nothing else that is signed, and nothing else is a session', async () => {
    const { sessions } = started()
    const value = (await sessions.begin(ada, browser)).cookie.split(/[=;]/)[1] as string
    for (const use of ['sign-in', 'request'] as const)
      expect([use, sessions.verify(use, z.looseObject({}), value)]).toEqual([use, undefined])
    const joint = sessions.sign('request', { user: 'ada' }, 60)
    expect(await message(() => sessions.actorOf(withCookie(`catalog-session-8585=${joint}`)))).toContain('has ended')
    expect(sessions.verify('request', z.looseObject({}), joint)).toMatchObject({ user: 'ada' })
    expect(sessions.verify('sign-in', z.looseObject({}), joint)).toBeUndefined()
  })
})

describe('who makes a request', () => {
  const authenticate = makeAuthenticator({ keys: [secretSource(secret)] })
  const sessions = makeSessions({ secret, roles: ['Admin'], secure: false, currentSeries })
  const identify = makeIdentify(authenticate, sessions)
  const begin = () => sessions.begin({ name: 'bob', roles: ['Admin'] }, browser)

  it('is told by a token, else by the session', async () => {
    const headers = withCookie((await begin()).cookie)
    const both = { method: 'GET', headers: { ...headers, ...bearer('ada') }, baseUrl }
    expect(await identify(both)).toMatchObject({ name: 'ada' })
    expect(await identify({ method: 'GET', headers, baseUrl })).toMatchObject({ name: 'bob' })
    const nobody = { method: 'GET', headers: host, baseUrl }
    expect(await message(() => identify(nobody))).toContain('A bearer token is needed')
  })

  it('is nobody where a page was made for another user than the one that the session is of by now', async () => {
    const { cookie } = await sessions.begin({ name: 'bób', roles: ['Admin'] }, browser)
    const from = (user: string) => ({
      method: 'PUT',
      headers: { ...withCookie(cookie), 'catalog-user': encodeURIComponent(user) },
      baseUrl,
    })
    expect(await identify(from('bób'))).toMatchObject({ name: 'bób' })
    expect(await message(() => identify(from('ada')))).toBe(
      'The session is one of bób, not of the user in Catalog-User.',
    )
  })

  it('is told by the session where a proxy made the browser send a name and a password', async () => {
    const basic = { authorization: 'Basic YWRhOnNlY3JldA==' }
    const headers = { ...withCookie((await begin()).cookie), ...basic }
    expect(await identify({ method: 'GET', headers, baseUrl })).toMatchObject({ name: 'bob' })
    const cross = { ...headers, origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }
    const refused = message(() => identify({ method: 'DELETE', headers: cross, baseUrl }))
    expect(await refused).toContain('another origin')
    const alone = { method: 'GET', headers: { ...host, ...basic }, baseUrl }
    expect(await message(() => identify(alone))).toBe('The Authorization header must be Bearer and a JWT.')
    for (const authorization of ['Bearer', 'bearer x', 'Bearer eyJ.x.y']) {
      const wrong = { method: 'GET', headers: { ...headers, authorization }, baseUrl }
      expect(await message(() => identify(wrong))).not.toBe('nothing was thrown')
    }
  })

  it.each([
    ['the console itself', { 'sec-fetch-site': 'same-origin' }, true],
    ['the console in a browser that only says the origin', { origin: 'http://127.0.0.1:8585' }, true],
    ['a program', {}, true],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
    ['another port of this host', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' }, false],
    ['another site in a browser that only says the origin', { origin: 'https://evil.example' }, false],
    ['a page that hides where it is from', { origin: 'null' }, false],
    ['the public address of the console', { origin: 'https://catalog.example.org' }, true],
    ['another scheme of that address', { origin: 'http://catalog.example.org' }, false],
    ['another port of that address', { origin: 'https://catalog.example.org:8443' }, false],
    [
      'a page that a browser calls another site',
      { 'sec-fetch-site': 'cross-site', origin: 'https://catalog.example.org' },
      false,
    ],
  ])('may change something with the session when it comes from %s: %o', async (_, more, allowed) => {
    const from = { headers: { ...host, ...more }, baseUrl: 'https://catalog.example.org/team/api' }
    const outcome = await message(() => mustBeSameOrigin({ method: 'POST', ...from }))
    expect(outcome).toEqual(allowed ? 'nothing was thrown' : expect.stringMatching(/another origin.*CATALOG_BASE_URL/))
    expect(await message(() => mustBeSameOrigin({ method: 'GET', ...from }))).toBe('nothing was thrown')
  })

  it('may come from anywhere with a token, which no browser sends by itself', async () => {
    const headers = withCookie((await begin()).cookie)
    const cross = { ...headers, origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }
    const withToken = { method: 'DELETE', headers: { ...cross, ...bearer('ada') }, baseUrl }
    expect(await identify(withToken)).toMatchObject({ name: 'ada' })
    const refused = message(() => identify({ method: 'DELETE', headers: cross, baseUrl }))
    expect(await refused).toContain('another origin')
  })
})

it('a sign-in code signs in once', async () => {
  const codes = makeSignInCodes()
  expect(codes.available()).toBe(false)
  const code = codes.issue(ada)
  expect(codes.available()).toBe(true)
  expect(codes.redeem(`${code}x`)).toBeUndefined()
  expect(codes.redeem(code)).toEqual(ada)
  expect(codes.redeem(code)).toBeUndefined()
  expect(codes.available()).toBe(false)
})
