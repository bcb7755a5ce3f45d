import {
  route,
  headerParameter,
  pathParameter,
  ok,
  jsonAnswer,
  noStore,
  type Answer,
  type AnswerDescription,
} from '../http/route.ts'
import { type RecordedEvent, parseStreamName, streamName } from '../../events/events.ts'
import type { Entity } from '../../commands/evolve.ts'
import type { Hierarchy } from '../../commands/lookup.ts'
import { descendantKinds, kinds } from '../../kinds/registry/kinds.ts'
import { isUuid } from '../../kinds/names.ts'
import type { Api, CatalogRequest, CatalogRoute, KindRequest } from '../deps.ts'
import { z } from 'zod'
import type { Context } from '../../commands/caller.ts'
import { notFound } from '../../commands/errors.ts'
import { complete } from '../../commands/requests/execute.ts'
import { commit } from '../../commands/unitOfWork/unitOfWork.ts'
import type { Request, Result } from '../../commands/unitOfWork/request.ts'
import { prefersAsync } from '../http/preconditions.ts'
import { contextOf } from './writeRequest.ts'

/** Event types that descendants follow, by operation. */
const operationOf = { SoftDeleted: 'delete', HardDeleted: 'hardDelete', Restored: 'restore' } as const

const statusAfter = { SoftDeleted: 'deleted', HardDeleted: 'gone', Restored: 'live' } as const

/** A deletion or restore, identified by its event. Its progress is read from the descendants in the read models. */
type OperationEvent = RecordedEvent & { readonly type: keyof typeof operationOf }

const isOperationEvent = (event: RecordedEvent): event is OperationEvent => Object.hasOwn(operationOf, event.type)

/** The id of an operation: stream and revision of its event, so that any process finds it in the log. */
const operationId = ({ kind, id, revision }: Pick<Entity, 'kind' | 'id' | 'revision'>): string =>
  `${streamName(kind, id)}-${revision}`

const findOperation = async (api: Pick<Api, 'log'>, name: string): Promise<OperationEvent | undefined> => {
  const [, stream, revision] = /^([A-Za-z]+-[0-9a-f-]{36})-(\d{1,15})$/.exec(name) ?? []
  if (stream === undefined || revision === undefined) return undefined
  const { kind, id } = parseStreamName(stream)
  if (!isUuid(id) || !kinds.some((definition) => definition.name === kind)) return undefined
  for await (const event of api.log.readStream(stream, { from: BigInt(revision), limit: 1 }))
    return isOperationEvent(event) ? event : undefined
  return undefined
}

/** The status of an operation according to the read models. @param entity as they show it */
const statusOf = async (tree: Hierarchy, turn: OperationEvent, entity: Entity | undefined) => {
  if (entity === undefined || entity.revision < turn.revision) return 'running'
  const deletion = entity.status === 'live' ? entity.restored : entity.deletion
  if (entity.status !== statusAfter[turn.type] || deletion !== turn.data.deletion) return 'superseded'
  if ((await tree.statusMismatches(1, [entity.id])).length > 0) return 'running'
  const isBehind = entity.status === 'live' ? tree.restoresDescendant : tree.hasPendingDescendant
  for (const { name } of descendantKinds(entity.kind)) if (await isBehind(entity, name)) return 'running'
  return 'completed'
}

/** What stands below an entity, of the kinds whose names the caller may see. */
const countBelow = async ({ api, access }: CatalogRequest, entity: Entity | undefined) => {
  const { hierarchy } = api.commands
  const kinds = entity === undefined ? [] : descendantKinds(entity.kind).filter(({ name }) => access.sees(name))
  const counts = await Promise.all(kinds.map(({ name }) => hierarchy.countDescendants(entity as Entity, name)))
  return {
    live: counts.reduce((sum, { live }) => sum + live, 0),
    deleted: counts.reduce((sum, { deleted }) => sum + deleted, 0),
  }
}

