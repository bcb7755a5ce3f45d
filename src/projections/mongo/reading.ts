import type { Db } from 'mongodb'
import { StoreUnavailable } from '../../events/eventStore.ts'
import type { Checkpoint } from '../projection.ts'
import { isBehind } from '../../events/events.ts'
import type { ReadMany } from './gather.ts'
import {
  generationNamed,
  noGeneration,
  pointerId,
  type Generation,
  type Layout,
  type StateDocument,
  type Stored,
} from './generations.ts'
import { gatheringStates, type StateReader } from './states.ts'

/** What was read, and the state that was read along with it, no earlier than reading began. */
export interface Read<T> {
  readonly state: StateDocument | undefined
  /** Is nothing missing, whatever the state tells? */
  readonly complete: boolean
  take(): T
}

export interface Source<D extends Stored> {
  /**
   * Reads from the generation that is current when reading begins, or again from one that has replaced it. @throws
   * StoreUnavailable when it shows less than before
   */
  read<T>(work: (generation: Generation<D>) => Promise<T>): Promise<T>
  /** The same for work that reads the state itself. */
  readAlong<T>(work: (generation: Generation<D>) => Promise<Read<T>>): Promise<T>
  /** The state of a generation, read once for all who ask in the same turn. */
  readonly state: StateReader
  /** How far the current generation has come; it is made when there is none. */
  checkpoint(): Promise<Checkpoint | undefined>
  shown(): Promise<Checkpoint | undefined>
  /** The generation that the next batch would belong to, whether it is still read or not. */
  bound(): Generation<D>
  /** The same for who writes. Throws {@link ReadModelsReplaced}. */
  writing(): Generation<D>
  /** The name of the collection to be read, as the database said within the last second. */
  pointed(): Promise<string | undefined>
  /** Throws {@link ReadModelsReplaced} when what was written will not be read: `pointed` elsewhere, or not `moved`. */
  written(generation: Generation<D>, pointed: string | undefined, moved: boolean): void
}

export interface CurrentSourceOptions {
  readonly db: Db
  readonly layout: Layout
  /** Names of the collections that pointers name, of all projections with one read. */
  readonly pointers: ReadMany<string>
  readonly readOnly: boolean
  readonly moved: () => void
}

/** A generation whose state says nothing is taken for the current one so many milliseconds long, by who writes too. */
export const trust = 1000

/** Which generation is current, as far as the pointer was followed. */
interface Following<D extends Stored> {
  readonly state: StateReader
  shown(): Generation<D>
  look(): Promise<Generation<D>>
  current(): Generation<D> | Promise<Generation<D>>
  /** To be called before finding out which generation is current. @returns what takes it, unless a newer one was taken */
  finding(): (generation: Generation<D>, anew?: boolean) => Promise<void>
  seen(position: bigint | undefined): void
  /** As far as they were seen to have come. */
  furthest(): bigint | undefined
  /** Was there ever one? */
  isThere(): boolean
}

const makeFollowing = <D extends Stored>(
  { layout, db, pointers, moved }: CurrentSourceOptions,
  begun: Generation<D> | undefined,
): Following<D> => {
  const state = gatheringStates()
  let isThere = begun !== undefined
  let reading = begun ?? noGeneration<D>(db, layout)
  let furthest: bigint | undefined
  let trusted = Date.now() + trust
  let looking: Promise<Generation<D>> | undefined
  let begunLooks = 0
  let newestLook = 0

  const finding: Following<D>['finding'] = () => {
    const look = ++begunLooks
    return async (generation, anew = false) => {
      const isOther = generation.name !== reading.name
      // Who replaced it knows how far it must have come; who emptied it does not.
      const isReplaced = anew || (isOther && (await state(reading))?.claim !== undefined)
      if (look < newestLook) return
      newestLook = look
      trusted = Date.now() + trust
      if (generation.name === reading.name) return
      reading = generation
      isThere = true
      if (isReplaced) furthest = undefined
      moved()
    }
  }
  const look = async (): Promise<Generation<D>> => {
    const found = finding()
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    await found(name === undefined || name === reading.name ? reading : generationNamed<D>(db, name))
    return reading
  }
  return {
    state,
    shown: () => reading,
    look,
    current: () => (Date.now() < trusted ? reading : (looking ??= look().finally(() => (looking = undefined)))),
    finding,
    seen: (position) => {
      if (isBehind(furthest, position)) furthest = position
    },
    furthest: () => furthest,
    isThere: () => isThere,
  }
}

const positionIn = (state: StateDocument | undefined): bigint | undefined =>
  typeof state?.position === 'string' ? BigInt(state.position) : undefined

/** Is the generation of this state there, and neither replaced nor about to be? */
const isSettled = (state: StateDocument | undefined): boolean => state !== undefined && state.claim === undefined

/** Reads and the state at once; what reading fails with counts only where the generation is still the current one. */
const withState =
  <D extends Stored, T>(work: (generation: Generation<D>) => Promise<T>, state: StateReader) =>
  async (generation: Generation<D>): Promise<Read<T>> => {
    const [[outcome], told] = await Promise.all([Promise.allSettled([work(generation)]), state(generation)])
    const take = (): T => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    }
    return { state: told, complete: false, take }
  }

export type GenerationReader<D extends Stored> = Pick<Source<D>, 'read' | 'readAlong' | 'state'> &
  Pick<Following<D>, 'shown' | 'look' | 'finding' | 'seen'>

/**
 * Follows the pointer for who reads. Every read is told by the state, read with it, whether another generation has
 * replaced the one that was read, or is about to: a swap stops the checkpoint before anything is applied elsewhere.
 */
export const makeReading = <D extends Stored>(
  options: CurrentSourceOptions,
  begun: Generation<D> | undefined,
): GenerationReader<D> => {
  const { state, shown, look, current, finding, seen, furthest, isThere } = makeFollowing(options, begun)
  const readAlong: Source<D>['readAlong'] = async (work) => {
    let generation = await current()
    let floor = furthest()
    for (;;) {
      const read = await work(generation)
      const latest = isSettled(read.state) ? generation : await look()
      if (latest.name === generation.name) {
        const position = positionIn(read.state)
        seen(position)
        const isGone = read.state === undefined && isThere()
        if (!read.complete && (isGone || isBehind(position, floor)))
          throw new StoreUnavailable('The read models were emptied or replaced, and are built again from the log.')
        return read.take()
      }
      if (read.state !== undefined) floor = undefined
      generation = latest
    }
  }
  return { state, readAlong, read: (work) => readAlong(withState(work, state)), shown, look, finding, seen }
}
