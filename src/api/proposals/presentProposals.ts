import { z } from 'zod'
import type { ProposedChange } from '../../commands/requests/acceptProposal.ts'
import { type Members, type Reference, incarnationKey, incarnationOf } from '../../events/events.ts'
import { proposalStatuses } from '../../kinds/definitions/proposals.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { proposalKind } from '../../kinds/registry/kinds.ts'
import { maskSecrets } from '../../shared/secrets/sealed.ts'
import type { ListKey } from '../../projections/entities/port.ts'
import type { EntityRow, ListRow } from '../../projections/entities/row.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { Api, ApiActor, CatalogRequest } from '../deps.ts'
import { storedMembers } from '../entities/answers/entityText.ts'
import { maskNames, referenceOf } from '../entities/answers/masking.ts'
import { makeApprovalCheck } from '../entities/changePolicies.ts'
import { listKey, pagingOf, readParameter, readPage } from '../http/queryParameters.ts'
import { queryParameter } from '../http/route.ts'

export const proposalSchema = z
  .object({
    id: z.uuid(),
    entity: entityReference,
    proposer: z.string().describe('Name of the user who proposes it'),
    status: z.enum(proposalStatuses),
    comment: z.string().optional(),
    change: z
      .object({ set: z.record(z.string(), z.unknown()), unset: z.array(z.string()) })
      .describe('`set`: members with their new values whole, references by id; `unset`: names of members to clear'),
    members: z.array(z.string()).describe('Names of the members that it changes'),
    base: z.int().describe('Revision of the entity when it was proposed'),
    decidedBy: z.string().optional(),
    reason: z.string().optional(),
    amended: z.boolean().optional().describe('Whether it was accepted with a different change'),
    accepted: z.int().optional().describe('Revision of the entity when it was accepted'),
    createdAt: z.int().describe('Epoch milliseconds'),
    updatedAt: z.int().describe('Epoch milliseconds'),
    mayDecide: z.boolean().describe('Whether the caller can accept or refuse it'),
  })
  .meta({ id: 'Proposal', description: 'A change that somebody proposes and somebody else decides on.' })

export const proposalsPage = z
  .object({
    data: z.array(proposalSchema),
    paging: z.object({ total: z.int().optional(), after: z.string().optional() }),
  })
  .meta({ id: 'ProposalList', description: 'One page of proposals.' })

type Row = Pick<ListRow, 'id' | 'shownAlways' | 'shownOnRequest' | 'references' | 'fullyQualifiedName'>

const shownMembers = [
  'proposer',
  'status',
  'comment',
  'members',
  'base',
  'decidedBy',
  'reason',
  'amended',
  'accepted',
] as const

/** Time in the name: see `newName`. */
const madeAt = (name: string): number => 2 ** 48 - Number.parseInt(name.slice(0, 10), 36)

/** The entity that a proposal is about; `undefined` if it has ended, and another one has its name. */
export const inLifeOf = (about: Reference, row: EntityRow | undefined): EntityRow | undefined =>
  row !== undefined && incarnationOf(row) === incarnationKey(about) ? row : undefined

/** Proposals as the caller sees them, without those about invisible entities. */
export const presentProposals = async (request: ApiActor, rows: readonly Row[]): Promise<JsonObject[]> => {
  const { api, access } = request
  const abouts = rows.map(({ references }) => (JSON.parse(references) as { entity: [Reference] }).entity[0])
  const entities = await api.readModels.getMany([...new Set(abouts.map(({ id }) => id))])
  const may = await makeApprovalCheck(request, [...entities.values()])
  const holds = await access.makeCheck('ifOwner')
  const views = (row: EntityRow, about: Reference): boolean => holds(access.may('view', row.kind), inLifeOf(about, row))
  return rows.flatMap((row, at): JsonObject[] => {
    const about = abouts[at] as Reference
    const entity = entities.get(about.id)
    if (entity === undefined || !views(entity, about)) return []
    const members: Members = storedMembers(row)
    const { id, updatedAt = 0, proposer, status, change = { set: {}, unset: [] } } = members
    const isSame = inLifeOf(about, entity)?.status === 'live'
    const shown = Object.fromEntries(
      shownMembers.flatMap((name) => (name in members ? [[name, members[name] as Json]] : [])),
    )
    return [
      {
        id: id as Json,
        // The caller views the entity, if only as its owner.
        entity: referenceOf(entity),
        ...shown,
        change: maskNames(maskSecrets(change), access.sees),
        createdAt: madeAt(row.fullyQualifiedName),
        updatedAt,
        mayDecide: isSame && status === 'open' && may(entity, String(proposer), change as ProposedChange),
      },
    ]
  })
}

const list = (api: Api, edges: { rel: string; target: string }[], limit: number, after: ListKey | undefined) =>
  api.readModels.list({
    kind: proposalKind,
    include: 'non-deleted',
    scopes: [],
    edges,
    limit,
    after,
    withRequested: true,
  })

export const statusParameter = queryParameter('status', 'Only proposals with this status', z.enum(proposalStatuses))

export const roleParameter = queryParameter(
  'role',
  'Those to decide on, or those that I made',
  z.enum(['decide', 'mine']).default('decide'),
)

const edgesFor = (status: string | undefined) => (status === undefined ? [] : [{ rel: 'status', target: status }])

/** A page of the proposals about one incarnation of an entity. */
export const listProposals = async (request: CatalogRequest, entity: string): Promise<JsonObject> => {
  const status = readParameter(request.query, statusParameter)
  const { limit, after, cursorAt } = readPage(request, listKey)
  const page = await list(request.api, [{ rel: 'entity', target: entity }, ...edgesFor(status)], limit, after)
  const paging = pagingOf({ ...page, hasBefore: false }, cursorAt)
  return { data: await presentProposals(request, page.rows), paging }
}

const scanLimit = 1000

/** A page of proposals that the caller made or may decide on. */
export const listCallerProposals = async (request: CatalogRequest): Promise<JsonObject> => {
  const { api } = request
  const role = readParameter(request.query, roleParameter)
  const { name } = request.actor
  const isMade = role === 'mine'
  const status = readParameter(request.query, statusParameter) ?? (isMade ? undefined : 'open')
  const { limit, after, cursorAt } = readPage(request, listKey)
  const [own = ''] = await request.access.own()
  const edges = [...edgesFor(status), ...(isMade ? [{ rel: 'owners', target: own }] : [])]
  const data: JsonObject[] = []
  let [last, more]: [ListKey | undefined, boolean] = [after, limit > 0]
  for (let scanned = 0; more && data.length < limit && scanned < scanLimit;) {
    const page = await list(api, edges, 100, last)
    const shown = await presentProposals(request, page.rows)
    const wanted = new Set(
      shown
        .filter((one) => (isMade ? one['proposer'] === name : one['mayDecide'] === true))
        .map(({ id }) => id as string),
    )
    const taken = page.rows.filter(({ id }) => wanted.has(id)).slice(0, limit - data.length)
    data.push(...shown.filter(({ id }) => taken.some((row) => row.id === id)))
    scanned += page.rows.length
    const end = page.rows.at(-1)
    last = data.length === limit ? taken.at(-1) : end
    more = page.hasAfter || last?.id !== end?.id
  }
  return { data, paging: more && last ? { after: cursorAt(last) } : {} }
}
