import type { RecordedEvent } from '../../events/events.ts'
import { lastName } from '../../kinds/names.ts'
import type { WebhookStore } from '../webhooks/webhookStore.ts'

/**
 * Deletes what is kept of the inbox of somebody who is gone or was forgotten, as far as it is older than the event that
 * says so: deliveries with their dead letters, and read marks.
 */
export const clearInbox = async (
  store: Pick<WebhookStore, 'list' | 'delete' | 'deleteReadMarks'>,
  event: RecordedEvent,
): Promise<void> => {
  // Of those who had the name before, who has it now.
  if (event.type === 'Forgotten' && event.data.members.length === 0) return
  const { type, revision, position, metadata } = event
  const { fullyQualifiedName, time } = metadata
  const reader = lastName(fullyQualifiedName)
  await store.deleteReadMarks(reader, position)
  for (const { webhook } of await store.list()) {
    const { inbox, createdBy, createdAt } = webhook
    if (inbox === undefined || createdBy !== reader || BigInt(inbox.life ?? 0) > revision) continue
    if (type === 'HardDeleted' || createdAt <= time) await store.delete(webhook.id)
  }
}
