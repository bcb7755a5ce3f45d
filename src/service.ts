import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { makeApp } from './api/app.ts'
import { makeAuthenticator } from './api/auth.ts'
import type { Api } from './api/deps.ts'
import { readKeys } from './api/keys.ts'
import { makeMetrics } from './api/metrics.ts'
import { makePolicies, parsePolicies } from './api/policies.ts'
import { makePresenter } from './api/present.ts'
import { allRoutes } from './api/routes.ts'
import { drain, makeServer } from './api/server.ts'
import { settle } from './commands/cascade.ts'
import type { Commands } from './commands/handleCommand.ts'
import { makeInTurn } from './commands/inTurn.ts'
import { submitBulk } from './commands/bulk.ts'
import type { Config } from './config.ts'
import { files, openEngines, toolsFor } from './engines.ts'
import { kindNamed, kinds } from './kinds/index.ts'
import { parseRequest } from './kinds/requestSchema.ts'
import { entityId, buildFqn } from './kinds/names.ts'
import { createOdcsRunner } from './odcs/index.ts'
import { makeHistory } from './projections/history.ts'
import { lookupIn, treeIn } from './projections/lookup.ts'
import { ProjectionBehind, startRunner } from './projections/runner.ts'
import { version } from './version.ts'

/** A running catalog. */
export interface Service {
  /** Where it listens, without a slash at the end. */
  readonly url: string
  /** Stops taking requests, finishes the running ones, closes the stores. */
  close(): Promise<void>
}

/** Name under which the catalog itself writes. */
const systemUser = 'system'

/** Composes and starts the whole service: config → stores → projections → api → listen. */
export const startService = async (config: Config, logger: Logger): Promise<Service> => {
  const policies = makePolicies(kinds, await readPolicies(config))
  const keys = await readKeys({ ...config.jwt, secretFile: join(config.dataDir, files.jwtSecret) })
  const engines = await openEngines(config, logger)
  const { log, readModels } = engines
  const runner = startRunner({ log, readModels, kindNamed, logger })
  const stopping = new AbortController()
  const odcs = createOdcsRunner()
  try {
    const commands: Commands = {
      log,
      kindNamed,
      lookup: lookupIn(readModels, kindNamed),
      tree: treeIn(readModels, kindNamed),
      tools: toolsFor(config),
      inTurn: makeInTurn(),
      projected: (position) => runner.waitFor(position).catch((error: unknown) => {
        if (!(error instanceof ProjectionBehind)) throw error
        logger.warn({ position: String(position) }, 'answered before the read models show the change')
      }),
    }
    const api: Api = {
      kinds, kindNamed, commands, log, readModels, runner, permits: policies.permits,
      history: makeHistory(log), presenter: makePresenter(readModels, kindNamed),
    }
    const metrics = makeMetrics({ version, progress: async () => ({ position: runner.position(), head: await log.head() }) })
    let started = false
    const system = {
      name: 'metadata-catalog', version, engines: engines.names, eventStore: log, readModels, metrics, baseUrl: config.baseUrl,
      caughtUp: () => started && runner.failure() === undefined,
      stopping: () => stopping.signal.aborted,
    }
    const routes = allRoutes({ api, odcs, system })
    const authenticate = makeAuthenticator({ keys, ...config.jwt })
    const app = makeApp({ routes, authenticate, policies, logger, metrics, baseUrl: config.baseUrl, stopping: stopping.signal })
    const server = makeServer(app)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(config.port, config.host, resolve)
    })
    await prepare(commands, runner)
    started = true
    const { port } = server.address() as AddressInfo
    return {
      url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
      close: async () => {
        stopping.abort()
        await drain(server)
        await runner.stop()
        await odcs.close()
        await engines.close()
      },
    }
  } catch (error) {
    await runner.stop()
    await engines.close()
    throw error
  }
}

const readPolicies = async ({ policiesFile }: Config) =>
  policiesFile === undefined ? {} : parsePolicies(await readFile(policiesFile, 'utf8'), kinds)

/** Before the first request: catch up, finish what a crash cut short, and on first start create what kinds start with. */
const prepare = async (commands: Commands, runner: { waitFor(position: bigint, timeout?: number): Promise<void> }): Promise<void> => {
  const head = await commands.log.head()
  if (head !== undefined) await runner.waitFor(head, 24 * 60 * 60 * 1000)
  await settle(commands)
  for (const definition of kinds) await createStarters(commands, definition)
}

/** Creates the starters that have never existed: what a user deleted stays deleted. */
const createStarters = async (commands: Commands, definition: (typeof kinds)[number]): Promise<void> => {
  const idOf = (name: string) => entityId(definition.name, buildFqn([name]))
  const known = await commands.lookup(definition.starters.map((starter) => idOf(starter['name'] as string)))
  const missing = definition.starters.filter((starter) => !known.has(idOf(starter['name'] as string)))
  if (missing.length === 0) return
  const items = missing.map((starter) => {
    const parsed = parseRequest(definition, starter, 'create')
    if (Array.isArray(parsed)) throw new Error(`A starter of ${definition.name} is wrong: ${JSON.stringify(parsed)}`)
    return parsed
  })
  const commandId = crypto.randomUUID()
  await submitBulk(commands, definition, items, { user: systemUser, time: new Date(), correlationId: commandId, commandId })
}
