import type { EntityLists, EntityReads } from '../entities/port.ts'
import { guardAll } from '../../stores/errors.ts'
import type { Runner } from '../runner.ts'

type Reads = EntityReads & EntityLists

/**
 * Reads that never show less than was shown before, so that what is decided on them holds from the position that was
 * shown when they began.
 */
export const steadyReads = (reads: Reads, { steadily }: Pick<Runner, 'steadily'>): Reads => {
  const { get, getByFqn, getMany, getHeads, getReferences } = reads
  const { list, countSettled, ownDeletions, relatedTo, childrenOf, countBelow, headsBelow } = reads
  const byId = { get, getByFqn, getMany, getHeads, getReferences }
  return guardAll(
    { ...byId, list, countSettled, ownDeletions, relatedTo, childrenOf, countBelow, headsBelow },
    steadily,
  )
}
