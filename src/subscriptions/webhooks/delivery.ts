import type { Logger } from 'pino'
import { DamagedLog, type EventStore } from '../../events/eventStore.ts'
import { hasFingerprint, fingerprintOf } from '../../events/events.ts'
import { sleep } from '../../shared/backOff.ts'
import { systemUser } from '../../shared/entityName.ts'
import { cloudEventType } from '../feed/cloudEvent.ts'
import type { Feed, FeedSelection } from '../feed/feed.ts'
import type { FeedItem } from '../feed/feedTail.ts'
import type { Sender, SendResult } from './send.ts'
import type { WebhookProgress } from './webhook.ts'
import type { StoredWebhook, WebhookStore } from './webhookStore.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { sameJson } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'

export interface RetryPolicy {
  /** Attempts for one event before it becomes a dead letter. */
  readonly attempts: number
  /** Pause after the first failure; it doubles with each further one. */
  readonly base: number
  readonly longest: number
  /** Longest pause that an endpoint can request. */
  readonly longestAsked: number
}

/** Ten attempts over about nine minutes, unless the endpoint asks for more time. */
export const defaultRetries: RetryPolicy = { attempts: 10, base: 1_000, longest: 300_000, longestAsked: 3_600_000 }

export interface WorkerOptions {
  readonly stored: StoredWebhook
  /** Holder of the lease. */
  readonly holder: string
  /** Decrypted URL. */
  readonly endpoint: string
  /** Decrypted secret, `whsec_…`. */
  readonly secret: string
  /** Asked for again before each delivery. */
  readonly select: FeedSelection
  readonly feed: Pick<Feed, 'read' | 'wait' | 'closing'>
  readonly log: Pick<EventStore, 'eventAt' | 'head'>
  readonly store: WebhookStore
  readonly sender: Sender
  readonly retries: RetryPolicy
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** The newest progress, and whether the newest delivery has failed: set after each step, for the status. */
  readonly state: { progress: WebhookProgress; failing: boolean }
}

/** The pause after this many failures: exponential with a quarter of jitter, at least what the endpoint asked for. */
export const pauseAfter = (
  failures: number,
  { base, longest, longestAsked }: RetryPolicy,
  retryAfter = 0,
  random: number = Math.random(),
): number =>
  Math.max(Math.min(longestAsked, retryAfter), Math.min(longest, base * 2 ** (failures - 1)) * (0.75 + random / 2))

/** Interval in milliseconds of saving progress over events that do not match. */
const saveInterval = 5_000

/** Milliseconds after which a page is read again, since personal values in its texts may have been erased. */
const maxPageAge = 1_000

/** The webhook was changed, replayed or deleted meanwhile: this worker is superseded. */
class Superseded extends CatalogError {
  override readonly name = 'Superseded'
}

/** Members of log lines that identify the webhook. */
const namesOf = ({ webhook: { id, name } }: StoredWebhook) => ({ webhook: id, name })

const makeProgressTracker = (options: WorkerOptions) => {
  const { stored, holder, store, logger, state } = options
  const { webhook, generation } = stored
  let saved = state.progress.position
  let savedAt = performance.now()
  let lastAttempt = { position: -1n, attempts: 0 }
  const move = (next: WebhookProgress, fails: boolean): void => {
    if (fails && !state.failing)
      logger.warn({ ...namesOf(stored), error: next.lastError?.message }, 'deliveries of a webhook fail')
    if (!fails && state.failing) logger.info(namesOf(stored), 'deliveries of a webhook succeed again')
    Object.assign(state, { progress: next, failing: fails })
  }
  /** @param fails default: as before */
  const save = async (next: WebhookProgress, fails = state.failing): Promise<void> => {
    move(next, fails)
    if (!(await store.saveProgress(webhook.id, { generation, holder }, next))) throw new Superseded()
    saved = next.position
    savedAt = performance.now()
  }
  return {
    progress: (): WebhookProgress => state.progress,
    /** Counts an attempt. @returns the number of attempts for the event, by its position */
    attempt: (position: bigint): number => {
      lastAttempt = { position, attempts: lastAttempt.position === position ? lastAttempt.attempts + 1 : 1 }
      return lastAttempt.attempts
    },
    save,
    /** Advances over events that do not match; saved at most once per `saveInterval`. */
    pass: async (next: WebhookProgress): Promise<void> => {
      move(next, state.failing)
      if (next.position !== saved && performance.now() - savedAt >= saveInterval) await save(next)
    },
  }
}

type ProgressTracker = ReturnType<typeof makeProgressTracker>

/**
 * Delivers the events of one webhook in order from its checkpoint, which is saved after each delivery: at least once,
 * none left out. Returns when the signal aborts or a new generation begins; throws when a store fails or the log is
 * damaged. An endpoint that is gone (410) disables the webhook.
 */
export const runWorker = async (options: WorkerOptions): Promise<void> => {
  const { feed, signal } = options
  const tracker = makeProgressTracker(options)
  try {
    const rebased = await rebaseProgress(options.log, tracker.progress())
    if (rebased !== tracker.progress()) await tracker.save(rebased)
    while (!signal.aborted && !feed.closing.aborted) await deliverPage(options, tracker)
  } catch (error) {
    if (error instanceof Superseded) return
    const progress = tracker.progress()
    if (error instanceof DamagedLog) await tracker.save({ ...progress, lastError: damageError(error, progress) }, true)
    throw error
  }
}

