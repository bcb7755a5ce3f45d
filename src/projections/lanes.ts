import type { RecordedEvent } from '../events/events.ts'
import { StoreUnavailable, type EventBatch } from '../events/eventStore.ts'
import { OtherLog } from '../events/mark.ts'
import { DamagedReadModels } from './readModels.ts'
import { backOff, rest, type BackOff } from '../shared/backOff.ts'
import { once, type RowFold } from './fold.ts'
import { gather, type Gathering, type Given } from './gathering.ts'
import { inSpan } from '../shared/tracing.ts'
import type { LabelsOf } from './labels.ts'
import { earlier, isBehind, ProjectionBehind, type Progress } from './progress.ts'
import { checkpointAfter, mustShow, type Projection } from './projection.ts'
import type { RunnerOptions } from './runner.ts'

/** Projections that one subscription feeds. */
export interface Lane {
  projections: Projection[]
  /** Everything up to here has been applied, in the main lane to the first projection. */
  position: bigint | undefined
  /** The same for all its projections. */
  level: bigint | undefined
  /** What the main lane keeps back from all but its first projection. */
  kept: Gathering | undefined
  /** End of the newest batch that it was given. */
  given: bigint | undefined
  /** End of the log when it began. */
  head: bigint | undefined
  /** As far as anything was ever to be applied. */
  goal: bigint | undefined
  /** Does it work on a batch at present? */
  applying: boolean
  failure: Error | undefined
}

export const newLane = (projections: readonly Projection[]): Lane => ({
  projections: [...projections],
  position: undefined,
  level: undefined,
  kept: undefined,
  given: undefined,
  head: undefined,
  goal: undefined,
  applying: false,
  failure: undefined,
})

export interface Running extends RunnerOptions {
  readonly fold: RowFold
  readonly labelsOf: LabelsOf
  readonly progress: Progress
  readonly stopping: AbortSignal
  /** The lane of the first projection, which others join when they have caught up. */
  readonly main: Lane
  /** Runs a lane of its own for a projection that is behind the others. */
  readonly runAlone: (projection: Projection) => void
}

/**
 * Feeds the projections by a subscription until the signal aborts. One that is behind the first gets one of its own
 * until it has caught up: the others neither wait for it nor fail with it. Errors are logged, and it goes on from the
 * checkpoint.
 */
export const runLanes = async (options: Omit<Running, 'stopping' | 'runAlone'>, term: AbortSignal): Promise<void> => {
  const { main, store } = options
  const lanes = new Set<Promise<void>>()
  const runLane = (lane: Lane): void => {
    const ended: Promise<void> = run(running, lane).finally(() => lanes.delete(ended))
    lanes.add(ended)
  }
  const running: Running = {
    ...options,
    stopping: term,
    runAlone: (projection) => runLane(newLane([projection])),
  }
  Object.assign(main, { ...newLane(store.projections), goal: main.goal, failure: main.failure })
  runLane(main)
  while (lanes.size > 0) await Promise.all(lanes)
}

/** What only read models that are built again can mend. */
export type Lost = OtherLog | DamagedReadModels

export const isLost = (error: unknown): error is Lost => error instanceof OtherLog || error instanceof DamagedReadModels

const pauses: BackOff = { shortest: 50, longest: 5000 }

/** Feeds a lane until it joins the main one, beginning again after each failure. */
const run = async (running: Running, lane: Lane): Promise<void> => {
  const { stopping, logger } = running
  for (let failures = 0; !stopping.aborted; failures++) {
    const from = lane.position
    try {
      return await follow(running, lane)
    } catch (error) {
      if (stopping.aborted) return
      if (isLost(error)) return running.onLost(error)
      lane.failure = error as Error
      if (lane.position !== from) failures = 0
      const pause = backOff(failures, pauses)
      const names = lane.projections.map(({ name }) => name)
      const progress = { projections: names, position: String(from), pause }
      logger.warn({ err: error, ...progress }, 'projecting failed; it begins again from the checkpoint')
      await rest(pause, stopping)
    }
  }
}

