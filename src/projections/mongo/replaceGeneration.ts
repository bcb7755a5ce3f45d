import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { CatchUp } from '../readModels/readModels.ts'
import {
  currentGeneration,
  point,
  pointerId,
  pointersOf,
  readPointer,
  readState,
  releaseClaim,
  stateId,
  type Generation,
  type Layout,
} from './generations.ts'

/** Milliseconds that processes wait for a swap in progress. */
const claimPatience = 5000

/** Poll interval of that wait in milliseconds. */
const claimLook = 20

type AnyGeneration = Pick<Generation, 'name' | 'state'>

/** Waits for a swap in progress; if it does not complete, its claim is released. */
export const claimsSettled = async (db: Db, layout: Layout): Promise<void> => {
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
const claimPlace = async (db: Db, layout: Layout, { name, state }: AnyGeneration, claim: string): Promise<boolean> => {
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
    if (from && !(await claimPlace(db, layout, from, claim))) {
      await claimsSettled(db, layout)
      continue
    }
    try {
      await catchUp(from && (await readState(from))?.position)
      if (!(await point(db, layout, from?.name, to.name, claim))) continue
    } catch (error) {
      if (from) await releaseClaim(db, layout, from, claim)
      throw error
    }
    await from?.state.updateOne({ _id: stateId }, { $set: { replaced: true, touched: new Date() } })
    return
  }
}
