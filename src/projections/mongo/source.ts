import type { Db } from 'mongodb'
import { ReadModelsReplaced, type Checkpoint } from '../projection.ts'
import {
  currentGeneration,
  ensureGeneration,
  noGeneration,
  pointerId,
  readState,
  type Generation,
  type Layout,
  type State,
  type StateDocument,
  type Stored,
} from './generations.ts'
import type { ReadMany } from './gather.ts'
import { StoreUnavailable } from '../../events/eventStore.ts'
import { isBehind } from '../progress.ts'
import { claimsSettled } from './succession.ts'

/** Which generation is read and written. */
export interface Source<D extends Stored> {
  /** The generation to read. */
  current(): Generation<D> | Promise<Generation<D>>
  /** The generation to read, when one that was just read says that another is about to take its place, or has. */
  latest(): Promise<Generation<D>>
  /** How far the current generation has come; it is made when there is none. */
  checkpoint(): Promise<Checkpoint | undefined>
  /** How far the generation that is read has come. */
  shown(): Promise<Checkpoint | undefined>
  /**
   * Looks at a state that was just read with what is missing there.
   * @throws StoreUnavailable when it shows less than was there before: what is missing may only not be there again
   */
  mustBeComplete(state: StateDocument | undefined): void
  /** The generation that the next batch would belong to, whether it is still read or not. */
  bound(): Generation<D>
  /** The same for who writes. Throws {@link ReadModelsReplaced}. */
  writing(): Generation<D>
  /** The name of the collection that is to be read, as the database says now; asked for while a batch is written. */
  pointed(): Promise<string | undefined>
  /**
   * Throws {@link ReadModelsReplaced} when what was written will not be read.
   * @param pointed what {@link pointed} gave
   * @param moved false when the generation is there no more
   */
  written(generation: Generation<D>, pointed: string | undefined, moved: boolean): void
}

/** A generation is taken for the current one so many milliseconds long. */
const trust = 1000

const checkpointIn = (state: State | undefined): Checkpoint | undefined =>
  state?.position === undefined ? undefined : { position: state.position, newest: state.newest, time: state.time }

/**
 * A source that always means this generation: that of a rebuild.
 * @param isInPlace tells whether it has become the current one; then others may apply to it, or be about to replace it
 */
export const fixedSource = <D extends Stored>(generation: Generation<D>, isInPlace: () => boolean): Source<D> => ({
  current: () => generation,
  latest: async () => generation,
  checkpoint: async () => checkpointIn(await readState(generation)),
  shown: async () => checkpointIn(await readState(generation)),
  mustBeComplete: () => undefined,
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

/**
 * Follows the pointer to the current generation. Reads notice within a second that it has moved. Writes go on with
 * the generation that the checkpoint was read from: when another takes its place the next batch is refused, since it
 * may not be the one that follows there. Only after such a refusal does reading the checkpoint bind to the new one, and
 * waits for it when it is about to be put in place.
 */
export const currentSource = <D extends Stored>(
  { db, layout, pointers, readOnly, moved }: CurrentSourceOptions,
  begun: Generation<D> | undefined,
): CurrentSource<D> => {
  let reading = begun ?? noGeneration<D>(db, layout)
  let bound = reading
  /** As far as they were seen to have come. */
  let furthest: bigint | undefined
  let replaced = false
  let refused = false
  let trusted = Date.now() + trust
  let looking: Promise<Generation<D>> | undefined
  /** Changes with everything that is newer than a look that is under way. */
  let news = 0

  const read = (generation: Generation<D>): Generation<D> => {
    news++
    if (generation.name !== reading.name) {
      reading = generation
      moved()
    }
    if (generation.name !== bound.name) replaced = true
    trusted = Date.now() + trust
    return reading
  }

  const look = async (): Promise<Generation<D>> => {
    const before = news
    try {
      const found = await currentGeneration<D>(db, layout)
      return news === before ? read(found ?? reading) : reading
    } finally {
      looking = undefined
    }
  }

  const refuse = (): never => {
    replaced = true
    refused = true
    throw new ReadModelsReplaced('The read models were rebuilt or emptied: their checkpoint must be read again.')
  }

  const current = (): Generation<D> | Promise<Generation<D>> => (Date.now() < trusted ? reading : (looking ??= look()))

  const seen = (checkpoint: Checkpoint | undefined): Checkpoint | undefined => {
    if (isBehind(furthest, checkpoint?.position)) furthest = checkpoint?.position
    return checkpoint
  }

  return {
    current,
    latest: () => (looking ??= look()),
    shown: async () => seen(checkpointIn(await readState(await current()))),
    mustBeComplete: (state) => {
      const position = typeof state?.position === 'string' ? BigInt(state.position) : undefined
      if (isBehind(position, furthest))
        throw new StoreUnavailable('The read models were emptied or replaced, and are built again from the log.')
    },
    checkpoint: async () => {
      if (readOnly) return seen(checkpointIn(await readState(await look())))
      const binding = refused
      if (binding) await claimsSettled(db, layout)
      const { generation, state } = await ensureGeneration<D>(db, layout)
      if (binding) {
        bound = generation
        replaced = refused = false
      }
      read(generation)
      return seen(checkpointIn(state))
    },
    bound: () => bound,
    writing: () => (replaced ? refuse() : bound),
    pointed: async () => (await pointers([pointerId(layout)])).get(pointerId(layout)),
    written: (generation, pointed, moved) => {
      if (!moved || pointed !== generation.name) refuse()
    },
    adopt: (generation, complete) => {
      if (complete && !replaced) bound = generation
      read(generation)
    },
  }
}
