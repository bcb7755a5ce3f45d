import type { DeadLetter, Webhook, WebhookProgress } from './webhook.ts'

export interface StoredWebhook {
  readonly webhook: Webhook
  readonly progress: WebhookProgress
  /** Incremented by each change and replay: deliveries of an older generation no longer count. */
  readonly generation: number
}

/** `taken`: another webhook has the name. */
export type WriteOutcome = 'written' | 'missing' | 'taken'

/** A delivery worker: its generation of the webhook, and its lease holder. */
export interface Deliverer {
  readonly generation: number
  readonly holder: string
}

/** A read mark in an inbox: for one entry, or for all up to it. */
export interface ReadMark {
  readonly position: bigint
  readonly upTo: boolean
}

/** Stores webhooks, their progress, and read marks, durably when the promise resolves. */
export interface WebhookStore {
  /** Ordered by name. */
  list(): Promise<StoredWebhook[]>
  get(id: string): Promise<StoredWebhook | undefined>
  create(webhook: Webhook, progress: WebhookProgress): Promise<WriteOutcome>
  /** Begins a new generation. @param generation `missing` when the webhook has another one now */
  update(webhook: Webhook, progress?: WebhookProgress, generation?: number): Promise<WriteOutcome>
  /** With its dead letters. */
  delete(id: string): Promise<boolean>
  /** @returns false, and writes nothing, when the webhook has another generation or holder now, or is gone */
  saveProgress(id: string, by: Deliverer, progress: WebhookProgress): Promise<boolean>
  /** Keeps the newest `keep` of the webhook; one at the same position is replaced. */
  addDeadLetter(id: string, letter: DeadLetter, keep: number): Promise<void>
  removeDeadLetter(id: string, position: bigint): Promise<void>
  /** In log order. */
  deadLetters(id: string, after: bigint | undefined, limit: number): Promise<DeadLetter[]>
  countDeadLetters(id: string): Promise<number>
  /** Makes this process the one that delivers the webhook, for milliseconds. @returns false when another does */
  lease(id: string, holder: string, milliseconds: number): Promise<boolean>
  /** In no order. @param reader name of a user */
  readMarks(reader: string): Promise<ReadMark[]>
  /** A mark up to a position takes the place of those before it. */
  addReadMarks(reader: string, marks: readonly ReadMark[]): Promise<void>
  close(): Promise<void>
}
