import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { callerReference, userId, type Context } from '../../commands/caller.ts'
import { membersDelta } from '../../commands/changes.ts'
import { conflict, forbidden, invalid, invalidAt, notFound } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { referenceTo } from '../../commands/lookup.ts'
import { change } from '../../commands/requests/change.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { execute } from '../../commands/requests/execute.ts'
import {
  acceptance,
  acceptingEvent,
  acceptProposal,
  closeProposal,
  readProposed,
  type ProposedChange,
} from '../../commands/requests/acceptProposal.ts'
import { type Members, type Reference, incarnationKey, incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { isUuid } from '../../kinds/names.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { kindNamed, proposalKind } from '../../kinds/registry/kinds.ts'
import { readRequest } from '../../kinds/request/requestSchema.ts'
import { fromRow, toRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { Json } from '../../shared/json.ts'
import { makeAccess } from '../access.ts'
import type { CatalogRequest, CatalogRoute, KindRequest, KindRoute } from '../deps.ts'
import { patchReaderOf } from '../entities/patchAndDeleteRoutes.ts'
import { makeApprovalCheck, mustPermitChange } from '../entities/changePolicies.ts'
import * as parameters from '../entities/parameters.ts'
import { findRow, mustFindRow } from '../entities/reads/addressed.ts'
import { causeOf, contextOf, headerPrecondition } from '../entities/writeRequest.ts'
import { parseBody } from '../http/readBody.ts'
import { jsonAnswer, jsonBody, ok, route, type Answer, type ApiRequest, type JsonAnswer } from '../http/route.ts'
import {
  inLifeOf,
  listProposals,
  listCallerProposals,
  proposalSchema,
  proposalsPage,
  roleParameter,
  presentProposals,
  statusParameter,
} from './presentProposals.ts'

const patchText = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .describe('A merge patch (an object, RFC 7396) or a JSON Patch (a list, RFC 6902), as PATCH takes it')

const comment = z.string().max(10_000).optional()

const proposalBody = z
  .strictObject({ patch: patchText, comment: comment.describe('The reason, for whoever decides') })
  .meta({ id: 'ProposalRequest', description: 'A change that is proposed.' })

const acceptBody = z.strictObject({ patch: patchText.optional() }).meta({
  id: 'AcceptRequest',
  description:
    '`patch`: the change to make instead, relative to the present entity. Members that were not proposed need `edit`.',
})

const reasonBody = z.strictObject({ reason: comment }).meta({ id: 'ReasonRequest', description: 'The reason.' })

const paging = parameters.pagingForwards(100)

/** Routes for proposals about entities of a kind. */
export const entityProposalRoutes = (definition: KindDefinition): KindRoute[] => [
  ...parameters.entityRoutes(definition, 'propose', 'post /proposals', `propose_${definition.name}`, {
    summary: `Propose a change to a ${definition.name}`,
    parameters: [parameters.ifMatchHeader],
    body: jsonBody(proposalBody),
    answers: { 201: { description: 'Proposed', schema: proposalSchema, headers: ['Catalog-Position', 'Location'] } },
    handle: propose,
  }),
  ...parameters.entityRoutes(definition, 'view', 'get /proposals', `list_proposals_${definition.name}`, {
    summary: `Proposed changes to a ${definition.name}, newest first`,
    parameters: [statusParameter, ...paging],
    answers: ok('One page', proposalsPage),
    handle: async (request) => {
      const row = await mustFindRow(request, 'all')
      return jsonAnswer(await listProposals(request, incarnationOf(row)))
    },
  }),
]

const decision = (verb: 'accept' | 'refuse' | 'withdraw', summary: string, body: z.ZodType): CatalogRoute =>
  route('put', `/v1/proposals/{id}/${verb}`, `${verb}_proposal`, {
    tag: 'proposals',
    summary,
    permission: 'signedIn',
    parameters: [parameters.id],
    body: jsonBody(body, { required: false }),
    answers: ok('The proposal', proposalSchema, ['Catalog-Position']),
    handle: (request) => (verb === 'accept' ? accept(request) : close(request, verb)),
  })

const answerProposal = async (request: CatalogRequest, id: string, more?: JsonAnswer): Promise<Answer> => {
  const row = (await request.api.readModels.get(id)) as EntityRow
  const [shown] = await presentProposals(request, [row])
  if (shown === undefined) throw noProposal(request)
  return jsonAnswer(shown, more)
}

const noProposal = ({ params }: ApiRequest): Error => notFound(`There is no proposal ${params['id']}.`)

let newest = 0

/** A name that sorts newest first in lists, also among those of one moment: the clock may stand still. */
export const newName = (now: number): string => {
  newest = Math.max(now, newest + 1)
  return `${(2 ** 48 - newest).toString(36).padStart(10, '0')}-${randomBytes(8).toString('hex')}`
}

/** The change of a PATCH body, based on the entity as the caller sees it. */
const patching = (request: KindRequest, patch: z.output<typeof patchText>) =>
  patchReaderOf(request, patch, `application/${Array.isArray(patch) ? 'json-patch' : 'merge-patch'}+json`)

/** The changes of a patch, by a dry run. @throws DomainError as PATCH does */
const dryRunPatch = async (request: KindRequest, id: string, patch: z.output<typeof patchText>) => {
  const { definition } = request
  const read = patching(request, patch)
  const context = { ...contextOf(request, true), mayChange: undefined }
  const wanted = change(context, { definition, id, read }, causeOf(request), headerPrecondition(request))
  const { before, entity } = await execute(context, wanted)
  const { set, unset } = membersDelta(before?.members ?? {}, entity.members)
  const members = [...Object.keys(set), ...unset]
  if (members.length === 0) throw invalidAt('/patch', 'changes nothing: the entity already has these values')
  const personal = members.filter((name) => personalMembers(definition).has(name))
  if (personal.length > 0)
    throw invalid(
      personal.map((name) => ({ path: `/patch/${name}`, message: 'has personal data: cannot be proposed' })),
    )
  return { before: before as Entity, set, unset, members }
}

const propose = async (request: KindRequest): Promise<Answer> => {
  const { patch, comment: why } = parseBody(proposalBody, request.body)
  const { id } = await mustFindRow(request, 'non-deleted')
  const { before, set, unset, members } = await dryRunPatch(request, id, patch)
  const context = contextOf(request)
  const own = userId(request.actor.name)
  const proposer = callerReference(context.caller, await context.refer([own]))
  const concerned = [
    proposer,
    ...(['owners', 'reviewers'] as const).flatMap((name) => referencesIn(before.members, name)),
  ]
  const values: Members = {
    entity: referenceTo(before),
    proposer: request.actor.name,
    owners: [...new Map(concerned.map((one) => [incarnationKey(one), one])).values()] as Json[],
    ...(before.members['domains'] !== undefined && { domains: before.members['domains'] }),
    ...(why !== undefined && { comment: why }),
    change: { set, unset },
    members,
    base: Number(before.revision),
    status: 'open',
  }
  const kind = kindNamed(proposalKind)
  const parsed = readRequest(kind, { name: newName(context.clock.time()) }, 'create')
  const wanted = write(context, { type: 'Create', definition: kind, parsed, own: values }, causeOf(request))
  const result = await execute(context, { ...wanted, referred: [...(wanted.referred ?? []), own] })
  const headers = { Location: `${request.baseUrl}/v1/${kind.path}/${result.entity.id}` }
  return answerProposal(request, result.entity.id, { status: 201, headers, position: result.position })
}

/** @throws DomainError `not_found`, also when the caller may not view the entity */
const mustFind = async (request: CatalogRequest) => {
  const { api, access } = request
  const id = (request.params['id'] as string).toLowerCase()
  const row = isUuid(id) ? await api.readModels.get(id) : undefined
  if (row?.kind !== proposalKind) throw noProposal(request)
  const proposal = fromRow(row, kindNamed(proposalKind))
  const about = proposal.members['entity'] as Reference
  const definition = kindNamed(about.type)
  const entity = await findRow({ ...request, definition, params: { id: about.id } })
  if (!(await access.holds(access.may('view', about.type), inLifeOf(about, entity)))) throw noProposal(request)
  return { row, proposal, about, definition, entity }
}

type Found = Awaited<ReturnType<typeof mustFind>>

const proposalFacts = ({ row, proposal: { members } }: Found) => ({
  id: row.id,
  base: BigInt(members['base'] as number),
  members: members['members'] as string[],
  proposer: String(members['proposer']),
})

const changeIn = ({ proposal }: Found) => proposal.members['change'] as ProposedChange

/** @throws DomainError `forbidden` */
const mustBeDecider = async (request: CatalogRequest, found: Found): Promise<void> => {
  const { about, entity } = found
  const { proposer } = proposalFacts(found)
  if (proposer === request.actor.name)
    throw forbidden('You made this proposal: somebody else decides on it. You can withdraw it.')
  const may = await makeApprovalCheck(request, entity === undefined ? [] : [entity])
  if (entity === undefined || !may(entity, proposer, changeIn(found)))
    throw forbidden(`Your roles do not allow you to decide on changes of ${about.type} ${about.fullyQualifiedName}.`)
}

/** The same of the entity as it is when that is decided. */
const mustStillDecide =
  (request: CatalogRequest, found: Found) =>
  async (now: Entity): Promise<void> => {
    const entity = toRow(now, found.definition)
    const access = makeAccess(request.api, request.actor)
    if (!(await access.holds(access.may('view', entity.kind), entity))) throw noProposal(request)
    await mustBeDecider({ ...request, access }, { ...found, entity })
  }

const targetOf = ({ about: { type, id } }: Found) => ({ kind: type, id })

const completeAcceptance = async (request: CatalogRequest, found: Found): Promise<bigint | undefined> => {
  const context = { ...contextOf(request), mayChange: undefined }
  const event = await acceptingEvent(context, targetOf(found), proposalFacts(found))
  const follows = event && acceptance(event)
  return follows && (await execute(context, follows)).position
}

const accept = async (request: CatalogRequest): Promise<Answer> => {
  const { patch } = parseBody(acceptBody, request.body ?? {})
  const found = await mustFind(request)
  await mustBeDecider(request, found)
  const { definition, about } = found
  const amendment = patch === undefined ? undefined : patching({ ...request, definition }, patch)
  const proposed = { ...proposalFacts(found), amended: amendment !== undefined }
  const isProposed = (member: string): boolean => amendment === undefined || proposed.members.includes(member)
  const mayChange: Context['mayChange'] = (...change) => mustPermitChange(request, change, isProposed)
  const context = { ...contextOf(request), mayChange }
  const read = (entity: Entity) => amendment?.(entity) ?? readProposed(context, definition, changeIn(found), entity)
  const accepted = { ...proposed, mayDecide: mustStillDecide(request, found) }
  const wanted = acceptProposal(context, { definition, id: about.id, read }, accepted, causeOf(request))
  const result = await execute(context, wanted)
  if (!result.changed)
    throw conflict('The entity already has these values: there is nothing to accept. Refuse the proposal.')
  const position = (await completeAcceptance(request, found)) ?? result.position
  return answerProposal(request, proposed.id, { position })
}

const close = async (request: CatalogRequest, verb: string): Promise<Answer> => {
  const { reason } = parseBody(reasonBody, request.body ?? {})
  const found = await mustFind(request)
  const { name } = request.actor
  const [own] = await request.access.own()
  const { members } = found.proposal
  // Somebody else may have the name now.
  const isMine =
    members['proposer'] === name && referencesIn(members, 'owners').some((one) => incarnationKey(one) === own)
  if (verb === 'refuse') await mustBeDecider(request, found)
  else if (!isMine) throw forbidden('Only its author can withdraw a proposal. You can refuse it.')
  await completeAcceptance(request, found)
  const context = { ...contextOf(request), mayChange: undefined }
  const decided = {
    status: verb === 'refuse' ? 'refused' : 'withdrawn',
    decidedBy: request.actor.name,
    ...(reason !== undefined && { reason }),
  }
  const closed = {
    ...proposalFacts(found),
    definition: kindNamed(proposalKind),
    target: targetOf(found),
    ...(verb === 'refuse' && { mayDecide: mustStillDecide(request, found) }),
  }
  const wanted = closeProposal(context, closed, decided, causeOf(request))
  const { position } = await execute(context, wanted)
  return answerProposal(request, found.row.id, { position })
}

export const proposalRoutes: CatalogRoute[] = [
  route('get', '/v1/proposals', 'list_proposals', {
    tag: 'proposals',
    summary: 'Proposals that the caller can decide on, or has made, newest first',
    permission: 'signedIn',
    parameters: [roleParameter, statusParameter, ...paging],
    answers: ok(
      'One page. It may be shorter than `limit` before the end: the end is where `paging.after` is absent',
      proposalsPage,
    ),
    handle: async (request) => jsonAnswer(await listCallerProposals(request)),
  }),
  route('get', '/v1/proposals/{id}', 'get_proposal', {
    tag: 'proposals',
    summary: 'A proposal',
    permission: 'signedIn',
    parameters: [parameters.id],
    answers: ok('The proposal', proposalSchema),
    handle: async (request) => answerProposal(request, (await mustFind(request)).row.id),
  }),
  decision('accept', 'Accept a proposal: the change is made in my name', acceptBody),
  decision('refuse', 'Refuse a proposal', reasonBody),
  decision('withdraw', 'Withdraw my proposal', reasonBody),
]
