import { Gauge, type Registry } from 'prom-client'
import { secondsOf, type Lag } from '../../projections/lag.ts'
import type { EntityCount } from './entityCounts.ts'
import type { ResponseCacheSize } from '../http/responseCache.ts'
import { inboxChannels, type InboxChannel } from '../../subscriptions/webhooks/webhook.ts'

export interface ProjectionProgress {
  /** Position that the read models show; `undefined` for nothing yet. */
  readonly position: bigint | undefined
  /** Position of the newest event; `undefined` for an empty log. */
  readonly head: bigint | undefined
  /** Whether this process leads. */
  readonly projects: boolean
  readonly waiting: Lag
}

/** Positions by projection; writes wait for the first. */
export type Positions = ReadonlyMap<string, bigint | undefined>

export interface WebhookProgressNow {
  readonly name: string
  /** Lag in positions. */
  readonly lag: bigint
  readonly deadLetters: number
  readonly failing: boolean
  /** How a person is sent an inbox; absent for webhooks that are sent events. */
  readonly channel?: InboxChannel | undefined
}

interface WitnessNow {
  readonly name: string
  /** Tree size of its last checkpoint. */
  readonly size?: number
  readonly failing?: object
}

/** Sources read at every scrape; failing ones are left out. */
export interface OperatingSources {
  readonly progress?: () => Promise<ProjectionProgress>
  readonly projections?: () => Promise<Positions>
  /** Whether each store answers. */
  readonly stores?: () => Promise<Readonly<Record<string, boolean>>>
  readonly webhooks?: () => Promise<readonly WebhookProgressNow[]>
  readonly witnesses?: () => Promise<readonly WitnessNow[]>
  readonly entities?: () => Promise<readonly EntityCount[]>
  readonly openStreams?: () => number | undefined
  /** Absent without a response cache. */
  readonly responseCache?: () => ResponseCacheSize | undefined
  /** Milliseconds by which the newest event is ahead of the machine's clock. */
  readonly logAhead?: () => number | undefined
}

/** Largest number of webhooks with gauges, to bound the memory of Prometheus. */
const maxWebhooks = 200

/** Lag of the read models in positions. */
export const lagOf = ({ head, position }: Pick<ProjectionProgress, 'head' | 'position'>): bigint => {
  const distance = (head ?? -1n) - (position ?? -1n)
  return distance > 0n ? distance : 0n
}

/** Lag of lagging projections behind the first one, in positions. */
const behindFirst = (positions: Positions): Map<string, bigint> => {
  const [first] = positions.values()
  const distances = [...positions].map(([name, position]) => [name, lagOf({ head: first, position })] as const)
  return new Map(distances.filter(([, distance]) => distance > 0n))
}

type Values = Readonly<Record<string, number | readonly (readonly [label: string, value: number])[] | undefined>>

/** A group of gauges that are read together. */
interface GaugeGroup {
  /** Help texts by name without the prefix `catalog_`. */
  readonly help: Readonly<Record<string, string>>
  /** Their label. */
  readonly label?: string
  /** Values by name and label. */
  readonly read: () => Promise<Values>
}

const progressGroup = (progress: () => Promise<ProjectionProgress>): GaugeGroup => ({
  help: {
    log_head_position: 'Position of the newest event in the log',
    projection_lag: 'Distance between the newest event and the read models, in positions',
    projection_position: 'Position up to which the read models show the log',
    projection_lag_events: 'Events that the read models do not show yet; at most 1,000 if positions have gaps',
    projection_lag_seconds: 'Age of the first event that the read models do not show yet',
    projecting: 'Whether this process writes the read models: 1, or 0 if another one does',
  },
  read: async () => {
    const now = await progress()
    return {
      projecting: now.projects ? 1 : 0,
      log_head_position: Number(now.head ?? -1n),
      projection_position: Number(now.position ?? -1n),
      projection_lag: Number(lagOf(now)),
      projection_lag_events: now.waiting.events,
      projection_lag_seconds: secondsOf(now.waiting),
    }
  },
})

type Groups = (GaugeGroup | undefined)[]

const entityGroup = (entities: () => Promise<readonly EntityCount[]>): GaugeGroup => ({
  label: 'kind',
  help: {
    entities: 'Live entities, counted at most once a minute',
    entities_undescribed: 'Live assets without a description',
    entities_unowned: 'Live assets without an owner',
  },
  read: async () => {
    const all = await entities()
    const told = (count: (of: EntityCount) => number | undefined) =>
      all.flatMap((each): [string, number][] => {
        const value = count(each)
        return value === undefined ? [] : [[each.kind, value]]
      })
    return {
      entities: told(({ total }) => total),
      entities_undescribed: told(({ undescribed }) => undescribed),
      entities_unowned: told(({ unowned }) => unowned),
    }
  },
})

