import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { makeApp, type AppOptions } from '../api/http/app.ts'
import { makePages } from '../api/http/pages.ts'
import { makeAuthenticator } from '../api/auth/authenticate.ts'
import { makeIdentify } from '../api/auth/identify.ts'
import type { Api } from '../api/deps.ts'
import { readKeys } from '../api/auth/keys.ts'
import { makeMetrics, type Metrics } from '../api/system/metrics.ts'
import { makePolicies, type Policies, type Roles } from '../api/auth/policies.ts'
import { makePresenter } from '../api/entities/present.ts'
import { allRoutes } from '../api/routes.ts'
import { drain, makeServer } from '../api/http/server.ts'
import { startingHandler } from '../api/http/starting.ts'
import { systemRoutes, type SystemOptions } from '../api/system/systemRoutes.ts'
import type { Commands } from '../commands/handleCommand.ts'
import { makeClock, showing, type Clock } from '../commands/clock.ts'
import { makeInTurn } from '../commands/inTurn.ts'
import type { Config } from './config.ts'
import { startConsumers, type Consumers } from './consumers.ts'
import { engineNames, files, openEngines, toolsFor, type Engines } from './engines.ts'
import { StoreUnavailable, type EventStore } from '../events/eventStore.ts'
import { prepare } from './firstStart.ts'
import { kindNamed, kinds } from '../kinds/index.ts'
import { createOdcsRunner } from '../odcs/runner.ts'
import { patiently } from './patiently.ts'
import { signInFor, signInUrlFor } from './signIn.ts'
import { makeHistory } from '../projections/history.ts'
import { lookupIn, treeIn } from '../projections/entities/lookup.ts'
import type { ReadModels } from '../projections/readModels.ts'
import { ProjectionBehind } from '../projections/progress.ts'
import { checkpointOf } from '../projections/projection.ts'
import { startRunner, type Runner } from '../projections/runner.ts'
import { version } from '../shared/version.ts'

/** A running catalog. */
export interface Service {
  /** Where it listens, without a slash at the end. */
  readonly url: string
  /** Opens the console signed in, once; absent where others say who may do what. */
  readonly signInUrl: string | undefined
  /** Stops taking requests, finishes the running ones, closes the stores. */
  close(): Promise<void>
}

/** What there is once the stores are open. */
interface Opened extends Engines {
  readonly runner: Runner
}

/** Where the build puts the console. */
const consoleFolder = fileURLToPath(new URL('../../dist/console', import.meta.url))

/** How far the start has come. */
interface State {
  /** What can be asked already, whether it answers or not. */
  stores: Partial<Pick<Engines, 'log' | 'readModels'>>
  opened?: Opened
  consumers?: Consumers
  ready: boolean
  handler?: RequestListener
}

/**
 * Composes and starts the whole service: config → listen → stores → projections → api. Health is told from the first
 * moment on; the promise resolves when requests are served.
 */
