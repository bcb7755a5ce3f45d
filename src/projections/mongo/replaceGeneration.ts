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

/** For so many milliseconds processes wait for a generation that is about to take the place of theirs. */
const claimPatience = 5000

/** And look every so many whether it has. */
const claimLook = 20

type AnyGeneration = Pick<Generation, 'name' | 'state'>

/** Waits while another generation is about to replace the current one, which goes on when that does not come. */
export const claimsSettled = async (db: Db, layout: Layout): Promise<void> => {
  let since = performance.now()
  for (let seen: string | undefined; ;) {
    const before = await currentGeneration(db, layout)
    const stopped = (await before?.state.findOne({ _id: stateId }))?.claim
    const { current, claim } = await readPointer(db, layout)
    if (current === undefined || (claim === undefined && stopped === undefined)) return
    if (claim !== seen) since = performance.now()
    seen = claim
    // A claim that the pointer does not show, read after it stopped the checkpoint, was given up and never comes back.
    if (stopped !== undefined && stopped !== claim) await releaseClaim(db, layout, current, stopped)
    else if (claim !== undefined && performance.now() - since > claimPatience)
      await releaseClaim(db, layout, current, claim)
    else await delay(claimLook)
  }
}

/** Claims the place of the current generation and stops its checkpoint. @returns false when somebody else has it */
const claimPlace = async (db: Db, layout: Layout, { name, state }: AnyGeneration, claim: string): Promise<boolean> => {
  const free = { _id: pointerId(layout), collection: name, claim: { $exists: false } }
  const { matchedCount } = await pointersOf(db).updateOne(free, { $set: { claim } })
  if (matchedCount === 1) await state.updateOne({ _id: stateId }, { $set: { claim } })
  return matchedCount === 1
}

/**
 * Puts a generation in place of the current one. @param catchUp applies what it lacks, once nothing can be applied to
 * that
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