const follow = async (running: Running, lane: Lane): Promise<void> => {
  const { log, store, stopping } = running
  const after = await begin(running, lane)
  const watching = watch(running, lane)
  const kept = keepBack(running, lane)
  const signal = AbortSignal.any([stopping, watching.signal, kept.failed])
  try {
    const tell = makeTelling(running, lane)
    if (join(running, lane)) return tell('has caught up')
    for await (const batch of log.subscribe({
      after,
      signal,
      ...(store.batchSize !== undefined && { batchSize: store.batchSize }),
    })) {
      lane.applying = true
      await give(running, lane, batch)
      lane.applying = false
      if (join(running, lane)) return tell('has caught up')
      tell('catches up')
    }
    await kept.flush()
  } finally {
    lane.applying = false
    watching.end()
    kept.end()
  }
  if (kept.failed.aborted) throw kept.failed.reason
  if (watching.signal.aborted) throw new Error('The read models, or the log, were emptied or replaced.')
  if (!stopping.aborted) throw new Error('The subscription ended.')
}

/** Milliseconds between two lines about a projection that catches up. */
const tellEvery = 5000

/** Tells how far a lane beside the main one is: when it begins, every few seconds, and when it has caught up. */
const makeTelling = ({ logger, main }: Running, lane: Lane): ((what: 'has caught up' | 'catches up') => void) => {
  if (lane === main) return () => undefined
  const projections = lane.projections.map(({ name }) => name)
  let told: number | undefined
  const tell = (what: 'has caught up' | 'catches up'): void => {
    if (what === 'catches up' && told !== undefined && performance.now() - told < tellEvery) return
    told = performance.now()
    const progress = { projections, position: String(lane.position ?? 0n), head: String(lane.head ?? 0n) }
    logger.info(progress, `a projection ${what} with the log`)
  }
  tell('catches up')
  return tell
}

/** Finds where a lane goes on. @returns the position of the projection that is furthest behind */
const begin = async ({ log, store, progress, main, runAlone }: Running, lane: Lane): Promise<bigint | undefined> => {
  const checkpoints = await store.checkpoints()
  await mustShow(checkpoints, log)
  const head = await log.head()
  const at = ({ name }: Projection): bigint | undefined => checkpoints.get(name)?.position
  for (const projection of lane.projections) progress.moveTo(projection.name, at(projection))
  if (lane === main) {
    const first = at(main.projections[0] as Projection)
    const bound = lane.given === undefined ? first : earlier(first, lane.level)
    const behind = main.projections.filter((projection) => isBehind(at(projection), bound))
    main.projections = main.projections.filter((projection) => !behind.includes(projection))
    behind.forEach(runAlone)
  }
  const earliest = lane.projections.map(at).reduce(earlier)
  lane.given = earliest
  lane.level = earliest
  moveTo(lane, earliest, head)
  return earliest
}

const moveTo = (lane: Lane, position: bigint | undefined, head: bigint | undefined = lane.head): void => {
  lane.position = position
  lane.head = head
  if (isBehind(lane.goal, position)) lane.goal = position
  if (!isBehind(position, lane.goal)) lane.failure = undefined
}

/**
 * Applies a batch to the projections of a lane; in the main lane to the first, where writes wait for it, and to the
 * others a moment later, or at once when somebody waits for one.
 */
const give = async (running: Running, lane: Lane, { events, position }: EventBatch): Promise<void> => {
  const after = lane.given
  lane.given = position
  if (isBehind(lane.goal, position)) lane.goal = position
  const batch = { after, events, position, rows: once(() => running.fold(events)) }
  const keepsBack = lane === running.main && running.store.together !== true
  const there = await inSpan('project', { 'catalog.events': events.length }, () =>
    apply(running, lane, keepsBack ? lane.projections.slice(0, 1) : lane.projections, batch),
  )
  moveTo(lane, position)
  for (const { name } of there) running.progress.moveTo(name, position)
  if (keepsBack) await lane.kept?.add(batch)
  else lane.level = position
}

/** Milliseconds for which it is kept back where each projection is several commands to another server. */
const longWhile = 100

