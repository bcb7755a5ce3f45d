import { setTimeout as delay } from 'node:timers/promises'
import { DamagedLog, type EventStore } from '../../events/eventStore.ts'
import { holds, markOf } from '../../events/mark.ts'
import { parseStreamName } from '../../events/streamName.ts'
import type { Feed, Shown } from '../feed/feed.ts'
import type { FeedItem } from '../feed/feedTail.ts'
import type { Match } from '../feed/filter.ts'
import type { Sender, SendResult } from './send.ts'
import type { WebhookProgress } from './webhook.ts'
import type { StoredWebhook, WebhookStore } from './webhookStore.ts'

/** How deliveries are repeated. Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts for one event before it becomes a dead letter. */
  readonly attempts: number
  /** Pause after the first failure; it doubles with each further one. */
  readonly base: number
  /** Longest pause. */
  readonly longest: number
  /** Longest pause that an endpoint can ask for. */
  readonly longestAsked: number
}

/** Ten attempts over about a quarter of an hour, unless the endpoint asks for more time. */
export const defaultRetries: RetryPolicy = { attempts: 10, base: 1_000, longest: 300_000, longestAsked: 3_600_000 }

/** Dead letters that are kept for one webhook. */
export const keptDeadLetters = 10_000

export interface WorkerOptions {
  readonly stored: StoredWebhook
  /** Who has leased it. */
  readonly holder: string
  /** `whsec_…`, opened. */
  readonly secret: string
  /** Which events are sent, as it is at the moment. */
  readonly match: () => Promise<Match>
  /** How they are sent, as it is at the moment; `undefined`: as they are. */
  readonly shown: () => Shown | undefined
  readonly feed: Pick<Feed, 'read' | 'wait' | 'closing'>
  readonly log: Pick<EventStore, 'eventAt' | 'head'>
  readonly store: WebhookStore
  readonly sender: Sender
  readonly retries: RetryPolicy
  readonly signal: AbortSignal
  /** Told after each step, for the status. */
  readonly onProgress: (progress: WebhookProgress, failing: boolean) => void
}

/**
 * The pause after so many failures: exponential, and random by a quarter so that webhooks do not retry in step; not
 * less than what the endpoint asked for.
 */
export const pauseAfter = (
  failures: number,
  { base, longest, longestAsked }: RetryPolicy,
  asked = 0,
  random: number = Math.random(),
): number =>
  Math.max(Math.min(longestAsked, asked), Math.min(longest, base * 2 ** (failures - 1)) * (0.75 + random / 2))

/** How often progress over events that do not match is written down, in milliseconds. */
const saveInterval = 5_000

/** The webhook was changed, replayed or deleted meanwhile: this worker is no longer the one. */
class Superseded extends Error {
  override readonly name = 'Superseded'
}

/**
 * Delivers the events of one webhook, one after the other, from its checkpoint on. The checkpoint is written after a
 * delivery, so an event may come twice, and none is left out. Returns when the signal aborts or the webhook has a new
 * generation; throws when the stores fail, and when the log is damaged, which the status names then. An endpoint that
 * is gone (410) disables the webhook, which stays before that event.
 */
export const runWorker = async (options: WorkerOptions): Promise<void> => {
  const { stored, feed, store, signal } = options
  const { webhook, generation } = stored
  let progress = stored.progress
  let saved = progress.position
  let savedAt = performance.now()

  const save = async (next: WebhookProgress, failing = false): Promise<void> => {
    progress = next
    options.onProgress(progress, failing)
    if (!(await store.saveProgress(webhook.id, { generation, holder: options.holder }, progress)))
      throw new Superseded()
    saved = progress.position
    savedAt = performance.now()
  }

  const deliver = async (item: FeedItem): Promise<void> => {
    const { position } = item.event
    const at = { position, newest: markOf(item.event) }
    for (let attempts = 1; ; attempts++) {
      const matches = await options.match()
      if (!(await matches(item.event))) return save({ ...progress, ...at })
      const result = await send(options, item)
      if (signal.aborted) return
      const time = new Date().toISOString()
      if (result.ok) {
        await store.removeDeadLetter(webhook.id, position)
        await save({ ...progress, ...at, lastSuccess: { time, position: String(position), status: result.status } })
        return
      }
      const lastError = { time, position: String(position), message: result.error, attempts }
      if (result.gone) {
        await store.update({ ...webhook, enabled: false }, { ...progress, lastError }, generation)
        throw new Superseded()
      }
      if (attempts >= options.retries.attempts) {
        await store.addDeadLetter(webhook.id, letterOf(item, attempts, result.error, time), keptDeadLetters)
        await save({ ...progress, ...at, lastError })
        return
      }
      await save({ ...progress, lastError }, true)
      await delay(pauseAfter(attempts, options.retries, result.retryAfter), undefined, { signal }).catch(
        () => undefined,
      )
      if (signal.aborted) return
    }
  }

  try {
    const begun = await onThisLog(options.log, progress)
    if (begun !== progress) await save(begun)
    while (!signal.aborted && !feed.closing.aborted) {
      const match = await options.match()
      const page = await feed.read({
        after: progress.position,
        match,
        shown: options.shown(),
        limit: 100,
        maxSize: 1024 * 1024,
      })
      for (const item of page.items) {
        await deliver(item)
        if (signal.aborted) return
      }
      progress = { ...progress, position: page.position, newest: page.newest ?? progress.newest }
      options.onProgress(progress, false)
      const unsaved = progress.position !== saved
      if (unsaved && (page.items.length > 0 || performance.now() - savedAt >= saveInterval)) await save(progress)
      if (page.end) await feed.wait(progress.position, signal, saveInterval)
    }
  } catch (error) {
    if (error instanceof Superseded) return
    if (error instanceof DamagedLog) await save({ ...progress, lastError: stoppedBy(error, progress) }, true)
    throw error
  }
}

/** What the status says of a log that cannot be read on. */
const stoppedBy = (damage: DamagedLog, { position = 0n, lastError }: WebhookProgress) => {
  const at = String(damage.position ?? position)
  const attempts = lastError?.position === at ? lastError.attempts + 1 : 1
  return { time: new Date().toISOString(), position: at, message: `Delivery has stopped: ${damage.message}`, attempts }
}

const gone =
  'Its checkpoint belongs to another log, or to a part of this one that is gone, as after a restored backup. It goes on from ' +
  'the end of the log; a replay sends what lies before.'

/** A checkpoint that does not fit the log begins anew at its end: what it says was delivered tells nothing here. */
const onThisLog = async (log: WorkerOptions['log'], progress: WebhookProgress): Promise<WebhookProgress> => {
  const { position, newest } = progress
  const head = await log.head()
  const fits = newest === undefined ? (position ?? 0n) <= (head ?? 0n) : await holds(log, newest)
  if (fits) return progress
  const last = head === undefined ? undefined : await log.eventAt(head)
  const restarted = { time: new Date().toISOString(), position: String(position ?? 0n), message: gone }
  return { ...progress, position: head, newest: last && markOf(last), restarted }
}

const send = ({ sender, stored, secret, signal }: WorkerOptions, { event, text }: FeedItem): Promise<SendResult> =>
  sender.send({ endpoint: stored.webhook.endpoint, secret, id: event.id, body: text }, signal)

const letterOf = ({ event }: FeedItem, attempts: number, error: string, time: string) => ({
  position: event.position,
  eventId: event.id,
  type: `catalog.${parseStreamName(event.stream).kind}.${event.type}`,
  subject: event.metadata.fullyQualifiedName,
  attempts,
  error,
  time,
})
