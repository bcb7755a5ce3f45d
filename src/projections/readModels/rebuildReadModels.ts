import { type FoldOptions, makeProjectors, type ReadLog } from '../projectors.ts'
import { isBehind } from '../../events/events.ts'
import { ProjectionBehind } from '../errors.ts'
import { makeProgress } from '../progress.ts'
import { isSameLog, type Projection, type ProjectionLogger, type ProjectionStore } from '../projection.ts'
import type { ReadModels, Rebuild } from './readModels.ts'
import { searchProjection } from '../search/port.ts'
import { reasonIn, StoreUnavailable } from '../../stores/errors.ts'

interface ReplayOptions extends Pick<FoldOptions, 'kindNamed'> {
  readonly log: ReadLog
  readonly readModels: ReadModels
  /** Receives the progress in positions. */
  readonly progress: (step: number) => void
  /** Ends it early: it rejects with the reason. */
  readonly signal?: AbortSignal
}

interface RebuildOptions extends ReplayOptions {
  /** Whether the old read models are damaged or of another log, so that their position is void (default: checked). */
  readonly lost?: boolean
}

const silent: ProjectionLogger = { warn: () => undefined, info: () => undefined }

const counting = (store: ProjectionStore, count: (events: number) => void): ProjectionStore => {
  const [first, ...others] = store.projections as [Projection, ...Projection[]]
  const apply: Projection['apply'] = async (batch) => {
    await first.apply(batch)
    count(batch.events.length)
  }
  return { ...store, projections: [{ ...first, apply }, ...others] }
}

/**
 * Applies the log up to a position, from the checkpoint of each projection.
 * @returns the number of events
 * @throws errors of projections
 */
export const replay = async (options: ReplayOptions, upTo: bigint | undefined): Promise<number> => {
  if (upTo === undefined) return 0
  const { readModels } = options
  let count = 0
  let at = 0n
  const [first] = readModels.projections
  const moved = (name: string, position = 0n): void => {
    if (name !== first?.name) return
    options.progress(Number(position - at))
    at = position
  }
  const projectors = makeProjectors({
    ...options,
    store: counting(readModels, (events) => (count += events)),
    progress: makeProgress({ moved }),
    logger: silent,
    upTo,
  })
  const failed = new AbortController()
  const signal = AbortSignal.any([failed.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const following = [...projectors.values()].map((projector) =>
    projector.follow(signal).catch((error: unknown) => {
      if (!signal.aborted) failed.abort(error)
    }),
  )
  await Promise.all(following)
  signal.throwIfAborted()
  return count
}

/**
 * Applies the log to each projection up to a given position, for a comparison. The search index reaches the position of
 * the entities, since it is made from their rows.
 */
export const replayTo = async (
  options: ReplayOptions,
  positions: ReadonlyMap<string, bigint | undefined>,
): Promise<void> => {
  const { readModels } = options
  const [first] = readModels.projections as readonly [Projection, ...Projection[]]
  const endOf = ({ name }: Projection): bigint | undefined =>
    positions.get(name === searchProjection.name ? first.name : name)
  for (const [end, projections] of Map.groupBy(readModels.projections, endOf))
    await replay({ ...options, readModels: { ...readModels, projections } }, end)
}

/** Starts a rebuild, or resumes an interrupted one of the same log. */
const startFilling = async (readModels: ReadModels, log: ReplayOptions['log']): Promise<Rebuild> => {
  const left = await readModels.startRebuild(true)
  if (await isSameLog(await left.fresh.checkpoints(), log)) return left
  await left.discard()
  return startFilling(readModels, log)
}

/** Starts the worker of the read models, if any; its first failure ends it. */
const startWorker = ({ worker }: ReadModels, signal?: AbortSignal) => {
  const progress = makeProgress({ awaited: (projection, position) => running?.prioritise(projection, position) })
  const warn = ({ err }: { err?: unknown }, line: string): void =>
    progress.end(new StoreUnavailable(`${line}: ${reasonIn(err)}`, { cause: err }))
  const running = worker?.start({ onMoved: progress.moveTo, onLost: progress.end, logger: { ...silent, warn } })
  const end = (): void => progress.end(signal?.reason as Error)
  signal?.addEventListener('abort', end)
  return {
    /** Resolves when all that it writes shows a position. */
    shows: async (position: bigint | undefined): Promise<void> => {
      if (position === undefined) return
      await Promise.all((worker?.projections ?? []).map((name) => progress.waitFor(name, position)))
    },
    /** Whoever still waits for it is told so. */
    stop: async (): Promise<void> => {
      signal?.removeEventListener('abort', end)
      progress.end(new ProjectionBehind('The rebuild has ended.'))
      await running?.stop()
    },
  }
}

/**
 * Replays the whole log into fresh read models, never beyond the old ones, and replaces these.
 * @returns the number of events
 */
export const rebuildReadModels = async ({ readModels, ...others }: RebuildOptions): Promise<number> => {
  const { log } = others
  const lost = others.lost ?? !(await isSameLog(await readModels.checkpoints(), log))
  const { fresh, swap, discard } = await startFilling(readModels, log)
  const worker = startWorker(fresh, others.signal)
  let count = 0
  /** @param shown may be beyond the head, where others have written to the same store */
  const catchUp = async (shown?: bigint): Promise<void> => {
    const head = await log.head()
    const upTo = isBehind(head, shown) ? shown : head
    const [replayed] = await Promise.all([replay({ ...others, readModels: fresh }, upTo), worker.shows(head)])
    count += replayed
  }
  try {
    await catchUp()
    await catchUp()
    await swap(async (shown) => {
      if (!lost) await catchUp(shown)
      await worker.stop()
    })
    return count
  } catch (error) {
    await worker.stop()
    await discard(error)
    throw error
  }
}
