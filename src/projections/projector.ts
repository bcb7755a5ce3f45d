import type { EventBatch, EventStore, SubscribeOptions } from '../events/eventStore.ts'
import { backoff, sleep, type Backoff } from '../shared/backOff.ts'
import { inSpan } from '../shared/tracing.ts'
import { batched } from './batching.ts'
import type { EntityRow } from './entities/row.ts'
import { endsProjecting, ProjectionBehind } from './errors.ts'
import type { LabelsOf } from './labels.ts'
import { isBehind, type RecordedEvent } from '../events/events.ts'
import type { Progress } from './progress.ts'
import {
  checkpointAfter,
  assertSameLog,
  type Batch,
  type Projection,
  type ProjectionLogger,
  type ProjectionStore,
} from './projection.ts'

/** Folds events to the rows of their entities, after these events or newer. */
export type RowFold = (events: readonly RecordedEvent[]) => Promise<readonly EntityRow[]>

interface ProjectorOptions {
  readonly projection: Projection
  readonly store: Pick<ProjectionStore, 'checkpoints'>
  readonly log: Pick<EventStore, 'subscribe' | 'eventAt' | 'head' | 'dense'>
  readonly progress: Progress
  readonly rowsOf: RowFold
  readonly labelsOf: LabelsOf
  readonly isVoid?: Batch['isVoid']
  readonly logger: ProjectionLogger
  readonly onLost?: ((reason: Error) => void) | undefined
  readonly batching?: Projection['batching'] | undefined
  /** Position at which it ends; absent: it runs until stopped. */
  readonly upTo?: bigint | undefined
}

const pauses: Backoff = { shortest: 50, longest: 5000 }

/** Interval in milliseconds of checking whether waiting for another projection is still needed. */
const lookUpEvery = 500

/** Longest time in milliseconds that a batch waits for those that somebody waits for. */
const maxYieldTime = 1000

/** Interval in milliseconds of log lines about a catch-up. */
const logInterval = 5000

/** Logs the progress of a long catch-up: at its start, every few seconds, and at its end. */
const makeCatchUpLog = ({ projection: { name }, logger }: ProjectorOptions) => {
  let loggedAt: number | undefined
  let end: bigint | undefined
  const logProgress = (what: string, position: bigint | undefined): void =>
    logger.info({ projection: name, position: String(position ?? 0n), head: String(end) }, `a projection ${what}`)
  return {
    begin: (position: bigint | undefined, head: bigint | undefined): void => {
      end = head
      loggedAt = isBehind(position, head) ? performance.now() : undefined
      if (position === undefined && head !== undefined) logProgress('catches up with the log', position)
    },
    moved: (position: bigint): void => {
      if (loggedAt === undefined) return
      if (!isBehind(position, end)) {
        loggedAt = undefined
        return logProgress('has caught up with the log', position)
      }
      if (performance.now() - loggedAt < logInterval) return
      loggedAt = performance.now()
      logProgress('catches up with the log', position)
    },
  }
}

interface State {
  restarting: AbortController
  readonly catchUpLog: ReturnType<typeof makeCatchUpLog>
  failure: Error | undefined
  /** The furthest position that was ever to be applied. */
  highWaterMark: bigint | undefined
}

const moveTo = ({ projection, progress }: ProjectorOptions, state: State, position: bigint | undefined): void => {
  if (isBehind(state.highWaterMark, position)) state.highWaterMark = position
  if (!isBehind(position, state.highWaterMark)) state.failure = undefined
  progress.moveTo(projection.name, position)
}

const resume = async (options: ProjectorOptions, state: State): Promise<bigint | undefined> => {
  const { projection, store, log } = options
  const checkpoints = await store.checkpoints()
  const [head] = await Promise.all([log.head(), assertSameLog(checkpoints, log)])
  const position = checkpoints.get(projection.name)?.position
  state.catchUpLog.begin(position, head)
  moveTo(options, state, position)
  return position
}

const waitForDependency = async (
  { progress }: ProjectorOptions,
  other: string,
  position: bigint,
  signal: AbortSignal,
): Promise<void> => {
  while (isBehind(progress.of(other), position)) {
    signal.throwIfAborted()
    await progress.waitFor(other, position, lookUpEvery).catch((error: unknown) => {
      if (!(error instanceof ProjectionBehind)) throw error
    })
  }
}

