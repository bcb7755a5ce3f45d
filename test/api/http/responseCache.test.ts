import { expect, test } from 'vitest'
import { hashOf, makeResponseCache, type ResponseCache } from '../../../src/api/http/responseCache.ts'
import { signToken } from '../../../src/api/auth/authenticate.ts'
import { ask, bearer, problem, route, running, secret, type Running } from '../support.ts'

const cacheOf = (capacity = 100_000, isSettled = () => true): ResponseCache =>
  makeResponseCache({
    capacity,
    sightOf: ({ roles, name }) => (roles.includes('Admin') ? '' : name),
    shows: (position) => position <= 10n,
    isSettled,
  })

/** An answer that tells how often it was made. */
const counting = (cache: ResponseCache, making: () => Promise<void> = async () => {}) => {
  let made = 0
  return {
    routes: [
      route('get', '/v1/apples/{id}', async ({ params, isRepeated }) => {
        made += 1
        const body = JSON.stringify({ id: params['id'], made })
        await making()
        return { status: 200, revision: 3n, body, ...(isRepeated && { dependencies: new Set([hashOf('apple')]) }) }
      }),
    ],
    more: { responseCache: cache },
  }
}

const path = '/api/v1/apples/1'
const madeIn = async (response: Response): Promise<number> => ((await response.json()) as { made: number }).made
/** One token, which is known after its first request: then answers take the short cut. */
const known = { headers: bearer() }
const get = async (api: Running, init: RequestInit = known): Promise<number> => madeIn(await ask(api, path, init))

const start = async (cache = cacheOf(), making?: () => Promise<void>): Promise<Running> => {
  const { routes, more } = counting(cache, making)
  return running(routes, more)
}

test('a repeated GET is answered from the cache, with its validator, until something that it shows has changed', async () => {
  const cache = cacheOf()
  const api = await start(cache)
  expect([await get(api), await get(api), await get(api), await get(api)]).toEqual([1, 2, 2, 2])
  const first = await ask(api, path)
  const tag = first.headers.get('etag') as string
  expect(tag).toMatch(/^"3-/)
  expect((await ask(api, path, { headers: { 'if-none-match': tag } })).status).toBe(304)
  cache.invalidate(['pear'])
  expect(await get(api)).toBe(2)
  cache.invalidate(['apple'])
  expect([await get(api), await get(api)]).toEqual([3, 3])
})

test('of 50,000 addresses that are asked for once, hardly one is taken for one that is asked for again', () => {
  const { wasRequested } = cacheOf()
  const addresses = Array.from({ length: 50_000 }, (_, at) => `http://localhost/api/v1/apples/${hashOf(`${at}`)}-${at}`)
  expect(addresses.filter(wasRequested).length).toBeLessThan(2000)
  expect(addresses.every(wasRequested)).toBe(true)
})

test('what changes while an answer is made is not kept in it', async () => {
  const cache = cacheOf()
  const api = await start(cache, async () => cache.invalidate(['apple']))
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 3])
})

test('nothing is kept while what follows from a deletion is still to come', async () => {
  const api = await start(cacheOf(undefined, () => false))
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 3])
})

test('an answer has the same headers, log line and metrics, kept or not, and an identity of its own', async () => {
  const api = await start()
  const asked = () => ask(api, path, known)
  const answers = [await asked(), await asked(), await asked(), await asked()]
  const own = new Set(['x-request-id', 'x-correlation-id', 'date', 'etag', 'content-length'])
  const headers = answers.map((answer) => [...answer.headers].filter(([name]) => !own.has(name)))
  expect(headers[3]).toEqual(headers[0])
  expect(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size).toBe(4)
  const named = await ask(api, path, { headers: { 'x-correlation-id': 'mine' } })
  expect(named.headers.get('x-correlation-id')).toBe('mine')
  await expect.poll(() => api.log.length).toBe(5)
  const [first, , , last] = api.log.map((line) => ({ ...line, correlationId: '', ms: 0, time: 0 }))
  expect(last).toEqual(first)
  expect((await api.metrics.text()).join('')).toMatch(
    /request_duration_seconds_count\{.*route="\/api\/v1\/apples\/\{id\}".*\} 5/,
  )
})

test('who is shown something else has an answer of his own, and who may not see it has none', async () => {
  const api = await start()
  const as = (...who: [string, ...string[]]) => get(api, { headers: bearer(...who) })
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 2])
  expect([await as('carl', 'DataConsumer'), await as('carl', 'DataConsumer')]).toEqual([3, 3])
  expect([await as('dora', 'DataConsumer'), await get(api)]).toEqual([4, 2])
  await problem(await ask(api, path, { headers: bearer('eve', 'Nobody') })).then(({ status }) =>
    expect(status).toBe(403),
  )
})

test('without a token that holds nothing is given', async () => {
  const api = await start()
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 2])
  const expired = signToken(secret, { user: 'ada', roles: ['Admin'], ttl: -600 })
  for (const authorization of [`Bearer ${expired}`, 'Bearer a.b.c', ''])
    expect((await ask(api, path, { headers: { authorization } })).status).toBe(401)
})

test('a limit counts requests that are answered from what is kept', async () => {
  const cache = cacheOf()
  const { routes, more } = counting(cache)
  const api = await running(routes, { ...more, rateLimit: 3 })
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 2])
  expect((await ask(api, path)).status).toBe(429)
})

test('a request that asks for what is not shown yet gets an answer made anew', async () => {
  const api = await start()
  const at = (position: string) => get(api, { headers: { ...known.headers, 'catalog-position': position } })
  expect([await get(api), await get(api), await at('10')]).toEqual([1, 2, 2])
  expect([await at('11'), await get(api)]).toEqual([3, 3])
})

test('the address is all of it: the host, the path and the query', async () => {
  const api = await start()
  expect([await get(api), await get(api), await get(api)]).toEqual([1, 2, 2])
  const elsewhere = await fetch(`http://localhost:${api.port}${path}`, { headers: bearer() })
  expect(await madeIn(elsewhere)).toBe(3)
  expect((await ask(api, `${path}?a=1`)).status).toBe(400)
})

test('when the cache is full it is emptied, and what is too large for it is not cached', () => {
  const cache = cacheOf(20_000)
  const put = (name: string, length = 500): void => {
    const answer = { status: 200, body: 'x'.repeat(length), dependencies: new Set([hashOf(name)]) }
    cache.set(name, '', { answer, route: '', since: cache.logicalTime() })
  }
  for (let turn = 0; turn < 50; turn += 1) {
    put(`a${turn}`)
    expect(cache.get(`a${turn}`, '')).toBeDefined()
    expect(cache.size().bytes).toBeLessThanOrEqual(20_000)
  }
  expect(cache.get('a0', '')).toBeUndefined()
  put('large', 5000)
  expect(cache.has('large')).toBe(false)
})

test('an answer that replaces an invalid one is counted once', () => {
  const cache = cacheOf()
  const put = (): void =>
    cache.set('a', '', {
      answer: { status: 200, body: 'x', dependencies: new Set([hashOf('apple')]) },
      route: '',
      since: cache.logicalTime(),
    })
  put()
  const { bytes } = cache.size()
  cache.invalidate(['apple'])
  expect(cache.get('a', '')).toBeUndefined()
  put()
  expect(cache.get('a', '')).toBeDefined()
  expect(cache.size()).toMatchObject({ answers: 1, bytes })
})
