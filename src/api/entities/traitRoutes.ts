import { z } from 'zod'
import { invalid, notFound } from '../../commands/errors.ts'
import { principalReference } from '../../commands/principals.ts'
import { submitCommand } from '../../commands/submit.ts'
import { referenceTo } from '../../commands/lookup.ts'
import { candidateIds } from '../../commands/context.ts'
import { referencesIn } from '../../commands/evolve.ts'
import type { Command } from '../../commands/decide.ts'
import type { Reference, Vote } from '../../events/events.ts'
import type { Json } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition, Problem, ReferenceInput } from '../../kinds/defineKind.ts'
import { assetKinds, principalKind } from '../../kinds/index.ts'
import { pagingShape } from '../../kinds/request/openApiSchemas.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { entitySchema } from '../../kinds/request/requestSchema.ts'
import { isUuid } from '../../kinds/names.ts'
import { parseBody } from '../http/body/parseBody.ts'
import { toShownRow } from '../../projections/entities/entityRow.ts'
import type { Api } from '../deps.ts'
import type { Principals } from './kindRoutes.ts'
import { makeCursor, readPage } from './paging.ts'
import * as parameters from './parameters.ts'
import { referenceText } from './present.ts'
import { answerRow, catchUp, causeOf, mustFindEntity, preconditionOf } from './reading.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'

const uuidText = z.uuid()
const voteBody = z
  .strictObject({ updatedVoteType: z.enum(['votedUp', 'votedDown', 'unVoted']) })
  .meta({ id: 'VoteRequest', description: 'The vote that the caller has from now on.' })

/** Members of an answer's reference that say nothing about which entity is meant. */
const toldOnly = {
  name: z.string().optional(),
  displayName: z.string().optional(),
  description: z.string().optional(),
  deleted: z.boolean().optional(),
  href: z.string().optional(),
}

const assetsPage = z
  .object({ data: z.array(entityReference), paging: pagingShape })
  .meta({ id: 'AssetList', description: 'One page of the assets of a data product.' })

const assetBody = z
  .strictObject({
    assets: z
      .array(
        z.strictObject({
          id: z.uuid().optional(),
          type: z.string(),
          fullyQualifiedName: z.string().optional(),
          ...toldOnly,
        }),
      )
      .max(limits.references.value),
  })
  .meta({ id: 'AssetsRequest', description: 'Assets that are added or taken out.' })

/** Followers, votes, assets and ports, for the kinds that have them. */
export const traitRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] => [
  ...(definition.traits.followers ? followerRoutes(api, principals, definition) : []),
  ...(definition.traits.votes ? [voteRoute(api, principals, definition)] : []),
  ...(definition.traits.assets ? assetRoutes(api, principals, definition) : []),
]

const run = async (
  api: Api,
  principals: Principals,
  definition: KindDefinition,
  request: ApiRequest,
  makeCommand: (caller: Reference) => Promise<Command> | Command,
): Promise<Answer> => {
  const entity = await mustFindEntity(api, definition, request, 'non-deleted')
  const cause = causeOf(request)
  const command = await makeCommand(principalReference(api.kindNamed(principalKind), request.actor.name))
  const result = await submitCommand(api.commands, definition, entity, command, cause, preconditionOf(request))
  await principals(cause, 'look')
  const lists = definition.traits.followers ? ['followers'] : []
  return answerRow(api, request, toShownRow(result.entity, definition), { position: result.position, lists })
}

const mustBeUser = async (api: Api, id: string, caller: Reference, include: 'live' | 'any'): Promise<Reference> => {
  if (id.toLowerCase() === caller.id) return caller
  const user = isUuid(id) ? (await api.commands.lookup([id.toLowerCase()])).get(id.toLowerCase()) : undefined
  const isThere = user !== undefined && (user.status === 'live' || (include === 'any' && user.status === 'deleted'))
  if (!isThere || user.kind !== principalKind) throw notFound(`There is no ${principalKind} ${id}.`)
  return referenceTo(user)
}

const formType = 'application/x-www-form-urlencoded'

