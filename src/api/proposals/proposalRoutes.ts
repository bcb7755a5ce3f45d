import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { callerId, callerReference } from '../../commands/caller.ts'
import { membersDelta } from '../../commands/changes.ts'
import { DomainError, invalid, notFound } from '../../commands/errors.ts'
import { referencesIn, type Entity } from '../../commands/evolve.ts'
import { referenceTo } from '../../commands/lookup.ts'
import { change, type Changes } from '../../commands/requests/change.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { execute } from '../../commands/requests/execute.ts'
import { acceptance, acceptedIn, acceptProposal, closeProposal } from '../../commands/requests/acceptProposal.ts'
import { forDryRun } from '../../commands/unitOfWork/streamQueue.ts'
import { type Members, type Reference, incarnationKey, incarnationOf } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { isUuid } from '../../kinds/names.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { proposalStatuses } from '../../kinds/definitions/proposals.ts'
import { proposalKind } from '../../kinds/registry/kinds.ts'
import { fromRow } from '../../projections/entities/entityRow.ts'
import type { EntityRow } from '../../projections/entities/row.ts'
import type { Json } from '../../shared/json.ts'
import { runInSlices } from '../../shared/yieldToEventLoop.ts'
import type { Api } from '../deps.ts'
import { makePatching } from '../entities/changeRoutes.ts'
import { applyPatch } from '../patch/patch.ts'
import * as parameters from '../entities/parameters.ts'
import { catchUp, findRow, mustBeAllowed, mustFindRow, mustOwn, owns, decider } from '../entities/reads/callerReads.ts'
import { causeOf, contextOf } from '../entities/writeRequest.ts'
import { HttpError } from '../http/problemDetails.ts'
import { parseBody } from '../http/readBody.ts'
import {
  jsonAnswer,
  jsonBody,
  ok,
  queryParameter,
  route,
  type Answer,
  type ApiRequest,
  type Route,
} from '../http/route.ts'
import { listOf, listOfMine, proposalSchema, proposalsPage, shownProposals } from './shownProposals.ts'

const patchText = z
  .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .describe('A merge patch (an object, RFC 7396) or a JSON Patch (a list, RFC 6902), as PATCH takes it')

const comment = z.string().max(10_000).optional()

const proposalBody = z
  .strictObject({ patch: patchText, comment: comment.describe('Why: whoever decides reads it') })
  .meta({ id: 'ProposalRequest', description: 'A change that is proposed.' })

const acceptBody = z
  .strictObject({ patch: patchText.optional() })
  .meta({ id: 'AcceptRequest', description: '`patch`: what is changed instead, of the entity as it is now.' })

const reasonBody = z.strictObject({ reason: comment }).meta({ id: 'ReasonRequest', description: 'Why.' })

const status = queryParameter('status', 'Only those that stand so', z.enum(proposalStatuses))

const paging = parameters.paging(100).filter(({ name }) => name !== 'before')

/** Routes for proposals about entities of a kind. */
export const entityProposalRoutes = (api: Api, definition: KindDefinition): Route[] => [
  ...parameters.entityRoutes(definition, 'propose', '/proposals', {
    method: 'post',
    id: `propose_${definition.name}`,
    summary: `Propose a change of a ${definition.name}`,
    body: jsonBody(proposalBody),
    answers: { 201: { description: 'Proposed', schema: proposalSchema, headers: ['Catalog-Position', 'Location'] } },
    handle: (request) => propose(api, definition, request),
  }),
  ...parameters.entityRoutes(definition, 'view', '/proposals', {
    method: 'get',
    id: `list_proposals_${definition.name}`,
    summary: `Changes that are proposed of a ${definition.name}, newest first`,
    parameters: [status, ...paging],
    answers: ok('One page', proposalsPage),
    handle: async (request) => {
      const row = await mustFindRow(api, definition, request, 'all')
      return jsonAnswer(await listOf(api, request, incarnationOf(row)))
    },
  }),
]

const decision = (api: Api, verb: 'accept' | 'refuse' | 'withdraw', summary: string, body: z.ZodType): Route =>
  route('put', `/v1/proposals/{id}/${verb}`, `${verb}_proposal`, {
    tag: 'proposals',
    summary,
    permission: 'signedIn',
    parameters: [parameters.id],
    body: jsonBody(body, { required: false }),
    answers: ok('The proposal', proposalSchema, ['Catalog-Position']),
    problems: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    handle: (request) => (verb === 'accept' ? accept : close)(api, request, verb),
  })

