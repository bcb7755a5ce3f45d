import type { Context } from '../caller.ts'
import type { Entity } from '../evolve.ts'
import { commit } from '../unitOfWork/commit.ts'
import type { Result } from '../unitOfWork/request.ts'
import { deletionEvents } from './hiding.ts'
import { undoingBeginning } from './undoingOvertaken.ts'

/**
 * Ends what requests began below something while it was deleted, and could not take back because their process had
 * ended. For whoever brings it back: nothing contradicts it then.
 * @returns ids of what was ended: what stands below that has yet to follow
 */
export const endBegunBelow = async (context: Context, results: readonly Result[]): Promise<string[]> => {
  const ended: string[] = []
  if (context.log.conditional) return ended
  for (const { before, entity, changed, position } of results) {
    if (!changed || before?.status !== 'deleted' || before.inherited || entity.status !== 'live') continue
    const begun = await context.tree.begunBelow(entity, { after: await deletedAt(context, before), before: position })
    for (const child of begun) if (await endLate(context, child, before.deletion as string)) ended.push(child.id)
  }
  return ended
}

/** What a request has just decided knows no positions. */
const deletedAt = async (context: Context, deleted: Entity): Promise<bigint> =>
  deleted.since > 0n ? deleted.since : (await deletionEvents(context, deleted)).newest.position

const endLate = async (context: Context, child: Entity, deletion: string): Promise<boolean> => {
  const request = await undoingBeginning(context, child, deletion)
  if (request === undefined) return false
  const { changed, position } = await commit(context, request)
  if (changed) await context.projected(position)
  return changed
}
