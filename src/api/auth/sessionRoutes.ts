import { writeUser } from '../entities/writeRequest.ts'
import {
  route,
  ok,
  jsonBody,
  pathParameter,
  type Answer,
  type ApiRequest,
  type Route,
  type Actor,
} from '../http/route.ts'
import type { Logger } from 'pino'
import { z } from 'zod'
import { parseBody } from '../http/readBody.ts'
import { NotAuthenticated, type Authenticate } from './authenticate.ts'
import { type Sessions, type SignInCodes, mustBeOurs, mustBePerson } from './sessions.ts'
import { openIdConnectRoutes, type OpenIdConnect } from './openIdConnect.ts'
import { DomainError } from '../../commands/errors.ts'
import type { Members } from '../../events/events.ts'
import { principalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { incarnationIn } from '../entities/reads/callerReads.ts'

export interface SignIn {
  readonly authenticate: Authenticate
  readonly sessions: Sessions
  readonly codes: SignInCodes
  /** Absent without a configured provider. */
  readonly openIdConnect?: OpenIdConnect | undefined
  readonly logger: Logger
}

const path = '/v1/session'

const signInBody = z
  .strictObject({
    token: z.string().optional().describe('A bearer token'),
    code: z.string().optional().describe('The one-time code that the service printed when it started'),
  })
  .refine(({ token, code }) => (token === undefined) !== (code === undefined), 'must have either token or code')
  .meta({ id: 'SignIn', description: 'Credentials: a token, or the one-time code that was printed at the start.' })

const sessionAnswer = z.object({ user: z.string(), until: z.iso.datetime() }).meta({ id: 'Session' })

const uncached = { 'Cache-Control': 'no-store' }

/** Sign-in of browsers with a token, a one-time code or OpenID Connect: sets a cookie that scripts cannot read. */
export const sessionRoutes = (signIn: SignIn): Route[] => {
  const shared = { path, tag: 'session', permission: 'open' } as const
  const { openIdConnect, sessions, logger } = signIn
  return [
    ...(openIdConnect === undefined ? [] : openIdConnectRoutes(openIdConnect, sessions, logger)),
    {
      ...shared,
      method: 'get',
      id: 'read_session',
      summary: 'The ways to sign in, and whether the caller is signed in',
      answers: ok(
        'Ways to sign in',
        z
          .object({ signedIn: z.boolean(), ways: z.array(z.enum(['token', 'code', 'oidc'])) })
          .meta({ id: 'SessionState' }),
      ),
      handle: async (request) => ({
        status: 200,
        headers: uncached,
        body: { json: { signedIn: await isSignedIn(signIn, request), ways: waysOf(signIn) } },
      }),
    },
    {
      ...shared,
      method: 'post',
      id: 'begin_session',
      summary: 'Sign in with a token or a one-time code; the response sets a cookie',
      body: jsonBody(signInBody, { limit: 32_768 }),
      answers: ok('Signed in', sessionAnswer, ['Set-Cookie']),
      problems: ['UNAUTHORIZED', 'FORBIDDEN'],
      handle: (request) => begin(signIn, request),
    },
    {
      ...shared,
      method: 'delete',
      id: 'end_session',
      summary: 'Sign out; the response clears the cookie',
      answers: { 204: { description: 'Signed out', headers: ['Set-Cookie'] } },
      problems: ['FORBIDDEN'],
      handle: async (request) => {
        mustBeOurs({ method: 'DELETE', headers: request.headers })
        return { status: 204, headers: { ...uncached, 'Set-Cookie': signIn.sessions.end(request.headers) } }
      },
    },
  ]
}

const isSignedIn = async ({ sessions }: SignIn, { headers }: ApiRequest): Promise<boolean> => {
  try {
    return (await sessions.actorOf(headers)) !== undefined
  } catch (error) {
    if (!(error instanceof NotAuthenticated)) throw error
    return false
  }
}

const waysOf = ({ codes, openIdConnect }: SignIn): string[] => [
  'token',
  ...(codes.available() ? ['code'] : []),
  ...(openIdConnect === undefined ? [] : ['oidc']),
]

const begin = async (signIn: SignIn, request: ApiRequest): Promise<Answer> => {
  mustBeOurs({ method: 'POST', headers: request.headers })
  const { token, code } = parseBody(signInBody, request.body)
  const actor = code === undefined ? await signIn.authenticate(`Bearer ${token?.trim()}`) : codeHolder(signIn, code)
  mustBePerson(actor, 'This token is for a program, and opens no session: it could not be revoked.')
  const { cookie, until } = await signIn.sessions.begin(actor, request.headers)
  return {
    status: 200,
    headers: { ...uncached, 'Set-Cookie': cookie },
    body: { json: { user: actor.name, until: new Date(until).toISOString() } },
  }
}

const codeHolder = ({ codes }: SignIn, code: string): Actor => {
  const actor = codes.redeem(code)
  if (actor !== undefined) return actor
  throw new NotAuthenticated(
    'This address was used already, or the catalog was started again since. Use the newest address, or a token.',
    true,
  )
}

/**
 * The current session series of a user. A new series starts when all sessions are ended, and when the user is deleted.
 */
export const currentSeries = async ({ readModels }: Pick<Api, 'readModels'>, name: string): Promise<string> => {
  const id = entityId(principalKind, buildFqn([name]))
  const row = await readModels.get(id)
  const life = incarnationIn(id, row)
  if (row === undefined || row.status === 'gone') return life
  const { sessionsEndedAt } = JSON.parse(row.shownAlways) as Members
  return row.status === 'live' && sessionsEndedAt === undefined ? life : `${life} ${row.status} ${sessionsEndedAt}`
}

const shared = {
  tag: 'session',
  answers: { 204: { description: 'Ended', headers: ['Catalog-Position'] } },
} as const

/** Routes that end all sessions of a user for good. */
export const sessionSeriesRoutes: CatalogRoute[] = [
  route('delete', '/v1/sessions', 'end_my_sessions', {
    ...shared,
    summary: 'Sign out everywhere: ends all sessions of the caller',
    permission: 'signedIn',
    handle: (request) => endSessions(request, request.actor.name),
  }),
  route('delete', '/v1/sessions/{name}', 'end_sessions', {
    ...shared,
    summary: 'End all sessions of a user',
    permission: { operation: 'manage' },
    parameters: [pathParameter('name', 'Of the user')],
    problems: ['CONFLICT'],
    handle: (request) => endSessions(request, request.params['name'] as string),
  }),
]

/** A user without an entity gets one, which records the end. */
const endSessions = async (request: CatalogRequest, name: string): Promise<Answer> => {
  const own = { sessionsEndedAt: request.time.toISOString() }
  const position = await writeUser(request, { name }, own, (current) => {
    if (current?.status !== 'deleted') return
    throw new DomainError('conflict', `The sessions of ${name} ended with the deletion of the user.`)
  })
  return { status: 204, headers: { 'Catalog-Position': String(position) } }
}
