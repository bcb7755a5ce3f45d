import { streamName } from '../../events/streamName.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Context } from '../caller.ts'
import { notFound } from '../errors.ts'
import { execute } from './execute.ts'
import type { Cause } from '../recording.ts'
import type { Plan, Request, Result } from '../unitOfWork/request.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { goneMeanwhile } from '../unitOfWork/deciding.ts'

/** Erases the personal values of an entity, now and in its past: an event says so, then its keys are destroyed. */
export const forget = async (
  context: Context,
  { definition, id }: { readonly definition: KindDefinition; readonly id: string },
  cause: Cause,
): Promise<Result> => {
  let keys: string[] = []
  const request: Request = {
    cause,
    target: { kind: definition.name, id },
    ids: [id],
    resolve: async (reads): Promise<Plan> => {
      const before = reads.own(id)
      if (before === undefined) throw notFound(goneMeanwhile)
      // Again each time: what others sealed meanwhile goes too.
      keys = await context.vault.retire(streamName(definition.name, id))
      const command = { type: 'Forget', erased: [...personalMembers(definition)], keys } as const
      return { definition, subject: before, before, command }
    },
  }
  const result = await execute(context, request)
  await context.vault.destroy(streamName(definition.name, id), keys)
  return result
}
