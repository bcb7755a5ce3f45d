import { fingerprintText, parseFingerprint } from '../../events/events.ts'
import type { SecretCodec } from '../../kinds/defineKind.ts'
import type { JsonObject } from '../../shared/json.ts'
import { sealEndpoint, type DeadLetter, type Webhook, type WebhookProgress } from './webhook.ts'

export interface StoredWebhook {
  readonly webhook: Webhook
  readonly progress: WebhookProgress
  /** Incremented by each change and replay: deliveries of an older generation no longer count. */
  readonly generation: number
}

/** `taken`: another webhook has the name. */
export type WriteOutcome = 'written' | 'missing' | 'taken'

/** A delivery worker: its generation of the webhook, and its lease holder. */
interface DeliveryWorker {
  readonly generation: number
  readonly holder: string
}

/** A read mark in an inbox: for one entry, or for all up to it. */
export interface ReadMark {
  readonly position: bigint
  readonly upTo: boolean
}

export interface ReadMarks {
  /** Names of the users who have read marks, in no order. */
  readers(): Promise<string[]>
  /** In no order. @param reader name of a user */
  readMarks(reader: string): Promise<ReadMark[]>
  /** A mark up to a position takes the place of those before it. */
  addReadMarks(reader: string, marks: readonly ReadMark[]): Promise<void>
  /** Deletes those up to a position. */
  deleteReadMarks(reader: string, upTo: bigint): Promise<void>
}

/** Stores webhooks and read marks durably when the promise resolves; a power loss may take the newest progress. */
export interface WebhookStore extends ReadMarks {
  /** Ordered by name. */
  list(): Promise<StoredWebhook[]>
  get(id: string): Promise<StoredWebhook | undefined>
  create(webhook: Webhook, progress: WebhookProgress): Promise<WriteOutcome>
  /** Begins a new generation. @param changed made of what was read: `missing` when there is another generation now */
  update(changed: Omit<StoredWebhook, 'progress'>, progress?: WebhookProgress): Promise<WriteOutcome>
  /** With its dead letters. */
  delete(id: string): Promise<boolean>
  /** @returns false, and writes nothing, when the webhook has another generation or holder now, or is gone */
  saveProgress(id: string, by: DeliveryWorker, progress: WebhookProgress): Promise<boolean>
  /** Keeps the newest `keep` of the webhook, and none of one that is gone; one at the same position is replaced. */
  addDeadLetter(id: string, letter: DeadLetter, keep: number): Promise<void>
  removeDeadLetter(id: string, position: bigint): Promise<void>
  /** In log order. */
  deadLetters(id: string, after: bigint | undefined, limit: number): Promise<DeadLetter[]>
  countDeadLetters(id: string): Promise<number>
  /** Makes this process the one that delivers the webhook, for milliseconds. @returns false when another does */
  lease(id: string, holder: string, milliseconds: number): Promise<boolean>
  close(): Promise<void>
}

/** A webhook as an engine keeps it, with its content as JSON text. */
export interface WebhookRow {
  readonly webhook: string
  readonly generation: number
  readonly progress: string
}

type Written = Omit<WebhookProgress, 'position' | 'newest'> & { position?: string; newest?: string }

/** Progress as JSON text: positions are decimal strings. */
export const progressText = ({ position, newest, ...rest }: WebhookProgress): string =>
  JSON.stringify({ ...rest, position: position?.toString(), newest: newest && fingerprintText(newest) })

const readProgress = (text: string): WebhookProgress => {
  const { position, newest, ...rest } = JSON.parse(text) as Written
  return {
    ...rest,
    position: position === undefined ? undefined : BigInt(position),
    ...(newest !== undefined && { newest: parseFingerprint(newest) }),
  }
}

/** Old stores have plain endpoints: one is encrypted when it is read and stored so with the next change. */
const readWebhook = (text: string, secretCodec: Pick<SecretCodec, 'seal'>): Webhook => {
  const { endpoint, ...webhook } = JSON.parse(text) as Omit<Webhook, 'endpoint'> & { endpoint: JsonObject | string }
  return { ...webhook, endpoint: typeof endpoint === 'string' ? sealEndpoint(secretCodec, endpoint) : endpoint }
}

export const readRow =
  (secretCodec: Pick<SecretCodec, 'seal'>) =>
  ({ webhook, generation, progress }: WebhookRow): StoredWebhook => ({
    webhook: readWebhook(webhook, secretCodec),
    generation,
    progress: readProgress(progress),
  })

export const letterText = ({ position: _position, ...letter }: DeadLetter): string => JSON.stringify(letter)

export const readLetter = (position: string, letter: string): DeadLetter => ({
  ...(JSON.parse(letter) as Omit<DeadLetter, 'position'>),
  position: BigInt(position),
})

/** A taken name is an ordinary result. @param write tells whether there was such a webhook */
export const outcomeOf = async (
  write: Promise<boolean>,
  isTaken: (error: unknown) => boolean,
): Promise<WriteOutcome> => {
  try {
    return (await write) ? 'written' : 'missing'
  } catch (error) {
    if (isTaken(error)) return 'taken'
    throw error
  }
}