/** Two groups by one read of each scrape. */
const deliveryGroups = (webhooks: () => Promise<readonly WebhookProgressNow[]>): GaugeGroup[] => {
  let reading: Promise<readonly WebhookProgressNow[]> | undefined
  const read = () => (reading ??= webhooks().finally(() => (reading = undefined)))
  return [
    {
      label: 'webhook',
      help: {
        webhook_lag: 'Distance between the newest event and what a webhook was sent, in positions',
        webhook_dead_letters: 'Dead letters of a webhook',
        webhook_failing: 'Whether deliveries of this process to a webhook fail: 1 or 0',
      },
      read: async () => {
        const all = (await read()).filter(({ channel }) => channel === undefined).slice(0, maxWebhooks)
        return {
          webhook_lag: all.map(({ name, lag }) => [name, Number(lag)] as const),
          webhook_dead_letters: all.map(({ name, deadLetters }) => [name, deadLetters] as const),
          webhook_failing: all.map(({ name, failing }) => [name, failing ? 1 : 0] as const),
        }
      },
    },
    {
      label: 'channel',
      help: {
        inbox_deliveries: 'Deliveries of inboxes to people',
        inbox_deliveries_failing: 'Deliveries of inboxes that fail in this process',
        inbox_dead_letters: 'Dead letters of the deliveries of inboxes',
      },
      read: async () => {
        const all = await read()
        const sum = (of: (one: WebhookProgressNow) => number) =>
          inboxChannels.map((by): [string, number] => [
            by,
            all.reduce((total, one) => total + (one.channel === by ? of(one) : 0), 0),
          ])
        return {
          inbox_deliveries: sum(() => 1),
          inbox_deliveries_failing: sum(({ failing }) => (failing ? 1 : 0)),
          inbox_dead_letters: sum(({ deadLetters }) => deadLetters),
        }
      },
    },
  ]
}

const labelledGroups = ({ projections, stores, webhooks, witnesses, entities }: OperatingSources): Groups => [
  entities && entityGroup(entities),
  projections && {
    label: 'projection',
    help: { projection_behind: 'Positions by which a read model is behind the entities' },
    read: async () => {
      const positions = await projections()
      const behind = behindFirst(positions)
      return {
        projection_behind: [...positions.keys()].map((name) => [name, Number(behind.get(name) ?? 0n)] as const),
      }
    },
  },
  stores && {
    label: 'store',
    help: { store_up: 'Whether a store responds: 1 or 0' },
    read: async () => ({ store_up: Object.entries(await stores()).map(([name, up]) => [name, up ? 1 : 0] as const) }),
  },
  ...(webhooks === undefined ? [] : deliveryGroups(webhooks)),
  witnesses && {
    label: 'witness',
    help: {
      witness_events: 'Size of the last checkpoint that a witness accepted from this process',
      witness_failing: 'Whether sending the next checkpoint to a witness fails: 1 or 0',
    },
    read: async () => {
      const all = await witnesses()
      return {
        witness_events: all.map(({ name, size = 0 }) => [name, size] as const),
        witness_failing: all.map(({ name, failing }) => [name, failing === undefined ? 0 : 1] as const),
      }
    },
  },
]

const plainGroups = ({ openStreams, logAhead, responseCache }: OperatingSources): Groups => [
  openStreams && {
    help: { event_streams_open: 'Open event streams' },
    read: async () => ({ event_streams_open: openStreams() ?? 0 }),
  },
  logAhead && {
    help: { log_ahead_seconds: 'Seconds by which the newest event is ahead of the clock of this machine' },
    read: async () => ({ log_ahead_seconds: (logAhead() ?? 0) / 1000 }),
  },
  responseCache && {
    help: {
      response_cache_answers: 'Responses in the cache',
      response_cache_bytes: 'Memory of the responses in the cache',
      response_cache_hits: 'Requests answered from the cache since the read models were opened',
    },
    read: async () => {
      const { answers, bytes, hits } = responseCache() ?? { answers: 0, bytes: 0, hits: 0 }
      return { response_cache_answers: answers, response_cache_bytes: bytes, response_cache_hits: hits }
    },
  },
]

/** Makes the operating gauges. @returns function that refreshes them, leaving out failing ones */
export const operatingGauges = (registry: Registry, sources: OperatingSources): (() => Promise<void>) => {
  const registers = [registry]
  const progress = sources.progress && progressGroup(sources.progress)
  const groups = [progress, ...labelledGroups(sources), ...plainGroups(sources)].filter((group) => group !== undefined)
  const all = groups.map(({ help, label, read }) => {
    const labelNames = label === undefined ? [] : [label]
    const gauges = Object.entries(help).map(
      ([name, text]) => [name, new Gauge({ name: `catalog_${name}`, help: text, labelNames, registers })] as const,
    )
    const set = (values: Values): void => {
      for (const [name, gauge] of gauges) {
        const value = values[name]
        gauge.reset()
        if (typeof value === 'number') gauge.set(value)
        else for (const [of, each] of value ?? []) gauge.set({ [label as string]: of }, each)
      }
    }
    const leaveOut = (): void => {
      for (const [, gauge] of gauges) {
        gauge.reset()
        gauge.remove()
      }
    }
    return () => read().then(set).catch(leaveOut)
  })
  return async () => void (await Promise.all(all.map((read) => read())))
}
