import { headerParameter, route, jsonBody, jsonAnswer, type Answer } from '../http/route.ts'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { shorten } from '../../shared/bounds.ts'
import { version } from '../../shared/version.ts'
import { z } from 'zod'
import type { Json, JsonObject } from '../../shared/json.ts'
import { badHeader, HttpError, problemOf } from '../http/problemDetails.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { searchIndexOf } from '../search/searchRoutes.ts'
import { kinds, kindNamed, contractKind, lineageKind } from '../../kinds/registry/kinds.ts'

const instructions =
  'A metadata catalog that keeps its whole history. Each answer names the moment that it is about (asOf); a tool that ' +
  'takes asOf gives the same answer for that moment for ever.'

/** A server of the Model Context Protocol whose tools read the catalog. @param fail called with an internal error */
const makeMcpServer = async (
  { api, readRoute }: CatalogRequest,
  fail: (error: unknown) => void,
): Promise<McpServer> => {
  const { McpServer: Server } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const server = new Server({ name: 'metadata-catalog', version }, { instructions })
  const get: Get = async (path, query = {}) => {
    const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined)
    return JSON.parse(await readRoute(`${path}?${new URLSearchParams(given).toString()}`)) as JsonObject
  }
  for (const { name, description, input, hasPast, read } of tools) {
    const inputSchema = z.strictObject(hasPast ? { ...input, asOf } : input)
    const annotations = { readOnlyHint: true, openWorldHint: false }
    server.registerTool(name, { description, inputSchema, annotations }, async (args) => {
      try {
        const given = args as Input
        const position = (await api.runner.shownPosition())?.toString()
        const about = hasPast ? (given['asOf'] ?? position) : undefined
        const answer = await read({ ...given, asOf: about }, get)
        const text = JSON.stringify({ asOf: about ?? position, 'Catalog-Position': position, answer })
        return { content: [{ type: 'text' as const, text }] }
      } catch (error) {
        const { status, message } = problemOf(error).problem
        if (status === 500) fail(error)
        return { isError: true, content: [{ type: 'text' as const, text: message }] }
      }
    })
  }
  return server
}

const message = z
  .looseObject({ jsonrpc: z.literal('2.0'), method: z.string() })
  .meta({ id: 'McpMessage', description: 'A request or notification of the Model Context Protocol (JSON-RPC 2.0).' })

const answer = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int()]).optional(),
    result: z.looseObject({}).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
  })
  .meta({ id: 'McpAnswer', description: 'The answer to a request of the Model Context Protocol (JSON-RPC 2.0).' })

const versionHeader = headerParameter('MCP-Protocol-Version', 'The version that was negotiated; 400 for any other')

/** The Model Context Protocol over HTTP, without sessions. */
export const mcpRoutes: CatalogRoute[] = [
  route('post', '/mcp', 'mcp', {
    atRoot: true,
    summary: 'The Model Context Protocol: tools for agents that read the catalog',
    description:
      'Streamable HTTP without sessions; each message is answered with one JSON document. Its tools search, and read ' +
      'entities, lineage, differences, contracts and histories, with the rights of the token.',
    tag: 'agents',
    permission: 'signedIn',
    bulkhead: 'past',
    parameters: [versionHeader],
    body: jsonBody(message),
    answers: {
      200: { description: 'The answer (JSON-RPC 2.0)', schema: answer },
      202: { description: 'The notification, or answer, was accepted' },
    },
    handle: (request) => handle(request),
  }),
]

/** The version that demands batches of messages, which are not served. */
const ofBatches = '2025-03-26'

const handle = async (request: CatalogRequest): Promise<Answer> => {
  const protocol = await import('@modelcontextprotocol/sdk/types.js')
  const { JSONRPCMessageSchema, isJSONRPCRequest, isInitializeRequest } = protocol
  const versions = protocol.SUPPORTED_PROTOCOL_VERSIONS.filter((each) => each !== ofBatches)
  const given = request.headers['mcp-protocol-version']
  if (given !== undefined && !versions.includes(String(given)))
    throw badHeader(versionHeader.name, `must be one of ${versions.join(', ')}.`)
  const { success, data: body } = JSONRPCMessageSchema.safeParse(request.body)
  if (!success) throw new HttpError('BAD_REQUEST', 'The body must be one message of JSON-RPC 2.0.')
  if (!isJSONRPCRequest(body)) return { status: 202 }
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
  const [clientTransport, serverTransport] = InMemoryTransport.createLinkedPair()
  const answered = Promise.withResolvers<Json>()
  const server = await makeMcpServer(request, answered.reject)
  await server.connect(serverTransport)
  try {
    clientTransport.onmessage = (given) => answered.resolve(given as unknown as Json)
    const protocolVersion = protocol.LATEST_PROTOCOL_VERSION
    const isOfBatches = isInitializeRequest(body) && body.params.protocolVersion === ofBatches
    await clientTransport.send(isOfBatches ? { ...body, params: { ...body.params, protocolVersion } } : body)
    return jsonAnswer(await answered.promise)
  } finally {
    await server.close()
  }
}

