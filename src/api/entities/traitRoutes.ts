import { pathParameter, queryParameter, jsonBody, ok, jsonAnswer, type Answer, type ApiRequest } from '../http/route.ts'
import { z } from 'zod'
import { forbidden, invalidAt } from '../../commands/errors.ts'
import { execute } from '../../commands/requests/execute.ts'
import { forget, lives } from '../../commands/requests/forget.ts'
import {
  confirm,
  follow,
  editList,
  verbRequest,
  vote,
  type KindReference,
  type Verb,
} from '../../commands/requests/verbRequest.ts'
import { incarnationKey, voteTypes, type Reference, type Vote } from '../../events/events.ts'
import type { JsonObject } from '../../shared/json.ts'
import { compareKeys } from '../../projections/entities/page.ts'
import { limits } from '../../shared/limits.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { assetKinds, principalKind } from '../../kinds/registry/kinds.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { pagingShape } from '../../kinds/request/openApiSchemas.ts'
import { entityReference } from '../../kinds/members/shapes.ts'
import { isUuid } from '../../kinds/names.ts'
import { parseBody } from '../http/readBody.ts'
import type { KindRequest, KindRoute } from '../deps.ts'
import { listKey, pagingOf, readPage, readParameter } from '../http/queryParameters.ts'
import * as parameters from './parameters.ts'
import { asOfPosition, readListMoment } from './reads/moment.ts'
import { referenceText } from './answers/masking.ts'
import { referencesByIncarnation } from './answers/present.ts'
import { userId } from '../../commands/caller.ts'
import { mustFindRow, findAddressed } from './reads/addressed.ts'
import { answerResult, causeOf, contextOf, preconditionOf } from './writeRequest.ts'

const uuidText = z.uuid()
const voteBody = z
  .strictObject({ updatedVoteType: z.enum(voteTypes) })
  .meta({ id: 'VoteRequest', description: 'The new vote of the caller.' })

const confirmBody = z
  .strictObject({ confirmBy: z.iso.date().optional().describe('The day by which it is to be confirmed again') })
  .meta({ id: 'ConfirmRequest', description: 'Confirms that the entity is still right.' })

/** Members of a reference that do not identify the entity. */
const descriptiveMembers = {
  name: z.string().optional(),
  displayName: z.string().optional(),
  description: z.string().optional(),
  deleted: z.boolean().optional(),
  href: z.string().optional(),
}

const assetsPage = z
  .object({ data: z.array(entityReference), paging: pagingShape })
  .meta({ id: 'AssetList', description: 'One page of the assets of a data product.' })

const assetInput = z
  .strictObject({
    id: z.uuid().optional(),
    type: z.string().refine((kind) => assetKinds.includes(kind), `must be one of ${assetKinds.join(', ')}`),
    fullyQualifiedName: z.string().optional(),
    ...descriptiveMembers,
  })
  .refine(({ id, fullyQualifiedName = id }) => fullyQualifiedName !== undefined, { path: ['id'], error: 'is required' })

const assetBody = z
  .strictObject({ assets: z.array(assetInput).max(limits.references.value) })
  .meta({ id: 'AssetsRequest', description: 'Assets to add or remove.' })

/** Routes for followers, votes, confirmations, assets, ports and forgetting. */
export const traitRoutes = (definition: KindDefinition): KindRoute[] => [
  ...(definition.traits.followers ? followerRoutes(definition) : []),
  ...(definition.traits.votes ? [voteRoute(definition)] : []),
  confirmRoute(definition),
  ...(definition.traits.assets ? assetRoutes(definition) : []),
  ...forgetRoutes(definition),
]

export const executeVerb = async (
  request: KindRequest,
  make: (context: ReturnType<typeof contextOf>, to: Pick<Verb, 'definition' | 'id'>) => Verb,
): Promise<Answer> => {
  const { definition } = request
  const { id } = await mustFindRow(request, 'non-deleted')
  const context = contextOf(request)
  const wanted = verbRequest(make(context, { definition, id }), causeOf(request), preconditionOf(request))
  const result = await execute(context, wanted)
  return answerResult(request, result, new Set(definition.traits.followers ? ['followers'] : []))
}

const formType = 'application/x-www-form-urlencoded'

