import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { currentSeries } from '../api/auth/sessionRoutes.ts'
import { makeApp, type AppOptions } from '../api/http/app.ts'
import { makePages, type Pages } from '../api/http/pages.ts'
import { makeAuthenticator } from '../api/auth/authenticate.ts'
import { makeIdentify, makeTokenSigner } from '../api/auth/sessions.ts'
import { currentToken } from '../api/auth/tokenRoutes.ts'
import { makeJointRequests } from '../api/requests/requestRoutes.ts'
import { makeEntityCounts } from '../api/system/entityCounts.ts'
import { makeMetrics } from '../api/system/metrics.ts'
import type { ProjectionProgress } from '../api/system/operatingGauges.ts'
import { makePolicies, type Policies } from '../api/auth/policies.ts'
import { allRoutes } from '../api/routes/allRoutes.ts'
import { makeListener, type Listener } from './listening.ts'
import { startingHandler } from '../api/http/server.ts'
import { systemRoutes, type SystemOptions } from '../api/system/systemRoutes.ts'
import type { Config } from './settings/config.ts'
import { engineNames, secretFor } from './engines.ts'
import { auditKeysFor } from './keys/auditKeys.ts'
import { tokenKeysFor } from './keys/tokenKeys.ts'
import { readPolicies } from './readPolicies.ts'
import { UnsupportedSchemaVersion } from '../events/codec.ts'
import { StoreUnavailable, type EventStore } from '../events/eventStore.ts'
import { kinds } from '../kinds/registry/kinds.ts'
import { createOdcsRunner } from '../odcs/odcsThreads.ts'
import { signInFor, signInUrlFor } from './signIn.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { lagBehind, positionsOf } from '../projections/projection.ts'
import type { Runner } from '../projections/runner.ts'
import type { Clock } from '../commands/recording.ts'
import { openSession, unclosed, type Parts, type Session } from './session.ts'
import { inTime } from '../shared/backOff.ts'
import { allMemory } from '../shared/limits.ts'
import { closeAll } from '../stores/closing.ts'
import { version } from '../shared/version.ts'

const consoleFolder = fileURLToPath(new URL('../../dist/console', import.meta.url))

interface State {
  /** The parts that exist so far. */
  parts: Parts
  session?: Session
  /** Set while requests can be served. */
  handler?: RequestListener | undefined
  /** Whether the keys at the JWKS URL could not be read the last time. */
  keysFailing: boolean
}

/**
 * Makes what lives as long as the service, across replacements of the read models.
 * @param stopping aborts when the service stops
 */
const prepare = async (config: Config, logger: Logger, stopping: AbortSignal) => {
  const { roles, needsApproval, digest } = await readPolicies(config)
  const policies = { ...makePolicies(kinds, roles, needsApproval), digest }
  warnOfSettings(config, policies, logger)
  const state: State = { parts: {}, keysFailing: false }
  const keys = await tokenKeysFor(config, logger, (isFailing) => (state.keysFailing = isFailing))
  const auditKeys = auditKeysFor(config)
  const named = makeTokenSigner({
    secret: secretFor(config),
    current: (name) => currentToken(mustBeOpen(state.session).api, name),
  })
  const authenticate = named.authenticate(makeAuthenticator({ keys, ...config.jwt }))
  const series = (name: string): Promise<string> => currentSeries(mustBeOpen(state.session).api, name)
  const signIn = signInFor(config, authenticate, policies, series, logger)
  const system = systemOptions(config, state, stopping)
  return { config, logger, policies, auditKeys, named, signIn, system, odcs: createOdcsRunner(), state, stopping }
}

type ServiceContext = Awaited<ReturnType<typeof prepare>>

const appOptionsOf = (context: ServiceContext, pages: Pages): Omit<AppOptions, 'routes'> => {
  const { config, logger, policies, signIn, system, stopping } = context
  return {
    identify: makeIdentify(signIn.authenticate, signIn.sessions),
    jointRequest: makeJointRequests(signIn.sessions),
    pages,
    policies,
    logger,
    metrics: system.metrics,
    baseUrl: config.baseUrl,
    ...config.network,
    secure: config.network.tls !== undefined,
    stopping,
  }
}

