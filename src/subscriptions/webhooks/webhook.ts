import type { LogFingerprint } from '../../events/events.ts'
import type { SecretCodec } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { mask } from '../../shared/secrets/shownText.ts'

/** The filter of a webhook; absent members do not restrict it. */
interface WebhookFilter {
  readonly kinds?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  /** Fully qualified names. */
  readonly domains?: readonly string[] | undefined
}

/** Encrypts an http or https URL, with the part that answers show: the host without its path. */
export const sealEndpoint = ({ seal }: Pick<SecretCodec, 'seal'>, endpoint: string): JsonObject => {
  const { origin, pathname, search } = new URL(endpoint)
  return { ...seal(endpoint), $shown: pathname === '/' && search === '' ? endpoint : `${origin}/${mask}` }
}

export const inboxChannels = ['email', 'slack', 'teams', 'webhook'] as const

export type InboxChannel = (typeof inboxChannels)[number]

export const concerns = ['owned', 'followed', 'proposed', 'failed', 'due'] as const

export type InboxReason = (typeof concerns)[number]

/** Settings of a person's inbox notifications. */
export interface InboxDelivery {
  readonly channel: InboxChannel
  readonly when: 'atOnce' | 'daily'
  readonly concerns: readonly InboxReason[]
}

/** An endpoint that receives the events of the log in order. */
export interface Webhook {
  /** UUID. */
  readonly id: string
  /** Unique. */
  readonly name: string
  /** Encrypted, since the path may be a secret, as in Slack's URLs; see {@link sealEndpoint}. */
  readonly endpoint: JsonObject
  readonly filter: WebhookFilter
  readonly enabled: boolean
  /** Signing secret `whsec_…`, encrypted. */
  readonly secret: JsonObject
  readonly createdAt: string
  readonly createdBy: string
  /** The revision of that user when it was made, which orders it among their events; absent in old webhooks. */
  readonly createdAtRevision?: number
  readonly updatedAt: string
  /** The user who changed it last, with whose permissions events are sent; `system` if a 410 has disabled it. */
  readonly updatedBy: string
  /** The user's roles at that time; absent in old webhooks. */
  readonly roles?: readonly string[]
  /** The revision at which the incarnation of that user began; absent in old webhooks. */
  readonly life?: number | undefined
  /** Set if it sends inbox notifications instead of events. */
  readonly inbox?: InboxDelivery
}

export interface WebhookProgress {
  /** Everything up to this position was delivered, is a dead letter or does not match; `undefined`: the beginning. */
  readonly position: bigint | undefined
  /** The newest event up to there, if known. */
  readonly newest?: LogFingerprint | undefined
  /**
   * Set if the checkpoint belonged to another log and restarted at the end of this one. `position`: its former value.
   */
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
