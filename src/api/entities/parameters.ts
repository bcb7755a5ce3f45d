import type { KindRoute } from '../deps.ts'
import { limits } from '../../shared/limits.ts'
import { assetKinds } from '../../kinds/registry/kinds.ts'
import {
  headerParameter,
  ok,
  pathParameter,
  queryFlag,
  filledText,
  queryParameter,
  type AnswerHeader,
  type Operation,
  type Parameter,
  type Route,
} from '../http/route.ts'
import { entitySchema } from '../../kinds/request/openApiSchemas.ts'
import { z } from 'zod'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { perKind } from '../../kinds/perKind.ts'
import { measuresOf, categoriesOf, filterNames, isDirect } from '../../kinds/edges.ts'
import { fqnText } from '../http/queryParameters.ts'
import { momentForms } from './reads/moment.ts'
import { fieldsParameter } from './answers/shape.ts'

/** Parameters shared by several routes. */
export const id = pathParameter('id', 'UUID of the entity', z.uuid())

/** How a path addresses an entity. The suffix ends operation ids, the words replace `{address}` in summaries. */
export const addresses = [
  { at: '{id}', suffix: '', parameter: id, words: 'id' },
  {
    at: 'name/{fqn}',
    suffix: '_by_name',
    parameter: pathParameter('fqn', 'Fully qualified name, URL-encoded'),
    words: 'its fully qualified name',
  },
] as const

/** Method, and path below that of the kind, such as `put /{id}/vote`. */
type Line = `${KindRoute['method']}${'' | ` /${string}`}`

type RestOfRoute = Partial<Pick<KindRoute, 'permission'>> &
  Pick<KindRoute, 'summary' | 'description' | 'parameters' | 'body' | 'answers' | 'bulkhead' | 'handle'>

/** A route about entities of a kind. */
export const kindRoute = (
  { name: kind, path }: KindDefinition,
  operation: Operation,
  line: Line,
  id: string,
  rest: RestOfRoute,
): KindRoute => {
  const [method, below = ''] = line.split(' ') as [KindRoute['method'], string?]
  return {
    permission: { operation, kind },
    ...rest,
    method,
    path: `/v1/${path}${below}`,
    id,
    tag: path,
  }
}

/** Makes the routes of an entity by id and by FQN. @param id operation id without suffix */
export const entityRoutes = (
  definition: KindDefinition,
  operation: Operation,
  line: Line,
  id: string,
  rest: RestOfRoute,
): KindRoute[] =>
  addresses.map(({ at, suffix, parameter, words }) =>
    kindRoute(definition, operation, line.replace(/ |$/, ` /${at}`) as Line, `${id}${suffix}`, {
      ...rest,
      summary: rest.summary.replace('{address}', words),
      parameters: [parameter, ...(rest.parameters ?? [])],
    }),
  )

/** Answers with a validator, including 304. */
export const validatedAnswers = (description: string, schema: z.ZodType, contentType?: string): Route['answers'] => ({
  200: { description, schema, headers: ['ETag'], ...(contentType !== undefined && { contentType }) },
  304: { description: 'Not modified', headers: ['ETag'] },
})

/** Answers of a write, with the resulting entity. */
export const entityAnswers = (definition: KindDefinition, description: string): Route['answers'] =>
  ok(description, entitySchema(definition), writeHeaders)

export const include = queryParameter(
  'include',
  'Soft-deleted entities: left out, alone, or with the others',
  z.enum(['non-deleted', 'deleted', 'all']).meta({ id: 'Include' }).default('non-deleted'),
)

const asOf = queryParameter(
  'asOf',
  `The entity as it was: ${momentForms.position}. \`include\` is about whether it was soft-deleted then`,
)

export const asOfMoment = queryParameter('asOf', 'As it was at a log position (@1200 or 1200) or an ISO 8601 instant')

export const dryRunParameter = queryFlag('dryRun', 'Answers what would become of each, and changes nothing')

export const snapshot = queryFlag(
  'snapshot',
  'Cursors remember the moment of the first page, so that a walk over all pages shows that one moment',
)

