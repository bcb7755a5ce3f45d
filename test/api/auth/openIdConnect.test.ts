import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLogger } from '../../../src/composition/logger.ts'
import { startProvider, type Provider } from '../../support/openIdProvider.ts'
import { startInProcess, useInProcess } from '../../support/running.ts'

let provider: Provider

beforeAll(async () => {
  provider = await startProvider()
})

afterAll(() => provider.close())

beforeEach(() => {
  provider.claims = { sub: '4711', preferred_username: 'ida', roles: ['DataSteward'] }
  provider.userinfo = {}
  provider.spoil = {}
  provider.methods = undefined
  provider.asked = 0
})

const settings = () => ({ CATALOG_OIDC_ISSUER: provider.issuer, CATALOG_OIDC_CLIENT_ID: provider.clientId })

const shared = useInProcess(settings)

const cookiesOf = (response: Response): string[] =>
  response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] as string)

const visit = (url: string, cookies: readonly string[] = []): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: cookies.length === 0 ? {} : { cookie: cookies.join('; ') } })

const locationOf = (response: Response): string => response.headers.get('location') ?? ''

/** Walks through a sign-in as a browser does. */
const signIn = async (url: string, back = '/') => {
  const begun = await visit(`${url}/api/v1/session/oidc?return=${encodeURIComponent(back)}`)
  const cookies = cookiesOf(begun)
  const callback = locationOf(await visit(locationOf(begun)))
  const finished = await visit(callback, cookies)
  return { begun, callback, cookies, finished, session: cookiesOf(finished) }
}

