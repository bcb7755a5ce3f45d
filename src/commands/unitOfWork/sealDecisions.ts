import { sealPersonal } from '../../events/personal/sealing.ts'
import { streamName } from '../../events/streamName.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { perKind } from '../../kinds/perKind.ts'
import type { Decision } from '../decide.ts'
import type { Ports } from '../ports.ts'
import type { Plan } from './request.ts'

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
