import type { AuditKeys } from '../api/audit/auditRoutes.ts'
import type { Command } from '../commands/decide.ts'
import type { Ports } from '../commands/ports.ts'
import { write } from '../commands/requests/createOrUpdate.ts'
import { execute } from '../commands/requests/execute.ts'
import { verb } from '../commands/requests/verbRequest.ts'
import { streamName } from '../events/streamName.ts'
import { buildFqn, entityId } from '../kinds/names.ts'
import { principalKind } from '../kinds/registry/kinds.ts'
import { openSuccession } from '../transparency/succession.ts'
import { systemUser } from './settings/fixedNames.ts'

const systemId = entityId(principalKind, buildFqn([systemUser]))

/** Executes a command of the catalog's own user about itself. */
const executeAsSystem = async (ports: Ports, command: Command): Promise<void> => {
  const definition = ports.kindNamed(principalKind)
  const correlationId = crypto.randomUUID()
  const cause = { user: systemUser, correlationId, commandId: correlationId }
  const parsed = { name: systemUser, values: {}, cleared: [] }
  const upsert = { type: 'Upsert', definition, parsed } as const
  await execute(ports, write(ports, upsert, { ...cause, commandId: `${correlationId}:user` }))
  await execute(ports, verb({ definition, id: systemId, command: () => command }, cause))
}

/**
 * Makes each change of the key that checkpoints are signed with, and of the policies, an event of the log, of the
 * catalog's own user.
 * @param policies SHA-256 of the file; `undefined`: there is none
 */
export const recordSystemEvents = async (
  ports: Ports,
  { successions, keys }: AuditKeys,
  policies: string | undefined,
): Promise<void> => {
  const recorded = new Set<string>()
  let inForce: string | undefined
  for await (const event of ports.log.readStream(streamName(principalKind, systemId))) {
    if (event.type === 'KeyChanged') recorded.add(event.data.note)
    if (event.type === 'PoliciesChanged') inForce = event.data.digest
  }
  for (const note of successions.filter((each) => !recorded.has(each))) {
    const { former, key } = openSuccession(note, keys)
    await executeAsSystem(ports, { type: 'ChangeKey', former: former.text, key: key.text, note })
  }
  if (policies !== inForce) await executeAsSystem(ports, { type: 'ChangePolicies', digest: policies })
}
