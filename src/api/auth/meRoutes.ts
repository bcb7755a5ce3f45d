import { route, ok, operations, type Answer, type Operation } from '../http/route.ts'
import { z } from 'zod'
import { kinds, principalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import type { CatalogRequest, CatalogRoute } from '../deps.ts'
import { referenceText } from '../entities/answers/entityText.ts'
import { everything, seenRow } from '../entities/answers/shape.ts'
import { type Sessions, mustBePerson } from './sessions.ts'

const permission = z.enum(['yes', 'no', 'ifOwner'])
const permissions = z.object(
  Object.fromEntries(operations.map((operation) => [operation, permission])) as Record<Operation, typeof permission>,
)

const meAnswer = z
  .object({
    id: z.uuid().describe('Id of the user entity of the caller, which is created with the first write'),
    name: z.string(),
    roles: z.array(z.string()),
    user: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Reference to the user entity of the caller, which is created with the first write'),
    until: z.iso.datetime().optional().describe('When the token or the session ends'),
    may: permissions.describe('Permissions on at least one kind'),
    kinds: z
      .record(z.string(), permissions)
      .describe('Permissions on each kind; ifOwner: only on entities that the caller owns'),
  })
  .meta({ id: 'Me' })

/** The caller with permissions, and tickets for streams that cannot send headers. */
export const meRoutes = (sessions: Pick<Sessions, 'ticketFor'>): CatalogRoute[] => [
  route('get', '/v1/me', 'read_me', {
    summary: 'The caller, with all permissions',
    tag: 'session',
    permission: 'signedIn',
    answers: ok('The caller', meAnswer),
    handle: readMe,
  }),
  route('post', '/v1/events/ticket', 'make_ticket', {
    summary: 'A ticket, valid for a minute, that opens an event stream for clients that cannot send headers',
    tag: 'events',
    permission: { operation: 'feed' },
    answers: ok(
      'Goes into `ticket` of the stream',
      z.object({ ticket: z.string(), until: z.iso.datetime() }).meta({ id: 'Ticket' }),
    ),
    handle: async ({ actor }) => {
      mustBePerson(actor, 'A program sends its token in the header: it gets no ticket.')
      const { ticket, until } = await sessions.ticketFor(actor)
      return {
        status: 200,
        headers: { 'Cache-Control': 'no-store' },
        body: { json: { ticket, until: new Date(until).toISOString() } },
      }
    },
  }),
]

const readMe = async ({ api, actor }: CatalogRequest): Promise<Answer> => {
  const permitted = (kind?: string): JsonObject =>
    Object.fromEntries(operations.map((operation) => [operation, api.permits(actor, operation, kind)]))
  const id = entityId(principalKind, buildFqn([actor.name]))
  const row = await api.readModels.get(id)
  const user = row?.status === 'live' ? { user: JSON.parse(referenceText(seenRow(row, everything))) as Json } : {}
  const json: JsonObject = {
    id,
    name: actor.name,
    roles: [...actor.roles],
    ...user,
    ...(actor.until !== undefined && { until: new Date(actor.until).toISOString() }),
    may: permitted(),
    kinds: Object.fromEntries(kinds.map(({ name }) => [name, permitted(name)])),
  }
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { json } }
}