/** Opens the stores and serves requests; reopens them and rebuilds the read models whenever these are lost. */
const makeSessions = (context: ServiceContext, listening: Listener, begin: (session: Session) => void) => {
  const { config, logger, system, state, stopping } = context
  const failed = Promise.withResolvers<Error>()
  let going: Promise<void> = Promise.resolve()
  const open = async (rebuild: boolean): Promise<void> => {
    const options = {
      ...context,
      // A take-over happens once: a later take-over by another is not reverted.
      config: { ...config, takeOver: config.takeOver && !rebuild },
      metrics: system.metrics,
      opened: (parts: Parts): object => Object.assign(state.parts, parts),
      listening: listening.begin,
    }
    const session = await openSession(options, rebuild)
    state.session = session
    begin(session)
    void session.lost.then((reason) => {
      if (stopping.aborted) return
      if (reason instanceof UnsupportedSchemaVersion) failed.resolve(reason)
      else going = openAgain(session, reason).catch(failed.resolve)
    })
  }
  /** Ends everything based on lost read models; meanwhile requests get 503. */
  const openAgain = async (session: Session, reason: Error): Promise<void> => {
    logger.error({ err: reason }, 'the read models can no longer be used')
    state.handler = undefined
    state.parts = {}
    await session.close().catch((err: unknown) => logger.error({ err }, unclosed))
    await open(true)
  }
  const close = async (): Promise<void> => {
    await going
    await state.session?.close()
  }
  return {
    open: () => open(false),
    /** Resolves with the reason if the service cannot continue and must be closed. */
    failed: failed.promise,
    close,
  }
}

