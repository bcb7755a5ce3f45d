import { route, pathParameter, queryFlag, ok, jsonAnswer, type Answer, type Actor } from '../http/route.ts'
import { z } from 'zod'
import { notFound } from '../../commands/errors.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { activityEntry, activityPage, activityPaging } from '../feed/activityRoutes.ts'
import { revertRequest } from './revertRequest.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { orderedUuid } from '../../shared/uuids.ts'
import type { Sessions } from '../auth/sessions.ts'
import { badHeader } from '../http/problemDetails.ts'

const correlationId = pathParameter('correlationId', 'As answers have it in X-Request-ID, and events in correlationId')

const reverted = z
  .object({
    entity: z.object({ id: z.uuid(), type: z.string(), fullyQualifiedName: z.string() }),
    undo: z
      .enum(['change', 'delete', 'restore', 'none'])
      .describe('How it is undone; none if nothing must or can be done'),
    outcome: z
      .enum(['reverted', 'unchanged', 'conflict', 'refused'])
      .describe('conflict: somebody has changed it since; refused: not permitted, or not possible'),
    changed: z.array(z.string()).describe('Members that the request changed'),
    version: z.number().optional().describe('Version of the entity after it'),
    code: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'RevertedEntity', description: 'The outcome for one entity of a request that is undone' })

const revertAnswer = z
  .object({
    correlationId: z.string(),
    dryRun: z.boolean(),
    status: z.enum(['success', 'partialSuccess', 'failure']),
    data: z.array(reverted),
  })
  .meta({ id: 'RevertedRequest', description: 'The outcome for each entity, or with dryRun a preview' })

const readRequest = async (request: CatalogRequest): Promise<Answer> => {
  const id = request.params['correlationId'] ?? ''
  const { text, isEmpty } = await activityPage(request, id)
  if (isEmpty) throw notFound(`No request ${id} has done anything that you may see.`)
  return { status: 200, body: `{"correlationId":${JSON.stringify(id)},${text}}` }
}

/** Seconds during which calls can join a request. */
const length = 24 * 60 * 60

const header = 'catalog-request'

const joined = z.object({ request: z.string(), user: z.string() })

/** Finds the joint request of a `Catalog-Request` header. @throws HttpError if it belongs to another caller */
export const makeJointRequests =
  ({ verify }: Pick<Sessions, 'verify'>) =>
  ({ name }: Actor, headers: IncomingHttpHeaders): string | undefined => {
    const given = headers[header]
    if (given === undefined) return undefined
    const joint = verify('request', joined, String(given))
    if (joint?.user === name) return joint.request
    throw badHeader(header, 'must be a token that POST /v1/requests gave you in the last 24 hours.')
  }

const opened = z
  .object({
    correlationId: z.uuid(),
    token: z.string().describe('To be sent with each call, as `Catalog-Request`'),
    until: z.iso.datetime(),
  })
  .meta({ id: 'OpenRequest', description: 'A request that consists of several calls.' })

export const requestRoutes: CatalogRoute[] = [
  route('post', '/v1/requests', 'openRequest', {
    summary: 'Open a request that consists of several calls, such as a run of a loader',
    description:
      'Everything that calls with its token in `Catalog-Request` write is one request, listed and undone as one. Only ' +
      'the user who opened it can use the token. Nothing is stored until the first write.',
    tag: 'requests',
    permission: 'signedIn',
    answers: { 201: { description: 'The request', schema: opened } },
    handle: async ({ api, actor }) => {
      const correlationId = orderedUuid()
      const token = api.sessions.sign('request', { request: correlationId, user: actor.name }, length)
      const until = new Date(Date.now() + length * 1000).toISOString()
      return jsonAnswer({ correlationId, token, until }, { status: 201 })
    },
  }),
  route('get', '/v1/requests/{correlationId}', 'readRequest', {
    summary: 'Everything that a request did, in order, including all entities of a bulk or recursive request',
    tag: 'requests',
    permission: { operation: 'history' },
    parameters: [correlationId, ...activityPaging],
    answers: ok(
      'One page, the oldest first; the end is where `paging.after` is absent',
      z
        .object({
          correlationId: z.string(),
          data: z.array(activityEntry),
          paging: z.object({ after: z.string().optional() }),
        })
        .meta({ id: 'RequestActivity' }),
    ),
    handle: readRequest,
  }),
  route('post', '/v1/requests/{correlationId}/revert', 'revertRequest', {
    summary: 'Undo everything that a request did',
    description:
      'Members that it changed become what they were, what it created is deleted (and can be restored), what it ' +
      'deleted is restored, and what it restored is deleted. ' +
      'Members that others have changed since, or between its events, are conflicts; other changes stay. With a ' +
      'conflict nothing is undone (409, each named) unless `skipConflicts` leaves those out; what was written before ' +
      'others made one is taken back. ' +
      'The caller needs for each entity what the single change, deletion, restore, acceptance or confirmation needs, ' +
      'and `history` unless it is a request of the caller. It is a request of its own, and can be undone like any other.',
    tag: 'requests',
    permission: 'signedIn',
    bulkhead: 'revert',
    parameters: [
      correlationId,
      queryFlag('dryRun', 'Answers what would become of each entity, with 200, and writes nothing'),
      queryFlag('skipConflicts', 'Undoes what can be undone, and leaves out the rest'),
    ],
    answers: ok('What became of each entity', revertAnswer, ['Catalog-Position']),
    handle: revertRequest,
  }),
]
