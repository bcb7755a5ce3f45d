import { streamName, type RecordedEvent } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Context } from '../caller.ts'
import { startRequest } from './execute.ts'
import type { Cause } from '../recording.ts'
import { requestOn, type Precondition, type Result } from '../unitOfWork/request.ts'
import { personalMembers } from '../../kinds/perKind.ts'
import { keysToDestroy } from '../../events/personal/sealing.ts'
import type { Vault } from '../../events/personal/vault.ts'

/** Erases the personal values of an entity, present and past: appends the event, then destroys the keys. */
export const forget = async (
  context: Context,
  { definition, id }: { readonly definition: KindDefinition; readonly id: string },
  cause: Cause,
  precondition?: Precondition,
): Promise<Result> => {
  let keys: string[] = []
  const request = requestOn({ definition, id, cause, precondition, isThere: () => true }, async () => {
    // Repeated with each attempt, so that keys made meanwhile are destroyed too.
    keys = await context.vault.retire(streamName(definition.name, id))
    return { command: { type: 'Forget', erased: [...personalMembers(definition)], keys } }
  })
  const { completed } = await startRequest(context, request)
  // Before anything else is waited for: the log says that they are destroyed.
  const stream = streamName(definition.name, id)
  await context.vault.destroy(stream, keysToDestroy({ stream, data: { keys } }))
  return (await completed()).result
}

/**
 * Destroys keys that the log reports as destroyed but that still exist: after a crash, or after an older copy of the keys
 * was put back.
 * @param forgotten the events that report it
 */
export const finishForgetting = async (
  vault: Pick<Vault, 'keys' | 'destroy'>,
  forgotten: AsyncIterable<RecordedEvent>,
): Promise<void> => {
  for await (const event of forgotten) {
    if (event.type !== 'Forgotten') continue
    const keys = keysToDestroy(event)
    const kept = await vault.keys(keys)
    const left = keys.filter((id) => kept.get(id)?.length !== 0)
    await vault.destroy(event.stream, left)
  }
}
