import type { LogFingerprint } from '../../events/events.ts'
import type { Sealer } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { mask } from '../../shared/secrets/shownText.ts'

/** Which events a webhook is sent; what is left out does not narrow. */
export interface WebhookFilter {
  readonly kinds?: readonly string[]
  readonly types?: readonly string[]
  /** Fully qualified names. */
  readonly domains?: readonly string[]
}

/** An http or https URL as it is kept, with what answers show of it: the host, without what stands behind it. */
export const sealEndpoint = ({ seal }: Pick<Sealer, 'seal'>, endpoint: string): JsonObject => {
  const { origin, pathname, search } = new URL(endpoint)
  return { ...seal(endpoint), $shown: pathname === '/' && search === '' ? endpoint : `${origin}/${mask}` }
}

/** An endpoint that is sent the events of the log, in order. */
export interface Webhook {
  /** UUID. */
  readonly id: string
  /** Unique. */
  readonly name: string
  /** Sealed, since what stands behind the host may be a key, as in Slack's; shown by {@link sealEndpoint}. */
  readonly endpoint: JsonObject
  readonly filter: WebhookFilter
  readonly enabled: boolean
  /** Signs what is sent: `whsec_…`, sealed. */
  readonly secret: JsonObject
  readonly createdAt: string
  readonly createdBy: string
  readonly updatedAt: string
  /** Who changed it last: it is sent what he may view. */
  readonly updatedBy: string
  /** The roles that he had then; absent in webhooks from before they were kept. */
  readonly roles?: readonly string[]
}

export interface WebhookProgress {
  /** Everything up to this position was delivered, laid aside or does not match; `undefined`: the beginning. */
  readonly position: bigint | undefined
  /** The newest event up to there; `undefined`: not known. */
  readonly newest?: LogFingerprint | undefined
  /** The checkpoint belonged to another log: it went on from the end of this one. `position`: what it was before. */
  readonly restarted?: { readonly time: string; readonly position: string; readonly message: string }
  readonly lastSuccess?: { readonly time: string; readonly position: string; readonly status: number }
  readonly lastError?: {
    readonly time: string
    readonly position: string
    readonly message: string
    readonly attempts: number
  }
}

export interface DeadLetter {
  readonly position: bigint
  readonly eventId: string
  readonly type: string
  readonly subject: string
  readonly attempts: number
  readonly error: string
  readonly time: string
}
