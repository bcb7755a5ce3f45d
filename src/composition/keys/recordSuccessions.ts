import { execute } from '../../commands/requests/execute.ts'
import type { Ports } from '../../commands/ports.ts'
import { verb } from '../../commands/requests/verbRequest.ts'
import { write } from '../../commands/requests/createOrUpdate.ts'
import { streamName } from '../../events/streamName.ts'
import { principalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import type { AuditKeys } from '../../api/audit/auditRoutes.ts'
import { openSuccession } from '../../transparency/succession.ts'
import { systemUser } from '../settings/fixedNames.ts'

/** Makes each change of the key that checkpoints are signed with an event of the log, of the catalog's own user. */
export const recordSuccessions = async (ports: Ports, { successions, keys }: AuditKeys): Promise<void> => {
  if (successions.length === 0) return
  const definition = ports.kindNamed(principalKind)
  const id = entityId(definition.name, buildFqn([systemUser]))
  const recorded = new Set<string>()
  for await (const event of ports.log.readStream(streamName(definition.name, id)))
    if (event.type === 'KeyChanged') recorded.add(event.data.note)
  for (const note of successions.filter((each) => !recorded.has(each))) {
    const correlationId = crypto.randomUUID()
    const cause = { user: systemUser, correlationId, commandId: correlationId }
    const parsed = { name: systemUser, values: {}, cleared: [] }
    const { former, key } = openSuccession(note, keys)
    await execute(
      ports,
      write(ports, { type: 'Upsert', definition, parsed }, { ...cause, commandId: `${correlationId}:user` }),
    )
    const command = { type: 'ChangeKey', former: former.text, key: key.text, note } as const
    await execute(ports, verb({ definition, id, command: () => command }, cause))
  }
}
