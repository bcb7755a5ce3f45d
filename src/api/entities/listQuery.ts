import {
  badQuery,
  fqnText,
  readFlag,
  readParameter,
  type SentQuery,
  type PageRequest,
} from '../http/queryParameters.ts'
import { candidateIds } from '../../commands/requests/resolveRequest.ts'
import type { KindDefinition, Parent } from '../../kinds/defineKind.ts'
import { isUuid } from '../../kinds/names.ts'
import {
  filterNames,
  isDirect,
  referenceFilters,
  measuresOf,
  categoriesOf,
  hasNested,
  inColumns,
  nestedRelation,
  selfOnly,
} from '../../kinds/edges.ts'
import { incarnationOf } from '../../events/events.ts'
import type { Edge, ReferenceRow } from '../../projections/entities/row.ts'
import type { ChildCondition, ListQuery } from '../../projections/entities/port.ts'
import { walkLineage } from '../../projections/lineage/graph.ts'
import { lineageDocuments } from '../../projections/lineage/lineageProjection.ts'
import { assetKinds, kindNamed, lineageKind } from '../../kinds/registry/kinds.ts'
import { limits } from '../../shared/limits.ts'
import type { Api, CatalogRequest, KindRequest } from '../deps.ts'
import { catalogAt, type TimelineMoment } from './answers/pointInTime.ts'
import { include as included, lineageFilters, scopeFilters, tagOn } from './parameters.ts'
import { HttpError } from '../http/problemDetails.ts'
import { holdsFor, waitForProjection, mustBeAllowed, ownIncarnations, visibilityFor } from './reads/callerReads.ts'

/** The scope of a list's cursors: its kind and filters. */
export const listScope = (definition: KindDefinition, query: SentQuery): string =>
  JSON.stringify([
    definition.name,
    query.get('include') ?? '',
    ...[...filterNames(definition), 'tagOn', 'q', 'sort', 'order', ...lineageFilters.map(({ name }) => name)].map(
      (name) => query.get(name) ?? '',
    ),
    ...(query.has('asOf') ? [query.get('asOf') ?? ''] : []),
  ])

/** A request about now, or about a point in time. */
type Past = CatalogRequest & { readonly past?: TimelineMoment | undefined }
type Looking = KindRequest & Past

/**
 * Reads a list request.
 * @param past the point in time
 * @returns `undefined` when a filter names something that does not exist
 * @throws DomainError `invalid`
 */
export const readListQuery = async (
  request: KindRequest,
  { limit, after, before, past }: PageRequest & { past?: TimelineMoment | undefined },
): Promise<ListQuery | undefined> => {
  const { definition, query } = request
  const include = readParameter(query, included)
  const looking = { ...request, past }
  const edges = await readEdges(looking)
  const parent = await readParent(looking)
  const scopes = readScopes(definition, query)
  if (request.permission === 'ifOwner' || past?.still?.owners !== undefined) await mustFilterOwn(request, edges ?? [])
  const ids = await idsByLineage(looking)
  if (edges === undefined || parent === 'none' || ids?.length === 0) return undefined
  const entityStatus = query.get('entityStatus')
  const children = readChildren(looking)
  const lacking = readMeasures(definition, query, false)
  return {
    kind: definition.name,
    include,
    scopes,
    parent,
    edges,
    lacking,
    children,
    entityStatus,
    ids,
    limit,
    after,
    before,
  }
}

/** Waits until the lineage projection has caught up with the entities. */
export const waitForLineage = (api: Api, position: bigint | undefined): Promise<unknown> =>
  position === undefined
    ? waitForProjection(api, lineageDocuments.layout.name)
    : api.runner.waitFor(position, undefined, lineageDocuments.layout.name)

/**
 * Ids of assets upstream and downstream of those in lineage filters, at the point in time of the list.
 * @returns `undefined` without such a filter
 */
export const idsByLineage = async (request: Past): Promise<readonly string[] | undefined> => {
  const { api, past } = request
  const asked = lineageFilters.flatMap(({ name }) => {
    const text = request.query.get(name)
    return text === undefined ? [] : [[name, text] as const]
  })
  if (asked.length === 0) return undefined
  mustBeAllowed(request, 'view', kindNamed(lineageKind))
  await waitForLineage(api, past?.position)
  const at = catalogAt(api, past)
  const found = asked.map(async ([name, text]): Promise<ReadonlySet<string>> => {
    const { id } = (await findTarget(request, text, assetKinds)) ?? {}
    const start = id === undefined ? undefined : (await at.getReferences([id])).get(id)
    if (start === undefined) return new Set()
    const depth = limits.lineageDepth.value
    const ways = name === 'upstreamOf' ? { up: depth, down: 0 } : { up: 0, down: depth }
    const { nodes } = await walkLineage(api.readModels, { ...ways, start, at, position: past?.position })
    return new Set(nodes.slice(1).map(({ row }) => row.id))
  })
  const [first, ...others] = (await Promise.all(found)) as [ReadonlySet<string>, ...ReadonlySet<string>[]]
  return [...first].filter((id) => others.every((ids) => ids.has(id)))
}

const readScopes = (definition: KindDefinition, query: SentQuery): string[] =>
  scopeFilters(definition).flatMap((name) => {
    const fqn = query.get(name)
    return fqn === undefined ? [] : [fqnText.parse(fqn)]
  })

