import { streamName } from '../events/streamName.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import type { Context } from './caller.ts'
import { notFound } from './errors.ts'
import { execute } from './execute.ts'
import type { Ports } from './ports.ts'
import type { Cause } from './recording.ts'
import type { Plan, Request, Result } from './unitOfWork/request.ts'
import { personalMembers } from './unitOfWork/sealDecisions.ts'
import { goneMeanwhile } from './unitOfWork/deciding.ts'

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
  await context.vault.destroy(keys)
  return result
}

/** Destroys the keys that an event says are destroyed, where a process ended in between. */
export const finishForgetting = async ({ vault, log }: Pick<Ports, 'vault' | 'log'>): Promise<void> => {
  const left = new Map<string, Set<string>>()
  for await (const { subject, id } of vault.all('retired')) left.set(subject, (left.get(subject) ?? new Set()).add(id))
  for (const [subject, ids] of left)
    for await (const event of log.readStream(subject))
      if (event.type === 'Forgotten') await vault.destroy(event.data.keys.filter((key) => ids.has(key)))
}