/** What somebody follows fills an inbox. @throws DomainError `forbidden` for others without the right to edit them */
const mustDecideFor = async (request: KindRequest, user: string): Promise<string> => {
  const { api, actor, access } = request
  const id = api.commands.secretCodec.revealId(user.toLowerCase())
  const permission = access.may('edit', principalKind)
  const row = permission === 'ifOwner' ? await api.readModels.get(id) : undefined
  if (id === userId(actor.name) || (await access.holds(permission, row))) return user
  throw forbidden(`You may follow for yourself: for others your roles do not allow edit on ${principalKind}.`)
}

/** Reads the body of a follow: the UUID as a JSON string, bare, or as a form with only that. */
const followerId = ({ body, contentType }: ApiRequest): string => {
  const text = (body as Buffer).toString().trim()
  const [said = ''] = contentType === formType ? new URLSearchParams(text).keys() : [text]
  const id = /^"(.*)"$/.exec(said)?.[1] ?? said
  if (isUuid(id)) return id
  throw invalidAt('', 'the body must be the UUID of the user, as a string')
}

const followerRoutes = (definition: KindDefinition): KindRoute[] => {
  const path = '/{id}/followers'
  const answers = parameters.entityAnswers(definition, 'The entity with its followers')
  return [
    parameters.kindRoute(definition, 'follow', `put ${path}`, `follow_${definition.name}`, {
      summary: `Add a follower to a ${definition.name}`,
      parameters: [parameters.id, parameters.ifMatchHeader],
      answers,
      body: jsonBody(uuidText, { contentTypes: ['application/json', 'text/plain', formType], raw: true }),
      handle: async (request) => {
        const user = await mustDecideFor(request, followerId(request))
        return executeVerb(request, (context, to) => follow(context, to, 'Add', user))
      },
    }),
    parameters.kindRoute(definition, 'follow', `delete ${path}/{userId}`, `unfollow_${definition.name}`, {
      summary: `Remove a follower from a ${definition.name}`,
      answers,
      parameters: [parameters.id, pathParameter('userId', 'UUID of the user', uuidText), parameters.ifMatchHeader],
      handle: async (request) => {
        const user = await mustDecideFor(request, request.params['userId'] as string)
        return executeVerb(request, (context, to) => follow(context, to, 'Remove', user))
      },
    }),
  ]
}

const voteRoute = (definition: KindDefinition): KindRoute =>
  parameters.kindRoute(definition, 'vote', 'put /{id}/vote', `vote_${definition.name}`, {
    summary: `Vote on a ${definition.name}`,
    parameters: [parameters.id, parameters.ifMatchHeader],
    body: jsonBody(voteBody),
    answers: parameters.entityAnswers(definition, 'The entity with its votes'),
    handle: (request) => {
      const wanted = parseBody(voteBody, request.body).updatedVoteType satisfies Vote
      return executeVerb(request, (context, to) => vote(context, to, wanted))
    },
  })

const confirmRoute = (definition: KindDefinition): KindRoute =>
  parameters.kindRoute(definition, 'approve', 'put /{id}/confirm', `confirm_${definition.name}`, {
    summary: `Confirm that a ${definition.name} is still right`,
    parameters: [parameters.id, parameters.ifMatchHeader],
    body: jsonBody(confirmBody),
    answers: parameters.entityAnswers(definition, 'The entity: confirmed says who and when, and it is no longer due'),
    handle: (request) => {
      const { confirmBy } = parseBody(confirmBody, request.body)
      return executeVerb(request, (context, to) => confirm(context, to, confirmBy))
    },
  })

const assetRoutes = (definition: KindDefinition): KindRoute[] => [
  ...(['assets', 'inputPorts', 'outputPorts'] as const).flatMap((list) =>
    (['add', 'remove'] as const).map((what): KindRoute =>
      parameters.kindRoute(definition, 'edit', `put /{id}/${list}/${what}`, `${what}_${list}_${definition.name}`, {
        summary: `${what === 'add' ? 'Add' : 'Remove'} ${list} of a ${definition.name}`,
        parameters: [parameters.id, parameters.ifMatchHeader],
        body: jsonBody(assetBody),
        answers: parameters.entityAnswers(definition, 'The entity'),
        handle: (request) => {
          const { assets } = parseBody(assetBody, request.body)
          const type = what === 'add' ? 'Add' : 'Remove'
          return executeVerb(request, (context, to) => editList(context, to, assets as KindReference[], { type, list }))
        },
      }),
    ),
  ),
  parameters.kindRoute(definition, 'view', 'get /{id}/assets', `list_assets_${definition.name}`, {
    summary: `The assets of a ${definition.name}`,
    parameters: [parameters.id, ...parameters.paging(1000), parameters.asOfMoment, parameters.snapshot],
    answers: ok('One page of references', assetsPage),
    handle: listAssets,
  }),
]