export const ifNoneMatch = headerParameter(
  'If-None-Match',
  'ETags that the client has: 304 if the present one is among them',
)

const provenance = queryFlag(
  'provenance',
  'Whether `provenance` tells who wrote or cleared each value, when and with which request; needs `history` or `edit`',
)

export const get = (definition: KindDefinition): Parameter[] => [
  fieldsParameter(definition),
  include,
  asOf,
  provenance,
  ifNoneMatch,
]

export const writeHeaders: readonly AnswerHeader[] = ['ETag', 'Catalog-Position']
export const createHeaders: readonly AnswerHeader[] = [...writeHeaders, 'Location']

export const ifMatchHeader = headerParameter(
  'If-Match',
  'Only if the entity has the revision of this ETag, or this bare revision; otherwise 412',
)

export const preconditions: Parameter[] = [
  ifMatchHeader,
  headerParameter(
    'If-None-Match',
    '`*`: only if it does not exist; entity tags: only if it has none of their revisions; otherwise 412',
  ),
]

/** Paging of lists that are read forwards only. @param least 1 where nothing is counted */
export const pagingForwards = (maxLimit: number, least = 0): Parameter[] => [
  queryParameter('limit', 'Page size', z.int().min(least).max(maxLimit).default(10)),
  queryParameter('after', 'Cursor of the previous page'),
]

export const paging = (maxLimit: number): Parameter[] => [
  ...pagingForwards(maxLimit),
  queryParameter('before', 'Cursor of the next page'),
]

const filterDescription = ({ parents }: KindDefinition, name: string): string => {
  const others = parents.filter((parent) => parent.field !== name).map((parent) => parent.field)
  const nested = parents.some((parent) => parent.field === name && parent.optional === true) && others.length > 0
  if (nested)
    return `Only those directly below this ${name}; or, with the name of the ${others.join(', ')}, those directly below that`
  const element = parents.find(({ field, elements }) => field === name && elements)
  return element === undefined
    ? `Only those with this ${name}`
    : `Only those of this ${element.kinds.join(', ')}, or, with the name of a column, of this column`
}

const lineageFilter = (name: string, what: string): Parameter =>
  queryParameter(name, `Only ${what}, up to ${limits.lineageDepth.value} steps away: an FQN, or an id`)

export const lineageFilters: readonly Parameter[] = [
  lineageFilter('upstreamOf', 'what the data of this asset comes from'),
  lineageFilter('downstreamOf', 'what the data of this asset goes to'),
]

export const tagOn = queryParameter(
  'tagOn',
  'Where the tag of the parameter tag stands: on the entity itself, or on columns or fields in it',
  z.enum(['self', 'columns']),
)

/** Filters by what entities stand below, at any depth. */
export const scopeFilters = (definition: KindDefinition): string[] => {
  const { parents, ancestors } = definition
  const direct = parents.filter((parent) => isDirect(definition, parent)).map(({ field }) => field)
  return [...new Set([...parents.map(({ field }) => field), ...ancestors])].filter((name) => !direct.includes(name))
}

const filter = (definition: KindDefinition, name: string): Parameter => {
  const measure = measuresOf(definition).find((one) => one.name === name)
  if (measure !== undefined) return queryParameter(name, measure.description, z.boolean())
  const category = categoriesOf(definition).find((one) => one.filter === name)?.category
  const description = category?.description ?? filterDescription(definition, name)
  const text = scopeFilters(definition).includes(name) ? fqnText : filledText
  return queryParameter(name, description, category === undefined ? text : z.enum(category.groups))
}

export const listFilters = perKind((definition): readonly Parameter[] => [
  ...filterNames(definition).map((name) => filter(definition, name)),
  tagOn,
  ...(assetKinds.includes(definition.name) ? lineageFilters : []),
  include,
])

export const list = (definition: KindDefinition): Parameter[] => [
  ...listFilters(definition),
  ...paging(definition.maxLimit),
  fieldsParameter(definition),
  asOfMoment,
  snapshot,
]