const keepBack = (running: Running, lane: Lane): Gathering => {
  const others = (): readonly Projection[] => lane.projections.slice(1)
  const giveOn = async (batch: Given): Promise<void> => {
    const there = await apply(running, lane, others(), batch)
    lane.level = batch.position
    for (const { name } of there) running.progress.moveTo(name, batch.position)
  }
  const isAwaited = (): boolean => others().some(({ name }) => running.progress.isAwaited(name))
  lane.kept = gather(giveOn, isAwaited, running.store.sharing && longWhile)
  return lane.kept
}

/** Applies a batch to those of the projections that have not come so far yet. @returns those that are there now */
const apply = async (
  running: Running,
  lane: Lane,
  projections: readonly Projection[],
  batch: Given,
): Promise<readonly Projection[]> => {
  const { store, progress, labelsOf } = running
  const due = projections.filter(({ name }) => isBehind(progress.of(name), batch.position))
  if (due.length === 0) return []
  if (lane !== running.main) for (const { uses } of due) if (uses !== undefined) await reached(running, uses, batch)
  const applied = await Promise.allSettled(
    due.map((projection) =>
      projection.apply({ ...narrowed(batch, projection, progress.of(projection.name)), rows: batch.rows, labelsOf }),
    ),
  )
  leaveOutFailed(running, lane, due, applied)
  await store.commit(
    applied.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    checkpointAfter(batch),
  )
  return due.filter((_, index) => applied[index]?.status === 'fulfilled')
}

/** Milliseconds after which who waits for another projection looks whether it still has to. */
const lookUpEvery = 500

/** Waits until a projection shows a batch. @throws when there is nobody left to write it */
const reached = async (
  { progress, stopping }: Running,
  projection: string,
  { position }: EventBatch,
): Promise<void> => {
  while (isBehind(progress.of(projection), position)) {
    stopping.throwIfAborted()
    await progress.waitFor(projection, position, lookUpEvery).catch((error: unknown) => {
      if (!(error instanceof ProjectionBehind)) throw error
    })
  }
}

const narrowed = (batch: EventBatch, { handles }: Projection, position: bigint | undefined): EventBatch => {
  const isDue = ({ type, position: at }: RecordedEvent): boolean => handles.has(type) && isBehind(position, at)
  return batch.events.every(isDue) ? batch : { ...batch, events: batch.events.filter(isDue) }
}

/** Of the main lane, projections other than the first that failed go on alone, unless what failed is a store. */
const leaveOutFailed = (
  { main, runAlone, logger }: Running,
  lane: Lane,
  due: readonly Projection[],
  applied: readonly PromiseSettledResult<unknown>[],
): void => {
  for (const [index, outcome] of applied.entries()) {
    if (outcome.status === 'fulfilled') continue
    const projection = due[index] as Projection
    const { reason } = outcome
    if (lane !== main || projection === main.projections[0] || reason instanceof StoreUnavailable || isLost(reason))
      throw reason
    logger.warn({ err: reason, projection: projection.name }, 'projecting failed; the others go on without it')
    main.projections = main.projections.filter((other) => other !== projection)
    runAlone(projection)
  }
}

/** Hands the projections of a lane to the main one when both have caught up; there they wait until it gets as far. */
const join = ({ main }: Running, lane: Lane): boolean => {
  const caughtUp = (each: Lane): boolean => !isBehind(each.position, each.head)
  if (lane === main || !caughtUp(main) || !caughtUp(lane) || isBehind(lane.position, main.given)) return false
  main.projections = [...main.projections, ...lane.projections]
  return true
}

/** Aborts when projections of the lane, or the log, have gone back: somebody has emptied or replaced them. */
const watch = ({ log, store, progress, checkEvery = 2000 }: Running, lane: Lane) => {
  const gone = new AbortController()
  let looking = false
  const haveGoneBack = async (): Promise<boolean> => {
    const before = lane.projections.map(({ name }) => ({ name, position: progress.of(name) }))
    const checkpoints = await store.checkpoints()
    if (before.some(({ name, position }) => isBehind(checkpoints.get(name)?.position, position))) return true
    await mustShow(checkpoints, log)
    return false
  }
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    const back = await haveGoneBack().catch(isLost)
    looking = false
    if (back) gone.abort()
  }
  const timer = setInterval(() => void look(), checkEvery)
  return { signal: gone.signal, end: () => clearInterval(timer) }
}