const listAssets = async (request: KindRequest): Promise<Answer> => {
  const { limit, after, before, cursorAt } = readPage(request, listKey)
  const position = (await readListMoment(request, { after, before }))?.position
  const shown = await findAddressed(request, {
    include: 'non-deleted',
    asOf: asOfPosition(position),
  })
  const { assets: all = [] } = JSON.parse(shown.row.references) as { assets?: Reference[] }
  const rows = await referencesByIncarnation(
    all.map(({ id }) => id),
    { ...shown, sees: request.access.sees },
  )
  // In the order of what is shown: a cursor has the key of an asset, which must tell no hidden name.
  const assets = all
    .flatMap((asset) => rows.get(incarnationKey(asset)) ?? [])
    .map((row) => JSON.parse(referenceText(row)) as Reference & JsonObject)
    .toSorted(compareKeys)
  const inside = assets.filter(
    (asset) => (!after || compareKeys(asset, after) > 0) && (!before || compareKeys(asset, before) < 0),
  )
  const page = before ? inside.slice(Math.max(0, inside.length - limit)) : inside.slice(0, limit)
  const [hasBefore, hasAfter] = [page[0] !== assets[0], page.at(-1) !== assets.at(-1)]
  const ends = { total: assets.length, rows: page, hasBefore, hasAfter }
  return jsonAnswer({ data: page, paging: pagingOf(ends, cursorAt, position) })
}

const forgottenSchema = z
  .object({
    id: z.uuid(),
    fullyQualifiedName: z.string(),
    erased: z.array(z.string()).describe('Names of the members that are erased, now and in the past'),
  })
  .meta({ id: 'Forgotten', description: 'What was erased of an entity' })

const livesParameter = queryParameter(
  'lives',
  'Whose data, where somebody has the name now and others had it before. Without it, that is a 409',
  z.enum(lives),
)

/** Erases personal values, for kinds with personal members. */
const forgetRoutes = (definition: KindDefinition): KindRoute[] => {
  const members = [...personalMembers(definition)]
  if (members.length === 0) return []
  return [
    parameters.kindRoute(definition, 'forget', 'post /{id}/forget', `forget_${definition.name}`, {
      summary: `Erase the personal data of a ${definition.name}, now and in the whole history`,
      description:
        `Of ${members.join(', ')} nothing can be read any more, in no version and no event: the keys are ` +
        'destroyed that they are sealed with. What versions up to 0.2.0 wrote in plain text reads as erased too, ' +
        'but stays in the log itself, and so in its backups, audit exports, `catalog replay` and audit/preimage. ' +
        'The name stays, and an event tells who did it and when. It cannot be undone. What was deleted, also for ' +
        'good, can be forgotten too. If the keys cannot be destroyed yet, that is a 503: it is tried again, and the ' +
        'same request is 200 once it is done.',
      parameters: [parameters.id, livesParameter],
      answers: ok('Erased', forgottenSchema, ['Catalog-Position']),
      handle: (request) => erase(request, members),
    }),
  ]
}

const erase = async (request: KindRequest, erased: readonly string[]): Promise<Answer> => {
  const id = request.params['id'] as string
  // Only an existing entity has owners.
  if (request.permission === 'ifOwner') await mustFindRow(request, 'all')
  const { entity, position } = await forget(
    contextOf(request),
    { definition: request.definition, id: id.toLowerCase(), lives: readParameter(request.query, livesParameter) },
    causeOf(request),
    preconditionOf(request),
  )
  return jsonAnswer({ id: entity.id, fullyQualifiedName: entity.fullyQualifiedName, erased: [...erased] }, { position })
}
