import { systemUser } from '../shared/entityName.ts'
import { syncClockWithLog } from '../commands/recording.ts'
import { executeAll, execute, throwFailure } from '../commands/requests/execute.ts'
import type { Ports } from '../commands/ports.ts'
import { write } from '../commands/requests/createOrUpdate.ts'
import type { KindDefinition } from '../kinds/defineKind.ts'
import { buildFqn, entityId } from '../kinds/names.ts'
import { readRequest } from '../kinds/request/requestSchema.ts'
import { DamagedLog } from '../events/eventStore.ts'
import { ProjectionBehind } from '../projections/errors.ts'
import type { Runner } from '../projections/runner.ts'
import type { AuditKeys } from '../api/deps.ts'
import type { Command } from '../commands/decide.ts'
import { verbRequest } from '../commands/requests/verbRequest.ts'
import { streamName } from '../events/events.ts'
import { kindNamed, principalKind } from '../kinds/registry/kinds.ts'
import { openSuccession } from '../transparency/succession.ts'

/** Interval in milliseconds of checking a catch-up, which may take long. */
const interval = 1000

/**
 * Waits until the read models show the log, it is found to be damaged, or the service stops. Work interrupted by a crash
 * continues in the background.
 */
export const catchUp = async (
  { log, clock }: Ports,
  runner: Pick<Runner, 'waitFor' | 'failure'>,
  stopping: AbortSignal,
): Promise<void> => {
  const head = await log.head()
  for (let behind = head !== undefined; behind;) {
    behind = await runner.waitFor(head as bigint, interval).then(
      () => false,
      (error: unknown) => {
        if (!(error instanceof ProjectionBehind)) throw error
        return true
      },
    )
    const failure = runner.failure()
    if (behind && failure instanceof DamagedLog) throw failure
    stopping.throwIfAborted()
  }
  await syncClockWithLog(clock, log)
}

/** Creates starters that never existed: deleted ones stay deleted. */
const createStarters = async (ports: Ports, definition: KindDefinition): Promise<void> => {
  const idOf = (name: string) => entityId(definition.name, buildFqn([name]))
  const known = await ports.lookup(definition.seeds.map((starter) => idOf(starter['name'] as string)))
  const missing = definition.seeds.filter((starter) => !known.has(idOf(starter['name'] as string)))
  if (missing.length === 0) return
  const correlationId = crypto.randomUUID()
  const cause = { user: systemUser, correlationId, commandId: correlationId }
  const requests = missing.map((starter) => {
    const parsed = readRequest(definition, starter, 'create')
    return write(ports, { type: 'Upsert', definition, parsed }, cause)
  })
  throwFailure((await executeAll(ports, requests)).summaries)
}

const systemId = entityId(principalKind, buildFqn([systemUser]))

/** Appends an event about the catalog itself, to the system user. */
const executeAsSystem = async (ports: Ports, event: (Command & { type: 'Record' })['event']): Promise<void> => {
  const definition = kindNamed(principalKind)
  const correlationId = crypto.randomUUID()
  const cause = { user: systemUser, correlationId, commandId: correlationId }
  const parsed = readRequest(definition, { name: systemUser }, 'upsert')
  const upsert = { type: 'Upsert', definition, parsed } as const
  await execute(ports, write(ports, upsert, { ...cause, commandId: `${correlationId}:user` }))
  await execute(ports, verbRequest({ definition, id: systemId, command: () => ({ type: 'Record', event }) }, cause))
}

/**
 * Writes what a start has to: starters, and an event for each change of the signing key and of the policies, as the system
 * user. @param policies SHA-256 of the file; `undefined` if there is none
 */
export const writeStart = async (
  ports: Ports,
  kinds: readonly KindDefinition[],
  { successions, keys }: AuditKeys,
  policies: string | undefined,
): Promise<void> => {
  for (const definition of kinds) await createStarters(ports, definition)
  const recorded = new Set<string>()
  let inForce: string | undefined
  for await (const event of ports.log.readStream(streamName(principalKind, systemId))) {
    if (event.type === 'KeyChanged') recorded.add(event.data.note)
    if (event.type === 'PoliciesChanged') inForce = event.data.digest
  }
  for (const note of successions.filter((each) => !recorded.has(each))) {
    const { former, key } = openSuccession(note, keys)
    await executeAsSystem(ports, { type: 'KeyChanged', data: { former: former.text, key: key.text, note } })
  }
  if (policies !== inForce)
    await executeAsSystem(ports, { type: 'PoliciesChanged', data: policies === undefined ? {} : { digest: policies } })
}