/** Routes for proposals by the caller, and for the caller to decide. */
export const proposalRoutes = (api: Api): Route[] => [
  route('get', '/v1/proposals', 'list_proposals', {
    tag: 'proposals',
    summary: 'Proposals that I may decide on, or that I made, newest first',
    permission: 'signedIn',
    parameters: [
      queryParameter('role', 'Those to decide on, or those that I made', z.enum(['decide', 'mine']).default('decide')),
      status,
      ...paging,
    ],
    answers: ok(
      'One page. It may be shorter than `limit` before the end: the end is where `paging.after` is absent',
      proposalsPage,
    ),
    handle: async (request) => {
      await catchUp(api, request)
      return jsonAnswer(await listOfMine(api, request))
    },
  }),
  route('get', '/v1/proposals/{id}', 'get_proposal', {
    tag: 'proposals',
    summary: 'A proposal',
    permission: 'signedIn',
    parameters: [parameters.id],
    answers: ok('The proposal', proposalSchema),
    problems: ['NOT_FOUND'],
    handle: async (request) => answerProposal(api, request, (await mustFind(api, request)).row.id),
  }),
  decision(api, 'accept', 'Accept a proposal: the change is made in my name', acceptBody),
  decision(api, 'refuse', 'Refuse a proposal', reasonBody),
  decision(api, 'withdraw', 'Withdraw my proposal', reasonBody),
]

const answerProposal = async (
  api: Api,
  request: ApiRequest,
  id: string,
  more: Partial<Answer> = {},
): Promise<Answer> => {
  const row = (await api.readModels.get(id)) as EntityRow
  const [shown] = await shownProposals(api, request, [row])
  if (shown === undefined) throw noProposal(request)
  return { ...jsonAnswer(shown), ...more }
}

const noProposal = ({ params }: ApiRequest): Error => notFound(`There is no proposal ${params['id']}.`)

/** A name that sorts newest first in lists. */
const newName = (now: number): string =>
  `${(2 ** 48 - now).toString(36).padStart(10, '0')}-${randomBytes(8).toString('hex')}`

/** The change of a PATCH body, based on the entity as the caller sees it. */
const patching = (api: Api, definition: KindDefinition, request: ApiRequest, patch: Json) =>
  makePatching(api, definition, request, (before) =>
    runInSlices(
      applyPatch(before, patch, Array.isArray(patch) ? 'application/json-patch+json' : 'application/merge-patch+json'),
    ),
  )

/** The changes of a patch, by a dry run. @throws DomainError as PATCH does */
const tryOut = async (api: Api, definition: KindDefinition, request: ApiRequest, id: string, patch: Json) => {
  const { read, asSent } = patching(api, definition, request, patch)
  const context = { ...forDryRun(contextOf(api, request)), mayChange: undefined }
  const { before, entity } = await execute(context, change(context, definition, { id, read }, causeOf(request))).catch(
    (error: unknown) => {
      throw asSent(error)
    },
  )
  const { set, unset } = membersDelta(before?.members ?? {}, entity.members)
  const members = [...Object.keys(set), ...unset]
  if (members.length === 0) throw invalid([{ path: '/patch', message: 'changes nothing: the entity is so already' }])
  const personal = members.filter((name) => personalMembers(definition).has(name))
  if (personal.length > 0)
    throw invalid(
      personal.map((name) => ({ path: `/patch/${name}`, message: 'says who somebody is: it is not proposed' })),
    )
  return { before: before as Entity, set, unset, members }
}

const propose = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  const { patch, comment: why } = parseBody(proposalBody, request.body)
  const viewing = mustBeAllowed(api, request, 'view', definition)
  const row = await mustFindRow(api, definition, request, 'non-deleted')
  await mustOwn(api, request, row, viewing)
  const { id } = row
  const { before, set, unset, members } = await tryOut(api, definition, request, id, patch as Json)
  const context = contextOf(api, request)
  const own = callerId(context.caller)
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
  const parsed = { name: newName(Date.now()), values: {}, cleared: [] }
  const kind = api.kindNamed(proposalKind)
  const wanted = write(context, { type: 'Create', definition: kind, parsed, own: values }, causeOf(request))
  const result = await execute(context, { ...wanted, referred: [...(wanted.referred ?? []), own] })
  const headers = {
    'Catalog-Position': String(result.position),
    Location: `${request.baseUrl}/v1/${kind.path}/${result.entity.id}`,
  }
  return answerProposal(api, request, result.entity.id, { status: 201, headers })
}

