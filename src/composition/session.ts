import { withIncarnations } from '../events/legacyReferences.ts'
import type { EventBatch, EventStore } from '../events/eventStore.ts'
import type { Logger } from 'pino'
import type { Api, AuditKeys } from '../api/deps.ts'
import type { Policies } from '../api/auth/policies.ts'
import { type Metrics, timedLog, timedReadModels } from '../api/system/metrics.ts'
import { makeClock, maxClockSkew, observeBatch, type Clock } from '../commands/recording.ts'
import { isPermanent, LogAhead } from '../commands/errors.ts'
import type { Ports } from '../commands/ports.ts'
import { matchingEvents } from '../projections/activity/matching.ts'
import { finishForgetting } from '../commands/requests/forget.ts'
import { personalMembers } from '../kinds/perKind.ts'
import { chunkSize } from '../commands/requests/execute.ts'
import { makeStreamQueue } from '../commands/unitOfWork/streamQueue.ts'
import { makeVerdicts } from '../events/verdicts.ts'
import { checkContract } from '../api/contracts/checkContract.ts'
import { kindNamed, kinds } from '../kinds/registry/kinds.ts'
import type { OdcsRunner } from '../odcs/odcsThreads.ts'
import { createSchemaReader, type SchemaReader } from '../kinds/schemaText/readSchemaText.ts'
import { steadyReads } from '../projections/readModels/steadyReads.ts'
import { settledReads } from '../projections/entities/settledReads.ts'
import { makePending, type Pending } from '../projections/entities/pending.ts'
import { startIntegrity } from '../processes/integrity.ts'
import type { ReadModels } from '../projections/readModels/readModels.ts'
import { searchProjection } from '../projections/search/port.ts'
import { settledSearch } from '../projections/search/searchEngine.ts'
import { prefetchIn, lookupIn, referenceLookup } from '../projections/entities/lookup.ts'
import { makeHierarchy } from '../projections/entities/hierarchy.ts'
import { makeHistory } from '../projections/history.ts'
import { rebuildReadModels } from '../projections/readModels/rebuildReadModels.ts'
import { assertSameLog } from '../projections/projection.ts'
import { needsRebuild } from '../projections/errors.ts'
import { shareSubscription } from '../projections/projectors.ts'
import { startRunner, type Runner } from '../projections/runner.ts'
import type { Config } from './settings/config.ts'
import { startConsumers, type Consumers } from './consumers.ts'
import { openEngines, logLocation, secretFor, type Engines } from './engines.ts'
import { catchUp, writeStart } from './firstStart.ts'
import { openIntegrityCheckpoint, claimForLog, watchIdentity } from './logIdentity.ts'
import { scrubLog } from '../events/transfer/scrubLog.ts'
import { withResponseCache } from './responseCaching.ts'
import { untilReady, type Retries } from './untilReady.ts'
import { makeSecretCodec } from './secretCodec.ts'
import { retrying } from '../shared/backOff.ts'
import { closeAll } from '../stores/closing.ts'

export interface Session {
  readonly api: Api
  readonly consumers: Consumers
  /** Number of deletions and restores with pending events of descendants. */
  unfinished(): number
  /**
   * Resolves when the read models must be rebuilt: close this session and open the next; or with
   * UnsupportedSchemaVersion, after which there is none.
   */
  readonly lost: Promise<Error>
  close(): Promise<void>
}

/** The parts of a session that is not complete yet. */
export interface Parts extends Partial<Pick<Engines, 'log' | 'readModels'>> {
  runner?: Runner
  clock?: Clock
}

interface Opened extends Engines {
  readonly runner: Runner
}

interface SessionOptions {
  readonly config: Config
  readonly logger: Logger
  readonly policies: Policies & { readonly digest: string | undefined }
  readonly auditKeys: AuditKeys
  readonly odcs: OdcsRunner
  readonly metrics: Pick<Metrics, 'eventsAppended' | 'storeCalled'>
  readonly stopping: AbortSignal
  /** Called with each part as soon as it exists. */
  readonly opened: (parts: Parts) => void
  /** Starts listening; called once this process holds the data folder. */
  readonly listening: () => Promise<void>
}

/** What the log says when something cannot be closed: the error that led to it is thrown. */
export const unclosed = 'what is open could not be closed'