type Input = Readonly<Record<string, string | undefined>>

/** Reads a path below `/api` with the permissions of the caller. */
type Get = (path: string, query?: Input) => Promise<JsonObject>

/** The definition of a read-only tool. */
interface CatalogTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodRawShape
  /** Whether it can be asked about a moment, `asOf`. */
  readonly hasPast: boolean
  readonly read: (input: Input, get: Get) => Promise<JsonObject>
}

/** A position may be a number; a version may not, since 0.10 is not 0.1. */
const moment = z.union([z.string(), z.int().nonnegative()]).transform(String)

/** Where versions are compared a bare integer would be one: here it is the position that other answers give. */
const versionOrMoment = moment.transform((text) => (/^\d+$/.test(text) ? `@${text}` : text))

const asOf = moment.optional().describe('An instant (RFC 3339) or a log position; default: now')

const named = {
  type: z.enum(kinds.map(({ name }) => name)).describe('Kind of the entity'),
  fqn: z.string().describe('Its fully qualified name, such as warehouse.sales.public.orders'),
}

const entityPath = ({ type = '', fqn = '' }: Input): string =>
  `/v1/${kindNamed(type).path}/name/${encodeURIComponent(fqn)}`

interface Hits {
  readonly total: JsonObject
  readonly hits: readonly {
    readonly _index: string
    readonly _source: JsonObject
    readonly fuzzy?: true
    readonly matchedIn?: Json
  }[]
}

/** What tells a hit from others; the tool `entity` reads the rest. */
const shortHit = ({ _index, _source, fuzzy, matchedIn = [] }: Hits['hits'][number]): JsonObject => {
  const { fullyQualifiedName: fqn = null, displayName, description } = _source
  return {
    type: kinds.find(({ name }) => searchIndexOf(name) === _index)?.name ?? null,
    fqn,
    ...(displayName !== undefined && { displayName }),
    ...(typeof description === 'string' && { description: shorten(description, 300) }),
    ...(fuzzy && { fuzzy }),
    matchedIn,
  }
}

const tools: readonly CatalogTool[] = [
  {
    name: 'search',
    description:
      'Searches all metadata by words, with the query language of the catalog (owners:, tag:, columns: …): the first ' +
      'twenty hits in short. A hit that is fuzzy has words similar to those of the query, not these. The tool entity reads one with all members, by its type and fqn.',
    input: { query: z.string(), type: named.type.optional() },
    hasPast: false,
    read: async ({ query, type }, get) => {
      const { hits } = await get('/v1/search/query', { q: query, index: type && searchIndexOf(type), size: '20' })
      const { total, hits: found } = hits as unknown as Hits
      return { total, hits: found.map(shortHit) }
    },
  },
  {
    name: 'entity',
    description: 'Reads an entity with all members, now or at a moment in the past.',
    input: named,
    hasPast: true,
    read: ({ asOf, ...input }, get) => get(entityPath(input), { fields: '*', asOf }),
  },
  {
    name: lineageKind,
    description: 'Lists upstream and downstream assets of an asset, now or at a moment in the past.',
    input: named,
    hasPast: true,
    read: ({ type, fqn = '', asOf }, get) => get(`/v1/lineage/${type}/name/${encodeURIComponent(fqn)}`, { asOf }),
  },
  {
    name: 'contract',
    description: 'Reads the data contract in force for an asset, with what it inherits from its data product.',
    input: named,
    hasPast: true,
    read: async ({ asOf, ...input }, get) => {
      const { id } = await get(entityPath(input), { asOf })
      const about = { entityId: String(id), entityType: input['type'], asOf }
      return get(`/v1/${kindNamed(contractKind).path}/entity`, about)
    },
  },
  {
    name: 'diff',
    description: 'Describes in a sentence what changed in an entity between two moments.',
    input: {
      ...named,
      from: versionOrMoment.describe('A version such as 0.3, an instant or a position'),
      to: versionOrMoment.optional().describe('Default: the present'),
    },
    hasPast: false,
    read: ({ from, to, ...input }, get) => get(`${entityPath(input)}/diff`, { from, to, form: 'sentence' }),
  },
  {
    name: 'history',
    description:
      'Lists the changes of an entity, oldest first, a hundred at a time: who did what, when, and at which log position.',
    input: { ...named, after: z.string().optional().describe('paging.after of the answer before') },
    hasPast: false,
    read: ({ after, ...input }, get) => get(`${entityPath(input)}/history`, { limit: '100', after }),
  },
]
