import { z } from 'zod'
import { forbidden, notFound } from '../../commands/errors.ts'
import { entityOf, incarnationOf } from '../../events/events.ts'
import { measures, measuresOf, type Measure } from '../../kinds/edges.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { ancestorKinds, isAncestorKind } from '../../kinds/registry/referrers.ts'
import { assetKinds, kindNamed, referredKinds } from '../../kinds/registry/kinds.ts'
import type { ListQuery } from '../../projections/entities/port.ts'
import type { Edge, ReferenceRow } from '../../projections/entities/row.ts'
import { searchProjection } from '../../projections/search/port.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { countingNeeds, findScope, findTarget } from '../entities/listQuery.ts'
import { asOfMoment } from '../entities/parameters.ts'
import { waitForProjection } from '../entities/reads/catchUp.ts'
import { catalogFor, positionOf, positionParameter, readPosition, waitForTimeline } from '../entities/reads/moment.ts'
import { badQuery, fqnText, instantText, readParameter } from '../http/queryParameters.ts'
import { jsonAnswer, ok, queryParameter, route, type Parameter } from '../http/route.ts'
import { withFilters } from './searchTerms.ts'

/** Members for grouping assets, with their facets. */
const members = { domain: 'domains', owner: 'owners' } as const
type MemberName = keyof typeof members
type Grouping = 'kind' | 'service' | MemberName
const memberNames = Object.keys(members) as MemberName[]
const groupings: readonly Grouping[] = ['kind', 'service', ...memberNames]

const share = z.object({ covered: z.int(), of: z.int().describe('The assets that it applies to') })
const counted = {
  total: z.int().describe('Live assets'),
  measures: z
    .partialRecord(z.enum(measures.map(({ name }) => name) as [string, ...string[]]), share)
    .describe('Shares that the caller may not know are absent'),
}

const coverageSchema = z
  .object({
    ...counted,
    data: z.array(z.object({ group: z.union([z.object({ kind: z.string() }), entityReference]), ...counted })),
    asOf: z.string().optional(),
    groupsAsOf: z
      .literal('now')
      .optional()
      .describe(
        'At most 50 groups: those with the most assets now, with their numbers at `asOf`. `total` and `measures` count ' +
          'all assets',
      ),
  })
  .meta({ id: 'Coverage' })

const historySchema = z
  .object({ data: z.array(z.object({ time: z.iso.datetime(), ...counted })) })
  .meta({ id: 'CoverageHistory' })

const kindOf = queryParameter('kind', 'Only assets of this kind', z.enum(assetKinds))
const service = queryParameter('service', 'Only assets below this service: its FQN, or an id', fqnText)
const grouping = queryParameter('by', 'What the assets are grouped by', z.enum(groupings).default('kind'))

const narrowing: readonly Parameter[] = [
  kindOf,
  queryParameter('domain', 'Only assets of this domain: an FQN, or an id'),
  queryParameter('owner', 'Only assets of this user or team: an FQN, or an id'),
  service,
]

const usualDays = 90
const firstMoment = queryParameter(
  'from',
  `The first moment, an ISO 8601 instant; default ${usualDays} days before the last one`,
  instantText,
)
const lastMoment = queryParameter('to', 'The last moment; default now', instantText)
const pointsOf = queryParameter('points', 'Number of moments', z.int().min(2).max(100).default(30))

const shared = { tag: 'coverage', permission: { operation: 'view' } } as const

/** What a parameter names, if it is sent. @throws DomainError `notFound` */
const namedBy = async <T>(
  { query }: CatalogRequest,
  name: string,
  find: (text: string) => Promise<T | undefined>,
): Promise<T[]> => {
  const text = query.get(name)
  if (text === undefined) return []
  const found = await find(text)
  if (found === undefined) throw notFound(`There is no ${name} ${text}.`)
  return [found]
}

