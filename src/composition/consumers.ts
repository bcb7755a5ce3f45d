import { globalAgent } from 'node:https'
import type { Logger } from 'pino'
import type { Api, AuditKeys } from '../api/deps.ts'
import { webhookSelection } from '../api/feed/feedQuery.ts'
import { lagOf, type WebhookLag } from '../api/system/operatingGauges.ts'
import { finishForgetting } from '../commands/requests/forget.ts'
import type { EventStore } from '../events/eventStore.ts'
import type { RecordedEvent } from '../events/events.ts'
import { inboxSource } from '../api/inbox/inboxRoutes.ts'
import { startConfirmations } from '../processes/confirmations.ts'
import { openWebhookStore } from './engines.ts'
import { startDepartures } from '../processes/departures.ts'
import type { Config } from './settings/config.ts'
import { makeCloudEventWriter } from '../subscriptions/feed/cloudEvent.ts'
import { makeFeed, type Feed } from '../subscriptions/feed/feed.ts'
import { makeLabels, type LabelsOf } from '../projections/labels.ts'
import { makeLeafReader } from '../projections/tree/leafReader.ts'
import { signAndRecordHead } from '../projections/tree/signHead.ts'
import { makeLogTree } from '../projections/tree/tree.ts'
import { treeProjection } from '../projections/tree/treeProjection.ts'
import { kindNamed } from '../kinds/registry/kinds.ts'
import { systemUser } from '../shared/entityName.ts'
import { closeAll } from '../stores/closing.ts'
import { version } from '../shared/version.ts'
import { clearInboxes } from '../subscriptions/inbox/clearInboxes.ts'
import { makeInboxOutlet } from '../subscriptions/inbox/inboxOutlet.ts'
import { startDispatcher, type Dispatcher } from '../subscriptions/webhooks/dispatcher.ts'
import { makeSender } from '../subscriptions/webhooks/send.ts'
import type { WebhookStore } from '../subscriptions/webhooks/webhookStore.ts'
import { openCosignatures, targetsOf } from '../subscriptions/witnesses/targets.ts'
import { startWitnesses } from '../subscriptions/witnesses/witnesses.ts'

const webhooksNow = async (
  store: WebhookStore,
  dispatcher: Pick<Dispatcher, 'progress'>,
  log: Pick<EventStore, 'head'>,
): Promise<WebhookLag[]> => {
  const [all, head] = await Promise.all([store.list(), log.head()])
  return Promise.all(
    all.map(async ({ webhook: { id, name, inbox, enabled, updatedBy }, progress }) => {
      const isGone = !enabled && updatedBy === systemUser
      const { progress: now = progress, failing = isGone } = dispatcher.progress(id) ?? {}
      const lag = lagOf({ head, position: now.position })
      return { name, lag, failing, channel: inbox?.channel, deadLetters: await store.countDeadLetters(id) }
    }),
  )
}

const userAgent = `metadata-catalog/${version}`

interface ConsumersOptions {
  readonly config: Config
  readonly api: Api
  readonly auditKeys: AuditKeys
  readonly logger: Logger
  /** Aborting it ends long polls and streams. */
  readonly stopping: AbortSignal
}

const startWitnessing = ({ config, api, auditKeys, logger }: ConsumersOptions) => {
  const tree = makeLogTree(api.readModels)
  return startWitnesses({
    targets: targetsOf(config.auditWitness.targets, {
      userAgent,
      keys: config.auditWitness.keys,
      consistency: tree.consistency,
      cosigned: openCosignatures(auditKeys.cosignedFile),
    }),
    every: config.auditWitness.every,
    position: () => api.runner.position(treeProjection.name),
    size: async () => (await tree.head()).size,
    checkpoint: async () => {
      const { head, note } = await signAndRecordHead(tree, auditKeys)
      return { size: head.size, note }
    },
    isLeader: api.runner.projects,
    logger,
  })
}

const startDelivering = async (
  { config, api, logger }: ConsumersOptions,
  { store, feed, labels }: { readonly store: WebhookStore; readonly feed: Feed; readonly labels: LabelsOf },
) => {
  const { log, commands } = api
  const { secretCodec } = commands
  // Set if Node was told to use proxies.
  const { proxyEnv } = globalAgent.options
  const sender = makeSender({ allowPrivate: config.webhookAllowPrivate, userAgent, proxyEnv })
  const mailer = config.mail && (await import('../subscriptions/inbox/mailer.ts')).makeMailer(config.mail)
  const { defaultRole } = config.jwt
  const dispatcher = startDispatcher({
    log,
    store,
    feed,
    sender,
    secretCodec,
    logger,
    selectionOf: (webhook) => webhookSelection({ ...api, labels }, webhook, defaultRole),
    outletOf: (webhook, inbox) =>
      makeInboxOutlet({
        webhook: { ...webhook, inbox },
        source: inboxSource(api, webhook, defaultRole),
        log,
        feed,
        sender,
        mailer,
        base: config.baseUrl,
        now: api.commands.clock.machine,
      }),
  })
  return { sender, mailer, dispatcher }
}

/** Starts all consumers of the log: feed, event streams, webhooks, witnesses, confirmations. */
export const startConsumers = async (options: ConsumersOptions) => {
  const { config, api, logger, stopping } = options
  const { log } = api
  const store = await openWebhookStore(config, api.commands.secretCodec, { readOnly: false })
  const write = makeCloudEventWriter((kind) => kindNamed(kind).path)
  const feed = makeFeed({
    log,
    write,
    leaves: () => makeLeafReader(log, api.readModels),
    onError: (error) => logger.warn({ err: error }, 'the feed lost its subscription; it begins again where it was'),
  })
  const labels = makeLabels(log)
  const { sender, mailer, dispatcher } = await startDelivering(options, { store, feed, labels })
  const witnesses = startWitnessing(options)
  const confirmations = startConfirmations({ ...api, logger })
  const onDeparture = async (events: readonly RecordedEvent[]): Promise<void> => {
    await finishForgetting(api.commands.vault, events)
    await clearInboxes(store, events)
  }
  const departures = startDepartures({ ...api, logger, onDeparture })
  stopping.addEventListener('abort', () => void feed.close(), { signal: feed.closing })
  return {
    /** What their routes work with. */
    forRoutes: {
      feed,
      labels,
      webhooks: store,
      inbox: store,
      dispatcher,
      allowPrivate: config.webhookAllowPrivate,
      sendsMail: mailer !== undefined,
      witnesses: witnesses.states,
    },
    /** Progress and dead letters of each webhook. */
    webhooks: () => webhooksNow(store, dispatcher, log),
    /** Ends long polls and streams; stops deliveries at their checkpoints. */
    close: (): Promise<void> =>
      closeAll([
        departures.close,
        confirmations.close,
        witnesses.close,
        dispatcher.close,
        feed.close,
        sender.close,
        () => mailer?.close(),
        store.close,
      ]),
  }
}

export type Consumers = Awaited<ReturnType<typeof startConsumers>>
