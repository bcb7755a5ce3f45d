import { route, jsonBody, jsonAnswer, type Answer } from '../http/route.ts'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { version } from '../../shared/version.ts'
import { z } from 'zod'
import { type Json, type JsonObject, isObject } from '../../shared/json.ts'
import { HttpError } from '../http/problemDetails.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { kinds, contractKind, lineageKind } from '../../kinds/registry/kinds.ts'

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

/** How tools read the catalog: with their caller's token and permissions. */
interface CatalogReader {
  /** @param path path below `/api` with query @throws Error with the problem's message */
  get(path: string): Promise<JsonObject>
  /** Position of the newest event that answers show; `undefined` for an empty log. */
  position(): Promise<string | undefined>
}

/** A tool's request: the path below `/api`, to which `asOf` is added if supported. */
interface Question {
  readonly path: string
  readonly query: Readonly<Record<string, string | number | undefined>>
  /** Whether it supports `asOf`. */
  readonly hasPast: boolean
}

/** The definition of a read-only tool. */
interface CatalogTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  readonly ask: (
    input: Readonly<Record<string, string | undefined>>,
    reader: CatalogReader,
  ) => Promise<Question> | Question
}

/** A position may be a number; a version may not, since 0.10 is not 0.1. */
const moment = z.union([z.string(), z.int().nonnegative()]).transform(String)

const asOf = moment.optional().describe('An instant (RFC 3339) or a position of the log; left out: now')

/** Addresses of entities, by their kinds. */
const makeAddresses = (kinds: readonly KindDefinition[]) => {
  const pathOf = (name = ''): string => kinds.find((kind) => kind.name === name)?.path ?? ''
  const entityPath = ({ type, fqn = '' }: Readonly<Record<string, string | undefined>>): string =>
    `/v1/${pathOf(type)}/name/${encodeURIComponent(fqn)}`
  const named = {
    type: z.enum(kinds.map(({ name }) => name)).describe('Kind of the entity'),
    fqn: z.string().describe('Its fully qualified name, such as warehouse.sales.public.orders'),
  }
  return { pathOf, entityPath, named }
}

/** @param kinds all kinds */
const makeTools = (kinds: readonly KindDefinition[]): CatalogTool[] => {
  const addresses = makeAddresses(kinds)
  return [searchTool(addresses), ...presentTools(addresses), ...historyTools(addresses)]
}

type Addresses = ReturnType<typeof makeAddresses>

const searchTool = ({ named }: Addresses): CatalogTool => ({
  name: 'search',
  description: 'Searches all metadata by words, with the query language of the catalog (owners:, tag:, columns: …).',
  input: z.object({ query: z.string(), type: named.type.optional() }),
  ask: ({ query, type: index }) => ({ path: '/v1/search/query', query: { q: query, index, size: 20 }, hasPast: false }),
})

const presentTools = ({ entityPath, pathOf, named }: Addresses): CatalogTool[] => [
  {
    name: 'entity',
    description: 'Reads one entity with all of its members, as it is or as it was at a moment.',
    input: z.object({ ...named, asOf }),
    ask: (input) => ({ path: entityPath(input), query: { fields: '*', asOf: input['asOf'] }, hasPast: true }),
  },
  {
    name: lineageKind,
    description: 'Tells what feeds an asset, and what it feeds, as it is or as it was at a moment.',
    input: z.object({ ...named, asOf }),
    ask: ({ type, fqn = '', asOf: at }) => ({
      path: `/v1/lineage/${type}/name/${encodeURIComponent(fqn)}`,
      query: { up: 3, down: 3, asOf: at },
      hasPast: true,
    }),
  },
  {
    name: 'contract',
    description: 'Reads the data contract in force for an asset, with what it inherits from its data product.',
    input: z.object({ ...named, asOf }),
    ask: async (input, reader) => ({
      path: `/v1/${pathOf(contractKind)}/entity`,
      query: { entityId: await idOf(reader, entityPath(input)), entityType: input['type'], asOf: input['asOf'] },
      hasPast: true,
    }),
  },
]

const historyTools = ({ entityPath, named }: Addresses): CatalogTool[] => [
  {
    name: 'diff',
    description: 'Tells in a sentence what somebody changed in an entity between two moments.',
    input: z.object({
      ...named,
      from: moment.describe('A version such as 0.3, an instant or a position'),
      to: moment.optional().describe('Left out: the present'),
    }),
    ask: (input) => ({
      path: `${entityPath(input)}/diff`,
      query: { from: input['from'], to: input['to'], form: 'sentence' },
      hasPast: false,
    }),
  },
  {
    name: 'history',
    description: 'Lists what happened to an entity, oldest first: who did what, when, at which position of the log.',
    input: z.object(named),
    ask: (input) => ({ path: `${entityPath(input)}/history`, query: { limit: 100 }, hasPast: false }),
  },
]

const idOf = async (reader: CatalogReader, path: string): Promise<string> => String((await reader.get(path))['id'])

/** The answer of a tool with its `asOf`, by which the same question has the same answer. */
const answerTool = async (
  tool: CatalogTool,
  input: Readonly<Record<string, string | undefined>>,
  reader: CatalogReader,
): Promise<JsonObject> => {
  const position = await reader.position()
  const { path, query, hasPast } = await tool.ask(input, reader)
  const about = hasPast ? (query['asOf'] ?? position) : undefined
  const given = Object.entries({ ...query, asOf: about }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const answer = await reader.get(`${path}?${new URLSearchParams(given).toString()}`)
  return {
    ...(about !== undefined && { asOf: String(about) }),
    ...(position !== undefined && { 'Catalog-Position': position }),
    answer,
  }
}
