import { sealPersonal } from '../events/personal/sealing.ts'
import { streamName } from '../events/streamName.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { perKind } from '../kinds/perKind.ts'
import type { Context } from './caller.ts'
import type { Decision } from './decide.ts'
import { notFound } from './errors.ts'
import { execute } from './execute.ts'
import { wholeIn } from './lookup.ts'
import type { Ports } from './ports.ts'
import type { Cause } from './recording.ts'
import { goneMeanwhile, type Plan, type Request, type Result } from './taking/take.ts'

export const personalMembers: (definition: KindDefinition) => ReadonlySet<string> = perKind(
  ({ fields }) => new Set(Object.keys(fields).filter((name) => fields[name]?.personal === true)),
)

/** The decisions with what is written of them: values of personal members sealed. */
export const sealDecisions = async (
  { vault }: Pick<Ports, 'vault'>,
  { definition, subject: { kind, id } }: Plan,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> => {
  const names = personalMembers(definition)
  if (names.size === 0) return decisions
  const sealed: Decision[] = []
  for (const decision of decisions)
    sealed.push({ ...decision, written: await sealPersonal(vault, streamName(kind, id), decision.event, names) })
  return sealed
}

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
    plan: async (known): Promise<Plan> => {
      const before = wholeIn(known, id)
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
