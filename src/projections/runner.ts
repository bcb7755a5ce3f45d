import { sleep } from '../shared/backOff.ts'
import type { EventStore } from '../events/eventStore.ts'
import { needsRebuild, ProjectionBehind } from './errors.ts'
import type { Guard } from '../stores/errors.ts'
import { type FoldOptions, makeProjectors } from './projectors.ts'
import { leadWithLease, type PartitionWork } from './lease.ts'
import { isBehind } from '../events/events.ts'
import { makeProgress, type Progress, anyProjection, steadily } from './progress.ts'
import { assertSameLog, type Projection, type ProjectionLogger, type ProjectionStore } from './projection.ts'
import type { Projector } from './projector.ts'

/** Poll interval in milliseconds while somebody waits, growing with each unsuccessful poll. */
const shortestPause = 5
const longestPause = 50

/** Poll interval while nobody waits. */
const idlePause = 1000

/** Timeout of waiting for a position, in milliseconds. */
const usualTimeout = 10_000

const emptied = (): Error => new Error('The read models were emptied or replaced, and are built again.')

/**
 * Follows the checkpoints of a partition of another process: those that somebody waits for, otherwise that of the first
 * projection of all.
 */
const makeFollower = (options: OpenedOptions, names: readonly string[]) => {
  const { store, progress } = options
  const { name: first } = store.projections[0] as Projection
  const polledWhileIdle = names.filter((name) => name === first)
  let failure: Error | undefined
  let highWaterMark: bigint | undefined

  const poll = async (name: string): Promise<boolean> => {
    const checkpoint = await store.readCheckpoint?.(name)
    const hasMoved = checkpoint?.position !== progress.of(name)
    progress.moveTo(name, checkpoint?.position)
    if (name !== first) return hasMoved
    if (isBehind(highWaterMark, checkpoint?.position)) highWaterMark = checkpoint?.position
    const isBack = isBehind(checkpoint?.position, highWaterMark)
    failure = isBack ? emptied() : undefined
    if (checkpoint?.time !== undefined) options.onTime?.(Date.parse(checkpoint.time))
    return hasMoved
  }
  const pollAwaited = async (): Promise<boolean> => {
    const awaited = names.filter(progress.waiting)
    try {
      return (await Promise.all((awaited.length > 0 ? awaited : polledWhileIdle).map(poll))).includes(true)
    } catch (error) {
      failure = error as Error
      return false
    }
  }
  return {
    failure: () => failure,
    run: async (stopping: AbortSignal): Promise<void> => {
      highWaterMark = progress.of(first)
      for (let pause = shortestPause; !stopping.aborted;) {
        pause = (await pollAwaited()) ? shortestPause : Math.min(longestPause, pause * 1.5)
        const isAwaited = names.some(progress.waiting)
        if (!isAwaited) pause = shortestPause
        await progress.awaited(anyProjection, stopping, isAwaited ? pause : idlePause)
      }
      failure = undefined
    },
  }
}

export interface Runner {
  /**
   * Resolves when a projection (default: the first) shows the position.
   * @throws ProjectionBehind after `timeout` milliseconds (default 10,000) or when it stops
   * @throws OtherLog, DamagedReadModels when the read models must be rebuilt, UnsupportedSchemaVersion
   */
  waitFor(position: bigint, timeout?: number, projection?: string): Promise<void>
  /** Guards reads of the first projection: after a rollback they wait for what was shown. @throws like `waitFor` */
  readonly steadily: Guard
  /** Position of a projection (default: the first); `undefined` for the beginning. */
  position(projection?: string): bigint | undefined
  /**
   * Position of the newest event that the first projection shows, whichever process wrote it. Positions beyond that
   * belong to others, and other projections may pass them at other times.
   */
  shownPosition(): Promise<bigint | undefined>
  /** The last error, until the events up to then are applied. */
  failure(): Error | undefined
  /** Whether this process leads: it projects what writes wait for; always true if it is alone. */
  projects(): boolean
  /** Number of this process's current term as leader; `undefined` if another leads. */
  term(): number | undefined
  stop(): Promise<void>
}

interface RunnerOptions extends FoldOptions {
  readonly log: EventStore
  readonly store: ProjectionStore
  readonly logger: ProjectionLogger
  /** Called once with an error after which projecting cannot go on, see {@link endsProjecting}; it has stopped then. */
  readonly onLost: (reason: Error) => void
  /** Interval in milliseconds of checking that the stored projections have not gone back (default 2,000). */
  readonly checkEvery?: number
  /** Called with the time (epoch milliseconds) of the newest event projected by another process. */
  readonly onTime?: (time: number) => void
  /** Interval in milliseconds of renewing the lease (default 700). */
  readonly renewInterval?: number
  readonly onMoved?: ((projection: string, position: bigint | undefined) => void) | undefined
}

type OpenedOptions = RunnerOptions & { readonly progress: Progress }

/** Checkpoints of some projections, with as few reads as possible. */
const checkpointsOf = async ({ readCheckpoint, checkpoints }: ProjectionStore, names: readonly string[]) => {
  if (readCheckpoint === undefined) return checkpoints()
  const found = await Promise.all(names.map(async (name) => [name, await readCheckpoint(name)] as const))
  return new Map(found.flatMap(([name, checkpoint]) => (checkpoint ? [[name, checkpoint] as const] : [])))
}

