import { z } from 'zod'
import { DomainError, invalid } from '../../commands/errors.ts'
import { execute } from '../../commands/execute.ts'
import { rewrite } from '../../commands/requests/createOrUpdate.ts'
import type { Members } from '../../events/events.ts'
import { principalKind } from '../../kinds/index.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import { parseRequest } from '../../kinds/request/requestSchema.ts'
import type { Api } from '../deps.ts'
import { lifeIn } from '../entities/reads/owners.ts'
import { causeOf, contextOf } from '../entities/writeRequest.ts'
import type { Answer, ApiRequest, Route } from '../http/route.ts'
import type { Sessions } from './sessions.ts'

/**
 * Names the sessions of a user that hold: those that begin now. Another series begins when all sessions are ended, and
 * with the user's deletion.
 */
export const currentSeries = async ({ readModels }: Pick<Api, 'readModels'>, name: string): Promise<string> => {
  const id = entityId(principalKind, buildFqn([name]))
  const row = await readModels.get(id)
  const life = lifeIn(id, row)
  if (row === undefined || row.status === 'gone') return life
  const { sessionsEndedAt } = JSON.parse(row.shownAlways) as Members
  return row.status === 'live' && sessionsEndedAt === undefined ? life : `${life} ${row.status} ${sessionsEndedAt}`
}

const shared = {
  method: 'delete',
  tag: 'session',
  answers: { 204: { description: 'Ended', headers: ['Catalog-Position'] } },
} as const

/** Sessions can be ended for good, whoever has their cookies. */
export const sessionSeriesRoutes = (api: Api, sessions: Pick<Sessions, 'forget'>): Route[] => [
  {
    ...shared,
    path: '/v1/sessions',
    id: 'end_my_sessions',
    summary: 'Sign out everywhere: all of my sessions end',
    permission: 'signedIn',
    handle: (request) => endSessions(api, sessions, request, request.actor.name),
  },
  {
    ...shared,
    path: '/v1/sessions/{name}',
    id: 'end_sessions',
    summary: 'End all sessions of a user',
    permission: { operation: 'manage' },
    parameters: [{ name: 'name', in: 'path', required: true, description: 'Of the user', schema: z.string() }],
    problems: ['CONFLICT'],
    handle: (request) => endSessions(api, sessions, request, request.params['name'] as string),
  },
]

/** Who has written nothing yet becomes an entity with it: nobody is without an end. */
const endSessions = async (
  api: Api,
  sessions: Pick<Sessions, 'forget'>,
  request: ApiRequest,
  name: string,
): Promise<Answer> => {
  const definition = api.kindNamed(principalKind)
  const parsed = parseRequest(definition, { name }, 'upsert')
  if (Array.isArray(parsed)) throw invalid(parsed)
  const context = contextOf(api, request)
  const own = { sessionsEndedAt: request.time.toISOString() }
  const wanted = rewrite(
    context,
    {
      definition,
      id: entityId(principalKind, buildFqn([name])),
      make: async (current) => {
        if (current?.status === 'deleted')
          throw new DomainError('conflict', `The sessions of ${name} ended with the deletion of the user.`)
        return { type: 'Upsert', definition, parsed, own }
      },
      otherwise: 'busy',
    },
    causeOf(request),
  )
  const { position } = await execute(context, wanted)
  sessions.forget(name)
  return { status: 204, headers: { 'Catalog-Position': String(position) } }
}
