import type { RecordedEvent } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { markOf, OtherLog } from '../events/mark.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import type { ReadModels } from './readModels.ts'
import { makeRowFold, once, type RowFold } from './fold.ts'
import { makeFolding, type Folding } from './folding.ts'
import { makeLabels } from './labels.ts'
import { earlier } from './progress.ts'
import { searchProjection } from './search/searchProjection.ts'
import { applyBatch, checkpointAfter, mustShow, type Projection, type ProjectionStore } from './projection.ts'

export interface ReplayOptions {
  readonly log: Pick<EventStore, 'readAll' | 'readTextPages' | 'readStream' | 'eventAt' | 'head' | 'dense'>
  readonly readModels: ReadModels
  readonly kindNamed: (name: string) => KindDefinition
  /** Bytes of memory for entities that are folded before they are stored, about (default 64 MiB). */
  readonly foldingRoom?: number
  /** Applies the log up to a position to what another thread fills. */
  readonly replayBeside?: ((upTo: bigint) => Promise<void>) | undefined
  /** Is told how far the log has been gone through, in positions. */
  readonly progress: (step: number) => void
}

export interface RebuildOptions extends ReplayOptions {
  /**
   * The read models that are replaced are of another log, or damaged: how far they have come means nothing. Left out:
   * it is looked for.
   */
  readonly lost?: boolean
}

/** Events that are applied at once, and rows that are stored at once. */
const batchSize = 1000
const rowsAtOnce = 2000

const foldingRoom = 64 * 2 ** 20

/** How far all projections have come: one that is in place already is moved on by others. */
const commonCheckpoint = async ({ projections, checkpoints }: ProjectionStore): Promise<bigint | undefined> => {
  const found = await checkpoints()
  return projections.map(({ name }) => found.get(name)?.position).reduce(earlier)
}

const replayHere = async (options: ReplayOptions, upTo: bigint): Promise<number> => {
  const { log, readModels, progress } = options
  const from = await commonCheckpoint(readModels)
  if (from !== undefined && from >= upTo) return 0
  if (from === undefined) return replayFolding(options, upTo)
  const events = log.readAll({ after: from })
  return replayInOrder({ log, store: readModels, events, fold: makeRowFold(options), progress }, from, upTo)
}

/** Applies the log up to a position, from where the read models are. @returns the number of events */
export const replay = async (options: ReplayOptions, upTo: bigint | undefined): Promise<number> => {
  if (upTo === undefined) return 0
  const [here, beside] = await Promise.allSettled([replayHere(options, upTo), options.replayBeside?.(upTo)])
  if (here.status === 'rejected') throw here.reason
  if (beside.status === 'rejected') throw beside.reason
  return here.value
}

/**
 * Applies the log to each projection up to a position of its own, for a comparison. The search index comes as far as
 * the entities, whose rows it is made of.
 */
export const replayTo = async (
  options: ReplayOptions,
  positions: ReadonlyMap<string, bigint | undefined>,
): Promise<void> => {
  const { log, readModels } = options
  const [first, ...later] = readModels.projections as readonly [Projection, ...Projection[]]
  const some = (projections: readonly Projection[]): ReadModels => ({ ...readModels, projections })
  const readsRows = ({ name }: Projection): boolean => name === searchProjection.name
  await replay({ ...options, readModels: some([first, ...later.filter(readsRows)]) }, positions.get(first.name))
  const ofEvents = later.filter((projection) => !readsRows(projection))
  for (const [position, together] of Map.groupBy(ofEvents, ({ name }) => positions.get(name)))
    if (position !== undefined) await replayEvents(log, some(together), position)
}

const later = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one

const isOfThisLog = async (readModels: ReadModels, log: ReplayOptions['log']): Promise<boolean> => {
  try {
    await mustShow(await readModels.checkpoints(), log)
    return true
  } catch (error) {
    if (error instanceof OtherLog) return false
    throw error
  }
}

/**
 * Replays the whole log into fresh read models, which never show more than the others, and puts them in their place.
 */
export const rebuildReadModels = async ({ readModels, ...others }: RebuildOptions): Promise<number> => {
  const { log } = others
  const lost = others.lost ?? !(await isOfThisLog(readModels, log))
  const { fresh, replayBeside, swap, discard } = await readModels.startRebuild()
  let count = 0
  const goOn = async (upTo: bigint | undefined): Promise<void> => {
    count += await replay({ ...others, readModels: fresh, replayBeside }, upTo)
  }
  try {
    await goOn(await log.head())
    await goOn(await log.head())
    await swap(lost ? undefined : async (shown) => goOn(later(shown, await log.head())))
    return count
  } catch (error) {
    await discard()
    throw error
  }
}

