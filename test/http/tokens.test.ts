import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tokenFor } from '../support/service.ts'
import { answered, as, problem, useHttp } from './support.ts'

const http = useHttp()

const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const make = async (name: string, ...roles: string[]): Promise<string> =>
  (await http.post('/v1/tokens', { name, roles })).token

describe('tokens of programs', () => {
  it('let a program in under its name, are listed, and are 401 as soon as they are revoked', async () => {
    const { body, headers } = await answered(
      201,
      http.call('POST', '/v1/tokens', { name: 'nightly', roles: ['Ingestion'], days: 2 }),
    )
    expect(headers.get('cache-control')).toBe('no-store')
    const { token, ...known } = body
    expect(known).toMatchObject({ name: 'nightly', roles: ['Ingestion'], createdBy: expect.any(String) })
    expect(Date.parse(known.expiresAt) - Date.parse(known.createdAt)).toBeGreaterThanOrEqual(2 * 86_400_000)
    const me = await answered(200, http.call('GET', '/v1/me', undefined, withToken(token)))
    expect(me.body).toMatchObject({ name: 'nightly', roles: ['Ingestion'], user: { name: 'nightly' } })
    const made = await answered(201, http.call('POST', '/v1/domains', { name: 'Made' }, withToken(token)))
    expect(made.body.updatedBy).toBe('nightly')
    await http.refuses('FORBIDDEN', 'DELETE', `/v1/domains/${made.body.id}`, undefined, withToken(token))

    const list = await answered(200, http.call('GET', '/v1/tokens'))
    expect(list.body).toEqual({ data: [known], paging: { total: 1 } })
    await answered(204, http.call('DELETE', '/v1/tokens/nightly'))
    await http.refuses('UNAUTHORIZED', 'GET', '/v1/me', undefined, withToken(token))
    expect((await http.call('GET', '/v1/tokens')).body.data).toEqual([])
    await http.refuses('NOT_FOUND', 'DELETE', '/v1/tokens/nightly')
  })

  it('stay what they are when the next of the name comes, and end with their user', async () => {
    const first = await make('rotated', 'DataConsumer')
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', '/v1/tokens', { name: 'rotated', roles: ['DataConsumer'] })
    await answered(204, http.call('DELETE', '/v1/tokens/rotated'))
    const second = await make('rotated', 'DataConsumer')
    await http.refuses('UNAUTHORIZED', 'GET', '/v1/me', undefined, withToken(first))
    await http.get('/v1/me', withToken(second))
    await http.remove('/v1/users/name/rotated')
    await http.refuses('UNAUTHORIZED', 'GET', '/v1/me', undefined, withToken(second))
  })

  it('are no tokens any more when they have expired: they are not listed, and their programs can get others', async () => {
    await http.post('/v1/tokens', { name: 'brief', roles: ['DataConsumer'], days: 1 })
    const later = { token: tokenFor('admin', ['Admin'], 3 * 86_400) }
    const names = async () => (await http.get('/v1/tokens', later)).data.map(({ name }: { name: string }) => name)
    expect(await names()).toContain('brief')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await names()).not.toContain('brief')
    const made = await http.post('/v1/tokens', { name: 'brief', roles: ['DataConsumer'], days: 1 }, later)
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeLessThan(86_401_000)
    expect(await names()).toContain('brief')
  })

  it('do not come back by a change, a revert or an import of their user', async () => {
    const token = await make('stubborn', 'DataConsumer')
    const user = await http.get('/v1/users/name/stubborn')
    await answered(204, http.call('DELETE', '/v1/tokens/stubborn'))
    await answered(200, http.call('POST', `/v1/users/${user.id}/revert`, { version: user.version }))
    await http.refuses('BAD_REQUEST', 'PUT', '/v1/users', { name: 'stubborn', token: user.token })
    await http.refuses('UNAUTHORIZED', 'GET', '/v1/me', undefined, withToken(token))
  })

  it('do not come back when their user is restored, who can get another', async () => {
    const token = await make('returning', 'DataConsumer')
    const { id } = await http.get('/v1/users/name/returning')
    await http.remove(`/v1/users/${id}`)
    await answered(200, http.call('PUT', '/v1/users/restore', { id }))
    await http.refuses('UNAUTHORIZED', 'GET', '/v1/me', undefined, withToken(token))
    const names = async () => (await http.get('/v1/tokens')).data.map(({ name }: { name: string }) => name)
    expect(await names()).not.toContain('returning')
    await http.refuses('NOT_FOUND', 'DELETE', '/v1/tokens/returning')
    await http.get('/v1/me', withToken(await make('returning', 'DataConsumer')))
    expect(await names()).toContain('returning')
  })

  it('begin no sessions, which would outlast them', async () => {
    const token = await make('browsing', 'Admin')
    await http.refuses('FORBIDDEN', 'POST', '/v1/session', { token })
  })

  it('make no tokens and direct no webhooks, which would outlast them', async () => {
    const mine = withToken(await make('managing', 'Admin'))
    const hook = { name: 'h', endpoint: 'https://example.com/hook' }
    const body = await http.post('/v1/webhooks', hook)
    const at = `/v1/webhooks/${body.id}`
    const again = { name: 'managed', roles: ['Admin'], days: 3650 }
    await http.refuses('FORBIDDEN', 'POST', '/v1/tokens', again, mine)
    await http.refuses('FORBIDDEN', 'POST', '/v1/webhooks', { ...hook, name: 'other' }, mine)
    await http.refuses('FORBIDDEN', 'PUT', at, hook, mine)
    const merge = { headers: { ...mine.headers, 'content-type': 'application/merge-patch+json' } }
    await http.refuses('FORBIDDEN', 'PATCH', at, { endpoint: 'https://example.org' }, merge)
    await answered(204, http.call('DELETE', at, undefined, mine))
  })

  it('end their streams and what waits for events at once when they are revoked', async () => {
    const token = await make('streaming', 'Admin')
    const headers = { authorization: `Bearer ${token}` }
    const stream = await fetch(`${http.url}/api/v1/events/stream?after=latest&kind=domain`, { headers })
    const waiting = http.call('GET', '/v1/events?after=latest&kind=domain&wait=30', undefined, { headers })
    const heard = stream.text()
    await answered(204, http.call('DELETE', '/v1/tokens/streaming'))
    await http.post('/v1/domains', { name: 'Secret afterwards' })
    expect(await heard).not.toContain('Secret afterwards')
    await problem(401, 'UNAUTHORIZED', waiting)
  })

  it('are made by those who manage the catalog, who give no more than they have, and take no name of a person', async () => {
    const body = { name: 'greedy', roles: ['Admin'] }
    await http.refuses('FORBIDDEN', 'POST', '/v1/tokens', body, as('stu', 'DataSteward'))
    await http.refuses('FORBIDDEN', 'GET', '/v1/tokens', undefined, as('stu', 'DataSteward'))
    await http.refuses('BAD_REQUEST', 'POST', '/v1/tokens', { name: 'greedy', roles: ['Amin'] })
    const all = await http.refuses('BAD_REQUEST', 'POST', '/v1/tokens', { name: '', roles: ['Amin'], days: 0 })
    expect(all.errors?.map(({ path }: { path: string }) => path)).toEqual(['/name', '/roles', '/days'])
    await http.post('/v1/users', { name: 'person' })
    await http.refuses('ENTITY_ALREADY_EXISTS', 'POST', '/v1/tokens', { name: 'person', roles: ['DataConsumer'] })
  })
})
