import { isThere, writeUser } from '../entities/writeRequest.ts'
import {
  route,
  ok,
  jsonAnswer,
  jsonBody,
  noStore,
  pathParameter,
  type Answer,
  type ApiRequest,
  type Route,
  type Actor,
  operations,
  type Operation,
} from '../http/route.ts'
import type { Logger } from 'pino'
import { z } from 'zod'
import { parseBody } from '../http/readBody.ts'
import { Unauthenticated, type Authenticate } from './authenticate.ts'
import { type Sessions, type SignInCodes, mustBeSameOrigin, mustBePerson } from './sessions.ts'
import { openIdConnectRoutes, type OpenIdConnect } from './openIdConnect.ts'
import { conflict, notFound } from '../../commands/errors.ts'
import type { Members } from '../../events/events.ts'
import { kinds, principalKind } from '../../kinds/registry/kinds.ts'
import type { Api, CatalogRequest, CatalogRoute } from '../deps.ts'
import { userId } from '../../commands/caller.ts'
import { incarnationIn } from '../access.ts'
import type { Json, JsonObject } from '../../shared/json.ts'
import { referenceOf } from '../entities/answers/masking.ts'

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

/** Sign-in of browsers with a token, a one-time code or OpenID Connect: sets a cookie that scripts cannot read. */
export const sessionRoutes = (signIn: SignIn): Route[] => {
  const shared = { tag: 'session', permission: 'open' } as const
  const { openIdConnect, sessions, logger } = signIn
  return [
    ...(openIdConnect === undefined ? [] : openIdConnectRoutes(openIdConnect, sessions, logger)),
    route('get', path, 'read_session', {
      ...shared,
      summary: 'The ways to sign in, and whether the caller is signed in',
      answers: ok(
        'Ways to sign in',
        z
          .object({ signedIn: z.boolean(), ways: z.array(z.enum(['token', 'code', 'oidc'])) })
          .meta({ id: 'SessionState' }),
      ),
      handle: async (request) =>
        jsonAnswer(
          { signedIn: await isSignedIn(signIn, request), ways: signInMethodsOf(signIn) },
          { headers: noStore },
        ),
    }),
    route('post', path, 'begin_session', {
      ...shared,
      summary: 'Sign in with a token or a one-time code; the response sets a cookie',
      body: jsonBody(signInBody, { limit: 32_768 }),
      answers: ok('Signed in', sessionAnswer, ['Set-Cookie']),
      handle: (request) => begin(signIn, request),
    }),
    route('delete', path, 'end_session', {
      ...shared,
      summary: 'Sign out; the response clears the cookie',
      answers: { 204: { description: 'Signed out', headers: ['Set-Cookie'] } },
      handle: async (request) => {
        mustBeSameOrigin({ ...request, method: 'DELETE' })
        return { status: 204, headers: { ...noStore, 'Set-Cookie': signIn.sessions.end(request) } }
      },
    }),
  ]
}

const isSignedIn = async ({ sessions }: SignIn, { headers }: ApiRequest): Promise<boolean> => {
  try {
    return (await sessions.actorOf(headers)) !== undefined
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error
    return false
  }
}

const signInMethodsOf = ({ codes, openIdConnect }: SignIn): string[] => [
  'token',
  ...(codes.available() ? ['code'] : []),
  ...(openIdConnect === undefined ? [] : ['oidc']),
]

const begin = async (signIn: SignIn, request: ApiRequest): Promise<Answer> => {
  mustBeSameOrigin({ ...request, method: 'POST' })
  const { token, code } = parseBody(signInBody, request.body)
  const actor = code === undefined ? await signIn.authenticate(`Bearer ${token?.trim()}`) : codeHolder(signIn, code)
  mustBePerson(actor, 'This token is for a program, and opens no session: it could not be revoked.')
  const { cookie, until } = await signIn.sessions.begin(actor, request)
  const headers = { ...noStore, 'Set-Cookie': cookie }
  return jsonAnswer({ user: actor.name, until: new Date(until).toISOString() }, { headers })
}

const codeHolder = ({ codes }: SignIn, code: string): Actor => {
  const actor = codes.redeem(code)
  if (actor !== undefined) return actor
  throw new Unauthenticated(
    'This address was used already, or the catalog was started again since. Use the newest address, or a token.',
    true,
  )
}

/**
 * The current session series of a user. A new series starts when all sessions are ended, and when the user is deleted:
 * the restored user still names the deletion.
 */
export const currentSeries = async ({ readModels }: Pick<Api, 'readModels'>, name: string): Promise<string> => {
  const id = userId(name)
  const row = await readModels.get(id)
  const incarnation = incarnationIn(id, row)
  if (row === undefined || row.status === 'gone') return incarnation
  const { sessionsEndedAt } = JSON.parse(row.shownAlways) as Members
  return [incarnation, row.deletion ?? row.restored, sessionsEndedAt].filter((part) => part !== undefined).join(' ')
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
    description:
      'Ends all sessions of the user. Users are created by their first change: create one who has signed in without ' +
      'changing anything before you end their sessions.',
    permission: { operation: 'manage', kind: principalKind },
    parameters: [pathParameter('name', 'Of the user')],
    handle: (request) => endSessions(request, request.params['name'] as string),
  }),
]

/** A new moment, whatever the clock says, so that the series is a new one. */
const endAfter = (last: Json | undefined, now: number): string =>
  new Date(typeof last === 'string' ? Math.max(now, Date.parse(last) + 1) : now).toISOString()

/** A caller without an entity gets one, which records the end. */
const endSessions = async (request: CatalogRequest, name: string): Promise<Answer> => {
  const now = request.api.commands.clock.time()
  const position = await writeUser(request, { name }, (current) => {
    if (!isThere(current) && name !== request.actor.name)
      throw notFound(
        `There is no user ${name}: names are case-sensitive. To end the sessions of somebody who has never changed ` +
          'anything, create the user first.',
      )
    if (current?.status !== 'deleted') return { sessionsEndedAt: endAfter(current?.members['sessionsEndedAt'], now) }
    throw conflict(
      `The sessions of ${name} ended with the deletion of the user. To end newer ones, restore the user first.`,
    )
  })
  return { status: 204, position }
}

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

/** The caller with permissions. */
export const meRoutes: CatalogRoute[] = [
  route('get', '/v1/me', 'read_me', {
    summary: 'The caller, with all permissions',
    tag: 'session',
    permission: 'signedIn',
    answers: ok('The caller', meAnswer),
    handle: (request) => readMe(request),
  }),
]

const readMe = async ({ api, actor }: CatalogRequest): Promise<Answer> => {
  const permitted = (kind?: string): JsonObject =>
    Object.fromEntries(operations.map((operation) => [operation, api.permits(actor, operation, kind)]))
  const id = userId(actor.name)
  const row = await api.readModels.get(id)
  const user = row?.status === 'live' ? { user: referenceOf(row) } : {}
  const json: JsonObject = {
    id,
    name: actor.name,
    roles: [...actor.roles],
    ...user,
    ...(actor.until !== undefined && { until: new Date(actor.until).toISOString() }),
    may: permitted(),
    kinds: Object.fromEntries(kinds.map(({ name }) => [name, permitted(name)])),
  }
  return jsonAnswer(json, { headers: noStore })
}