/** Events whose data is parsed only when somebody looks at it, where the store has that. */
async function* textsOf(log: Pick<EventStore, 'readAll' | 'readTextPages'>, after: bigint | undefined) {
  if (log.readTextPages === undefined) yield* log.readAll({ after })
  else for await (const page of log.readTextPages({ after })) yield* page
}

interface InOrder extends Pick<ReplayOptions, 'log' | 'progress'> {
  readonly store: ProjectionStore
  readonly events: AsyncIterable<RecordedEvent>
  readonly fold: RowFold
}

const replayInOrder = async (
  { log, store, events, fold, progress }: InOrder,
  from: bigint | undefined,
  upTo: bigint,
): Promise<number> => {
  const labelsOf = makeLabels(log)
  let count = 0
  let at = from ?? 0n
  let batch: RecordedEvent[] = []
  const apply = async (position: bigint): Promise<void> => {
    const some = batch
    const whole = { events: some, position, rows: once(() => fold(some)), labelsOf }
    await applyBatch(store, whole)
    count += some.length
    progress(Number(position - at))
    at = position
    batch = []
  }
  for await (const event of events) {
    if (event.position > upTo) break
    batch.push(event)
    if (batch.length === batchSize) await apply(event.position)
  }
  await apply(upTo)
  return count
}

/** Applies the log up to a position, from where they are, to projections that are made of the events alone. */
export const replayEvents = async (log: ReplayOptions['log'], store: ProjectionStore, upTo: bigint): Promise<void> => {
  const from = await commonCheckpoint(store)
  if (from !== undefined && from >= upTo) return
  const fold: RowFold = () => Promise.reject(new Error('No rows of entities are folded here.'))
  await replayInOrder({ log, store, events: textsOf(log, from), fold, progress: () => undefined }, from, upTo)
}

const byOrder = ({ projections }: Pick<ReadModels, 'projections'>) => {
  const [ordered = [], others = []] = [true, false].map((wanted) =>
    projections.filter(({ inOrder = false }) => inOrder === wanted),
  )
  return { ordered, others }
}

/** Does one after the other what is added, while its caller goes on; with no more than one that waits. */
const makeWriting = () => {
  let last: Promise<void> = Promise.resolve()
  return {
    add: async (work: () => Promise<void>): Promise<void> => {
      await last
      last = work()
      last.catch(() => undefined)
    },
    end: (): Promise<void> => last,
  }
}

/**
 * Goes through the log once and folds entities in memory, so that each row is stored once, when there is no room for
 * more or at the end; reading goes on meanwhile.
 */
const replayFolding = async (options: ReplayOptions, upTo: bigint): Promise<number> => {
  const { log, readModels, progress } = options
  const { ordered, others } = byOrder(readModels)
  const labelsOf = makeLabels(log)
  const folding = makeFolding(options, options.foldingRoom ?? foldingRoom)
  const writing = makeWriting()
  let count = 0
  let at = 0n
  let batch: RecordedEvent[] = []

  const write = async (events: readonly RecordedEvent[], position: bigint): Promise<void> => {
    const whole = { events, position, rows: async () => [], labelsOf }
    await applyBatch(readModels, whole, { position: 0n }, others)
    await applyBatch(readModels, whole, checkpointAfter(whole), ordered)
  }
  const writeRows = async ({ rows, isNew }: ReturnType<Folding['take']>): Promise<void> => {
    for (const some of rows) {
      const chunk = { events: [], position: 0n, rows: async () => some, isNew, labelsOf }
      await applyBatch(readModels, chunk, { position: 0n }, others)
    }
  }
  const give = async (position: bigint): Promise<void> => {
    const events = batch
    batch = []
    count += events.length
    progress(Number(position - at))
    at = position
    await folding.add(events)
    await writing.add(() => write(events, position))
    if (!folding.isFull()) return
    await writing.add(() => writeRows(folding.take(rowsAtOnce)))
    await writing.end()
  }
  for await (const event of log.readAll()) {
    if (event.position > upTo) break
    batch.push(event)
    if (batch.length === batchSize) await give(event.position)
  }
  await give(upTo)
  await writing.end()
  await writeRows(folding.take(rowsAtOnce))
  const newest = await log.eventAt(upTo)
  const end = { events: [], position: upTo, rows: async () => [], labelsOf }
  await applyBatch(
    readModels,
    end,
    { position: upTo, newest: newest && markOf(newest), time: newest?.metadata.time },
    others,
  )
  return count
}
