import { route, jsonBody, jsonAnswer, type Answer } from '../http/route.ts'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { version } from '../../shared/version.ts'
import { answerTool, makeTools, type CatalogReader } from './tools.ts'
import { z } from 'zod'
import { type Json, type JsonObject, isObject } from '../../shared/json.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { kinds } from '../../kinds/registry/kinds.ts'

const instructions =
  'A metadata catalog that keeps its whole history. Each answer names the position of the log that it shows; asked ' +
  'about that position (asOf), it is the same for ever.'

/** A server of the Model Context Protocol whose tools read the catalog. */
const makeMcpServer = async (kinds: readonly KindDefinition[], reader: CatalogReader): Promise<McpServer> => {
  const { McpServer: Server } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const server = new Server({ name: 'metadata-catalog', version }, { instructions })
  for (const tool of makeTools(kinds)) {
    const { name, description, input } = tool
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema: input.shape, annotations }, async (given) => {
      try {
        const answer = await answerTool(tool, given as Record<string, string | undefined>, reader)
        return { content: [{ type: 'text' as const, text: JSON.stringify(answer) }] }
      } catch (error) {
        return { isError: true, content: [{ type: 'text' as const, text: (error as Error).message }] }
      }
    })
  }
  return server
}

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), method: z.string() })
  .meta({ id: 'McpMessage', description: 'A request or notification of the Model Context Protocol (JSON-RPC 2.0).' })

const answer = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpAnswer', description: 'The answer to a request of the Model Context Protocol (JSON-RPC 2.0).' })

/** The Model Context Protocol over HTTP, without sessions. */
export const mcpRoutes: CatalogRoute[] = [
  route('post', '/mcp', 'mcp', {
    atRoot: true,
    summary: 'The Model Context Protocol: tools with which agents read the catalog',
    description:
      'Streamable HTTP without sessions; each message is answered with one JSON document. Its tools search, and read ' +
      'entities, lineage, differences, contracts and histories, with the rights of the token.',
    tag: 'agents',
    permission: 'signedIn',
    lane: 'past',
    body: jsonBody(message),
    answers: {
      200: { description: 'The answer (JSON-RPC 2.0)', schema: answer },
      202: { description: 'A notification was taken' },
    },
    handle: (request) => handle(request),
  }),
]

const handle = async ({ api, body, readRoute }: CatalogRequest): Promise<Answer> => {
  if (!isObject(body)) throw new HttpError('BAD_REQUEST', 'The body must be one message of JSON-RPC 2.0.')
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = await makeMcpServer(kinds, {
    get: async (path) => JSON.parse(await readRoute(path)) as JsonObject,
    position: async () => (await api.runner.shown())?.toString(),
  })
  await server.connect(far)
  try {
    const answered = Promise.withResolvers<Json>()
    near.onmessage = (given) => answered.resolve(given as unknown as Json)
    await near.send(body as unknown as Parameters<typeof near.send>[0])
    if (body['id'] === undefined) return { status: 202 }
    return jsonAnswer(await answered.promise)
  } finally {
    await server.close()
  }
}