/** A request with the counted assets and the point in time. @param position `undefined`: now @throws DomainError */
const readCoverageRequest = async (request: CatalogRequest, position: bigint | undefined) => {
  const at = { ...request, past: position === undefined ? undefined : { position } }
  const kind = readParameter(request.query, kindOf)
  const edgesBy = (name: MemberName) =>
    namedBy(request, name, async (text): Promise<Edge | undefined> => {
      const found = await findTarget(at, name, text, referredKinds(members[name]))
      return found && { rel: members[name], target: incarnationOf(found) }
    })
  const edges = (await Promise.all(memberNames.map(edgesBy))).flat()
  const scopes = await namedBy(request, 'service', (text) => findScope(at, text, ancestorKinds('service')))
  const operation = position === undefined ? 'view' : 'versions'
  const wanted = assetKinds.filter((name) => (kind ?? name) === name && request.access.may(operation, name) === 'yes')
  if (wanted.length === 0)
    throw forbidden(`Your roles do not allow ${operation} on all ${kind ?? 'assets of any kind'}.`)
  return { ...request, kinds: wanted.map(kindNamed), edges, scopes, position, at: catalogFor(request, position) }
}

type CoverageRequest = Awaited<ReturnType<typeof readCoverageRequest>>

const countOf = async (coverage: CoverageRequest, kind: string, more: Partial<ListQuery> = {}): Promise<number> => {
  const { edges, scopes } = coverage
  const query = {
    kind,
    include: 'non-deleted',
    scopes,
    limit: 0,
    ...more,
    edges: [...edges, ...(more.edges ?? [])],
  } as const
  return (await coverage.at.list(query)).total
}

const mayCount = ({ access, position }: CoverageRequest, { child }: Measure): boolean =>
  child === undefined ||
  countingNeeds(position !== undefined).every((operation) => access.may(operation, child) === 'yes')

interface Counts extends JsonObject {
  readonly total: number
  readonly measures: Record<string, { covered: number; of: number }>
}

const countKind = async (coverage: CoverageRequest, definition: KindDefinition): Promise<Counts> => {
  const total = await countOf(coverage, definition.name)
  const wanted = measuresOf(definition).filter((measure) => mayCount(coverage, measure))
  const shares = wanted.map(async ({ name, child }) => {
    const more = child ? { children: [{ kind: child, some: true }] } : { edges: [{ rel: name, target: 'true' }] }
    return [name, { covered: total === 0 ? 0 : await countOf(coverage, definition.name, more), of: total }] as const
  })
  return { total, measures: Object.fromEntries(await Promise.all(shares)) }
}

const sumOf = (all: readonly Counts[]): Counts => {
  const sum: Counts = { total: all.reduce((before, { total }) => before + total, 0), measures: {} }
  for (const { name } of measures)
    for (const { measures: shares } of all) {
      const [before, share] = [sum.measures[name] ?? { covered: 0, of: 0 }, shares[name]]
      if (share) sum.measures[name] = { covered: before.covered + share.covered, of: before.of + share.of }
    }
  return sum
}

const countAll = async (coverage: CoverageRequest): Promise<Counts> =>
  sumOf(await mapInChunks(coverage.kinds, 5, (definition) => countKind(coverage, definition)))

type Group = readonly [shown: JsonObject, filter: Partial<Pick<CoverageRequest, 'kinds' | 'edges' | 'scopes'>>]

type OfEntities = Exclude<Grouping, 'kind'>

const groupOf = ({ kinds: counted }: CoverageRequest, by: OfEntities, row: ReferenceRow): Group => {
  const reference = JSON.parse(row.reference) as { readonly fullyQualifiedName: string }
  const group = { ...reference, deleted: row.status !== 'live' }
  if (by !== 'service') return [group, { edges: [{ rel: members[by], target: incarnationOf(row) }] }]
  // Services of different kinds may have one name.
  const below = counted.filter((kind) => isAncestorKind(kind, by, row.kind))
  return [group, { kinds: below, scopes: [reference.fullyQualifiedName] }]
}

const narrowTo = (coverage: CoverageRequest, { edges = [], scopes = [], ...rest }: Group[1]): CoverageRequest => ({
  ...coverage,
  ...rest,
  edges: [...coverage.edges, ...edges],
  scopes: [...coverage.scopes, ...scopes],
})

