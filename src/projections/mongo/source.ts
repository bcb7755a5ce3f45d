import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { StaleReadModels } from '../errors.ts'
import type { Checkpoint } from '../projection.ts'
import {
  ensureGeneration,
  pointerId,
  readState,
  stateIn,
  type Generation,
  type State,
  currentGeneration,
  switchAlias,
  pointersOf,
  readPointer,
  releaseClaim,
  stateId,
  type Layout,
} from './generations.ts'
import { batchedStates, makeAliasReader, aliasTtl, type CurrentSourceOptions, type Source } from './reading.ts'
import type { CatchUp } from '../readModels/readModels.ts'

/** Milliseconds that processes wait for a swap in progress. */
const claimPatience = 5000

/** Poll interval of that wait in milliseconds. */
const claimLook = 20

/** Waits for a swap in progress; if it does not complete, its claim is released. */
const waitForClaims = async (db: Db, layout: Layout): Promise<void> => {
  let since = performance.now()
  for (let seen: string | undefined; ;) {
    const before = await currentGeneration(db, layout)
    const stopped = (await before?.state.findOne({ _id: stateId }))?.claim
    const { current, claim } = await readPointer(db, layout)
    if (current === undefined || (claim === undefined && stopped === undefined)) return
    if (claim !== seen) since = performance.now()
    seen = claim
    // A claim that stopped the checkpoint and that the alias does not show was abandoned for good.
    if (stopped !== undefined && stopped !== claim) await releaseClaim(db, layout, current, stopped)
    else if (claim !== undefined && performance.now() - since > claimPatience)
      await releaseClaim(db, layout, current, claim)
    else await delay(claimLook)
  }
}

/**
 * Claims the swap and stops the checkpoint of the current generation. @returns false if somebody else has claimed it
 */
const claimSwap = async (db: Db, layout: Layout, { name, state }: Generation, claim: string): Promise<boolean> => {
  const free = { _id: pointerId(layout), collection: name, claim: { $exists: false } }
  const { matchedCount } = await pointersOf(db).updateOne(free, { $set: { claim } })
  if (matchedCount === 1) await state.updateOne({ _id: stateId }, { $set: { claim } })
  return matchedCount === 1
}

/**
 * Swaps the current generation. @param catchUp applies the missing events once nothing more can be applied to the old
 * one
 */
export const replaceGeneration = async (
  db: Db,
  layout: Layout,
  to: Pick<Generation, 'name'>,
  catchUp: CatchUp,
): Promise<void> => {
  for (;;) {
    const from = await currentGeneration(db, layout)
    if (from?.name === to.name) return
    const claim = randomUUID()
    if (from && !(await claimSwap(db, layout, from, claim))) {
      await waitForClaims(db, layout)
      continue
    }
    try {
      await catchUp(from && (await readState(from))?.position)
      if (!(await switchAlias(db, layout, from?.name, to.name, claim))) continue
    } catch (error) {
      if (from) await releaseClaim(db, layout, from, claim)
      throw error
    }
    await from?.state.updateOne({ _id: stateId }, { $set: { replaced: true, touched: new Date() } })
    return
  }
}

const checkpointIn = (state: State | undefined): Checkpoint | undefined =>
  state?.position === undefined ? undefined : { position: state.position, newest: state.newest, time: state.time }

/** A source with a fixed generation, for a rebuild. */
export const fixedSource = (generation: Generation, isInPlace: () => boolean): Source => ({
  read: (work) => work(generation),
  readAlong: async (work) => (await work(generation)).take(),
  state: batchedStates(),
  checkpoint: async () => checkpointIn(await readState(generation)),
  shown: async () => checkpointIn(await readState(generation)),
  writeTarget: () => generation,
  checkedTarget: () => generation,
  aliasTarget: async () => generation.name,
  confirmWritten: (_, _pointed, moved) => {
    if (!moved && !isInPlace()) throw new StaleReadModels('The rebuild has been discarded.')
  },
})

interface CurrentSource extends Source {
  /** Adopts a generation that this process swapped in. `complete`: it has everything of the former one. */
  adopt(generation: Generation, complete: boolean): void
}

export interface OpenedGeneration {
  readonly generation: Generation
  readonly state: State | undefined
}

/**
 * The aliased collection, read again if it is not `expected` or older than a second. A swap stops the checkpoint first,
 * so that the alias is only needed for unclaimed generations.
 */
const makeAliasCache = ({ pointers, layout }: CurrentSourceOptions) => {
  let pointed: { readonly name: string | undefined; readonly until: number } | undefined
  return async (expected: string): Promise<string | undefined> => {
    if (pointed?.name === expected && Date.now() < pointed.until) return pointed.name
    const until = Date.now() + aliasTtl
    const name = (await pointers([pointerId(layout)])).get(pointerId(layout))
    pointed = { name, until }
    return name
  }
}

/**
 * A source that follows the alias. Writes stay with the generation whose checkpoint was read: after a swap the next
 * batch is refused, and reading the checkpoint then binds to the new generation, waiting for it if needed.
 */
export const currentSource = (options: CurrentSourceOptions, begun: OpenedGeneration | undefined): CurrentSource => {
  const { db, layout, readOnly } = options
  const reading = makeAliasReader(options, begun?.generation)
  if (begun) reading.seen(begun.state?.position)
  let bound = reading.shown()
  let refused = false
  const pointed = makeAliasCache(options)

  const refuse = (): never => {
    refused = true
    throw new StaleReadModels('The read models were rebuilt or emptied: their checkpoint must be read again.')
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
      if (binding) await waitForClaims(db, layout)
      const found = reading.finding()
      const { generation, state } = await ensureGeneration(db, layout)
      await found(generation)
      if (binding) {
        bound = generation
        refused = false
      }
      return seen(checkpointIn(state))
    },
    writeTarget: () => bound,
    checkedTarget: () => (refused || reading.shown().name !== bound.name ? refuse() : bound),
    aliasTarget: () => pointed(bound.name),
    confirmWritten: (generation, name, moved) => {
      if (!moved || name !== generation.name) refuse()
    },
    adopt: (generation, complete) => {
      if (complete && !refused && reading.shown().name === bound.name) bound = generation
      void reading.finding()(generation, true)
    },
  }
}
