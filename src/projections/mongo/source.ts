import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { StaleReadModels } from '../errors.ts'
import {
  changeState,
  checkpointIn,
  currentGeneration,
  ensureGeneration,
  opened,
  positionIn,
  readState,
  switchAlias,
  type Generation,
  type Layout,
  type OpenedGeneration,
} from './generations.ts'
import { followAlias, readsIn, type CurrentSourceOptions, type Source } from './reading.ts'
import type { CatchUp } from '../readModels/readModels.ts'

/** Milliseconds that processes wait for a swap in progress. */
const claimTimeout = 5000

/** Poll interval of that wait in milliseconds. */
const claimPollInterval = 20

/** Releases a claim, unless the swap has succeeded: then the checkpoint stays stopped. */
export const releaseClaim = (generation: Generation, claim: string): Promise<boolean> =>
  changeState(generation, { claim, replaced: { $exists: false } }, { $unset: { claim: '' } })

/** Waits for a swap in progress; if it does not complete, its claim is released, so that it must catch up again. */
const waitForClaims = async (db: Db, layout: Layout): Promise<void> => {
  let since = performance.now()
  for (let seen: string | undefined; ;) {
    const current = await currentGeneration(db, layout)
    const claim = current?.state?.claim
    if (current === undefined || claim === undefined) return
    if (claim !== seen) since = performance.now()
    seen = claim
    if (performance.now() - since > claimTimeout) await releaseClaim(current.generation, claim)
    else await delay(claimPollInterval)
  }
}

/**
 * Swaps the current generation. A claim in its state stops the checkpoint; then its state names the replacement.
 * @param catchUp applies the missing events once nothing more can be applied to the old one
 * @returns the final position of the old one
 */
export const replaceGeneration = async (
  db: Db,
  layout: Layout,
  to: Pick<Generation, 'name'>,
  catchUp: CatchUp,
): Promise<bigint | undefined> => {
  for (;;) {
    const { generation: from, state } = await ensureGeneration(db, layout)
    if (from.name === to.name) return positionIn(state)
    const claim = randomUUID()
    if (!(await changeState(from, { claim: { $exists: false } }, { $set: { claim } }))) {
      await waitForClaims(db, layout)
      continue
    }
    try {
      const finalPosition = positionIn(await readState(from))
      await catchUp(finalPosition)
      const replaced = { replaced: to.name, touched: new Date() }
      if (!(await changeState(from, { claim }, { $set: replaced }))) continue
      await switchAlias(db, layout, from.name, to.name)
      return finalPosition
    } catch (error) {
      await releaseClaim(from, claim)
      throw error
    }
  }
}

/** A source with a fixed generation, for a rebuild. */
export const fixedSource = (generation: Generation, isInPlace: () => boolean): Source => ({
  ...readsIn(generation),
  checkpoint: async () => checkpointIn(await readState(generation)),
  readCheckpoint: async () => checkpointIn(await readState(generation)),
  writeTarget: () => generation,
  write: async (work) => {
    if (!(await work(generation)) && !isInPlace()) throw new StaleReadModels('The rebuild has been discarded.')
  },
})

interface CurrentSource extends Source {
  /** Adopts a generation that this process swapped in. `complete`: it has everything of the former one. */
  adopt(generation: Generation, complete: boolean): void
}

/**
 * A source that follows the alias. Writes stay with the generation whose checkpoint was read: after a swap the next
 * batch is refused, and reading the checkpoint then binds to the new generation, waiting for it if needed.
 */
export const currentSource = (options: CurrentSourceOptions, begun: OpenedGeneration | undefined): CurrentSource => {
  const { db, layout, readOnly } = options
  const { reads, state: stateOf, advanceTo, switchTo, readAlias, current, last } = followAlias(options, begun)
  let bound = last()
  let refused = false

  const refuse = (): never => {
    refused = true
    throw new StaleReadModels('The read models were rebuilt or emptied: their checkpoint must be read again.')
  }
  return {
    ...reads,
    readCheckpoint: () =>
      reads.readWithState(async (generation) => {
        const state = await stateOf(generation)
        return { state, complete: true, result: () => checkpointIn(state) }
      }),
    checkpoint: async () => {
      const rebinds = refused
      if (rebinds) await waitForClaims(db, layout)
      const { generation, state } = readOnly ? await opened(await readAlias()) : await ensureGeneration(db, layout)
      await switchTo(generation)
      if (rebinds) [bound, refused] = [generation, false]
      const checkpoint = checkpointIn(state)
      advanceTo(checkpoint?.position)
      return checkpoint
    },
    writeTarget: () => bound,
    write: async (work) => {
      if (refused || last().name !== bound.name) refuse()
      const [{ name }, moved] = await Promise.all([current(), work(bound)])
      if (!moved || name !== bound.name) refuse()
    },
    adopt: (generation, complete) => {
      if (complete && !refused && last().name === bound.name) bound = generation
      void switchTo(generation, true)
    },
  }
}