/** The largest groups of today: of what is counted, or of all where that is of the past, and may have had others. */
const currentGroups = async (coverage: CoverageRequest, by: OfEntities): Promise<Group[]> => {
  const { api, at } = coverage
  await waitForProjection(api, searchProjection.name)
  const { facets } = await api.readModels.search({
    expression: coverage.position === undefined ? await withFilters(coverage, undefined) : undefined,
    kinds: coverage.kinds.map(({ name }) => name),
    deleted: false,
    from: 0,
    size: 0,
    sort: 'fullyQualifiedName',
    descending: false,
    facets: [by],
  })
  const values = (facets?.[by]?.values ?? []).map(({ value }) => value)
  const references = await at.getReferences(values.map(entityOf))
  const { sees } = coverage.access
  return values.flatMap((value) => {
    const row = references.get(entityOf(value))
    if (row === undefined || row.status === 'gone' || !sees(row.kind)) return []
    return incarnationOf(row) === value ? [groupOf(coverage, by, row)] : []
  })
}

const readCoverage = async (request: CatalogRequest): Promise<JsonObject> => {
  const by = readParameter(request.query, grouping)
  const position = await readPosition(request)
  const coverage = await readCoverageRequest(request, position)
  const groups = by === 'kind' ? kindGroups(coverage) : await currentGroups(coverage, by)
  const data = await mapInChunks(groups, 5, async ([group, filter]) => {
    request.progress()
    return { group, ...(await countAll(narrowTo(coverage, filter))) }
  })
  const whole = by === 'kind' ? sumOf(data) : await countAll(coverage)
  const shown = data.filter(({ total }) => total > 0)
  return {
    ...whole,
    data: shown,
    ...(position !== undefined && { asOf: positionParameter(position) }),
    ...(by !== 'kind' && { groupsAsOf: 'now' }),
  }
}

const kindGroups = ({ kinds }: CoverageRequest): Group[] =>
  kinds.map((definition) => [{ kind: definition.name }, { kinds: [definition] }])

const readHistory = async (request: CatalogRequest): Promise<JsonObject> => {
  const { api, query } = request
  const to = readParameter(query, lastMoment) ?? api.commands.clock.time()
  const from = readParameter(query, firstMoment) ?? to - usualDays * 86_400_000
  if (from >= to) throw badQuery('from', 'must be before to')
  const points = readParameter(query, pointsOf)
  // What is named is what has the name at the last moment.
  const coverage = await readCoverageRequest(request, await positionOf(api, { time: to }, 'to'))
  const times = Array.from({ length: points }, (_, at) => Math.round(from + ((to - from) * at) / (points - 1)))
  const data = await mapInChunks(times, 2, async (time) => {
    const position = (await api.readModels.positionAt(time)) ?? -1n
    await waitForTimeline(api, position, 'to')
    request.progress()
    return {
      time: new Date(time).toISOString(),
      ...(await countAll({ ...coverage, position, at: catalogFor(request, position) })),
    }
  })
  return { data }
}

/** `GET /v1/coverage`, and the same over time. */
export const coverageRoutes: CatalogRoute[] = [
  route('get', '/v1/coverage', 'read_coverage', {
    ...shared,
    summary: 'How many assets are described, owned, classified, under contract and tested',
    description:
      'Counts live assets of the kinds of which the caller may view everything (in the past: all `versions`). With ' +
      '`by` for each group, too: of domains, services and owners the 50 that have most assets today (`groupsAsOf`). ' +
      'Lists take the names of the measures as filters.',
    parameters: [grouping, ...narrowing, asOfMoment],
    answers: ok('Counts of all assets, and of each group', coverageSchema),
    handle: async (request) => jsonAnswer(await readCoverage(request)),
  }),
  route('get', '/v1/coverage/history', 'read_coverage_history', {
    ...shared,
    summary: 'The same numbers over time',
    parameters: [...narrowing, firstMoment, lastMoment, pointsOf],
    bulkhead: 'past',
    answers: ok('Counts at moments that are equally far apart, the oldest first', historySchema),
    handle: async (request) => jsonAnswer(await readHistory(request)),
  }),
]