/** For kinds that nest, the filter by parent also accepts the parent of the outermost entities. */
const directlyAbove = (definition: KindDefinition, parent: Parent): readonly string[] =>
  parent.optional === true ? definition.parents.flatMap(({ kinds }) => kinds) : parent.kinds

const readParent = async (request: Looking): Promise<string | undefined | 'none'> => {
  const { definition, query } = request
  for (const parent of definition.parents) {
    const value = query.get(parent.field)
    if (value === undefined || !isDirect(definition, parent)) continue
    return (await findTarget(request, value, directlyAbove(definition, parent)))?.id ?? 'none'
  }
  return undefined
}

/** Reads `tagOn`: the suffix of the relation to tags. @throws DomainError `invalid` */
const readTagOn = (definition: KindDefinition, query: SentQuery): string => {
  const place = readParameter(query, tagOn)
  if (place === undefined) return ''
  if (query.get('tag') === undefined)
    throw badQuery('tagOn', 'says where the tag of the parameter tag stands: give that, too')
  if (place === 'columns') return inColumns
  return hasNested(definition) ? selfOnly : ''
}

/** Reads filters by category. */
const readCategories = (definition: KindDefinition, query: SentQuery): Edge[] =>
  categoriesOf(definition).flatMap(({ filter }) => {
    const target = query.get(filter)
    return target === undefined ? [] : [{ rel: filter, target }]
  })

/** Reads filters by coverage that concern members of assets. */
const readMeasures = (definition: KindDefinition, query: SentQuery, wanted: boolean): Edge[] =>
  measuresOf(definition).flatMap(({ name, child }) =>
    child === undefined && query.has(name) && readFlag(query, name) === wanted ? { rel: name, target: 'true' } : [],
  )

/**
 * Reads filters by coverage that concern children. They need permission to view all of these, and for the past
 * permission to see deleted ones. @throws HttpError FORBIDDEN
 */
const readChildren = (request: Looking): ChildCondition[] =>
  measuresOf(request.definition).flatMap(({ name, child }) => {
    if (child === undefined || !request.query.has(name)) return []
    for (const operation of request.past === undefined ? (['view'] as const) : (['versions', 'history'] as const))
      if (mustBeAllowed(request, operation, kindNamed(child)) !== 'yes')
        throw new HttpError(
          'FORBIDDEN',
          `You may not ask for ${name}: your roles allow ${operation} on your own ${child} alone.`,
        )
    return [{ kind: child, some: readFlag(request.query, name) }]
  })

const readEdges = async (request: Looking): Promise<Edge[] | undefined> => {
  const { definition, query } = request
  const edges = [...readCategories(definition, query), ...readMeasures(definition, query, true)]
  const tagOn = readTagOn(definition, query)
  for (const [filter, rel, field] of referenceFilters(definition)) {
    const value = query.get(filter)
    if (value === undefined) continue
    const target = await findTarget(request, value, field.references?.kinds ?? [])
    if (target === undefined) return undefined
    edges.push({ rel: rel === nestedRelation ? rel + tagOn : rel, target: incarnationOf(target) })
  }
  return edges
}

type Named = Pick<ReferenceRow, 'id' | 'born' | 'kind'>

/**
 * The entity that an FQN or UUID names, now or at the point in time, among those that the caller may know.
 * @returns its incarnation of then
 */
export const findTarget = async (request: Past, text: string, kinds: readonly string[]): Promise<Named | undefined> => {
  const { api, past } = request
  const input = isUuid(text) ? { id: text } : { fullyQualifiedName: text }
  const candidates = candidateIds(input, kinds, api.commands)
  const rows = await api.readModels.getReferences(candidates)
  for (const id of candidates) {
    const row = rows.get(id)
    if (row === undefined || (past === undefined && row.status === 'gone')) continue
    const found = past === undefined ? row : await api.pastRows.rowAt({ kind: row.kind, id }, past.position)
    if (found !== undefined) return (await mayName(request, text, found)) ? found : undefined
  }
  return undefined
}

/**
 * Whether the caller may learn that an entity has this name or the derived id. Entities that the caller may not view
 * can only be named by the opaque ids in answers, except the caller and the caller's teams.
 */
const mayName = async (request: Past, text: string, found: Named): Promise<boolean> => {
  const { api, actor, past } = request
  if (isUuid(text) && api.commands.secretCodec.revealId(text.toLowerCase()) !== text.toLowerCase()) return true
  if (visibilityFor(request)(found.kind)) return true
  const own = await ownIncarnations(api, actor.name)
  if (own.includes(incarnationOf(found))) return true
  // Whom it belonged to then is not looked up.
  return past === undefined && holdsFor(api.permits(actor, 'view', found.kind), await api.readModels.get(found.id), own)
}

/** A caller with `ifOwner` permission must filter by itself as owner; the existence of other users is not revealed. */
const mustFilterOwn = async (request: CatalogRequest, edges: readonly Edge[]): Promise<void> => {
  if (request.query.get('owner') === request.actor.name) return
  const own = await ownIncarnations(request.api, request.actor.name)
  if (edges.some((edge) => edge.rel === 'owners' && own.includes(edge.target))) return
  throw new HttpError(
    'FORBIDDEN',
    `You may list only what you own: add ?owner=${encodeURIComponent(request.actor.name)}, or one of your teams.`,
  )
}
