import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { receiving } from '../../support/listening.ts'
import { startInProcess, useInProcess } from '../../support/running.ts'
import { tokenFor } from '../../support/service.ts'
import { temporaryFile } from '../../support/folders.ts'
import { waitFor } from '../../support/waitFor.ts'

const merge = { headers: { 'content-type': 'application/merge-patch+json' } }

const allowed = { CATALOG_WEBHOOK_ALLOW_PRIVATE: 'true' }

const shared = useInProcess(() => allowed)

/** An endpoint that keeps what it was sent. */
const endpoint = async (status: () => number = () => 200) => {
  const messages: { headers: Record<string, string>; body: string }[] = []
  const paths: string[] = []
  const { url, until } = await receiving((body, { url: path, headers }) => {
    const code = status()
    paths.push(path as string)
    if (code === 200) messages.push({ headers: headers as Record<string, string>, body })
    return code
  })
  return { url: `${url}/in`, messages, paths, until }
}

describe('a webhook', () => {
  test('is sent what the policies let whoever changed it last view, at the time', async () => {
    const policies = await temporaryFile(`roles:
  NoGlossaries:
    - { effect: allow, operations: ['*'], kinds: ['*'] }
    - { effect: deny, operations: ['*'], kinds: [glossary, team] }
  Own:
    - { effect: allow, operations: [manage], kinds: ['*'] }
    - { effect: allow, operations: [view], kinds: [glossary], condition: isOwner }
`)
    const { call } = await startInProcess({ ...allowed, CATALOG_POLICIES_FILE: policies })
    await call('POST', '/v1/users', { name: 'otto' })
    const made = async (name: string, role: string) => {
      const target = await endpoint()
      const options = { token: tokenFor('otto', [role]) }
      const filter = { kinds: ['glossary', 'domain'] }
      const { status, body } = await call('POST', '/v1/webhooks', { name, endpoint: target.url, filter }, options)
      expect([name, status]).toEqual([name, 201])
      return { ...target, path: `/v1/webhooks/${body.id}` }
    }
    const blind = await made('blind', 'NoGlossaries')
    const owner = await made('owner', 'Own')
    const all = await made('all', 'Admin')
    const sent = ({ messages }: typeof blind) =>
      messages.map(({ body }) => JSON.parse(body) as { subject: string }).map(({ subject }) => subject)
    await call('POST', '/v1/glossaries', { name: 'of nobody' })
    await call('POST', '/v1/teams', { name: 'crew' })
    await call('POST', '/v1/glossaries', { name: 'of the crew', owners: ['crew'] })
    await call('POST', '/v1/glossaries', { name: 'of otto', owners: ['otto'] })
    await call('POST', '/v1/domains', { name: 'end', owners: ['crew'] })
    await all.until(() => all.messages.length === 4)
    await blind.until(() => blind.messages.length === 1)
    await owner.until(() => owner.messages.length === 1)
    expect([sent(blind), sent(owner)]).toEqual([['end'], ['of otto']])
    const owners = ({ messages }: typeof blind) => JSON.parse(messages.at(-1)?.body ?? '').data.members.owners
    const [crew] = owners(all)
    expect([crew.fullyQualifiedName, owners(blind)]).toEqual([
      'crew',
      [{ ...crew, id: expect.not.stringMatching(crew.id), fullyQualifiedName: '********' }],
    ])
    await call('PUT', '/v1/users', { name: 'otto', teams: ['crew'] })
    await call('PUT', '/v1/glossaries', { name: 'of the crew', description: 'x' })
    await owner.until(() => owner.messages.length === 2)
    expect(sent(owner)).toEqual(['of otto', 'of the crew'])
    await all.until(() => all.messages.length === 5)
    await call('PATCH', all.path, { enabled: true }, { token: tokenFor('eve', ['NoGlossaries']), ...merge })
    await call('POST', '/v1/glossaries', { name: 'later' })
    await call('POST', '/v1/domains', { name: 'last' })
    await all.until(() => all.messages.length === 6)
    expect(sent(all)).toEqual(['of nobody', 'of the crew', 'of otto', 'end', 'of the crew', 'last'])
    const { body: former } = await call('GET', '/v1/users/name/otto')
    await call('DELETE', `/v1/users/${former.id}?hardDelete=true`)
    await call('POST', '/v1/users', { name: 'otto' })
    const { status } = await call('POST', '/v1/glossaries', { name: 'of the next otto', owners: ['otto'] })
    expect(status).toBe(201)
    await waitFor(async () => {
      const { body } = await call('GET', owner.path)
      expect(body.status).toMatchObject({ state: 'upToDate', lag: '0' })
    })
    expect(sent(owner)).toEqual(['of otto', 'of the crew'])
  })

  test('is made, shown without its secret, changed and deleted', async () => {
    const { call, url } = shared
    const target = await endpoint()
    const made = await call('POST', '/v1/webhooks', {
      name: 'mine',
      endpoint: target.url,
      filter: { kinds: ['glossary'] },
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name: 'mine',
      enabled: true,
      createdBy: 'admin',
      filter: { kinds: ['glossary'] },
      status: { state: 'upToDate', lag: '0', deadLetters: 0 },
    })
    expect(made.body.secret).toMatch(/^whsec_/)
    const path = `/v1/webhooks/${made.body.id}`
    expect(made.headers.get('location')).toBe(`${url}/api${path}`)
    const read = await call('GET', path)
    expect(read.body.secret).toBe('********')
    expect((await call('GET', '/v1/webhooks')).body).toMatchObject({
      data: [{ id: made.body.id, secret: '********' }],
      paging: { total: 1 },
    })
    const patched = await call('PATCH', path, { enabled: false, filter: { kinds: null, types: ['Created'] } }, merge)
    expect(patched.body).toMatchObject({
      name: 'mine',
      enabled: false,
      filter: { types: ['Created'] },
      status: { state: 'disabled' },
    })
    expect(patched.body.filter.kinds).toBeUndefined()
    const replaced = await call('PUT', path, { name: 'yours', endpoint: target.url, secret: '********' })
    expect(replaced.body).toMatchObject({ name: 'yours', enabled: true, filter: {} })
    expect((await call('DELETE', path)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expect((await call(method, path)).status).toBe(404)
  })

  test('that its endpoint disables by a 410 fails, and shows that the service changed it', async () => {
    const service = await startInProcess(allowed)
    const { url, until } = await endpoint(() => 410)
    const { body } = await service.call('POST', '/v1/webhooks', { name: 'w', endpoint: url })
    const failing = async () =>
      /^catalog_webhook_failing\{webhook="w"} (\d)$/m.exec((await service.call('GET', '/metrics')).body)?.[1]
    expect(await failing()).toBe('0')
    await service.call('POST', '/v1/glossaries', { name: 'a' })
    const read = async () => (await service.call('GET', `/v1/webhooks/${body.id}`)).body
    await until(async () => (await read()).enabled === false)
    expect([(await read()).updatedBy, await failing()]).toEqual(['system', '1'])
    const patched = await service.call('PATCH', `/v1/webhooks/${body.id}`, { enabled: true }, merge)
    expect(patched.body.updatedBy).toBe('admin')
  })

  test('is sent what happens after it was made, signed, in order, and after a restart the rest', async () => {
    const service = await startInProcess(allowed)
    let open = true
    const { url, messages, until } = await endpoint(() => (open ? 200 : 503))
    await service.call('POST', '/v1/glossaries', { name: 'before' })
    const { body } = await service.call('POST', '/v1/webhooks', {
      name: 'w',
      endpoint: url,
      filter: { kinds: ['glossary'] },
    })
    for (const name of ['a', 'b', 'c']) await service.call('POST', '/v1/glossaries', { name })
    await until(() => messages.length === 3)
    await until(async () => (await service.call('GET', `/v1/webhooks/${body.id}`)).body.status.state === 'upToDate')
    const status = (await service.call('GET', `/v1/webhooks/${body.id}`)).body.status
    expect(status).toMatchObject({ lag: '0', lastSuccess: { status: 200 } })
    open = false
    await service.call('POST', '/v1/glossaries', { name: 'd' })
    await until(async () => (await service.call('GET', `/v1/webhooks/${body.id}`)).body.status.state === 'failing')
    const failing = (await service.call('GET', `/v1/webhooks/${body.id}`)).body.status
    expect(failing).toMatchObject({ lastError: { message: 'The endpoint answered 503.' } })
    expect(failing.lastError.attempts).toBeGreaterThanOrEqual(1)
    expect(BigInt(failing.lag)).toBeGreaterThan(0n)
    await service.close()
    open = true
    await startInProcess(allowed, service.folder)
    await until(() => messages.length === 4)
    const events = messages.map(
      ({ headers, body: text }) => new Webhook(body.secret).verify(text, headers) as { subject: string; id: string },
    )
    expect(events.map(({ subject }) => subject)).toEqual(['a', 'b', 'c', 'd'])
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual(events.map(({ id }) => id))
  })

  test('sends again from any position', async () => {
    const { call } = shared
    const { url, messages, until } = await endpoint()
    await call('POST', '/v1/glossaries', { name: 'a' })
    const { body } = await call('POST', '/v1/webhooks', { name: 'u', endpoint: url, filter: { kinds: ['glossary'] } })
    expect((await call('POST', `/v1/webhooks/${body.id}/replay`, { after: '0' })).status).toBe(200)
    await until(() => messages.length === 1)
    expect((await call('GET', `/v1/webhooks/${body.id}/deadLetters`)).body).toEqual({ data: [], paging: { total: 0 } })
    for (const after of ['x', '999999999999999999', null]) {
      expect((await call('POST', `/v1/webhooks/${body.id}/replay`, { after })).status).toBe(400)
    }
    expect((await call('POST', `/v1/webhooks/${crypto.randomUUID()}/replay`, { after: '0' })).status).toBe(404)
  })

  const wrong: readonly (readonly [path: string, members: object])[] = [
    ['/name', { name: '' }],
    ['/name', { name: 5 }],
    ['/endpoint', { endpoint: 'ftp://example.com' }],
    ['/endpoint', { endpoint: 'nonsense' }],
    ['/endpoint', { endpoint: 'https://8.8.8.8/********' }],
    ['/endpoint', { endpoint: 'https://user:pass@example.com/' }],
    ['/endpoint', { endpoint: 'http://127.0.0.1:8585/' }],
    ['/endpoint', { endpoint: 'http://[::1]/' }],
    ['/endpoint', { endpoint: 'http://localhost/' }],
    ['/endpoint', { endpoint: 'http://169.254.169.254/latest/meta-data' }],
    ['/filter/kinds', { filter: { kinds: ['unheard'] } }],
    ['/filter/types', { filter: { types: ['Unheard'] } }],
    ['/filter/domains', { filter: { domains: ['a..b'] } }],
    ['/filter/other', { filter: { other: 1 } }],
    ['/secret', { secret: 'short' }],
    ['/secret', { secret: '********' }],
    ['/other', { other: 1 }],
  ]

  test('with wrong members is refused, and told all of them at once', async () => {
    const { call } = await startInProcess()
    for (const [path, members] of wrong) {
      const { status, body } = await call('POST', '/v1/webhooks', {
        name: 'w',
        endpoint: 'http://8.8.8.8/',
        ...members,
      })
      expect([path, status]).toEqual([path, 400])
      expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
    }
    const filter = { kinds: ['unheard'], types: [], domains: ['a..b'] }
    const { body } = await call('POST', '/v1/webhooks', { name: '', endpoint: 'nope', filter, secret: '********' })
    const paths = ['/endpoint', '/filter/domains', '/filter/kinds', '/filter/types', '/name', '/secret']
    expect(body.errors.map((error: { path: string }) => error.path).toSorted()).toEqual(paths)
  })

  test('keeps to itself what stands behind the host of its endpoint', async () => {
    const { call, folder } = shared
    const target = await endpoint()
    const { origin } = new URL(target.url)
    const [address, shown] = [`${origin}/services/T024BE7LD/B0HX2?key=hush`, `${origin}/********`]
    const made = await call('POST', '/v1/webhooks', { name: 'z', endpoint: address, filter: { kinds: ['domain'] } })
    const path = `/v1/webhooks/${made.body.id}`
    const answers = [
      made,
      await call('GET', path),
      await call('GET', '/v1/webhooks'),
      await call('PUT', path, { name: 'x', endpoint: shown, filter: { kinds: ['domain'] } }),
      await call('PATCH', path, { name: 'y' }, merge),
      await call('PATCH', path, { endpoint: shown }, merge),
    ]
    for (const { status, body } of answers) {
      expect([200, 201]).toContain(status)
      expect(JSON.stringify(body)).toContain(`"endpoint":"${shown}"`)
      expect(JSON.stringify(body)).not.toMatch(/services|T024BE7LD|hush/)
    }
    await call('POST', '/v1/domains', { name: 'd' })
    await target.until(() => target.messages.length === 1)
    expect(target.paths).toEqual(['/services/T024BE7LD/B0HX2?key=hush'])
    for (const other of ['http://127.0.0.1:1/********', `${shown}/more`, `${origin}/?key=********`]) {
      const refused = await call('PATCH', path, { endpoint: other }, merge)
      expect([other, refused.status, refused.body.errors]).toMatchObject([other, 400, [{ path: '/endpoint' }]])
    }
    for (const file of (await readdir(folder)).filter((name) => name.startsWith('webhooks.db')))
      expect(await readFile(join(folder, file), 'latin1')).not.toContain('T024BE7LD')
    expect((await call('PATCH', path, { endpoint: `${origin}/` }, merge)).body.endpoint).toBe(`${origin}/`)
  })

  test('has a name of its own, and only administrators see it', async () => {
    const { call } = shared
    const target = { endpoint: 'http://127.0.0.1:1/' }
    await call('POST', '/v1/webhooks', { name: 'w', ...target })
    expect((await call('POST', '/v1/webhooks', { name: 'w', ...target })).status).toBe(409)
    const other = await call('POST', '/v1/webhooks', { name: 'v', ...target })
    expect((await call('PUT', `/v1/webhooks/${other.body.id}`, { name: 'w', ...target })).status).toBe(409)
    for (const role of ['DataSteward', 'Auditor', 'Subscriber']) {
      expect((await call('GET', '/v1/webhooks', undefined, { token: tokenFor('x', [role]) })).status).toBe(403)
    }
  })
})
