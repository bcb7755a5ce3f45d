import { expect, it } from 'vitest'
import { mcpRoutes } from '../../../src/api/mcp/mcpRoutes.ts'
import type { CatalogRequest } from '../../../src/api/deps.ts'
import type { Route } from '../../../src/api/http/route.ts'
import { notFound } from '../../../src/commands/errors.ts'
import { bearer, inQuery, route, running } from '../support.ts'

/** Calls the tool `search`, whose route ends with this error. */
const searched = async (error: Error) => {
  const api = { runner: { shownPosition: async () => 3n } }
  const [mcp] = mcpRoutes.map((each): Route => ({
    ...each,
    handle: (request) => each.handle({ ...request, api } as unknown as CatalogRequest),
  }))
  const failing = route('get', '/v1/search/query', () => Promise.reject(error), inQuery('q', 'size'))
  const { url, log } = await running([mcp as Route, failing])
  const params = { name: 'search', arguments: { query: 'orders' } }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, log }
}

it('an internal error of a tool is a 500 that the log explains', async () => {
  const { status, body, log } = await searched(new Error('boom'))
  expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('boom')])
  const logged = log.find(({ instance, err }) => instance === body['instance'] && err !== undefined)
  expect(logged).toMatchObject({ level: 50, err: { message: 'boom' }, route: '/mcp' })
})

it('any other error of a tool is told to the agent', async () => {
  const { status, body } = await searched(notFound('There is none.'))
  expect([status, body['result']]).toEqual([
    200,
    { isError: true, content: [{ type: 'text', text: 'There is none.' }] },
  ])
})
