import type { RecordedEvent } from '../events/events.ts'
import type { Vault } from '../events/personal/vault.ts'

/**
 * Destroys the keys that events say are destroyed: where a process ended in between, or older keys were put back.
 * @param forgotten the events that say so
 */
export const finishForgetting = async (
  vault: Pick<Vault, 'keys' | 'destroy'>,
  forgotten: AsyncIterable<RecordedEvent>,
): Promise<void> => {
  for await (const event of forgotten) {
    if (event.type !== 'Forgotten') continue
    const kept = await vault.keys(event.data.keys)
    const left = event.data.keys.filter((id) => kept.get(id)?.length !== 0)
    await vault.destroy(event.stream, left)
  }
}
