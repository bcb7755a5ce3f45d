import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { connect, type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { KindDefinition, Traits } from '../../src/kinds/defineKind.ts'
import { makeLogger } from '../../src/composition/logger.ts'
import { makeApp, type AppOptions } from '../../src/api/http/app.ts'
import { makeAuthenticator, signToken } from '../../src/api/auth/authenticate.ts'
import { makeJointRequests } from '../../src/api/requests/requestRoutes.ts'
import { makeIdentify, makeSessions } from '../../src/api/auth/sessions.ts'
import { secretSource } from '../../src/api/auth/keys.ts'
import { makeMetrics } from '../../src/api/system/metrics.ts'
import { makePolicies, type Roles } from '../../src/api/auth/policies.ts'
import type { ApiRequest, Answer, Route } from '../../src/api/http/route.ts'
import { drain, makeServer } from '../../src/api/http/server.ts'

export const secret = 'a secret for tests that is long enough'

export const sessions = makeSessions({ secret, roles: ['Admin'], secure: false, currentSeries: async () => '' })

export const kind = (name: string, traits: Traits = {}): KindDefinition => ({
  name,
  path: `${name}s`,
  description: '',
  parents: [],
  ancestors: [],
  dependent: false,
  shownBelow: [],
  facts: [],
  fields: {},
  computed: {},
  traits,
  behaviour: {},
  maxLimit: 1000,
  seeds: [],
})

/** Three made-up kinds, one of them somebody who acts. */
export const kinds = [kind('apple'), kind('pear'), kind('keeper', { principal: true })]

export const token = (user = 'ada', ...roles: string[]): string =>
  signToken(secret, { user, roles: roles.length === 0 ? ['Admin'] : roles, ttl: 600 })

export const bearer = (user?: string, ...roles: string[]) => ({ authorization: `Bearer ${token(user, ...roles)}` })

/** A route with sensible values for what a test does not care about. */
export const route = (
  method: Route['method'],
  path: string,
  handle: (request: ApiRequest) => Promise<Answer> | Answer,
  more: Partial<Route> = {},
): Route => ({
  method,
  path,
  id: `${method} ${path}`,
  summary: '',
  tag: 'test',
  permission: { operation: 'view', kind: 'apple' },
  answers: { 200: { description: '' } },
  handle: async (request) => handle(request),
  ...more,
})

/** Query parameters of a route. */
export const inQuery = (...names: string[]): Pick<Route, 'parameters'> => ({
  parameters: names.map((name) => ({ name, in: 'query', description: '', schema: z.string() })),
})

export const jsonBody = { contentTypes: ['application/json'], limit: 10_000, schema: z.unknown(), required: true }

export interface Running {
  readonly url: string
  readonly port: number
  readonly server: ReturnType<typeof makeServer>
  readonly app: ReturnType<typeof makeApp>
  /** What was logged, one object for each line. */
  readonly log: Record<string, unknown>[]
  readonly metrics: ReturnType<typeof makeMetrics>
  readonly close: () => Promise<void>
}

/** Serves routes on a free port. */
export const serve = async (
  routes: readonly Route[],
  more: Partial<AppOptions> & { roles?: Roles; level?: string } = {},
): Promise<Running> => {
  const log: Record<string, unknown>[] = []
  const sink = new Writable({
    write: (line: Buffer, _, done) => {
      log.push(JSON.parse(line.toString()) as Record<string, unknown>)
      done()
    },
  })
  const metrics = makeMetrics()
  const app = makeApp({
    routes,
    identify: makeIdentify(makeAuthenticator({ keys: [secretSource(secret)] }), sessions),
    jointRequest: makeJointRequests(sessions),
    policies: makePolicies(kinds, more.roles),
    logger: makeLogger(more.level ?? 'debug', sink),
    metrics,
    ...more,
  })
  const server = makeServer(app)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    app,
    log,
    metrics,
    close: async () => void (await drain(server, 0)),
  }
}

/** Sends bytes over a socket of its own and gives all that comes back until the other side closes. */
export const raw = async (port: number, ...parts: (string | Buffer)[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  socket.on('error', () => {})
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  return received
}

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const ok = (): Answer => ({ status: 200, body: '{"ok":true}' })

/** Serves routes until the test has finished. */
export const running = async (
  routes: Route[],
  more?: Partial<AppOptions> & { roles?: Roles; level?: string },
): Promise<Running> => {
  const made = await serve(routes, more)
  onTestFinished(() => made.close())
  return made
}

/** A request with a token that may do everything. */
export const ask = (api: Running, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${api.url}${path}`, { ...init, headers: { ...bearer(), ...(init.headers as Record<string, string>) } })

/** The problem that an answer is. */
export const problem = async (response: Response): Promise<Record<string, unknown>> => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return (await response.json()) as Record<string, unknown>
}