/** Opens the stores, brings the read models up to date (or rebuilds them) and starts consumers. */
export const openSession = async (options: SessionOptions, rebuild = false): Promise<Session> => {
  const { config, auditKeys, logger, stopping } = options
  const engines = withSharedFeed(timed(await openRetrying(options), options.metrics))
  const progress = { position: () => runner?.position(), unfinished: () => following?.unfinished() ?? 0 }
  const { responseCache, store, moved } = withResponseCache(engines.readModels, options, progress)
  const schemas = createSchemaReader()
  const retry = <T>(work: () => Promise<T>): Promise<T> => untilReady(work, 'a store', retriesOf(options))
  const lost = Promise.withResolvers<Error>()
  let runner: Runner | undefined
  let consumers: Consumers | undefined
  let looking: ReturnType<typeof scrubLog> | undefined
  let following: Awaited<ReturnType<typeof follow>> | undefined
  let closing: Promise<void> | undefined
  const ended = new AbortController()
  const closeParts = (): Promise<void> => {
    ended.abort()
    const parts = [consumers, following, looking].map((part) => () => part?.close())
    return closeAll([...parts, () => runner?.stop(), schemas.close, engines.close])
  }
  const close = (): Promise<void> => (closing ??= closeParts())
  try {
    await options.listening()
    await retry(() => claimForLog(config, engines, config.takeOver))
    await retry(() => rebuildWhereNeeded(engines, options, rebuild))
    const clock = makeClock(Date.now, config.acceptLogAhead)
    runner = startRunner({
      ...engines,
      log: tapped(engines.log, (batch) => {
        observeBatch(clock, batch)
        following?.observe(batch)
      }),
      store,
      kindNamed,
      logger,
      onLost: lost.resolve,
      onTime: clock.observe,
      onMoved: moved,
    })
    options.opened({ runner, clock })
    const opened = { ...engines, readModels: steady(engines.readModels, runner), runner }
    const ports = makePorts(options, opened, { clock, schemas })
    following = await retry(() => follow(opened, ports, options))
    const { commands, readModels } = following
    await retry(() => beginLog(options, commands, opened, ended.signal))
    await retry(() => finishStart(options, commands, opened))
    ended.signal.addEventListener('abort', watchIdentity(config, engines, lost.resolve))
    await retry(following.begin)
    const api = makeApi(commands, schemas, { ...opened, readModels, responseCache }, options)
    consumers = await retry(() => startConsumers({ config, api, auditKeys, logger, stopping }))
    if (config.eventStoreUrl === undefined) looking = scrubLog(logLocation(config), logger)
    return { api, consumers, unfinished: progress.unfinished, lost: lost.promise, close }
  } catch (error) {
    await close().catch((err: unknown) => logger.error({ err }, unclosed))
    if (!needsRebuild(error) || rebuild || stopping.aborted) throw error
    logger.warn({ err: error }, 'the read models cannot be used')
    return openSession(options, true)
  }
}

/** Writes what a start has to. Where the clock forbids it, reads are served, and it is tried again in the background. */
const beginLog = async (
  { auditKeys, policies, logger, stopping }: SessionOptions,
  commands: Ports,
  { runner }: Opened,
  signal: AbortSignal,
): Promise<void> => {
  await catchUp(commands, runner, stopping)
  const write = (): Promise<void> => writeStart(commands, kinds, auditKeys, policies.digest)
  const pauseAfter = (error: unknown): number => {
    if (isPermanent(error)) throw error
    return 1000
  }
  try {
    await write()
  } catch (error) {
    if (!(error instanceof LogAhead)) throw error
    void retrying(write, pauseAfter, signal).catch((err: unknown) => {
      if (!signal.aborted) logger.error({ err }, 'what a start has to write is not written')
    })
  }
}

/** Idempotent, so that an interrupted start can be repeated. */
const finishStart = async ({ config, logger }: SessionOptions, commands: Ports, opened: Opened): Promise<void> => {
  await claimForLog(config, opened, config.takeOver)
  await finishForgetting(
    commands.vault,
    matchingEvents(commands.log, { types: new Set(['Forgotten']) }, undefined, opened.readModels),
  )
  warnWhenAhead(commands.clock, logger)
}

const retriesOf = ({ config, logger, stopping }: SessionOptions): Retries => ({
  logger,
  signal: stopping,
  seconds: config.startTimeout,
})

const warnWhenAhead = (clock: Clock, logger: Logger): void => {
  if (clock.skew() <= maxClockSkew) return
  const what = clock.refusal() ? 'nothing is written' : 'what is written has the time of that event'
  const aheadSeconds = Math.round(clock.skew() / 1000)
  logger.warn({ aheadSeconds }, `the newest event is ahead of the clock of this machine: ${what}`)
}

const follow = async (opened: Opened, ports: Ports, { config, logger, odcs }: SessionOptions) => {
  const checkpoint = await openIntegrityCheckpoint(config)
  const { term: currentTerm, position } = opened.runner
  const alone = opened.log.conditional && opened.readModels.lease === undefined
  const pending = makePending(opened.readModels, {
    entities: position,
    // Where others project too, searches are not told what is pending.
    search: () => position(alone ? searchProjection.name : undefined),
  })
  const readModels = alone ? settled(opened.readModels, pending) : opened.readModels
  const context = { api: { odcs, readModels }, workRequest: itself, baseUrl: `${config.baseUrl ?? ''}/api` }
  const integrity = startIntegrity({
    logger,
    checkpoint,
    ports,
    pending,
    reads: readModels,
    alone,
    currentTerm,
    check: (contract, asset) => checkContract(context, contract, asset),
  })
  const close = async (): Promise<void> => {
    await closeAll([integrity.close, checkpoint.close])
  }
  return { ...integrity, commands: integrity.requests, readModels, unfinished: pending.size, close }
}

