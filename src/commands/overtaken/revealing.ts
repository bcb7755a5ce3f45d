import type { Context } from '../caller.ts'
import { finishCascades } from '../cascade.ts'
import type { Entity } from '../evolve.ts'
import type { Referred } from '../lookup.ts'
import { endBegunBelow } from './begunBelow.ts'
import { commit } from '../unitOfWork/commit.ts'
import { bringingBack, isHiding, type Deleted } from './hiding.ts'

/** Is it hidden by a request, and neither deleted for good nor brought back yet? */
const isHidden = (entity: Referred): boolean =>
  entity.status === 'deleted' && !entity.inherited && isHiding(entity.deletion)

const isDeleted = (entity: Entity): entity is Deleted => entity.status === 'deleted' && isHiding(entity.deletion)

/**
 * Brings back what requests have hidden and left so, because their process ended. One that is only slow decides again.
 * @returns log position of the last event that this took, `undefined` when there was nothing to do
 */
export const revealHidden = async (context: Context, ids: readonly string[]): Promise<bigint | undefined> => {
  let last: bigint | undefined
  for (const { id } of [...(await context.refer(ids)).values()].filter(isHidden)) {
    const entity = (await context.lookup([id])).get(id)
    if (entity === undefined || !isDeleted(entity)) continue
    const result = await commit(context, await bringingBack(context, entity))
    if (!result.changed) continue
    await context.projected(result.position)
    const ended = await endBegunBelow(context, [result])
    last = (await finishCascades(context, [entity.id, ...ended])) ?? result.position
    context.progress?.()
  }
  return last
}
