import type { Db } from 'mongodb'
import { ReadModelsReplaced, type Checkpoint } from '../projection.ts'
import {
  ensureGeneration,
  generationNamed,
  noGeneration,
  pointerId,
  readState,
  stateIn,
  type Generation,
  type Layout,
  type State,
  type StateDocument,
  type Stored,
} from './generations.ts'
import type { ReadMany } from './gather.ts'
import { gatheringStates, type StateReader } from './states.ts'
import { StoreUnavailable } from '../../events/eventStore.ts'
import { isBehind } from '../progress.ts'
import { claimsSettled } from './succession.ts'

/** What was read, and the state that was read along with it, no earlier than reading began. */
export interface Read<T> {
  readonly state: StateDocument | undefined
  /** Is nothing missing, whatever the state tells? */
  readonly complete: boolean
  /** What was read. Throws what reading failed with. */
  take(): T
}

/** Which generation is read and written. */
export interface Source<D extends Stored> {
  /**
   * Reads from the generation that is current when reading begins, or from a later one: work is done again on another
   * generation when that has taken the place of the one that was read.
   * @throws StoreUnavailable when the generation shows less than was there before
   */
  read<T>(work: (generation: Generation<D>) => Promise<T>): Promise<T>
  /** The same for work that reads the state itself. */
  readAlong<T>(work: (generation: Generation<D>) => Promise<Read<T>>): Promise<T>
  /** The state of a generation, read once for all who ask in the same turn. */
  readonly state: StateReader
  /** How far the current generation has come; it is made when there is none. */
  checkpoint(): Promise<Checkpoint | undefined>
  /** How far the generation that is read has come. */
  shown(): Promise<Checkpoint | undefined>
  /** The generation that the next batch would belong to, whether it is still read or not. */
  bound(): Generation<D>
  /** The same for who writes. Throws {@link ReadModelsReplaced}. */
  writing(): Generation<D>
  /**
   * The name of the collection that is to be read, as the database said within the last second; asked for while a batch
   * is written.
   */
  pointed(): Promise<string | undefined>
  /**
   * Throws {@link ReadModelsReplaced} when what was written will not be read.
   * @param pointed what {@link pointed} gave
   * @param moved false when the generation is there no more
   */
  written(generation: Generation<D>, pointed: string | undefined, moved: boolean): void
}

/** A generation whose state says nothing is taken for the current one so many milliseconds long, by who writes too. */
const trust = 1000

const checkpointIn = (state: State | undefined): Checkpoint | undefined =>
  state?.position === undefined ? undefined : { position: state.position, newest: state.newest, time: state.time }

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

/**
 * A source that always means this generation: that of a rebuild.
 * @param isInPlace tells whether it has become the current one; then others may apply to it, or be about to replace it
 */
export const fixedSource = <D extends Stored>(generation: Generation<D>, isInPlace: () => boolean): Source<D> => ({
  read: (work) => work(generation),
  readAlong: async (work) => (await work(generation)).take(),
  state: gatheringStates(),
  checkpoint: async () => checkpointIn(await readState(generation)),
  shown: async () => checkpointIn(await readState(generation)),
  bound: () => generation,
  writing: () => generation,
  pointed: async () => generation.name,
  written: (_, _pointed, moved) => {
    if (!moved && !isInPlace()) throw new ReadModelsReplaced('The rebuild has been discarded.')
  },
})

export interface CurrentSourceOptions {
  readonly db: Db
  readonly layout: Layout
  /** Names of the collections that pointers name, of all projections with one read. */
  readonly pointers: ReadMany<string>
  readonly readOnly: boolean
  /** Called when reads have changed over to another generation. */
  readonly moved: () => void
}

export interface CurrentSource<D extends Stored> extends Source<D> {
  /** This process has put a generation in place; `complete`: it shows all that was applied to the one before. */
  adopt(generation: Generation<D>, complete: boolean): void
}

/** The generation that was current at the beginning, and its state. */
export interface Begun<D extends Stored> {
  readonly generation: Generation<D>
  readonly state: State | undefined
}

