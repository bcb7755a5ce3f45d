import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { EventStore } from '../../events/eventStore.ts'
import { backOff, sleep, type BackOff } from '../../shared/backOff.ts'
import type { Feed, Shown } from '../feed/feed.ts'
import type { EventMatcher } from '../../projections/activity/matching.ts'
import type { ActivityFilter } from '../../projections/activity/port.ts'
import type { Sealer } from '../../kinds/defineKind.ts'
import type { Sender } from './send.ts'
import type { InboxDelivery, Webhook, WebhookProgress } from './webhook.ts'
import type { StoredWebhook, WebhookStore } from './webhookStore.ts'
import { defaultRetries, runWorker, type RetryPolicy, type WorkerOptions } from './delivery.ts'

export interface Dispatcher {
  /** Aligns the running workers with the store: call it after each change. */
  sync(): Promise<void>
  /** The newest known progress, and whether the endpoint is failing. */
  progress(id: string): { readonly progress: WebhookProgress; readonly failing: boolean } | undefined
  close(): Promise<void>
}

interface DispatcherOptions {
  readonly log: Pick<EventStore, 'eventAt' | 'head'>
  readonly store: WebhookStore
  readonly feed: Feed
  readonly sender: Sender
  readonly sealer: Pick<Sealer, 'open'>
  readonly matcher: (filter: ActivityFilter) => EventMatcher
  /** The filter of a webhook, evaluated for each event since its owner's permissions may change. */
  readonly filterOf: (webhook: Webhook) => Promise<ActivityFilter>
  /** Maps events for a webhook: entities that its owner may not view have no names; `undefined`: unchanged. */
  readonly shownOf: (webhook: Webhook) => Shown | undefined
  /** Source and sender of inbox notifications. */
  readonly outletOf?: (webhook: Webhook, inbox: InboxDelivery) => Partial<WorkerOptions>
  readonly logger: Pick<Logger, 'warn'>
  readonly retries?: RetryPolicy
  /** Interval in milliseconds of reading changes by other processes (default 5,000). */
  readonly interval?: number
}

/** Duration of a lease in milliseconds. */
const leaseTime = 30_000

interface Running {
  readonly generation: number
  readonly controller: AbortController
  readonly done: Promise<void>
  state?: { readonly progress: WebhookProgress; readonly failing: boolean }
}

/** Receives the progress of a webhook, and whether it fails if known. */
type Note = (state: { readonly progress: WebhookProgress; readonly failing?: boolean }) => void

export const startDispatcher = (options: DispatcherOptions): Dispatcher => {
  const { store, logger, interval = 5_000 } = options
  const workers = makeWorkers(options)
  const stopping = new AbortController()
  let syncing: Promise<void> = Promise.resolve()

  const sync = async (): Promise<void> => {
    const wanted = new Map(
      (await store.list()).filter(({ webhook }) => webhook.enabled).map((stored) => [stored.webhook.id, stored]),
    )
    for (const [id, { generation }] of workers.running)
      if (wanted.get(id)?.generation !== generation) await workers.stop(id)
    if (stopping.signal.aborted) return
    for (const [id, stored] of wanted) if (!workers.running.has(id)) workers.start(stored)
  }

  /** One after the other. */
  const syncNext = (): Promise<void> => {
    syncing = syncing.catch(() => undefined).then(sync)
    return syncing
  }

  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await syncNext().catch((error: unknown) =>
        logger.warn({ err: error }, 'the webhooks cannot be read at the moment'),
      )
      await sleep(interval, stopping.signal)
    }
  }
  const watching = watch()

  return {
    sync: syncNext,
    progress: (id) => workers.running.get(id)?.state,
    close: async () => {
      stopping.abort()
      await watching
      await syncing.catch(() => undefined)
      await Promise.all([...workers.running.keys()].map(workers.stop))
    },
  }
}

/** The workers of this process, one per webhook. */
const makeWorkers = (options: DispatcherOptions) => {
  const holder = randomUUID()
  const running = new Map<string, Running>()

  const start = ({ webhook: { id }, generation }: StoredWebhook): void => {
    const controller = new AbortController()
    const note: Note = (state) => {
      const known = running.get(id)
      const { failing = false } = known?.state ?? {}
      if (known?.controller === controller) known.state = { failing, ...state }
    }
    running.set(id, { generation, controller, done: Promise.resolve() })
    running.set(id, { generation, controller, done: work(options, { id, holder, signal: controller.signal, note }) })
  }

  const stop = async (id: string): Promise<void> => {
    const worker = running.get(id)
    running.delete(id)
    worker?.controller.abort()
    await worker?.done
  }
  return { running: running as ReadonlyMap<string, Running>, start, stop }
}

const pauses: BackOff = { shortest: 100, longest: 10_000 }

interface Part {
  readonly id: string
  /** Holder of the lease. */
  readonly holder: string
  readonly signal: AbortSignal
  readonly note: Note
}

/** Runs one webhook under a lease until stopped; retries after failures of the stores. */
const work = async (options: DispatcherOptions, part: Part): Promise<void> => {
  const { store, logger, feed, interval = 5_000 } = options
  const { id, holder, signal } = part
  for (let failures = 0; !signal.aborted && !feed.closing.aborted;) {
    try {
      const stored = await store.get(id)
      if (stored === undefined || !stored.webhook.enabled) return
      if (await store.lease(id, holder, leaseTime)) await workLeased(options, stored, part)
      else await sleep(interval, signal)
      failures = 0
    } catch (error) {
      failures++
      logger.warn(
        { err: error, webhook: id },
        'delivering a webhook failed inside; it begins again from the checkpoint',
      )
      await sleep(backOff(failures, pauses), signal)
    }
  }
}

const workLeased = async (
  options: DispatcherOptions,
  stored: StoredWebhook,
  { holder, signal, note }: Part,
): Promise<void> => {
  const { log, store, feed, sender, sealer, matcher, filterOf, shownOf } = options
  const { webhook } = stored
  const lost = new AbortController()
  const renewal = setInterval(() => {
    store.lease(webhook.id, holder, leaseTime).then(
      (held) => {
        if (!held) lost.abort()
      },
      () => lost.abort(),
    )
  }, leaseTime / 3)
  try {
    note({ progress: stored.progress })
    await runWorker({
      stored,
      holder,
      feed,
      log,
      store,
      sender,
      endpoint: sealer.open(webhook.endpoint),
      secret: sealer.open(webhook.secret),
      match: async () => matcher(await filterOf(webhook)),
      shown: () => shownOf(webhook),
      retries: options.retries ?? defaultRetries,
      signal: AbortSignal.any([signal, lost.signal]),
      onProgress: (progress, failing) => note({ progress, failing }),
      ...(webhook.inbox && options.outletOf?.(webhook, webhook.inbox)),
    })
  } finally {
    clearInterval(renewal)
  }
}