/** Checks that the stored projections are of this log, and restarts those that went back: somebody emptied or replaced them. */
const watch = (
  { log, store, checkEvery = 2000, progress, onLost }: OpenedOptions,
  projectors: ReadonlyMap<string, Projector>,
) => {
  let isChecking = false
  const check = async (): Promise<void> => {
    if (isChecking) return
    isChecking = true
    try {
      const before = [...projectors.keys()].map((name) => [name, progress.of(name)] as const)
      const checkpoints = await checkpointsOf(store, [...projectors.keys()])
      for (const [name, position] of before)
        if (isBehind(checkpoints.get(name)?.position, position)) projectors.get(name)?.restart(emptied())
      await assertSameLog(checkpoints, log)
    } catch (error) {
      // The projector gets the same error of an unavailable store and reports it.
      if (needsRebuild(error)) onLost(error)
    } finally {
      isChecking = false
    }
  }
  const timer = setInterval(() => void check(), checkEvery)
  return { end: () => clearInterval(timer) }
}

const makeWork = (options: OpenedOptions, projectors: ReadonlyMap<string, Projector>) => {
  const [main] = [...projectors.values()] as [Projector]
  const follower = makeFollower(options, [...projectors.keys()])
  const watched = async (work: Promise<unknown>): Promise<void> => {
    await work.finally(watch(options, projectors).end)
  }
  let leads = false
  return {
    failure: () => (leads ? main : follower).failure(),
    led: (): string[] => (leads ? [...projectors.keys()] : []),
    lead: async (term: AbortSignal): Promise<void> => {
      leads = true
      await watched(Promise.all([...projectors.values()].map((projector) => projector.run(term))))
      leads = false
    },
    follow: (term: AbortSignal) => watched(follower.run(term)),
  }
}

/** Longest time in milliseconds that a stop waits for projections. */
const settleTime = 2000

/** Waits until projections show the whole log; the next projector applies whatever is not applied in time. */
const drain = async ({ log, progress }: OpenedOptions, names: readonly string[]): Promise<void> => {
  const timeout = new AbortController()
  const settled = log.head().then(async (head) => {
    if (head !== undefined) await Promise.all(names.map((name) => progress.waitFor(name, head, settleTime)))
  })
  await Promise.race([settled.catch(() => undefined), sleep(settleTime, timeout.signal)])
  timeout.abort()
}

/** Starts projecting, or following other processes as far as they hold the partitions. */
export const startRunner = (options: RunnerOptions): Runner => {
  const { store, renewInterval } = options
  const { lease, worker } = store
  const stopping = new AbortController()
  const { name: first } = store.projections[0] as Projection
  const progress = makeProgress({
    awaited: (projection, position) => {
      if (worker?.projections.includes(projection)) working?.prioritise(projection, position)
    },
    moved: options.onMoved,
  })
  let lost: Error | undefined
  let [terms, currentTerm]: [number, number?] = lease === undefined ? [0, 0] : [0]
  const onLost = (reason: Error): void => {
    if (lost !== undefined || stopping.signal.aborted) return
    lost = reason
    stopping.abort()
    progress.end(reason)
    options.onLost(reason)
  }
  const opened = { ...options, progress, onLost }
  const projectors = makeProjectors(opened)
  const works = (lease?.partitions ?? [[...projectors.keys()]]).map((names) =>
    makeWork(opened, new Map(names.map((name) => [name, projectors.get(name) as Projector]))),
  )
  const [main, ...others] = works as [ReturnType<typeof makeWork>, ...PartitionWork[]]
  const lead = async (term: AbortSignal): Promise<void> => {
    currentTerm = ++terms
    term.addEventListener('abort', () => (currentTerm = undefined), { once: true })
    await main.lead(term)
  }
  const position = (): bigint | undefined => progress.of(first)
  const working = worker?.start({ onMoved: progress.moveTo, onLost, logger: options.logger })
  const { signal } = stopping
  const work = [{ ...main, lead }, ...others]
  const askLog = () => options.log.head()
  const leading = lease && leadWithLease({ lease, work, position, askLog, stopping: signal, renewInterval })
  const going = leading ?? lead(signal)
  return {
    position: (projection = first) => progress.of(projection),
    shownPosition: async () => {
      if (lease !== undefined) return (await store.readCheckpoint?.(first))?.newest?.position
      const [at, head] = [position(), options.log.dense ? undefined : await options.log.head()]
      return head === undefined || isBehind(at, head) ? at : head
    },
    failure: () => lost ?? main.failure(),
    projects: () => currentTerm !== undefined,
    term: () => currentTerm,
    waitFor: (awaited, timeout = usualTimeout, projection = first) => progress.waitFor(projection, awaited, timeout),
    steadily: steadily(progress, first, usualTimeout),
    stop: async () => {
      const led = [...works.flatMap((work) => work.led()), ...(worker?.projections ?? [])]
      if (!stopping.signal.aborted) await drain(opened, led)
      stopping.abort()
      progress.end(lost ?? new ProjectionBehind('The service stops.'))
      await going
      await working?.stop()
    },
  }
}