type Reading<D extends Stored> = Pick<Source<D>, 'read' | 'readAlong' | 'state'> & {
  readonly shown: () => Generation<D>
  look(): Promise<Generation<D>>
  current(): Generation<D> | Promise<Generation<D>>
  /**
   * To be called before finding out which generation is current. @returns what takes it, unless a newer one was taken
   */
  finding(): (generation: Generation<D>, anew?: boolean) => Promise<void>
  seen(position: bigint | undefined): void
}

/**
 * Follows the pointer to the current generation for who reads. Every read is told by the state, read with it, whether
 * another generation has taken the place of the one that was read, or is about to: a swap stops the checkpoint there
 * before anything can be applied elsewhere. Then the pointer is read, and what it names.
 */
const makeReading = <D extends Stored>(
  { layout, db, pointers, moved }: CurrentSourceOptions,
  begun: Generation<D> | undefined,
): Reading<D> => {
  const state = gatheringStates(layout.looking?.bind(layout))
  let isThere = begun !== undefined
  let reading = begun ?? noGeneration<D>(db, layout)
  /** As far as they were seen to have come. */
  let furthest: bigint | undefined
  let trusted = Date.now() + trust
  let looking: Promise<Generation<D>> | undefined
  let begunLooks = 0
  let newestLook = 0

  const seen = (position: bigint | undefined): void => {
    if (isBehind(furthest, position)) furthest = position
  }
  const finding: Reading<D>['finding'] = () => {
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
  const current = (): Generation<D> | Promise<Generation<D>> =>
    Date.now() < trusted ? reading : (looking ??= look().finally(() => (looking = undefined)))

  const readAlong: Source<D>['readAlong'] = async (work) => {
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
  return {
    state,
    readAlong,
    read: (work) => readAlong(withState(work, state)),
    shown: () => reading,
    look,
    current,
    finding,
    seen,
  }
}

/**
 * Follows the pointer to the current generation. Writes go on with the generation that the checkpoint was read from:
 * when another takes its place the next batch is refused, since it may not be the one that follows there. Only after
 * such a refusal does reading the checkpoint bind to the new one, and waits for it when it is about to be put in place.
 */
export const currentSource = <D extends Stored>(
  options: CurrentSourceOptions,
  begun: Begun<D> | undefined,
): CurrentSource<D> => {
  const { db, layout, pointers, readOnly } = options
  const reading = makeReading(options, begun?.generation)
  if (begun) reading.seen(begun.state?.position)
  let bound = reading.shown()
  let refused = false
  let pointed: { readonly name: string | undefined; readonly until: number } | undefined

  /** Who puts another one in its place stops the checkpoint before that: the pointer tells only what nobody claimed. */
  const readPointed = async (): Promise<string | undefined> => {
    const until = Date.now() + trust
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    pointed = { name, until }
    return name
  }

  const refuse = (): never => {
    refused = true
    throw new ReadModelsReplaced('The read models were rebuilt or emptied: their checkpoint must be read again.')
  }
  const seen = (checkpoint: Checkpoint | undefined): Checkpoint | undefined => {
    reading.seen(checkpoint?.position)
    return checkpoint
  }

  return {
    read: reading.read,
    readAlong: reading.readAlong,
    state: reading.state,
    shown: () =>
      reading.readAlong(async (generation) => {
        const state = await reading.state(generation)
        return { state, complete: true, take: () => checkpointIn(stateIn(state)) }
      }),
    checkpoint: async () => {
      if (readOnly) return seen(checkpointIn(await readState(await reading.look())))
      const binding = refused
      if (binding) await claimsSettled(db, layout)
      const found = reading.finding()
      const saw = layout.looking?.()
      const { generation, state } = await ensureGeneration<D>(db, layout)
      saw?.(generation.name, state)
      await found(generation)
      if (binding) {
        bound = generation
        refused = false
      }
      return seen(checkpointIn(state))
    },
    bound: () => bound,
    writing: () => (refused || reading.shown().name !== bound.name ? refuse() : bound),
    pointed: async () => {
      const isKnown = pointed !== undefined && pointed.name === bound.name && Date.now() < pointed.until
      return isKnown ? pointed?.name : readPointed()
    },
    written: (generation, name, moved) => {
      if (!moved || name !== generation.name) refuse()
    },
    adopt: (generation, complete) => {
      if (complete && !refused && reading.shown().name === bound.name) bound = generation
      void reading.finding()(generation, true)
    },
  }
}
