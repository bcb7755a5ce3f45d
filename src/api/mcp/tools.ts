import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { contractKind, lineageKind } from '../../kinds/registry/kinds.ts'
import type { JsonObject } from '../../shared/json.ts'

/** How tools read the catalog: with their caller's token and permissions. */
export interface CatalogReader {
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
export interface CatalogTool {
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
export const makeTools = (kinds: readonly KindDefinition[]): CatalogTool[] => {
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
export const answerTool = async (
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
