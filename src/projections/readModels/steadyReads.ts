import { guardAll, type Guard } from '../errors.ts'
import type { EntityLists, EntityReads } from '../entities/port.ts'

type Reads = EntityReads & EntityLists

/**
 * Reads that never show less than was shown before, so that what is decided on them holds from the position that was
 * shown when they began. @param steadily see `Runner`
 */
export const steadyReads = (reads: Reads, steadily: <T>(read: () => Promise<T>) => Promise<T>): Reads => {
  const { get, getByFqn, getMany, getHeads, getReferences } = reads
  const { list, countSettled, ownDeletions, relatedTo, childrenOf, countBelow, headsBelow } = reads
  const steady: Guard =
    (call) =>
    (...args) =>
      steadily(() => call(...args))
  return guardAll(
    {
      get,
      getByFqn,
      getMany,
      getHeads,
      getReferences,
      list,
      countSettled,
      ownDeletions,
      relatedTo,
      childrenOf,
      countBelow,
      headsBelow,
    },
    steady,
  )
}