const apply = async (
  options: ProjectorOptions,
  state: State,
  { after, events, position }: EventBatch & Pick<Batch, 'after'>,
  signal: AbortSignal,
): Promise<void> => {
  const { projection, rowsOf, labelsOf, isVoid, progress } = options
  if (isBehind(state.highWaterMark, position)) state.highWaterMark = position
  // The other one may pass events of others at another time.
  const last = events.at(-1)?.position
  if (last !== undefined && projection.uses !== undefined)
    await waitForDependency(options, projection.uses, last, signal)
  if (last !== undefined) await projection.sees?.(last, signal)
  const rows = () => rowsOf(events)
  const checkpoint = checkpointAfter({ events, position })
  const giveWay = projection.batching && (() => progress.yieldPriority(projection.name, signal, maxYieldTime))
  const undone = (reason: unknown): void => {
    state.failure = reason as Error
    moveTo(options, state, after)
    state.restarting.abort(reason)
  }
  await projection.apply({ after, events, position, checkpoint, rows, labelsOf, isVoid, giveWay, undone })
  signal.throwIfAborted()
  moveTo(options, state, position)
  state.catchUpLog.moved(position)
}

const pagesAfter = (
  { projection, progress, log, batching, upTo }: ProjectorOptions,
  after: bigint | undefined,
  signal: AbortSignal,
): AsyncIterable<EventBatch> => {
  const pages = upTo === undefined ? log.subscribe({ after, signal }) : eventsUpTo(upTo, log, { after, signal })
  const { name, crowd } = projection
  if (batching !== undefined)
    return batched(pages, {
      size: batching.size,
      mayCollect: () => progress.waiting(name) === 0,
      whenDue: (over) => progress.awaited(name, over, batching.time),
    })
  if (crowd === undefined) return pages
  return batched(pages, {
    size: crowd.size,
    mayCollect: () => progress.waiting(name) >= crowd.waiting,
    whenDue: (over) => sleep(crowd.time, over),
  })
}

const follow = async (options: ProjectorOptions, state: State, stopping: AbortSignal): Promise<void> => {
  const leaving = new AbortController()
  const signal = AbortSignal.any([stopping, leaving.signal])
  try {
    let after = await resume(options, state)
    if (options.upTo !== undefined && !isBehind(after, options.upTo)) return
    for await (const page of pagesAfter(options, after, signal)) {
      const about = { 'catalog.events': page.events.length, 'catalog.projection': options.projection.name }
      await inSpan('project', about, () => apply(options, state, { ...page, after }, signal))
      after = page.position
    }
  } finally {
    leaving.abort()
  }
}

/**
 * Makes a projector: a catch-up subscription from the projection's checkpoint, with each batch and its checkpoint in
 * one transaction. After an error it restarts from the checkpoint, independently of other projections.
 */
export const makeProjector = (options: ProjectorOptions) => {
  const { progress, logger, projection } = options
  const { name } = projection
  const state: State = {
    restarting: new AbortController(),
    catchUpLog: makeCatchUpLog(options),
    failure: undefined,
    highWaterMark: undefined,
  }

  const followOnce = async (stopping: AbortSignal): Promise<void> => {
    state.restarting = new AbortController()
    const { signal } = state.restarting
    await follow(options, state, AbortSignal.any([stopping, signal]))
    signal.throwIfAborted()
    if (!stopping.aborted) throw new Error('The subscription ended.')
  }
  return {
    /** The last error, until the events up to then are applied. */
    failure: () => state.failure,
    /** Restarts from the checkpoint, after the store went back or changed. */
    restart: (reason: Error) => state.restarting.abort(reason),
    /** Follows the log up to `upTo`. @throws any failure */
    follow: (stopping: AbortSignal) => follow(options, state, stopping),
    /** Follows the log until the signal aborts, retrying after failures. */
    run: async (stopping: AbortSignal): Promise<void> => {
      for (let failures = 0; !stopping.aborted; failures++) {
        const from = progress.of(name)
        try {
          return await followOnce(stopping)
        } catch (error) {
          if (stopping.aborted) return
          if (endsProjecting(error)) return options.onLost?.(error as Error)
          state.failure = error as Error
          if (progress.of(name) !== from) failures = 0
          const pause = backoff(failures, pauses)
          const about = { projection: name, position: String(progress.of(name)), pause }
          logger.warn({ err: error, ...about }, 'projecting failed; it begins again from the checkpoint')
          await sleep(pause, stopping)
        }
      }
    },
  }
}

export type Projector = ReturnType<typeof makeProjector>

/** The events up to a position, which may be beyond the head: there the log has nothing that could be waited for. */
async function* eventsUpTo(
  upTo: bigint,
  log: ProjectorOptions['log'],
  options: SubscribeOptions,
): AsyncGenerator<EventBatch> {
  const head = await log.head()
  const last = isBehind(head, upTo) ? head : upTo
  if (!isBehind(options.after, last)) yield { events: [], position: upTo }
  else
    for await (const page of log.subscribe(options)) {
      if (isBehind(page.position, last)) yield page
      else return yield { events: page.events.filter(({ position }) => position <= upTo), position: upTo }
    }
}
