import { streamName } from '../../events/streamName.ts'
import type { Context } from '../caller.ts'
import { finishCascades } from '../cascade.ts'
import type { Entity } from '../evolve.ts'
import { take } from '../taking/take.ts'
import { bringingBack, isHiding, type DeletionEvent } from './hiding.ts'

type Hidden = Entity & { readonly deletion: string }

/** Is it hidden by a request, and neither deleted for good nor brought back yet? */
const isHidden = (entity: Entity | undefined): entity is Hidden =>
  entity?.status === 'deleted' && !entity.inherited && isHiding(entity.deletion)

/**
 * Brings back what requests have hidden and left so, because their process ended before they could look below. A request
 * that is only slow finds it as it was, and decides again.
 * @returns log position of the last event that this took, `undefined` when there was nothing to do
 */
export const revealHidden = async (context: Context, ids: readonly string[]): Promise<bigint | undefined> => {
  let last: bigint | undefined
  for (const entity of (await context.lookup(ids)).values()) {
    if (!isHidden(entity)) continue
    const { changed, position } = await take(
      context,
      bringingBack(context, entity, await deletionEvent(context, entity)),
    )
    if (!changed) continue
    await context.projected(position)
    last = (await finishCascades(context, [entity.id])) ?? position
    context.progress?.()
  }
  return last
}

const deletionEvent = async ({ log }: Context, { kind, id, deletion }: Hidden): Promise<DeletionEvent> => {
  for await (const event of log.readStream(streamName(kind, id), { backwards: true })) {
    if (event.type === 'SoftDeleted' && event.data.deletion === deletion) return event
  }
  throw new Error(`${kind} ${id} has no event of its deletion ${deletion}.`)
}