/** Where other processes project, too, the read models are committed before they are shown. */
const steady = (readModels: ReadModels, runner: Runner): ReadModels =>
  readModels.lease === undefined ? { ...readModels, ...steadyReads(readModels, runner) } : readModels

const settled = (readModels: ReadModels, pending: Pending): ReadModels => ({
  ...readModels,
  ...settledReads(readModels, pending),
  ...settledSearch(readModels, pending.searchRegions),
})

const rebuildWhereNeeded = async (
  { log, readModels }: Engines,
  { logger, stopping: signal }: SessionOptions,
  wanted: boolean,
): Promise<void> => {
  if (!wanted) {
    const reason = await readModels
      .checkpoints()
      .then((checkpoints) => assertSameLog(checkpoints, log))
      .catch((error: unknown) => error)
    if (reason === undefined) return
    if (!needsRebuild(reason)) throw reason
    logger.warn(
      { err: reason },
      'the read models are damaged, or belong to another log or to a part of it that is gone',
    )
  }
  logger.warn('the read models are built again from the log before anything is answered')
  const begun = performance.now()
  const events = await rebuildReadModels({ log, readModels, kindNamed, progress: () => undefined, lost: true, signal })
  logger.warn({ events, seconds: Math.round((performance.now() - begun) / 1000) }, 'the read models are built')
}

/** Opens the stores. A data folder held by another process ends this one before it listens. */
const openRetrying = async (options: SessionOptions): Promise<Engines> => {
  const { config, logger } = options
  const external = config.eventStoreUrl !== undefined || config.mongodbUrl !== undefined
  if (external) await options.listening()
  return openEngines(config, logger, {
    opened: options.opened,
    trying: (work, what) => untilReady(work, what, retriesOf(options)),
  })
}

const timed = (engines: Engines, metrics: SessionOptions['metrics']): Engines => ({
  ...engines,
  log: timedLog(engines.log, metrics),
  readModels: timedReadModels(engines.readModels, metrics),
})

/** Shares one subscription between verdicts and projections. */
const withSharedFeed = (engines: Engines): Engines => {
  const { log, readModels } = engines
  return log.conditional ? engines : { ...engines, log: { ...log, ...shareSubscription(log, readModels.batchSize) } }
}

/** The log with an observer that receives each batch of a subscription first. */
const tapped = (log: EventStore, tap: (batch: EventBatch) => void): EventStore => ({
  ...log,
  subscribe: async function* (options) {
    for await (const batch of log.subscribe(options)) {
      tap(batch)
      yield batch
    }
  },
})

/** The service itself as a caller. */
const itself = { caller: '', signal: new AbortController().signal }

const makePorts = (
  { config }: SessionOptions,
  opened: Opened,
  { clock, schemas }: { clock: Clock; schemas: SchemaReader },
): Ports => ({
  log: opened.log,
  clock,
  lookup: lookupIn(opened.readModels, kindNamed),
  refer: referenceLookup(opened.readModels, kindNamed),
  prefetch: prefetchIn(opened.readModels, kindNamed),
  hierarchy: makeHierarchy(opened.readModels, kindNamed),
  secretCodec: makeSecretCodec(secretFor(config)),
  vault: opened.vault,
  readSchema: (text) => schemas.read(itself, text),
  streamQueue: makeStreamQueue(opened.log.conditional ? chunkSize : 1),
  showsPending: false,
  verdicts: opened.log.conditional ? undefined : makeVerdicts(opened.log),
  waitForCascades: async () => undefined,
  waitForCascadesUpTo: async () => undefined,
  position: opened.runner.position,
  waitForPosition: opened.runner.waitFor,
})

const makeApi = (
  commands: Ports,
  schemas: SchemaReader,
  { log: written, readModels, runner, responseCache }: Opened & Pick<Api, 'responseCache'>,
  { policies, odcs }: Pick<SessionOptions, 'policies' | 'odcs'>,
): Api => {
  const log = { ...written, ...written.proven }
  const isCacheable = (kind: string): boolean => personalMembers(kindNamed(kind)).size === 0
  return {
    commands,
    schemas,
    log,
    readModels,
    runner,
    responseCache,
    permits: policies.permits,
    permitsOverwrite: policies.permitsOverwrite,
    needsApproval: policies.needsApproval,
    history: makeHistory(withIncarnations(log), { isCacheable }),
    odcs,
  }
}
