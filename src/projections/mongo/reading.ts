import type { Db, Filter } from 'mongodb'
import { StoreUnavailable } from '../../events/eventStore.ts'
import type { Checkpoint } from '../projection.ts'
import { isBehind } from '../../events/events.ts'
import { batchReads, type BatchRead } from '../../shared/batchReads.ts'
import { memoize } from '../../shared/memoize.ts'
import {
  openGeneration,
  noGeneration,
  pointerId,
  positionIn,
  stateId,
  versionOf,
  type Generation,
  type Layout,
  type OpenedGeneration,
  type StateDocument,
  type Stored,
} from './generations.ts'

/** A result with the state that was read during or after it. */
interface Read<T> {
  readonly state: StateDocument | undefined
  /** Whether the result is complete regardless of the state. */
  readonly complete: boolean
  result(): T
}

export interface GenerationReads {
  /**
   * Reads from the current generation, and again if it was replaced meanwhile. @throws StoreUnavailable if the new one
   * shows less
   */
  read<T>(work: (generation: Generation) => Promise<T>): Promise<T>
  /** The same for work that reads the state with its result. */
  readWithState<T>(work: (generation: Generation) => Promise<Read<T>>): Promise<T>
  /** The number of documents that match. */
  count(generation: Generation, filter: Filter<Stored>): Promise<number>
}

export interface Source extends GenerationReads {
  /** The checkpoint of the current generation, which is created if missing. */
  checkpoint(): Promise<Checkpoint | undefined>
  readCheckpoint(): Promise<Checkpoint | undefined>
  /** The generation that the next batch is written to, current or not. */
  writeTarget(): Generation
  /**
   * @param work writes to that generation, and tells whether its checkpoint moved
   * @throws StaleReadModels if it is no longer current: the alias was switched, or the checkpoint did not move
   */
  write(work: (generation: Generation) => Promise<boolean>): Promise<void>
}

export interface CurrentSourceOptions {
  readonly db: Db
  readonly layout: Layout
  /** Aliased collections of all projections, with one read. */
  readonly pointers: BatchRead<string>
  readonly readOnly: boolean
  readonly moved: () => void
}

/** Milliseconds for which an alias is trusted, also by writers. */
const aliasTtl = 1000

/** Whether the generation exists and is not being replaced. */
const isSettled = (state: StateDocument | undefined): boolean => state !== undefined && state.claim === undefined

/** Reads together with the state; a failure counts only if the generation is still current. */
const withState =
  <T>(work: (generation: Generation) => Promise<T>, state: StateReader) =>
  async (generation: Generation): Promise<Read<T>> => {
    const [[outcome], latest] = await Promise.all([Promise.allSettled([work(generation)]), state(generation)])
    const result = (): T => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    }
    return { state: latest, complete: false, result }
  }

/**
 * Follows the alias. The state read with each result tells whether another generation has replaced, or is replacing, the
 * one that was read: a swap stops the checkpoint before anything is applied elsewhere.
 */
export const followAlias = (options: CurrentSourceOptions, begun: OpenedGeneration | undefined) => {
  const { layout, db, pointers, moved } = options
  const state = batchedStates()
  const none = noGeneration(db, layout)
  let exists = begun !== undefined
  let followed = begun?.generation ?? none
  let highWaterMark = positionIn(begun?.state)
  let aliasExpiry = performance.now() + aliasTtl
  let aliasRead: Promise<Generation> | undefined

  const advanceTo = (position: bigint | undefined): void => {
    if (isBehind(highWaterMark, position)) highWaterMark = position
  }
  /** @param isReplacement whether it has everything of the former one, unlike one after the collection was emptied */
  const switchTo = async (generation: Generation, isReplacement?: boolean): Promise<void> => {
    aliasExpiry = performance.now() + aliasTtl
    if (generation.name === followed.name) return
    if (isReplacement ?? (await state(followed))?.claim !== undefined) highWaterMark = undefined
    followed = generation
    exists = true
    moved()
  }
  /** Whoever deletes the alias has emptied the read models. */
  const readAlias = async (): Promise<Generation> => {
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    await switchTo(name === undefined ? none : openGeneration(db, name))
    return followed
  }
  /** The aliased generation, at most a second old. */
  const current = (): Generation | Promise<Generation> =>
    performance.now() < aliasExpiry ? followed : (aliasRead ??= readAlias().finally(() => (aliasRead = undefined)))
  const readWithState: Source['readWithState'] = async (work) => {
    let generation = await current()
    let floor = highWaterMark
    for (;;) {
      const read = await work(generation)
      const latest = isSettled(read.state) ? generation : await readAlias()
      if (latest.name === generation.name) {
        const position = positionIn(read.state)
        advanceTo(position)
        const isGone = read.state === undefined && exists
        if (!read.complete && (isGone || isBehind(position, floor)))
          throw new StoreUnavailable('The read models were emptied or replaced, and are built again from the log.')
        return read.result()
      }
      if (read.state !== undefined) floor = undefined
      generation = latest
    }
  }
  const reads: GenerationReads = {
    read: (work) => readWithState(withState(work, state)),
    readWithState,
    count: makeTotalCache(state),
  }
  return { reads, state, advanceTo, switchTo, readAlias, current, last: (): Generation => followed }
}

/** Milliseconds that a read of a state waits for a running one. */
const stateReadDelay = 20

/** Reads the state of a generation; `undefined` if the collection was emptied or dropped. */
type StateReader = (generation: Generation) => Promise<StateDocument | undefined>

/** Combines reads of a generation's state in one tick of the event loop. */
const batchedStates = (): StateReader => {
  const readerOf = memoize(({ name, state }: Generation) => {
    const read: BatchRead<StateDocument> = async () => {
      const found = await state.findOne({ _id: stateId })
      return new Map(found === null ? [] : [[name, found]])
    }
    return batchReads(read, stateReadDelay)
  })
  return async (generation) => (await readerOf(generation)([generation.name])).get(generation.name)
}

const maxTotals = 2000

const textOfNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Caches totals, counted on index keys, until the generation's state reports writes. */
const makeTotalCache = (state: StateReader): GenerationReads['count'] => {
  let cache = new Map<string, Promise<number>>()
  let cachedVersion = ''
  return async (generation, filter) => {
    const version = `${generation.name} ${versionOf(await state(generation))}`
    if (version !== cachedVersion || cache.size > maxTotals) {
      cache = new Map()
      cachedVersion = version
    }
    const totals = cache
    const key = JSON.stringify(filter, textOfNumber)
    const known = totals.get(key)
    if (known !== undefined) return known
    const counted = generation.documents.countDocuments(filter)
    totals.set(key, counted)
    counted.catch(() => totals.delete(key))
    return counted
  }
}

/** Reads of one generation, whatever its state. @param count default: with its totals in a cache */
export const readsIn = (generation: Generation, count = makeTotalCache(batchedStates())): GenerationReads => ({
  read: (work) => work(generation),
  readWithState: async (work) => (await work(generation)).result(),
  count,
})
