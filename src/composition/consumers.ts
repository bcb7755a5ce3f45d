import { join } from 'node:path'
import type { Logger } from 'pino'
import { asyncApiRoutes } from '../api/openapi/asyncapi.ts'
import { typedEventRoutes } from '../api/openapi/typedEvents.ts'
import type { Api } from '../api/deps.ts'
import { webhookFilter } from '../api/feed/feedQuery.ts'
import { feedRoutes } from '../api/feed/feedRoutes.ts'
import type { Route } from '../api/http/route.ts'
import { lagOf, type WebhookProgressNow } from '../api/system/operatingGauges.ts'
import type { EventStore } from '../events/eventStore.ts'
import { webhookRoutes } from '../api/webhooks/webhookRoutes.ts'
import type { Config } from './config.ts'
import { files } from './engines.ts'
import { createDataFolder } from '../stores/sqlite/dataFolder.ts'
import { makeCloudEventWriter } from '../subscriptions/feed/cloudEvent.ts'
import { makeFeed } from '../subscriptions/feed/feed.ts'
import { makeMatch } from '../subscriptions/feed/filter.ts'
import { makeLabels } from '../projections/labels.ts'
import { maskSecrets } from '../kinds/index.ts'
import { version } from '../shared/version.ts'
import { startDispatcher, type Dispatcher } from '../subscriptions/webhooks/dispatcher.ts'
import { makeSender } from '../subscriptions/webhooks/send.ts'
import { openSqliteWebhookStore } from '../subscriptions/webhooks/sqlite/webhookStore.ts'
import type { WebhookStore } from '../subscriptions/webhooks/webhookStore.ts'

/** All that gives events to others: pages, streams, webhooks. */
export interface Consumers {
  readonly routes: Route[]
  /** How far each webhook is, and what it did not take. */
  webhooks(): Promise<WebhookProgressNow[]>
  /** Number of streams of events that clients have open. */
  openStreams(): number
  /** Long polls and streams end, deliveries stop at their checkpoints. */
  close(): Promise<void>
}

/** Webhooks are kept where the read models are: next to them, or in the same database. */
const openWebhookStore = async (config: Config): Promise<WebhookStore> => {
  if (config.mongodbUrl === undefined)
    return openSqliteWebhookStore(join(createDataFolder(config.dataDir), files.webhooks))
  const { openMongoWebhookStore } = await import('../subscriptions/webhooks/mongo/webhookStore.ts')
  return openMongoWebhookStore({ url: config.mongodbUrl })
}

const webhooksNow = async (
  store: WebhookStore,
  dispatcher: Pick<Dispatcher, 'progress'>,
  log: Pick<EventStore, 'head'>,
): Promise<WebhookProgressNow[]> => {
  const [all, head] = await Promise.all([store.list(), log.head()])
  return Promise.all(
    all.map(async ({ webhook: { id, name }, progress }) => {
      const { position } = dispatcher.progress(id)?.progress ?? progress
      return { name, lag: lagOf({ head, position }), deadLetters: await store.countDeadLetters(id) }
    }),
  )
}

/** Starts what serves consumers. @param stopping long polls and streams end when it aborts */
export const startConsumers = async (
  config: Config,
  api: Api,
  logger: Logger,
  stopping: AbortSignal,
): Promise<Consumers> => {
  const {
    log,
    commands: { tools },
  } = api
  const store = await openWebhookStore(config)
  const write = makeCloudEventWriter({ pathOf: (kind) => api.kindNamed(kind).path, maskSecrets })
  const feed = makeFeed({
    log,
    write,
    onError: (error) => logger.warn({ err: error }, 'the feed lost its subscription; it begins again where it was'),
  })
  const labels = makeLabels(log)
  const allowPrivate = config.webhookAllowPrivate
  const sender = makeSender({ allowPrivate, userAgent: `metadata-catalog/${version}` })
  const dispatcher = startDispatcher({
    log,
    store,
    feed,
    sender,
    tools,
    logger,
    matcher: (filter) => makeMatch(filter, labels),
    filterOf: (webhook) => webhookFilter(api, webhook, config.jwt.defaultRole),
  })
  stopping.addEventListener('abort', () => void feed.close(), { once: true })
  return {
    routes: [
      ...feedRoutes(api, feed, labels),
      ...webhookRoutes({ api, store, dispatcher, tools, allowPrivate }),
      ...asyncApiRoutes(api.kinds, version),
      ...typedEventRoutes(api.kinds),
    ],
    webhooks: () => webhooksNow(store, dispatcher, log),
    openStreams: feed.streams,
    close: async () => {
      await dispatcher.close()
      await feed.close()
      sender.close()
      await store.close()
    },
  }
}
