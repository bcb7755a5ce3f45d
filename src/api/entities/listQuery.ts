import { forbidden } from '../../commands/errors.ts'
import { badQuery, readFlag, readParameter, type SentQuery } from '../http/queryParameters.ts'
import { makeNameCheck, type EntityIdentity } from '../../commands/caller.ts'
import type { Entity } from '../../commands/evolve.ts'
import { candidateIds, nameOfSeveral, bestMatches } from '../../commands/requests/resolveRequest.ts'
import type { Field, KindDefinition, Parent } from '../../kinds/defineKind.ts'
import { perKind } from '../../kinds/perKind.ts'
import { ancestorFqns, buildFqn, splitFqn } from '../../kinds/names.ts'
import {
  isDirect,
  referenceFilters,
  measuresOf,
  categoriesOf,
  hasNested,
  inColumns,
  nestedRelation,
  selfOnly,
  type Measure,
} from '../../kinds/edges.ts'
import { incarnationOf } from '../../events/events.ts'
import { lookupIn } from '../../projections/entities/lookup.ts'
import { referredFqn, type Edge } from '../../projections/entities/row.ts'
import type { ChildCondition, ListQuery } from '../../projections/entities/port.ts'
import { maxLineageNodes, walkLineage } from '../../projections/lineage/graph.ts'
import { lineageDocuments } from '../../projections/lineage/lineageProjection.ts'
import { ancestorKinds } from '../../kinds/registry/referrers.ts'
import { assetKinds, kindNamed, lineageKind } from '../../kinds/registry/kinds.ts'
import { limits } from '../../shared/limits.ts'
import type { Api, CatalogRequest, KindRequest } from '../deps.ts'
import { catalogAt, type TimelineMoment } from './answers/pointInTime.ts'
import { include as included, lineageFilters, scopeFilters, tagOn } from './parameters.ts'
import type { Operation } from '../http/route.ts'
import { mustReadLineageOf } from './reads/addressed.ts'
import { waitForProjection } from './reads/catchUp.ts'

/** A request about now, or about a point in time. */
type MomentRequest = CatalogRequest & { readonly past: TimelineMoment | undefined }
type FilterRequest = KindRequest & MomentRequest

/** What the filters of a list leave of its kind. */
interface Filters extends Pick<ListQuery, 'scopes' | 'edges'> {
  readonly scopes: string[]
  readonly edges: Edge[]
  readonly lacking: Edge[]
  readonly children: ChildCondition[]
  parent?: string
  /** Whether a filter names something that does not exist. */
  isEmpty: boolean
}

type ApplyFilter = (into: Filters, request: FilterRequest, value: string) => void | Promise<void>

/** The filters of a kind by their parameters, in the order of reading. */
const filtersOf = perKind((definition): readonly (readonly [name: string, narrow: ApplyFilter])[] => [
  ...categoriesOf(definition).map(({ filter }) => [filter, byCategory(filter)] as const),
  ...measuresOf(definition).map((measure) => [measure.name, byMeasure(measure)] as const),
  ...referenceFilters(definition).map(([filter, rel, field]) => [filter, byReference(filter, rel, field)] as const),
  ...definition.parents
    .filter((parent) => isDirect(definition, parent))
    .map((parent) => [parent.field, byParent(parent.field, directlyAbove(definition, parent))] as const),
  ...scopeFilters(definition).map((name) => [name, byScope(definition, name)] as const),
])

/**
 * Reads a list request.
 * @param past the point in time
 * @returns `undefined` when a filter names something that does not exist
 * @throws DomainError `invalid`
 */
export const readListQuery = async (
  request: KindRequest,
  { limit, after, before, past }: Pick<ListQuery, 'limit' | 'after' | 'before'> & Pick<MomentRequest, 'past'>,
): Promise<ListQuery | undefined> => {
  const { definition, query } = request
  const include = readParameter(query, included)
  const filterRequest = { ...request, past }
  mustHaveTag(query)
  const filters: Filters = { scopes: [], edges: [], lacking: [], children: [], isEmpty: false }
  for (const [name, narrow] of filtersOf(definition)) {
    const value = query.get(name)
    if (value !== undefined) await narrow(filters, filterRequest, value)
  }
  const { isEmpty, ...narrowed } = filters
  if (request.permission === 'ifOwner' || past?.current?.owners !== undefined) await mustFilterOwn(request, filters)
  const ids = await idsByLineage(filterRequest)
  if (isEmpty || ids?.length === 0) return undefined
  const entityStatus = query.get('entityStatus')
  return { kind: definition.name, include, ...narrowed, entityStatus, ids, limit, after, before }
}

