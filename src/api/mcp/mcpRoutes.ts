import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { isObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { RouteReader } from '../http/routeReader.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'
import { makeMcpServer } from './mcpServer.ts'
import type { CatalogReader } from './tools.ts'

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), method: z.string() })
  .meta({ id: 'McpMessage', description: 'A request or notification of the Model Context Protocol (JSON-RPC 2.0).' })

const answer = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpAnswer', description: 'The answer to a request of the Model Context Protocol (JSON-RPC 2.0).' })

/** What agents read. */
export interface McpSource {
  readonly kinds: readonly KindDefinition[]
  readonly runner: { shown(): Promise<bigint | undefined> }
}

/** For agents: the Model Context Protocol over HTTP, without sessions. */
export const mcpRoutes = (source: McpSource, readRoute: () => RouteReader): Route[] => [
  {
    method: 'post',
    path: '/mcp',
    atRoot: true,
    id: 'mcp',
    summary: 'The Model Context Protocol: tools with which agents read the catalog',
    description:
      'Streamable HTTP without sessions; each message is answered with one JSON document. Its tools search, and read ' +
      'entities, lineage, differences, contracts and histories, with the rights of the token.',
    tag: 'agents',
    permission: 'signedIn',
    lane: 'past',
    body: { contentTypes: ['application/json'], limit: limits.body.value, schema: message, required: true },
    answers: {
      200: { description: 'The answer (JSON-RPC 2.0)', schema: answer },
      202: { description: 'A notification was taken' },
    },
    handle: (request) => handle(source, readRoute(), request),
  },
]

const readerFor = (source: McpSource, get: RouteReader, request: ApiRequest): CatalogReader => ({
  get: async (path) => JSON.parse(await get(request, path)) as JsonObject,
  position: async () => (await source.runner.shown())?.toString(),
})

const handle = async (source: McpSource, get: RouteReader, request: ApiRequest): Promise<Answer> => {
  const { body } = request
  if (!isObject(body)) throw new HttpError('BAD_REQUEST', 'The body must be one message of JSON-RPC 2.0.')
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = await makeMcpServer(source.kinds, readerFor(source, get, request))
  await server.connect(far)
  try {
    const answered = Promise.withResolvers<Json>()
    near.onmessage = (given) => answered.resolve(given as unknown as Json)
    await near.send(body as unknown as Parameters<typeof near.send>[0])
    if (body['id'] === undefined) return { status: 202 }
    return { status: 200, body: { json: await answered.promise } }
  } finally {
    await server.close()
  }
}