/** The body of a follow: the UUID as a JSON string, as it is, or as a form that is just that. */
const followerId = ({ body, contentType }: ApiRequest): string => {
  const text = (body as Buffer).toString().trim()
  const [said = ''] = contentType === formType ? new URLSearchParams(text).keys() : [text]
  const id = /^"(.*)"$/.exec(said)?.[1] ?? said
  if (isUuid(id)) return id
  throw invalid([{ path: '', message: 'the body must be the UUID of the user, as a string' }])
}

const followerRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] => {
  const kind = definition.name
  const path = `/v1/${definition.path}/{id}/followers`
  const answers = {
    200: {
      description: 'The entity with its followers',
      schema: entitySchema(definition),
      headers: parameters.written,
    },
  }
  const permission = { operation: 'follow', kind } as const
  return [
    {
      method: 'put',
      path,
      id: `follow_${kind}`,
      summary: `Add a follower to a ${kind}`,
      tag: definition.path,
      permission,
      parameters: [parameters.id, parameters.ifMatch],
      answers,
      body: {
        contentTypes: ['application/json', 'text/plain', formType],
        limit: limits.body.value,
        schema: uuidText,
        required: true,
        raw: true,
      },
      handle: (request) => {
        const id = followerId(request)
        return run(api, principals, definition, request, async (caller) => ({
          type: 'Follow',
          user: await mustBeUser(api, id, caller, 'live'),
        }))
      },
    },
    {
      method: 'delete',
      path: `${path}/{userId}`,
      id: `unfollow_${kind}`,
      summary: `Remove a follower from a ${kind}`,
      tag: definition.path,
      permission,
      answers,
      parameters: [
        parameters.id,
        { name: 'userId', in: 'path', required: true, description: 'UUID of the user', schema: uuidText },
        parameters.ifMatch,
      ],
      handle: (request) =>
        run(api, principals, definition, request, async (caller) => ({
          type: 'Unfollow',
          user: await mustBeUser(api, request.params['userId'] as string, caller, 'any'),
        })),
    },
  ]
}

const voteRoute = (api: Api, principals: Principals, definition: KindDefinition): Route => ({
  method: 'put',
  path: `/v1/${definition.path}/{id}/vote`,
  id: `vote_${definition.name}`,
  summary: `Vote on a ${definition.name}`,
  tag: definition.path,
  permission: { operation: 'vote', kind: definition.name },
  parameters: [parameters.id, parameters.ifMatch],
  body: { contentTypes: ['application/json'], limit: limits.body.value, schema: voteBody, required: true },
  answers: {
    200: { description: 'The entity with its votes', schema: entitySchema(definition), headers: parameters.written },
  },
  handle: (request) => {
    const vote = parseBody(voteBody, request.body).updatedVoteType satisfies Vote
    return run(api, principals, definition, request, (user) => ({ type: 'Vote', user, vote }))
  },
})

type AssetCommand = (assets: Reference[]) => Command

const assetVerbs: readonly { path: string; add: AssetCommand; remove: AssetCommand }[] = [
  {
    path: 'assets',
    add: (assets) => ({ type: 'AddAssets', assets }),
    remove: (assets) => ({ type: 'RemoveAssets', assets }),
  },
  {
    path: 'inputPorts',
    add: (ports) => ({ type: 'AddPorts', direction: 'input', ports }),
    remove: (ports) => ({ type: 'RemovePorts', direction: 'input', ports }),
  },
  {
    path: 'outputPorts',
    add: (ports) => ({ type: 'AddPorts', direction: 'output', ports }),
    remove: (ports) => ({ type: 'RemovePorts', direction: 'output', ports }),
  },
]

