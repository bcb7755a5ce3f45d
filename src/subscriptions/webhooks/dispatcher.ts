import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { EventStore } from '../../events/eventStore.ts'
import { repeat, sleep, type Backoff } from '../../shared/backOff.ts'
import type { Feed, FeedSelection } from '../feed/feed.ts'
import type { SecretCodec } from '../../kinds/defineKind.ts'
import type { Sender } from './send.ts'
import type { InboxDelivery, Webhook } from './webhook.ts'
import type { StoredWebhook, WebhookStore } from './webhookStore.ts'
import { defaultRetries, runWorker, type RetryPolicy, type WorkerOptions } from './delivery.ts'

interface DispatcherOptions {
  readonly log: Pick<EventStore, 'eventAt' | 'head'>
  readonly store: WebhookStore
  readonly feed: Feed
  readonly sender: Sender
  readonly secretCodec: Pick<SecretCodec, 'open'>
  /** What a webhook is sent, as its owner may view it. */
  readonly selectionOf: (webhook: Webhook) => ReturnType<FeedSelection>
  /** Source and sender of inbox notifications. */
  readonly outletOf?: (webhook: Webhook, inbox: InboxDelivery) => Partial<WorkerOptions>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly retries?: RetryPolicy
  /** Interval in milliseconds of reading changes by other processes (default 5,000). */
  readonly interval?: number
}

/** Duration of a lease in milliseconds. */
const leaseTime = 30_000

interface Worker {
  readonly generation: number
  readonly controller: AbortController
  /** The newest progress, and whether the endpoint is failing; absent without the lease. */
  state?: WorkerOptions['state']
  done: Promise<void>
}

export const startDispatcher = (options: DispatcherOptions) => {
  const { store, logger, interval = 5_000 } = options
  const holder = randomUUID()
  const workers = new Map<string, Worker>()
  const stopping = new AbortController()
  let syncing: Promise<void> = Promise.resolve()

  const start = ({ webhook: { id }, generation }: StoredWebhook): void => {
    const worker: Worker = { generation, controller: new AbortController(), done: Promise.resolve() }
    worker.done = superviseWorker(options, id, holder, worker).finally(() => delete worker.state)
    workers.set(id, worker)
  }

  const stop = async (id: string): Promise<void> => {
    const worker = workers.get(id)
    workers.delete(id)
    worker?.controller.abort()
    await worker?.done
  }

  const sync = async (): Promise<void> => {
    const wanted = new Map(
      (await store.list()).filter(({ webhook }) => webhook.enabled).map((stored) => [stored.webhook.id, stored]),
    )
    for (const [id, { generation }] of workers) if (wanted.get(id)?.generation !== generation) await stop(id)
    if (stopping.signal.aborted) return
    for (const [id, stored] of wanted) if (!workers.has(id)) start(stored)
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
    /** Aligns the running workers with the store: call it after each change. */
    sync: syncNext,
    /** `undefined`: this process does not deliver it. */
    progress: (id: string): Worker['state'] => workers.get(id)?.state,
    close: async (): Promise<void> => {
      stopping.abort()
      await watching
      await syncing.catch(() => undefined)
      await Promise.all([...workers.keys()].map(stop))
    },
  }
}

export type Dispatcher = ReturnType<typeof startDispatcher>

const pauses: Backoff = { shortest: 100, longest: 10_000 }

/** Runs one webhook under a lease until stopped; retries after failures of the stores. */
const superviseWorker = (options: DispatcherOptions, id: string, holder: string, worker: Worker): Promise<void> => {
  const { store, logger, feed, interval = 5_000 } = options
  const signal = AbortSignal.any([worker.controller.signal, feed.closing])
  const work = async (): Promise<void> => {
    if (!(await store.lease(id, holder, leaseTime))) {
      delete worker.state
      return sleep(interval, signal)
    }
    const stored = await store.get(id)
    if (stored?.webhook.enabled === true) await runWithLease(options, stored, holder, worker)
    else worker.controller.abort()
  }
  const failed = (error: unknown): void =>
    logger.warn({ err: error, webhook: id }, 'delivering a webhook failed inside; it begins again from the checkpoint')
  return repeat(work, { signal, pauses, failed })
}

const runWithLease = async (
  options: DispatcherOptions,
  stored: StoredWebhook,
  holder: string,
  worker: Worker,
): Promise<void> => {
  const { store, secretCodec, selectionOf, retries = defaultRetries } = options
  const { webhook, progress } = stored
  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    if (!(await store.lease(webhook.id, holder, leaseTime).catch(() => false))) lost.abort()
  }
  let renewing: Promise<void> | undefined
  const renewal = setInterval(() => (renewing = renew()), leaseTime / 3)
  const state = { progress, failing: worker.state?.failing ?? false }
  worker.state = state
  try {
    await runWorker({
      ...options,
      stored,
      holder,
      endpoint: secretCodec.open(webhook.endpoint),
      secret: secretCodec.open(webhook.secret),
      select: () => selectionOf(webhook),
      retries,
      signal: AbortSignal.any([worker.controller.signal, lost.signal]),
      state,
      ...(webhook.inbox && options.outletOf?.(webhook, webhook.inbox)),
    })
  } finally {
    clearInterval(renewal)
    await renewing
    await store.lease(webhook.id, holder, 0)
  }
}