const me = async (url: string, cookies: readonly string[]) => {
  const response = await fetch(`${url}/api/v1/me`, { headers: { cookie: cookies.join('; ') } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('sign-in with an identity provider', () => {
  it('ends where it began, with the name and the roles of the token', async () => {
    const { url } = shared
    const { begun, finished, session } = await signIn(url, '/table/a.b?asOf=0.1')
    expect([begun.status, finished.status]).toEqual([302, 302])
    expect(begun.headers.getSetCookie()[0]).toMatch(/SameSite=Lax; Path=\/; HttpOnly$/)
    expect(locationOf(finished)).toBe(`${url}/table/a.b?asOf=0.1`)
    expect((await me(url, session)).body).toMatchObject({ name: 'ida', roles: ['DataSteward'] })
    const ways = await fetch(`${url}/api/v1/session`)
    expect(await ways.json()).toEqual({ signedIn: false, ways: ['token', 'oidc'] })
  })

  it('asks the provider for what the token does not say', async () => {
    provider.claims = { sub: '4712' }
    provider.userinfo = { preferred_username: 'joe', roles: ['Auditor'] }
    const { url } = shared
    expect((await me(url, (await signIn(url)).session)).body).toMatchObject({ name: 'joe', roles: ['Auditor'] })
  })

  it.each([
    ['an empty object', {}],
    ['roles of another client', { other: { roles: ['Auditor'] } }],
    ['null', null],
  ])('asks the provider for roles of the user where the claim above them is %s', async (_, access) => {
    provider.claims = { sub: '4712', preferred_username: null, access }
    provider.userinfo = { preferred_username: 'joe', access: { catalog: { roles: ['Auditor'] } } }
    const { url } = await startInProcess({ ...settings(), CATALOG_JWT_ROLES_CLAIM: 'access.catalog.roles' })
    expect((await me(url, (await signIn(url)).session)).body).toMatchObject({ name: 'joe', roles: ['Auditor'] })
  })

  it('takes a claim whose name has dots from the token', async () => {
    const name = 'https://example.org/roles'
    provider.claims = { sub: '4711', preferred_username: 'ida', [name]: ['Auditor'] }
    const { url } = await startInProcess({ ...settings(), CATALOG_JWT_ROLES_CLAIM: name })
    expect((await me(url, (await signIn(url)).session)).body).toMatchObject({ roles: ['Auditor'] })
    expect(provider.asked).toBe(0)
  })

  it.each([
    ['in the header where the provider announces nothing', undefined, 'client_secret_basic'],
    ['in the header where it takes both', ['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    ['in the body where it takes it there alone', ['client_secret_post'], 'client_secret_post'],
  ])('sends the secret of the client %s', async (_, methods, by) => {
    provider.methods = methods
    const { url } = await startInProcess({ ...settings(), CATALOG_OIDC_CLIENT_SECRET: 'secret' })
    expect((await me(url, (await signIn(url)).session)).body).toMatchObject({ name: 'ida' })
    expect(provider.provedBy).toBe(by)
  })

  it.each([
    ['who does not want to', { user: 'access_denied' }],
    ['whom the provider gives no token', { token: 'invalid_client' }],
  ])('tells in the log why somebody does not come in %s', async (_, spoil) => {
    provider.spoil = spoil
    const lines: string[] = []
    const logger = makeLogger('warn', { write: (line) => lines.push(line) })
    const { url } = await startInProcess(settings(), undefined, logger)
    const { finished } = await signIn(url)
    expect(locationOf(finished)).toBe(`${url}/sign-in?problem=provider`)
    const logged = lines.map((line) => JSON.parse(line) as object)
    expect(logged).toContainEqual(
      expect.objectContaining({ provider: { error: Object.values(spoil)[0], description: 'Not today.' } }),
    )
  })

  it('discovers the provider again after a sign-in that failed', async () => {
    const { url } = await startInProcess({ ...settings(), CATALOG_OIDC_CLIENT_SECRET: 'secret' })
    await signIn(url)
    provider.methods = ['client_secret_post']
    await signIn(url)
    expect(provider.provedBy).toBe('client_secret_basic')
    provider.spoil = { token: 'invalid_client' }
    await signIn(url)
    provider.spoil = {}
    expect((await me(url, (await signIn(url)).session)).body).toMatchObject({ name: 'ida' })
    expect(provider.provedBy).toBe('client_secret_post')
  })

  it('ends at the start page where the path to return to is too long for a cookie', async () => {
    const { url } = shared
    const { begun, finished } = await signIn(url, `/table/${'a'.repeat(5000)}`)
    expect([begun.headers.getSetCookie()[0]?.length, locationOf(finished)]).toEqual([expect.any(Number), `${url}/`])
    expect(begun.headers.getSetCookie()[0]?.length).toBeLessThan(4096)
  })

  it.each([
    ['a token for another sign-in', () => (provider.spoil = { nonce: 'other' })],
    ['a token that somebody else signed', () => (provider.spoil = { signature: true })],
    ['a user without a name that could be one', () => (provider.claims = { sub: 'a::b' })],
  ])('does not let in %s', async (_, spoil) => {
    spoil()
    const { url } = shared
    const { finished, session } = await signIn(url)
    expect([locationOf(finished), session]).toEqual([`${url}/sign-in?problem=provider`, []])
  })

  it('is finished by the browser that began it, once, and by nobody else', async () => {
    const { url } = shared
    const { callback, cookies } = await signIn(url)
    expect(locationOf(await visit(callback, cookies))).toBe(`${url}/sign-in?problem=provider`)
    expect(locationOf(await visit(callback))).toBe(`${url}/sign-in?problem=late`)
    const other = await signIn(url)
    expect(locationOf(await visit(other.callback, cookies))).toBe(`${url}/sign-in?problem=provider`)
  })

  it('takes nothing but what a sign-in began with, however the catalog signed it', async () => {
    const { url } = shared
    const { session } = await signIn(url)
    const headers = { cookie: session.join('; '), 'sec-fetch-site': 'same-origin' }
    const opened = await fetch(`${url}/api/v1/requests`, { method: 'POST', headers })
    const { token } = (await opened.json()) as { token: string }
    const finished = await visit(`${url}/api/v1/session/oidc/callback?code=stolen`, [`catalog-sign-in=${token}`])
    expect(locationOf(finished)).toBe(`${url}/sign-in?problem=late`)
  })

  it('leads to no other site', async () => {
    const { url } = shared
    for (const back of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\nb']) {
      expect([back, locationOf((await signIn(url, back)).finished)]).toEqual([back, `${url}/`])
    }
  })

  it('says so when the provider does not answer, and works once it does', async () => {
    const service = await startInProcess({ CATALOG_OIDC_ISSUER: 'http://127.0.0.1:9', CATALOG_OIDC_CLIENT_ID: 'x' })
    const begun = await visit(`${service.url}/api/v1/session/oidc`)
    expect(locationOf(begun)).toBe(`${service.url}/sign-in?problem=provider`)
  })

  it('is not there when none is configured', async () => {
    const { url } = await startInProcess()
    expect((await fetch(`${url}/api/v1/session/oidc`)).status).toBe(401)
  })
})