const deliverPage = async (options: WorkerOptions, tracker: ProgressTracker): Promise<void> => {
  const { feed, signal } = options
  const page = await feed.read({
    ...(await options.select()),
    after: tracker.progress().position,
    limit: 100,
    maxSize: 1024 * 1024,
  })
  const readAt = performance.now()
  for (const item of page.items)
    if (performance.now() - readAt > maxPageAge || !(await deliver(options, tracker, item))) return
  const progress = tracker.progress()
  await tracker.pass({ ...progress, position: page.position, newest: page.newest ?? progress.newest })
  if (page.end) await feed.wait(page.position, signal, saveInterval)
}

/**
 * Sends an event once, unless it or the webhook is obsolete, as another process may have made it; pauses after a failure.
 * @returns whether to go on to the next event; otherwise the page is read again, so that a retry sends the present text
 */
const deliver = async (options: WorkerOptions, tracker: ProgressTracker, item: FeedItem): Promise<boolean> => {
  const { stored, store, sender, endpoint, secret, retries, signal } = options
  const { match } = await options.select()
  if (!(await match(item.event))) {
    await tracker.save({ ...tracker.progress(), ...placeOf(item) })
    return !signal.aborted
  }
  const now = await store.get(stored.webhook.id)
  // One that was deleted and made anew begins with the first generation again, and has another secret.
  if (now?.generation !== stored.generation || !sameJson(now.webhook.secret, stored.webhook.secret))
    throw new Superseded()
  const result = await sender.send({ endpoint, secret, id: item.event.id, body: item.text }, signal)
  if (signal.aborted && !result.ok) return false
  const attempts = tracker.attempt(item.event.position)
  if (await recordOutcome(options, tracker, { item, result, attempts })) return !signal.aborted
  await sleep(pauseAfter(attempts, retries, result.ok ? undefined : result.retryAfter), signal)
  return false
}

interface Attempt {
  readonly item: FeedItem
  readonly result: SendResult
  readonly attempts: number
}

const placeOf = ({ event }: FeedItem) => ({ position: event.position, newest: fingerprintOf(event) })

/** Saves the outcome of an attempt. @returns false if another attempt follows */
const recordOutcome = async (
  { stored, store, retries, logger }: WorkerOptions,
  tracker: ProgressTracker,
  { item, result, attempts }: Attempt,
): Promise<boolean> => {
  const { webhook, generation } = stored
  const place = placeOf(item)
  const progress = tracker.progress()
  const at = { time: new Date().toISOString(), position: String(place.position) }
  if (result.ok) {
    await store.removeDeadLetter(webhook.id, place.position)
    await tracker.save({ ...progress, ...place, lastSuccess: { ...at, status: result.status } }, false)
    return true
  }
  const failed = { ...progress, lastError: { ...at, message: result.error, attempts } }
  if (result.gone) {
    const disabled = { ...webhook, enabled: false, updatedAt: at.time, updatedBy: systemUser }
    if ((await store.update({ webhook: disabled, generation }, failed)) === 'written')
      logger.warn(namesOf(stored), 'a webhook was disabled, since its endpoint answered 410')
    throw new Superseded()
  }
  if (attempts < retries.attempts) {
    await tracker.save(failed, true)
    return false
  }
  await store.addDeadLetter(webhook.id, letterOf(item, attempts, result.error, at.time), limits.deadLetters.value)
  logger.warn({ ...namesOf(stored), position: at.position, error: result.error }, 'an event became a dead letter')
  await tracker.save({ ...failed, ...place }, true)
  return true
}

const damageError = (damage: DamagedLog, { position = 0n, lastError }: WebhookProgress) => {
  const at = String(damage.position ?? position)
  const attempts = lastError?.position === at ? lastError.attempts + 1 : 1
  return { time: new Date().toISOString(), position: at, message: `Delivery has stopped: ${damage.message}`, attempts }
}

const checkpointLost =
  'Its checkpoint belongs to another log, or to a part of this one that is gone, as after a restored backup. It ' +
  'goes on from the end of the log; a replay sends what lies before.'

/**
 * A checkpoint of another log restarts at the end of this one. Any other restarts at its newest event: its position may
 * be beyond that, in a part of the log that is lost.
 */
const rebaseProgress = async (log: WorkerOptions['log'], progress: WebhookProgress): Promise<WebhookProgress> => {
  const { position, newest } = progress
  const head = await log.head()
  const fits = newest === undefined ? (position ?? 0n) <= (head ?? 0n) : await hasFingerprint(log, newest)
  if (fits)
    return newest === undefined || newest.position === position ? progress : { ...progress, position: newest.position }
  const last = head === undefined ? undefined : await log.eventAt(head)
  const restarted = { time: new Date().toISOString(), position: String(position ?? 0n), message: checkpointLost }
  return { ...progress, position: head, newest: last && fingerprintOf(last), restarted }
}

const letterOf = ({ event }: FeedItem, attempts: number, error: string, time: string) => ({
  position: event.position,
  eventId: event.id,
  type: cloudEventType(event.metadata.kind, event.type),
  subject: event.metadata.fullyQualifiedName,
  attempts,
  error,
  time,
})
