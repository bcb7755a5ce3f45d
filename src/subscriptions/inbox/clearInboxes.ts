import type { RecordedEvent } from '../../events/events.ts'
import { lastName } from '../../kinds/names.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import type { WebhookStore } from '../webhooks/webhookStore.ts'

/** Whether a delivery was set up before its owner was gone or forgotten, as the event says. */
const isBefore = ({ createdAtRevision, createdAt }: Webhook, { revision, metadata }: RecordedEvent): boolean =>
  createdAtRevision === undefined ? createdAt <= metadata.time : createdAtRevision < revision

/**
 * Deletes the inbox deliveries, with their dead letters, and the read marks of people who are gone or were forgotten, as
 * far as they are older than the event that says so.
 */
export const clearInboxes = async (
  store: Pick<WebhookStore, 'list' | 'delete' | 'readMarks' | 'deleteReadMarks'>,
  events: readonly RecordedEvent[],
): Promise<void> => {
  // Forgetting only former users of a name does not concern its present user.
  const ended = events.filter((event) => event.type !== 'Forgotten' || event.data.members.length > 0)
  if (ended.length === 0) return
  const byReader = Map.groupBy(ended, ({ metadata }) => lastName(metadata.fullyQualifiedName))
  for await (const [reader, departures] of inSlices(byReader)) {
    const { position: last } = departures.at(-1) as RecordedEvent
    const marks = await store.readMarks(reader)
    if (marks.some(({ position }) => position <= last)) await store.deleteReadMarks(reader, last)
  }
  for (const { webhook } of await store.list()) {
    const departures = webhook.inbox === undefined ? undefined : byReader.get(webhook.createdBy)
    if (departures?.some((event) => isBefore(webhook, event))) await store.delete(webhook.id)
  }
}
