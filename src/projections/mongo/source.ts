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
  type Stored,
} from './generations.ts'
import type { ReadMany } from './gather.ts'
import { claimsSettled } from './succession.ts'

/** Which generation is read and written. */
export interface Source<D extends Stored> {
  /** The generation to read. */
  current(): Generation<D> | Promise<Generation<D>>
  /** How far the current generation has come; it is made when there is none. */
  checkpoint(): Promise<Checkpoint | undefined>
  /** How far the generation that is read has come. */
  shown(): Promise<Checkpoint | undefined>
  /** The generation that the next batch would belong to, whether it is still read or not. */
  bound(): Generation<D>
  /** The same for who writes. Throws {@link ReadModelsReplaced}. */
  writing(): Generation<D>
  /**
   * Throws {@link ReadModelsReplaced} when what was written will not be read.
   * @param moving false when the generation is there no more
   */
  written(generation: Generation<D>, moving: Promise<boolean>): Promise<void>
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
  checkpoint: async () => checkpointIn(await readState(generation)),
  shown: async () => checkpointIn(await readState(generation)),
  bound: () => generation,
  writing: () => generation,
  written: async (_, moving) => {
    if (!(await moving) && !isInPlace()) throw new ReadModelsReplaced('The rebuild has been discarded.')
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

  return {
    current,
    shown: async () => checkpointIn(await readState(await current())),
    checkpoint: async () => {
      if (readOnly) return checkpointIn(await readState(await look()))
      const binding = refused
      if (binding) await claimsSettled(db, layout)
      const { generation, state } = await ensureGeneration<D>(db, layout)
      if (binding) {
        bound = generation
        replaced = refused = false
      }
      read(generation)
      return checkpointIn(state)
    },
    bound: () => bound,
    writing: () => (replaced ? refuse() : bound),
    written: async (generation, moving) => {
      const [moved, current] = await Promise.all([moving, pointers([pointerId(layout)])])
      if (!moved || current.get(pointerId(layout)) !== generation.name) refuse()
    },
    adopt: (generation, complete) => {
      if (complete && !replaced) bound = generation
      read(generation)
    },
  }
}