/** Waits until the lineage projection has caught up with a position, or with the entities. */
export const waitForLineage = (api: Api, position: bigint | undefined): Promise<void> =>
  waitForProjection(api, lineageDocuments.layout.name, position)

/**
 * Ids of assets upstream and downstream of those in lineage filters, at the point in time of the list.
 * @returns `undefined` without such a filter
 */
export const idsByLineage = async (request: MomentRequest): Promise<readonly string[] | undefined> => {
  const { api, past } = request
  const requested = lineageFilters.flatMap(({ name }) => {
    const text = request.query.get(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (requested.length === 0) return undefined
  request.access.must('view', lineageKind)
  await waitForLineage(api, past?.position)
  const at = catalogAt(api, past)
  const found = requested.map(async ([name, text]): Promise<ReadonlySet<string>> => {
    const { id } = (await findTarget(request, name, text, assetKinds)) ?? {}
    if (id !== undefined) await mustReadLineageOf(request, id)
    const start = id === undefined ? undefined : (await at.getReferences([id])).get(id)
    if (start === undefined) return new Set()
    const depth = limits.lineageDepth.value
    const ways = name === 'upstreamOf' ? { up: depth, down: 0 } : { up: 0, down: depth }
    const { nodes, truncated } = await walkLineage(api.readModels, { ...ways, start, at, position: past?.position })
    if (truncated)
      throw badQuery(name, `meets more than ${maxLineageNodes} assets: GET /v1/lineage tells of a part of them`)
    return new Set(nodes.slice(1).map(({ row }) => row.id))
  })
  const [first, ...others] = (await Promise.all(found)) as [ReadonlySet<string>, ...ReadonlySet<string>[]]
  return [...first].filter((id) => others.every((ids) => ids.has(id)))
}

const byScope = (definition: KindDefinition, name: string): ApplyFilter => {
  const kinds = ancestorKinds(name, [definition])
  const hasElements = definition.parents.some(({ field, elements }) => field === name && elements)
  return async (into, request, value) => {
    const scope =
      (await findScope(request, value, kinds)) ??
      (hasElements ? await findElementScope(request, value, kinds) : undefined)
    if (scope === undefined) into.isEmpty = true
    else into.scopes.push(scope)
  }
}

/** The FQN of an element of an entity that {@link findScope} finds: it stands no deeper in it than trees nest. */
const findElementScope: typeof findScope = async (request, text, kinds) => {
  for (const above of ancestorFqns(text).slice(-limits.treeDepth.value).toReversed())
    if ((await findScope(request, above, kinds)) !== undefined) return buildFqn(splitFqn(text) ?? [])
  return undefined
}

const byCategory =
  (rel: string): ApplyFilter =>
  ({ edges }, _, target) =>
    void edges.push({ rel, target })

/** For kinds that nest, the filter by parent also accepts the parent of the outermost entities. */
const directlyAbove = (definition: KindDefinition, parent: Parent): readonly string[] =>
  parent.optional === true ? definition.parents.flatMap(({ kinds }) => kinds) : parent.kinds

const byParent =
  (name: string, kinds: readonly string[]): ApplyFilter =>
  async (into, request, value) => {
    const parent = await findTarget(request, name, value, kinds)
    if (parent === undefined) into.isEmpty = true
    else into.parent ??= parent.id
  }

/** Where the tag of a filter stands: the suffix of the relation to tags. */
const tagRelationSuffix = ({ definition, query }: KindRequest): string => {
  const place = readParameter(query, tagOn)
  if (place === 'columns') return inColumns
  return place !== undefined && hasNested(definition) ? selfOnly : ''
}

/** @throws DomainError `invalid` */
const mustHaveTag = (query: SentQuery): void => {
  if (query.has('tagOn') && query.get('tag') === undefined)
    throw badQuery('tagOn', 'says where the tag of the parameter tag stands: give that, too')
}

const byReference =
  (name: string, rel: string, { references }: Field): ApplyFilter =>
  async (into, request, value) => {
    const target = await findTarget(request, name, value, references?.kinds ?? [])
    if (target === undefined) into.isEmpty = true
    else
      into.edges.push({
        rel: rel === nestedRelation ? rel + tagRelationSuffix(request) : rel,
        target: incarnationOf(target),
      })
  }

/** What counting all of a kind as children needs: in the past, which may be deleted by now, also their history. */
export const countingNeeds = (inPast: boolean): readonly Operation[] => (inPast ? ['versions', 'history'] : ['view'])

/**
 * Narrows by a measure of coverage. Those that concern children need permission to view all of these, and for the past
 * permission to see deleted ones. @throws DomainError `forbidden`
 */
const byMeasure =
  ({ name, child }: Measure): ApplyFilter =>
  ({ edges, lacking, children }, request) => {
    const some = readFlag(request.query, name)
    if (child === undefined) return void (some ? edges : lacking).push({ rel: name, target: 'true' })
    for (const operation of countingNeeds(request.past !== undefined))
      if (request.access.must(operation, child) !== 'yes')
        throw forbidden(
          `You cannot filter by ${name}: your roles allow ${operation} on ${child} only for what you own.`,
        )
    children.push({ kind: child, some })
  }

/**
 * The entities of these kinds that an FQN or UUID names, now or at the point in time, among those that the caller may
 * know. Several: entities of different kinds may have the same FQN.
 * @returns their incarnations of then
 */
export const findTargets = async (
  { api, access, past }: MomentRequest,
  text: string,
  kinds: readonly string[],
): Promise<EntityIdentity[]> => {
  const { secretCodec } = api.commands
  const input = { fullyQualifiedName: text }
  const candidates = candidateIds(input, kinds, { secretCodec })
  const rows = await catalogAt(api, past).getReferences(candidates)
  const found: EntityIdentity[] = []
  for (const id of candidates) {
    const row = rows.get(id)
    if (row === undefined || !kinds.includes(row.kind) || row.status === 'gone') continue
    found.push({ ...row, fullyQualifiedName: referredFqn(row) })
  }
  const caller = { visibilityOf: (kind: string) => access.may('view', kind), incarnations: access.own }
  // Whom something belonged to in the past is not looked up.
  const lookup = past === undefined ? lookupIn(api.readModels, kindNamed) : async () => new Map<string, Entity>()
  const mayName = await makeNameCheck(caller, { lookup, secretCodec }, found)
  return found.filter((entity) => mayName(entity, input))
}

/**
 * What the value of a parameter means: the {@link bestMatches} of what {@link findTargets} finds.
 * @throws DomainError `invalid` if several entities share the name
 */
export const findTarget = async (
  request: MomentRequest,
  name: string,
  text: string,
  kinds: readonly string[],
): Promise<EntityIdentity | undefined> => {
  const [target, ...others] = bestMatches(await findTargets(request, text, kinds))
  if (target === undefined || others.length === 0) return target
  throw badQuery(name, `${nameOfSeveral(text, [target, ...others])}: say which one by its id`)
}

/** The FQN of what {@link findTargets} finds: what stands below all that share it is found by that. */
export const findScope = async (
  request: MomentRequest,
  text: string,
  kinds: readonly string[],
): Promise<string | undefined> => {
  const [target] = bestMatches(await findTargets(request, text, kinds))
  return target?.fullyQualifiedName
}

/** A caller with `ifOwner` permission must filter by itself as owner; the existence of other users is not revealed. */
const mustFilterOwn = async (request: CatalogRequest, { edges, isEmpty }: Filters): Promise<void> => {
  // Before the first write a caller has no entity, so the filter finds nothing.
  if (isEmpty && request.query.get('owner') === request.actor.name) return
  const own = await request.access.own()
  if (edges.some((edge) => edge.rel === 'owners' && own.includes(edge.target))) return
  throw forbidden(
    `You may list only what you own: add ?owner=${encodeURIComponent(request.actor.name)}, or one of your teams.`,
  )
}
