import { fingerprintText, readFingerprint } from '../../events/fingerprint.ts'
import type { JsonObject } from '../../shared/json.ts'
import type { Sealer } from '../../kinds/defineKind.ts'
import { sealEndpoint, type Webhook, type WebhookProgress } from './webhook.ts'

type Written = Omit<WebhookProgress, 'position' | 'newest'> & { position?: string; newest?: string }

/** Progress as JSON text: positions are decimal strings. */
export const progressText = ({ position, newest, ...rest }: WebhookProgress): string =>
  JSON.stringify({ ...rest, position: position?.toString(), newest: newest && fingerprintText(newest) })

export const readProgress = (text: string): WebhookProgress => {
  const { position, newest, ...rest } = JSON.parse(text) as Written
  return {
    ...rest,
    position: position === undefined ? undefined : BigInt(position),
    ...(newest !== undefined && { newest: readFingerprint(newest) }),
  }
}

/** Endpoints used to be kept as they are: one is sealed when it is read, and kept so with the next change. */
export const readWebhook = (text: string, sealer: Pick<Sealer, 'seal'>): Webhook => {
  const { endpoint, ...webhook } = JSON.parse(text) as Omit<Webhook, 'endpoint'> & { endpoint: JsonObject | string }
  return { ...webhook, endpoint: typeof endpoint === 'string' ? sealEndpoint(sealer, endpoint) : endpoint }
}
