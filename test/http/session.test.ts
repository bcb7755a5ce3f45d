import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { startService } from '../../src/composition/service.ts'
import { configOf, openStream } from '../support/running.ts'
import { clientOf, temporaryDataDir, tokenFor, type CallOptions } from '../support/service.ts'

const folder = temporaryDataDir()

const start = async (logFormat: string) => {
  const running = await startService(
    configOf(folder.path, { CATALOG_LOG_FORMAT: logFormat }),
    pino({ level: 'silent' }),
  )
  return { ...running, call: clientOf(running.url) }
}

let service: Awaited<ReturnType<typeof start>>

beforeAll(async () => {
  service = await start('text')
})

afterAll(async () => {
  await service.close()
  await folder.remove()
})

const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''

const signIn = async (body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', '/v1/session', body, { token: null, headers })

/** Calls as a browser does that has the cookie, which says at which port: another one after a restart. */
const as =
  (cookie: string, headers: Record<string, string> = {}) =>
  (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
    service.call(method, path, body, {
      token: null,
      headers: { cookie: cookie.replace(/\d+(?==)/, new URL(service.url).port), ...headers, ...options.headers },
    })

describe('a session', () => {
  it('begins with the code that is printed, once', async () => {
    const [, code = ''] = /#code=([\w-]+)/.exec(service.signInUrl ?? '') ?? []
    const ways = await service.call('GET', '/v1/session', undefined, { token: null })
    expect(ways.body).toEqual({ signedIn: false, ways: ['token', 'code'] })
    const first = await signIn({ code })
    expect(first.status).toBe(200)
    const me = await as(cookieOf(first.headers))('GET', '/v1/me')
    expect([me.status, me.body.roles]).toEqual([200, ['Admin']])
    const again = await signIn({ code })
    expect([again.status, again.body.message]).toEqual([401, expect.stringContaining('used already')])
    expect((await service.call('GET', '/v1/session', undefined, { token: null })).body.ways).toEqual(['token'])
  })

  it('begins with a token, changes things, and ends', async () => {
    const begun = await signIn({ token: tokenFor('ann', ['DataSteward']) })
    expect(begun.body).toEqual({ user: 'ann', until: expect.any(String) })
    const ann = as(cookieOf(begun.headers), { 'sec-fetch-site': 'same-origin' })
    const made = await ann('POST', '/v1/services/databaseServices', { name: 'warehouse', serviceType: 'Postgres' })
    expect([made.status, made.body.updatedBy]).toEqual([201, 'ann'])
    expect((await ann('GET', '/v1/me')).body.user).toMatchObject({ type: 'user', name: 'ann' })
    const ended = await ann('DELETE', '/v1/session')
    expect([ended.status, ended.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  })

  it('is not begun by what is not a token, nor by both ways at once', async () => {
    expect((await signIn({ token: 'eyJ.x.y' })).status).toBe(401)
    expect((await signIn({})).status).toBe(400)
    expect((await signIn({ token: 'a', code: 'b' })).status).toBe(400)
    expect((await as('catalog-session=forged')('GET', '/v1/me')).status).toBe(401)
  })

  it('serves no page of another origin', async () => {
    const { headers } = await signIn({ token: tokenFor('ann', ['Admin']) })
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const answer = await as(cookieOf(headers), evil)('POST', '/v1/domains', { name: 'stolen' })
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN'])
    expect((await service.call('GET', '/v1/domains/name/stolen')).status).toBe(404)
    expect((await signIn({ token: tokenFor('evil', ['Admin']) }, evil)).status).toBe(403)
    expect((await as(cookieOf(headers), evil)('DELETE', '/v1/session')).status).toBe(403)
  })
})

describe('all sessions of somebody', () => {
  const begun = async (name: string, roles: string[]) =>
    as(cookieOf((await signIn({ token: tokenFor(name, roles) })).headers), { 'sec-fetch-site': 'same-origin' })
  const statuses = (all: Awaited<ReturnType<typeof begun>>[]) =>
    Promise.all(all.map(async (one) => (await one('GET', '/v1/me')).status))

  it('end when they say so, their streams too, and those that begin afterwards hold', async () => {
    const [one, other, bystander] = [await begun('eve', []), await begun('eve', ['Auditor']), await begun('fay', [])]
    const { headers } = await signIn({ token: tokenFor('eve', ['Auditor']) })
    const stream = await openStream(service.url, '?after=latest', { cookie: cookieOf(headers) })
    expect(stream.status).toBe(200)
    expect((await one('DELETE', '/v1/sessions')).status).toBe(204)
    const next = await begun('eve', [])
    expect(await statuses([one, other, bystander, next])).toEqual([401, 401, 200, 200])
    while ((await stream.next()) !== undefined);
    const user = await service.call('GET', '/v1/users/name/eve')
    expect(user.body).toMatchObject({ updatedBy: 'eve', sessionsEndedAt: expect.stringMatching(/^20.*Z$/) })
  })

  it('end when an administrator says so, also of who has written nothing, and stay ended over a restart', async () => {
    const gus = await begun('gus', ['DataSteward'])
    expect((await gus('DELETE', '/v1/sessions/gus')).status).toBe(403)
    expect((await service.call('POST', '/v1/users', { name: 'gus' })).status).toBe(201)
    expect((await gus('GET', '/v1/session')).body.signedIn).toBe(true)
    expect((await service.call('DELETE', '/v1/sessions/gus')).status).toBe(204)
    expect((await gus('GET', '/v1/session')).body.signedIn).toBe(false)
    const next = await begun('gus', [])
    await service.close()
    service = await start('json')
    // No link stands among logs that a program collects.
    const { body } = await service.call('GET', '/v1/session', undefined, { token: null })
    expect([service.signInUrl, body.ways]).toEqual([undefined, ['token']])
    expect(await statuses([gus, next])).toEqual([401, 200])
    const put = await service.call('PUT', '/v1/users', { name: 'gus', sessionsEndedAt: '2020-01-01T00:00:00Z' })
    expect(put.status).toBe(400)
  })

  it('end each time, also while the clock of the machine is behind the log and time stands still', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    for (let time = 0; time < 3; time++) {
      const ike = await begun('ike', ['Admin'])
      expect((await ike('DELETE', time === 2 ? '/v1/sessions/ike' : '/v1/sessions')).status).toBe(204)
      expect(await statuses([ike])).toEqual([401])
    }
  })

  it('do not end by a name that no user has, which makes no user', async () => {
    const kay = await begun('kay', [])
    const ended = await service.call('DELETE', '/v1/sessions/Kay')
    expect([ended.status, ended.body.message]).toEqual([404, expect.stringContaining('no user Kay: names are case')])
    expect((await service.call('GET', '/v1/users/name/Kay')).status).toBe(404)
    expect(await statuses([kay])).toEqual([200])
  })

  it('end with the deletion of the user, and are no others after a hard one', async () => {
    const hal = await begun('hal', [])
    expect((await hal('DELETE', '/v1/sessions')).status).toBe(204)
    const second = await begun('hal', [])
    await service.call('DELETE', '/v1/users/name/hal')
    const third = await begun('hal', [])
    expect((await service.call('DELETE', '/v1/sessions/hal')).status).toBe(409)
    await service.call('DELETE', '/v1/users/name/hal?hardDelete=true')
    expect(await statuses([hal, second, third, await begun('hal', [])])).toEqual([401, 401, 401, 200])
  })

  it('stay ended when the user is restored', async () => {
    const { body: user } = await service.call('POST', '/v1/users', { name: 'ivy' })
    const before = await begun('ivy', [])
    for (let turn = 0; turn < 2; turn++) {
      await service.call('DELETE', `/v1/users/${user.id}`)
      await service.call('PUT', '/v1/users/restore', { id: user.id })
    }
    expect(await statuses([before, await begun('ivy', [])])).toEqual([401, 200])
  })
})

describe('who I am', () => {
  it('tells what each role may do, on each kind', async () => {
    const me = async (...roles: string[]) =>
      (await service.call('GET', '/v1/me', undefined, { token: tokenFor('zoe', roles) })).body
    const consumer = await me()
    expect(consumer).toMatchObject({ name: 'zoe', roles: ['DataConsumer'], until: expect.any(String) })
    expect(consumer.id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
    expect(consumer.user).toBeUndefined()
    expect(consumer.kinds.table).toMatchObject({ view: 'yes', follow: 'yes', edit: 'no', hardDelete: 'no' })
    const steward = await me('DataSteward')
    expect([steward.kinds.table.edit, steward.kinds.user.edit, steward.may.manage]).toEqual(['yes', 'no', 'no'])
    expect((await me('Admin')).may.manage).toBe('yes')
    expect((await service.call('GET', '/v1/me', undefined, { token: null })).status).toBe(401)
  })
})

describe('the feed in a browser', () => {
  it('is opened by the cookie, but not by a token in the address', async () => {
    const { headers } = await signIn({ token: tokenFor('sub', ['Subscriber']) })
    const cookie = cookieOf(headers)
    const stream = await openStream(service.url, '?after=latest', { cookie })
    expect(stream.status).toBe(200)
    await service.call('POST', '/v1/domains', { name: 'heard' })
    expect((await stream.next())?.data).toMatchObject({ subject: 'heard' })
    stream.leave()
    const token = tokenFor('sub', ['Subscriber'])
    for (const name of ['token', 'access_token', 'ticket'])
      expect((await openStream(service.url, `?${name}=${token}`, {})).status).toBe(401)
  })
})

describe('the address of the service', () => {
  it('shows the console to browsers, and problems to programs', async () => {
    const html = { accept: 'text/html' }
    const page = await fetch(`${service.url}/table/a.b.c`, { headers: html })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await fetch(`${service.url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${service.url}/api/nowhere`, { headers: html })).status).toBe(401)
  })
})