const assetRoutes = (api: Api, principals: Principals, definition: KindDefinition): Route[] => [
  ...assetVerbs.flatMap((verb) =>
    (['add', 'remove'] as const).map((what): Route => ({
      method: 'put',
      path: `/v1/${definition.path}/{id}/${verb.path}/${what}`,
      id: `${what}_${verb.path}_${definition.name}`,
      summary: `${what === 'add' ? 'Add' : 'Remove'} ${verb.path} of a ${definition.name}`,
      tag: definition.path,
      permission: { operation: 'edit', kind: definition.name },
      parameters: [parameters.id, parameters.ifMatch],
      body: { contentTypes: ['application/json'], limit: limits.body.value, schema: assetBody, required: true },
      answers: { 200: { description: 'The entity', schema: entitySchema(definition), headers: parameters.written } },
      handle: (request) => {
        const { assets } = parseBody(assetBody, request.body)
        return run(api, principals, definition, request, async () => verb[what](await findAssets(api, assets)))
      },
    })),
  ),
  {
    method: 'get',
    path: `/v1/${definition.path}/{id}/assets`,
    id: `list_assets_${definition.name}`,
    summary: `The assets of a ${definition.name}`,
    tag: definition.path,
    permission: { operation: 'view', kind: definition.name },
    parameters: [parameters.id, ...parameters.paging(1000)],
    answers: {
      200: {
        description: 'One page of references',
        schema: assetsPage,
      },
    },
    handle: (request) => listAssets(api, definition, request),
  },
]

/** Malformed references are 400, missing ones 404; either way nothing is done. */
const findAssets = async (
  api: Api,
  inputs: readonly { id?: string | undefined; type: string; fullyQualifiedName?: string | undefined }[],
): Promise<Reference[]> => {
  const malformed = inputs.flatMap((input, index): Problem[] => {
    if (!assetKinds.includes(input.type))
      return [{ path: `/assets/${index}/type`, message: `must be one of ${assetKinds.join(', ')}` }]
    if (input.id === undefined && input.fullyQualifiedName === undefined)
      return [{ path: `/assets/${index}/id`, message: 'is required' }]
    return []
  })
  if (malformed.length > 0) throw invalid(malformed)
  const candidates = inputs.map((input) => candidateIds(input as ReferenceInput, [input.type], api.kindNamed))
  const found = await api.commands.lookup(candidates.flat())
  const missing: Problem[] = []
  const assets = inputs.flatMap((input, index) => {
    const entity = candidates[index]
      ?.map((id) => found.get(id))
      .find((known) => known !== undefined && known.status !== 'gone' && known.kind === input.type)
    if (entity === undefined)
      missing.push({
        path: `/assets/${index}`,
        message: `there is no ${input.type} ${input.id ?? input.fullyQualifiedName}`,
      })
    return entity === undefined ? [] : [referenceTo(entity)]
  })
  if (missing.length > 0) throw notFound(missing.map(({ path, message }) => `${path}: ${message}`).join('; '))
  return assets
}

const listAssets = async (api: Api, definition: KindDefinition, request: ApiRequest): Promise<Answer> => {
  await catchUp(api, request)
  const entity = await mustFindEntity(api, definition, request, 'non-deleted')
  const scope = `${entity.id} assets`
  const { limit, after, before } = readPage(request.query, scope, 1000)
  const rows = await api.readModels.getReferences(referencesIn(entity.members, 'assets').map((asset) => asset.id))
  const assets = referencesIn(entity.members, 'assets')
    .filter((asset) => (rows.get(asset.id)?.status ?? 'gone') !== 'gone')
    .toSorted((a, b) => compare(a, b))
  const at = before ?? after
  const place = at === undefined ? 0 : assets.findIndex((asset) => compare(asset, at) >= 0)
  const next = place === -1 ? assets.length : place
  const start =
    before !== undefined
      ? Math.max(0, next - limit)
      : next + (after !== undefined && assets[next]?.id === after.id ? 1 : 0)
  const page = assets.slice(start, before !== undefined ? next : start + limit)
  const first = page[0]
  const last = page.at(-1)
  const data = page.map((asset) => JSON.parse(referenceText(rows.get(asset.id) as never)) as Json)
  const paging = {
    total: assets.length,
    ...(first && start > 0 && { before: makeCursor(first, scope) }),
    ...(last && start + page.length < assets.length && { after: makeCursor(last, scope) }),
  }
  return { status: 200, body: { json: { data, paging } } }
}

const compare = (
  a: Pick<Reference, 'fullyQualifiedName' | 'id'>,
  b: Pick<Reference, 'fullyQualifiedName' | 'id'>,
): number => {
  const order = Buffer.compare(Buffer.from(a.fullyQualifiedName), Buffer.from(b.fullyQualifiedName))
  return order !== 0 ? order : a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