interface Found {
  readonly row: EntityRow
  readonly proposal: Entity
  readonly about: Reference
  /** The kind of the entity. */
  readonly definition: KindDefinition
  readonly entity: EntityRow | undefined
}

/** @throws DomainError `not_found`, also when the caller may not view the entity */
const mustFind = async (api: Api, request: ApiRequest): Promise<Found> => {
  await catchUp(api, request)
  const id = (request.params['id'] as string).toLowerCase()
  const row = isUuid(id) ? await api.readModels.get(id) : undefined
  if (row?.kind !== proposalKind) throw noProposal(request)
  const proposal = fromRow(row, api.kindNamed(proposalKind))
  const about = proposal.members['entity'] as Reference
  const definition = api.kindNamed(about.type)
  const entity = await findRow(api, definition, { ...request, params: { id: about.id } })
  const sees = api.permits(request.actor, 'view', about.type)
  const seen = sees === 'yes' || (sees === 'ifOwner' && entity !== undefined && (await owns(api, request, entity)))
  if (!seen) throw noProposal(request)
  return { row, proposal, about, definition, entity }
}

/** @throws HttpError FORBIDDEN */
const mustDecide = async (api: Api, request: ApiRequest, { proposal, about, entity }: Found): Promise<void> => {
  const proposer = String(proposal.members['proposer'])
  if (proposer === request.actor.name)
    throw new HttpError('FORBIDDEN', 'You made this proposal: somebody else decides on it. You can withdraw it.')
  const may = await decider(api, request)
  if (entity === undefined || !may(entity, proposer))
    throw new HttpError('FORBIDDEN', `You may not decide on changes of ${about.type} ${about.fullyQualifiedName}.`)
}

const proposedIn = ({ row, proposal: { members } }: Found) => ({
  id: row.id,
  base: BigInt(members['base'] as number),
  members: members['members'] as string[],
  proposer: String(members['proposer']),
})

/** Completes the status of a proposal after its acceptance. */
const followAcceptance = async (api: Api, request: ApiRequest, found: Found): Promise<bigint | undefined> => {
  const context = { ...contextOf(api, request), mayChange: undefined }
  const target = { kind: found.about.type, id: found.about.id }
  const event = await acceptedIn(context, target, proposedIn(found))
  const follows = event && acceptance(context, event)
  return follows && (await execute(context, follows)).position
}

const accept = async (api: Api, request: ApiRequest): Promise<Answer> => {
  const { patch } = parseBody(acceptBody, request.body ?? {})
  const found = await mustFind(api, request)
  await mustDecide(api, request, found)
  const { proposal, definition, about } = found
  const context = contextOf(api, request)
  const { set, unset } = proposal.members['change'] as { set: Members; unset: string[] }
  const amendment = patch === undefined ? undefined : patching(api, definition, request, patch as Json)
  const read = amendment?.read ?? ((): Changes => ({ values: set, cleared: unset, problems: [] }))
  const proposed = { ...proposedIn(found), amended: amendment !== undefined }
  const wanted = acceptProposal(context, definition, { id: about.id, read }, proposed, causeOf(request))
  const result = await execute(context, wanted).catch((error: unknown) => {
    throw amendment?.asSent(error) ?? error
  })
  if (!result.changed)
    throw new DomainError('conflict', 'The entity is so already: there is nothing to accept. Refuse the proposal.')
  const position = (await followAcceptance(api, request, found)) ?? result.position
  return answerProposal(api, request, proposed.id, { headers: { 'Catalog-Position': String(position) } })
}

const close = async (api: Api, request: ApiRequest, verb: string): Promise<Answer> => {
  const { reason } = parseBody(reasonBody, request.body ?? {})
  const found = await mustFind(api, request)
  const isMine = found.proposal.members['proposer'] === request.actor.name
  if (verb === 'refuse') await mustDecide(api, request, found)
  else if (!isMine) throw new HttpError('FORBIDDEN', 'Only who made a proposal withdraws it. You can refuse it.')
  await followAcceptance(api, request, found)
  const context = { ...contextOf(api, request), mayChange: undefined }
  const decided = {
    status: verb === 'refuse' ? 'refused' : 'withdrawn',
    decidedBy: request.actor.name,
    ...(reason !== undefined && { reason }),
  }
  const wanted = closeProposal(api.kindNamed(proposalKind), found.row.id, decided, causeOf(request))
  const { position } = await execute(context, wanted)
  return answerProposal(api, request, found.row.id, { headers: { 'Catalog-Position': String(position) } })
}