export const startService = async (config: Config, logger: Logger, stop = new AbortController()): Promise<Service> => {
  const policies = makePolicies(kinds, await readPolicies(config))
  warnOfSettings(config, policies, logger)
  const keys = await readKeys({ ...config.jwt, secretFile: join(config.dataDir, files.jwtSecret) })
  const state: State = { stores: {}, ready: false }
  const system = systemOptions(config, state, stop.signal)
  const signIn = signInFor(config, makeAuthenticator({ keys, ...config.jwt }), logger)
  const pages = makePages(consoleFolder, config.baseUrl)
  const appOptions = {
    identify: makeIdentify(signIn.authenticate, signIn.sessions),
    pages,
    policies,
    logger,
    metrics: system.metrics,
    baseUrl: config.baseUrl,
    stopping: stop.signal,
  }
  const starting = startingHandler(pages, makeApp({ ...appOptions, routes: systemRoutes(system, () => []) }))
  const server = makeServer((request, response) => (state.handler ?? starting)(request, response))
  const odcs = createOdcsRunner()
  const close = async (): Promise<void> => {
    stop.abort()
    await drain(server)
    await state.consumers?.close()
    await state.opened?.runner.stop()
    await odcs.close()
    await state.opened?.close()
  }
  try {
    const engines = await openPatiently(config, logger, stop.signal, state, () => listen(server, config))
    const clock = makeClock()
    const runner = startRunner({
      ...engines,
      log: showing(engines.log, clock),
      store: engines.readModels,
      kindNamed,
      logger,
    })
    state.opened = { ...engines, log: counted(engines.log, system.metrics), runner }
    const commands = commandsOn(config, state.opened, clock, logger)
    await patiently(() => prepare(commands, runner, kinds), 'a store', logger, stop.signal)
    const api = apiOn(commands, state.opened, policies)
    state.consumers = await patiently(
      () => startConsumers(config, api, logger, stop.signal),
      'a store',
      logger,
      stop.signal,
    )
    const routes = allRoutes({ api, odcs, signIn, system, consumers: state.consumers.routes })
    state.handler = makeApp({ ...appOptions, routes } satisfies AppOptions)
    state.ready = true
    const url = addressOf(config, (server.address() as AddressInfo).port)
    return { url, signInUrl: signInUrlFor(config, signIn, config.baseUrl ?? url), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Settings that work, but hardly as they were meant. */
const warnOfSettings = (
  { jwt, secretKey, eventStoreUrl, mongodbUrl }: Config,
  policies: Policies,
  logger: Logger,
): void => {
  if (!policies.roles.includes(jwt.defaultRole)) {
    logger.warn(
      { role: jwt.defaultRole },
      'CATALOG_DEFAULT_ROLE names no role: tokens without roles will be refused everything',
    )
  }
  if (eventStoreUrl === undefined || mongodbUrl === undefined) return
  if (secretKey === undefined)
    logger.warn('CATALOG_SECRET_KEY is not set: other processes cannot open the secrets that this one seals')
  const { secret, publicKeyFile, jwksUrl } = jwt
  if (secret === undefined && publicKeyFile === undefined && jwksUrl === undefined) {
    logger.warn('no key for tokens is configured: other processes will not accept the tokens of this one')
  }
}

/** The log, with what it takes counted by type. */
const counted = (log: EventStore, metrics: Pick<Metrics, 'eventsAppended'>): EventStore => ({
  append: async (appends) => {
    const outcomes = await log.append(appends)
    const appended = appends.filter((_, index) => outcomes[index]?.ok).flatMap(({ events }) => events)
    for (const [type, events] of Map.groupBy(appended, (event) => event.type))
      metrics.eventsAppended(type, events.length)
    return outcomes
  },
  readStream: (stream, options) => log.readStream(stream, options),
  ...(log.revisionOf && { revisionOf: log.revisionOf }),
  readAll: (options) => log.readAll(options),
  ...(log.readTextPages && { readTextPages: log.readTextPages }),
  subscribe: (options) => log.subscribe(options),
  head: () => log.head(),
  ping: () => log.ping(),
  close: () => log.close(),
})

/** Embedded stores open at once, and a folder that another process holds must end this one before it listens. */
const openPatiently = async (
  config: Config,
  logger: Logger,
  stopping: AbortSignal,
  state: State,
  listening: () => Promise<void>,
): Promise<Engines> => {
  const external = config.eventStoreUrl !== undefined || config.mongodbUrl !== undefined
  if (external) await listening()
  const engines = await openEngines(config, logger, {
    opened: (store) => Object.assign(state.stores, store),
    trying: (work, what, signal) => patiently(work, what, logger, AbortSignal.any([signal, stopping])),
  })
  if (!external) await listening()
  return engines
}

const listen = (server: ReturnType<typeof makeServer>, { port, host }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

const addressOf = ({ host }: Config, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const systemOptions = (config: Config, state: State, stopping: AbortSignal): SystemOptions => {
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new StoreUnavailable('The store is not open yet.')
    return part
  }
  const log = (): EventStore => there(state.stores.log)
  const readModels = (): ReadModels => there(state.stores.readModels)
  const metrics = makeMetrics({
    version,
    progress: async () => ({ position: there(state.opened).runner.position(), head: await log().head() }),
  })
  return {
    name: 'metadata-catalog',
    tags: Object.fromEntries(kinds.map(({ path, description }) => [path, description])),
    version,
    engines: { ...engineNames(config) },
    eventStore: { ping: async () => log().ping(), head: async () => log().head() },
    readModels: { ping: async () => readModels().ping(), checkpoint: async () => checkpointOf(readModels()) },
    metrics,
    baseUrl: config.baseUrl,
    caughtUp: () => state.ready && there(state.opened).runner.failure() === undefined,
    applied: () => state.opened?.runner.position(),
    stopping: () => stopping.aborted,
  }
}

const commandsOn = (config: Config, { log, readModels, runner }: Opened, clock: Clock, logger: Logger): Commands => ({
  log,
  clock,
  kindNamed,
  lookup: lookupIn(readModels, kindNamed),
  tree: treeIn(readModels, kindNamed),
  tools: toolsFor(config),
  inTurn: makeInTurn(),
  projected: (position) =>
    runner.waitFor(position).catch((error: unknown) => {
      if (!(error instanceof ProjectionBehind)) throw error
      logger.warn({ position: String(position) }, 'answered before the read models show the change')
    }),
})

const apiOn = (commands: Commands, { log, readModels, runner }: Opened, policies: Policies): Api => ({
  kinds,
  kindNamed,
  commands,
  log,
  readModels,
  runner,
  permits: policies.permits,
  history: makeHistory(log),
  presenter: makePresenter(readModels, kindNamed),
})

const readPolicies = async ({ policiesFile }: Config): Promise<Roles> => {
  if (policiesFile === undefined) return {}
  const { parsePolicies } = await import('../api/auth/policiesFile.ts')
  return parsePolicies(await readFile(policiesFile, 'utf8'), kinds)
}
