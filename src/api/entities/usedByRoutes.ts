import { queryParameter, ok, jsonAnswer, type Answer, type Route } from '../http/route.ts'
import { z } from 'zod'
import { type Members, type Reference, incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { nestedRelation, pathsTo } from '../../kinds/edges.ts'
import { referrersOf, type Relation } from '../../kinds/registry/referrers.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import type { ListQuery } from '../../projections/entities/port.ts'
import type { ListRow } from '../../projections/entities/row.ts'
import { shorten, mapInChunks } from '../../shared/bounds.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import { unknownNames } from '../../shared/nearest.ts'
import type { CatalogRequest, KindRequest, KindRoute } from '../deps.ts'
import { badQuery, listKey, readParameter, readPage } from '../http/queryParameters.ts'
import type { PointInTime } from './answers/pointInTime.ts'
import * as parameters from './parameters.ts'
import { asOfPosition, catalogFor, readListMoment } from './reads/moment.ts'
import { findAddressed } from './reads/addressed.ts'
import { kinds } from '../../kinds/registry/kinds.ts'

const usedBySchema = z
  .object({
    data: z.array(
      z.object({
        entity: entityReference,
        member: z.string().describe('The member with the reference'),
        paths: z.array(z.string()).describe('Where: `owners`, or `columns.address.city.tags`'),
      }),
    ),
    groups: z
      .array(z.object({ kind: z.string(), member: z.string(), count: z.int() }))
      .describe('Total number of entities that refer to it, by kind and member, not only those on the page'),
    paging: z.object({ total: z.int(), after: z.string().optional(), asOf: z.string().optional() }),
  })
  .meta({ id: 'UsedBy', description: 'What refers to an entity.' })

const narrowing: Route['parameters'] = [
  queryParameter('kind', 'Only entities of this kind', z.enum(kinds.map(({ name }) => name))),
  queryParameter('member', 'Only references by this member'),
]

/** `GET …/usedBy` for kinds that others can refer to. */
export const usedByRoutes = (definition: KindDefinition): KindRoute[] => {
  const relations = referrersOf(definition.name)
  if (relations.length === 0) return []
  return parameters.entityRoutes(definition, 'view', 'get /usedBy', `used_by_${definition.name}`, {
    summary: `What refers to a ${definition.name}, and where`,
    description: 'Entities that refer to it by a member. Edges of lineage, and what they name, are not among them.',
    parameters: [
      ...narrowing,
      ...parameters.pagingForwards(1000),
      parameters.include,
      parameters.asOfMoment,
      parameters.snapshot,
    ],
    answers: ok('One page, and how many there are of each kind', usedBySchema),
    handle: (request) => usedBy(relations, request),
  })
}

type Target = Pick<ListRow, 'id' | 'born' | 'fullyQualifiedName'>

interface UsageRequest extends CatalogRequest {
  readonly target: Target
  /** In the order of the answer. */
  readonly relations: readonly Relation[]
  readonly include: ListQuery['include']
  readonly at: Pick<PointInTime, 'list'>
}

/** Relations that the caller may see completely; the others are omitted. */
const visible = (request: CatalogRequest, relations: readonly Relation[], inPast: boolean): Relation[] => {
  const [kind, member] = [request.query.get('kind'), request.query.get('member')]
  return relations.filter(
    ({ definition: { name }, member: own }) =>
      (kind ?? name) === name && (member ?? own) === own && request.access.seesAll(name, inPast),
  )
}

const listOf = ({ target, include }: UsageRequest, { definition, member, by }: Relation): ListQuery => ({
  kind: definition.name,
  include,
  scopes: by === 'above' ? [target.fullyQualifiedName] : [],
  parent: by === 'parent' ? target.id : undefined,
  edges: by === 'reference' ? [{ rel: member, target: incarnationOf(target) }] : [],
  limit: 0,
  withRequested: member === nestedRelation,
})

const countsAtOnce = 25

interface Group {
  readonly relation: Relation
  readonly count: number
}

const groupsOf = async (usage: UsageRequest): Promise<Group[]> => {
  const groups = await mapInChunks(usage.relations, countsAtOnce, async (relation) => {
    const { total } = await usage.at.list(listOf(usage, relation))
    return { relation, count: total }
  })
  return groups.filter(({ count }) => count > 0)
}

const pathsIn = (row: ListRow, shown: JsonObject, { definition, member, by }: Relation, target: Target): string[] => {
  if (by !== 'reference') return [member]
  const own = (JSON.parse(row.references) as Record<string, Reference[]>)[member] ?? []
  const members: Members = { [member]: own as unknown[] as Json }
  if (member === nestedRelation) Object.assign(members, shown, JSON.parse(row.shownOnRequest))
  return pathsTo(definition, members, incarnationOf(target))
}

const shownUse = (row: ListRow, relation: Relation, target: Target): JsonObject => {
  const shown = JSON.parse(row.shownAlways) as JsonObject
  const { id, name, fullyQualifiedName, displayName, deleted } = shown as Record<string, Json>
  const entity = { id, type: row.kind, name, fullyQualifiedName, deleted } as JsonObject
  if (typeof displayName === 'string') entity['displayName'] = shorten(displayName, limits.shownByOthers.value)
  return { entity, member: relation.member, paths: pathsIn(row, shown, relation, target) }
}

const nameOf = ({ definition, member }: Relation): string => `${definition.name} ${member}`

/** The group and the entity in it. */
const useKey = listKey.extend({ relation: z.string() })

type UseKey = z.output<typeof useKey>

/** One page across the groups in order. */
const pageOf = async (usage: UsageRequest, groups: readonly Group[], limit: number, after: UseKey | undefined) => {
  const order = usage.relations.map(nameOf)
  const first = order.indexOf(after?.relation ?? '')
  const data: JsonObject[] = []
  let last: UseKey | undefined
  for (const { relation } of groups) {
    const place = order.indexOf(nameOf(relation))
    if (place < first) continue
    if (data.length === limit) return { data, after: last }
    const query = { ...listOf(usage, relation), limit: limit - data.length, after: place === first ? after : undefined }
    const { rows, hasAfter } = await usage.at.list(query)
    for (const row of rows) data.push(shownUse(row, relation, usage.target))
    const end = rows.at(-1)
    if (end !== undefined) last = { ...end, relation: nameOf(relation) }
    if (hasAfter) return { data, after: last }
  }
  return { data, after: undefined }
}

const usedBy = async (relations: readonly Relation[], request: KindRequest): Promise<Answer> => {
  const { query } = request
  const { limit, after, cursorAt } = readPage(request, useKey)
  const member = query.get('member')
  const known = relations.map((each) => each.member)
  const problem = unknownNames(member === undefined ? [] : [member], known)
  if (problem !== undefined) throw badQuery('member', problem)
  const past = await readListMoment(request, { after })
  const asOf = asOfPosition(past?.position)
  const { row: target } = await findAddressed(request, { include: 'all', asOf })
  const seen = visible(request, relations, past !== undefined)
  const usage: UsageRequest = {
    ...request,
    target,
    relations: seen,
    include: readParameter(query, parameters.include),
    at: catalogFor(request, past?.position),
  }
  const groups = await groupsOf(usage)
  const page = limit === 0 ? { data: [], after: undefined } : await pageOf(usage, groups, limit, after)
  const json = {
    data: page.data,
    groups: groups.map(({ relation, count }) => ({ kind: relation.definition.name, member: relation.member, count })),
    paging: {
      total: groups.reduce((sum, { count }) => sum + count, 0),
      ...(page.after && { after: cursorAt({ ...page.after, position: past?.position }) }),
      ...(asOf !== undefined && { asOf }),
    },
  }
  return jsonAnswer(json)
}
