import type { JsonObject } from '../../shared/json.ts'
import type { Dispatcher } from '../../subscriptions/webhooks/dispatcher.ts'
import type { WebhookProgress } from '../../subscriptions/webhooks/webhook.ts'
import type { StoredWebhook, WebhookStore } from '../../subscriptions/webhooks/webhookStore.ts'

interface StatusOptions {
  readonly store: Pick<WebhookStore, 'countDeadLetters'>
  readonly dispatcher: Pick<Dispatcher, 'progress'>
}

/** How deliveries go. @param head the end of the log */
export const deliveryStatusOf = async (
  { store, dispatcher }: StatusOptions,
  { webhook: { id, enabled }, progress: saved }: StoredWebhook,
  head: bigint | undefined,
): Promise<JsonObject> => {
  const known = dispatcher.progress(id)
  const progress: WebhookProgress = known?.progress ?? saved
  const lag = (head ?? 0n) - (progress.position ?? 0n)
  const state = !enabled ? 'disabled' : known?.failing === true ? 'failing' : lag > 0n ? 'delivering' : 'upToDate'
  return {
    state,
    position: String(progress.position ?? 0n),
    lag: String(lag > 0n ? lag : 0n),
    deadLetters: await store.countDeadLetters(id),
    ...(progress.restarted && { restarted: { ...progress.restarted } }),
    ...(progress.lastSuccess && { lastSuccess: { ...progress.lastSuccess } }),
    ...(progress.lastError && { lastError: { ...progress.lastError } }),
  }
}
