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
  take(): T
}

export interface GenerationReads {
  /**
   * Reads from the current generation, and again if it was replaced meanwhile. @throws StoreUnavailable if the new one
   * shows less
   */
  read<T>(work: (generation: Generation) => Promise<T>): Promise<T>
  /** The same for work that reads the state itself. */
  readAlong<T>(work: (generation: Generation) => Promise<Read<T>>): Promise<T>
  /** The number of documents that match. */
  count(generation: Generation, filter: Filter<Stored>): Promise<number>
}

export interface Source extends GenerationReads {
  /** The checkpoint of the current generation, which is created if missing. */
  checkpoint(): Promise<Checkpoint | undefined>
  shown(): Promise<Checkpoint | undefined>
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
    const take = (): T => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    }
    return { state: latest, complete: false, take }
  }

/**
 * Follows the alias. The state read with each result tells whether another generation has replaced, or is replacing, the
 * one that was read: a swap stops the checkpoint before anything is applied elsewhere.
 */
export const followAlias = (options: CurrentSourceOptions, begun: OpenedGeneration | undefined) => {
  const { layout, db, pointers, moved } = options
  const state = batchedStates()
  const none = noGeneration(db, layout)
  let isThere = begun !== undefined
  let reading = begun?.generation ?? none
  let furthest = positionIn(begun?.state)
  let trusted = performance.now() + aliasTtl
  let looking: Promise<Generation> | undefined

  const seen = (position: bigint | undefined): void => {
    if (isBehind(furthest, position)) furthest = position
  }
  /** @param isReplacement whether it has all that the former one showed: an emptied collection does not */
  const turnTo = async (generation: Generation, isReplacement?: boolean): Promise<void> => {
    trusted = performance.now() + aliasTtl
    if (generation.name === reading.name) return
    if (isReplacement ?? (await state(reading))?.claim !== undefined) furthest = undefined
    reading = generation
    isThere = true
    moved()
  }
  /** Whoever deletes the alias has emptied the read models. */
  const look = async (): Promise<Generation> => {
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    await turnTo(name === undefined ? none : openGeneration(db, name))
    return reading
  }
  /** The aliased generation, at most a second old. */
  const current = (): Generation | Promise<Generation> =>
    performance.now() < trusted ? reading : (looking ??= look().finally(() => (looking = undefined)))
  const readAlong: Source['readAlong'] = async (work) => {
    let generation = await current()
    let floor = furthest
    for (;;) {
      const read = await work(generation)
      const latest = isSettled(read.state) ? generation : await look()
      if (latest.name === generation.name) {
        const position = positionIn(read.state)
        seen(position)
        const isGone = read.state === undefined && isThere
        if (!read.complete && (isGone || isBehind(position, floor)))
          throw new StoreUnavailable('The read models were emptied or replaced, and are built again from the log.')
        return read.take()
      }
      if (read.state !== undefined) floor = undefined
      generation = latest
    }
  }
  const reads: GenerationReads = {
    read: (work) => readAlong(withState(work, state)),
    readAlong,
    count: makeTotalCache(state),
  }
  return { reads, state, seen, turnTo, look, current, last: (): Generation => reading }
}

/** Milliseconds that a read of a state waits for a running one. */
const patience = 20

/** Reads the state of a generation; `undefined` if the collection was emptied or dropped. */
type StateReader = (generation: Generation) => Promise<StateDocument | undefined>

/** Batches reads of a generation's state per turn. */
const batchedStates = (): StateReader => {
  const readerOf = memoize(({ name, state }: Generation) => {
    const read: BatchRead<StateDocument> = async () => {
      const found = await state.findOne({ _id: stateId })
      return new Map(found === null ? [] : [[name, found]])
    }
    return batchReads(read, patience)
  })
  return async (generation) => (await readerOf(generation)([generation.name])).get(generation.name)
}

const maxTotals = 2000

const textOfNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Caches totals, counted on index keys, until the generation's state reports writes. */
const makeTotalCache = (state: StateReader): GenerationReads['count'] => {
  let kept = new Map<string, Promise<number>>()
  let keptFor = ''
  return async (generation, filter) => {
    const version = `${generation.name} ${versionOf(await state(generation))}`
    if (version !== keptFor || kept.size > maxTotals) {
      kept = new Map()
      keptFor = version
    }
    const totals = kept
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
  readAlong: async (work) => (await work(generation)).take(),
  count,
})