/** Composes and starts the whole service. Health endpoints answer at once; resolves when requests are served. */
export const startService = async (config: Config, logger: Logger, stop = new AbortController()) => {
  const context = await prepare(config, logger, stop.signal)
  const { auditKeys, named, odcs, policies, signIn, state, system } = context
  const pages = makePages(consoleFolder, config.baseUrl)
  const appOptions = appOptionsOf(context, pages)
  const starting = startingHandler(pages, makeApp({ ...appOptions, routes: systemRoutes(system, () => []) }))
  const handler: RequestListener = (request, response) => (state.handler ?? starting)(request, response)
  const listening = await makeListener(config, handler, logger, system.metrics.connectionRefused)
  const sessions = makeSessions(context, listening, ({ api, consumers }) => {
    const { openLineageServices, sweepShare } = config
    const own = { auditKeys, sessions: signIn.sessions, tokens: named, roles: policies.roles }
    const routeApi = { ...api, ...consumers.forRoutes, ...own, openLineageServices, sweepShare }
    const routes = allRoutes(routeApi, signIn, system)
    state.handler = makeApp({ ...appOptions, routes, responseCache: api.responseCache })
  })
  /** Stops accepting requests, finishes running ones, and closes the stores. @returns the number of requests cut */
  const close = async (): Promise<number> => {
    stop.abort()
    let cut = 0
    await closeAll([async () => (cut = await listening.close()), sessions.close, odcs.close])
    return cut
  }
  try {
    await sessions.open()
    const url = listening.url()
    return { url, signInUrl: signInUrlFor(config, signIn, config.baseUrl ?? url), failed: sessions.failed, close }
  } catch (error) {
    await close().catch((err: unknown) => logger.error({ err }, unclosed))
    throw error
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

const warnOfSettings = (
  { jwt, secretKey, auditKeyFile, eventStoreUrl, mongodbUrl }: Config,
  policies: Policies,
  logger: Logger,
): void => {
  if (!policies.roles.includes(jwt.defaultRole)) {
    logger.warn(
      { role: jwt.defaultRole },
      'CATALOG_DEFAULT_ROLE is not a role of the policies: tokens without roles will be refused everything',
    )
  }
  if (allMemory < 2 ** 29)
    logger.warn({ bytes: allMemory }, 'there is less memory than the 512 MiB that the service needs: it may be killed')
  if (eventStoreUrl === undefined || mongodbUrl === undefined) return
  if (secretKey === undefined)
    logger.warn('CATALOG_SECRET_KEY is not set: other processes cannot open the secrets that this one seals')
  if (auditKeyFile === undefined)
    logger.warn('CATALOG_AUDIT_KEY_FILE is not set: other processes sign checkpoints of the same log with another key')
  const { secret, publicKeyFile, jwksUrl } = jwt
  if (secret === undefined && publicKeyFile === undefined && jwksUrl === undefined) {
    logger.warn('no key for tokens is configured: other processes will not accept the tokens of this one')
  }
}

/** A store that does not answer within two seconds counts as unavailable. */
const isUp = (store: Pick<EventStore, 'ping'>): Promise<boolean> =>
  inTime(2000, () => store.ping().then(() => true), false)

const progressOf = async (log: EventStore, runner: Runner, clock: Clock): Promise<ProjectionProgress> => {
  const position = runner.position()
  const [head, waiting] = await Promise.all([log.head(), lagBehind(log, position, clock.time)])
  return { position, head, projects: runner.projects(), waiting }
}

/** This process, if it is the only one of the read models. */
const thisProcess = {
  id: randomUUID(),
  host: hostname(),
  pid: process.pid,
  version,
  startedAt: new Date(),
}

const mustBeOpen = <T>(part: T | undefined): T => {
  if (part === undefined) throw new StoreUnavailable('The store is not open yet.')
  return part
}

const systemOptions = (config: Config, state: State, stopping: AbortSignal): SystemOptions => {
  const log = (): EventStore => mustBeOpen(state.parts.log)
  const readModels = (): ReadModels => mustBeOpen(state.parts.readModels)
  const runner = (): Runner => mustBeOpen(state.parts.runner)
  const clock = (): Clock => mustBeOpen(state.parts.clock)
  const metrics = makeMetrics({
    progress: () => progressOf(log(), runner(), clock()),
    projections: async () => positionsOf(readModels()),
    stores: async () => {
      const [eventStore, models] = await Promise.all([isUp(log()), isUp(readModels())])
      return { event_store: eventStore, read_models: models }
    },
    webhooks: async () => (await state.session?.consumers.webhooks()) ?? [],
    witnesses: async () => state.session?.consumers.forRoutes.witnesses() ?? [],
    entities: makeEntityCounts(readModels),
    logAhead: () => state.parts.clock?.skew(),
    ...(config.jwt.jwksUrl !== undefined && { keysFailing: () => state.keysFailing }),
    openStreams: () => state.session?.consumers.forRoutes.feed.streams(),
    responseCache: () => state.session?.api.responseCache?.size(),
  })
  return {
    engines: { ...engineNames(config) },
    eventStore: { ping: async () => log().ping(), head: async () => log().head() },
    lagBehind: async (position) => lagBehind(log(), position, clock().time),
    readModels: { ping: async () => readModels().ping(), positions: async () => positionsOf(readModels()) },
    metrics,
    baseUrl: config.baseUrl,
    unfinished: () => state.session?.unfinished() ?? 0,
    clock: () => state.parts.clock,
    caughtUp: () => state.handler !== undefined && runner().failure() === undefined,
    applied: () => state.parts.runner?.position(),
    processes: async () => {
      const { lease, projections, worker } = readModels()
      const position = runner().position()
      const projects = [...projections.map(({ name }) => name), ...(worker?.projections ?? [])]
      if (lease === undefined)
        return { self: thisProcess.id, all: [{ ...thisProcess, projects, seenAt: new Date(), position }] }
      const { id: self } = lease
      return { self, all: (await lease.processes()).map((each) => (each.id === self ? { ...each, position } : each)) }
    },
    stopping: () => stopping.aborted,
  }
}