/** An operation as an answer: progress and outcome. */
const showOperation = async (request: CatalogRequest, turn: OperationEvent) => {
  const { lookup, hierarchy } = request.api.commands
  const { kind, id } = parseStreamName(turn.stream)
  const { fullyQualifiedName, user, time, correlationId } = turn.metadata
  const entity = (await lookup([id])).get(id)
  const status = await statusOf(hierarchy, turn, entity)
  const name = operationId({ kind, id, revision: turn.revision })
  return {
    id: name,
    operation: operationOf[turn.type],
    status,
    entity: { id, type: kind, fullyQualifiedName },
    below: await countBelow(request, entity),
    user,
    startedAt: time,
    position: String(turn.position),
    correlationId,
    href: `${request.baseUrl}/v1/operations/${name}`,
  }
}

const operationShape = z
  .object({
    id: z.string(),
    operation: z.enum(['delete', 'hardDelete', 'restore']),
    status: z
      .enum(['running', 'completed', 'superseded'])
      .describe(
        'running: events of entities below are missing; superseded: the entity was deleted or restored again since, ' +
          'and the rest follows that',
      ),
    entity: z
      .object({ id: z.uuid(), type: z.string(), fullyQualifiedName: z.string() })
      .describe('What was deleted or restored'),
    below: z
      .object({ live: z.int(), deleted: z.int() })
      .describe(
        'What is below it now, of kinds that the caller may view, as progress: a soft deletion brings live to 0, a ' +
          'hard deletion brings both to 0',
      ),
    user: z.string(),
    startedAt: z.iso.datetime(),
    position: z.string().describe('Log position of its first event'),
    correlationId: z.string().describe('The correlation id of all its events'),
    href: z.string(),
  })
  .meta({ id: 'Operation', description: 'A deletion or restore, with the entities that it affects.' })

export const preferParameter = headerParameter(
  'Prefer',
  '`respond-async` (RFC 7240): 202 as soon as the entity itself is done, while what stands below it follows',
)

export const acceptedAnswer: AnswerDescription = {
  description: 'The entity itself is done; `Location` shows the progress of what is below it',
  schema: operationShape,
  headers: ['Location', 'Preference-Applied', 'Retry-After', 'Catalog-Position'],
}

const retryAfter = '1'

/**
 * Executes a request that may affect many descendants, and waits for them unless the client prefers an early answer.
 */
export const executeCascading = async (
  request: KindRequest,
  wanted: (context: Context) => Request,
  answer: (result: Result) => Answer | Promise<Answer>,
): Promise<Answer> => {
  const context = contextOf(request)
  const result = await commit(context, wanted(context))
  return prefersAsync(request.headers) && result.changed
    ? accepted(request, result)
    : answer(await complete(context, result))
}

/** The answer while descendants are still being processed. */
const accepted = async (request: KindRequest, result: Result): Promise<Answer> => {
  const { api } = request
  await api.commands.waitForPosition(result.position)
  const turn = await findOperation(api, operationId(result.entity))
  if (turn === undefined) throw new Error(`There is no operation ${operationId(result.entity)}.`)
  const shown = await showOperation(request, turn)
  const headers = { Location: shown.href, 'Preference-Applied': 'respond-async', 'Retry-After': retryAfter }
  return jsonAnswer(shown, { status: 202, headers, position: result.position })
}

const readOperation = async (request: CatalogRequest): Promise<Answer> => {
  const { api } = request
  const name = request.params['id'] ?? ''
  const turn = await findOperation(api, name)
  const { user = '', kind = '' } = turn?.metadata ?? {}
  const viewing = request.access.may('view', kind)
  const isTold = viewing === 'yes' || (viewing === 'ifOwner' && user === request.actor.name)
  if (turn === undefined || !isTold) throw notFound(`There is no operation ${name}.`)
  const shown = await showOperation(request, turn)
  const again = shown.status === 'running' ? { 'Retry-After': retryAfter } : {}
  return jsonAnswer(shown, { headers: { ...noStore, ...again } })
}

export const operationRoutes: CatalogRoute[] = [
  route('get', '/v1/operations/{id}', 'read_operation', {
    summary: 'The progress of a deletion or restore',
    description:
      'What `Location` of a 202 names. It is worked out from the log and from what the read models show: every ' +
      'process can tell it, at any time, also after a restart.',
    tag: 'operations',
    permission: 'signedIn',
    parameters: [pathParameter('id', 'As `Location` names it')],
    answers: ok('Progress and outcome', operationShape, ['Retry-After']),
    handle: readOperation,
  }),
]
