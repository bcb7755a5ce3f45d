import { Gauge, type Registry } from 'prom-client'
import { secondsOf, type Lag } from '../../projections/lag.ts'
import type { ResponseCacheSize } from '../http/responseCache.ts'

export interface ProjectionProgress {
  /** Position up to which the read models show the log; `undefined`: nothing yet. */
  readonly position: bigint | undefined
  /** Position of the newest event; `undefined`: the log is empty. */
  readonly head: bigint | undefined
  /** Does this process write the read models? */
  readonly projects: boolean
  readonly waiting: Lag
}

/** How far each projection has come, by name; the first is the one that writes wait for. */
export type Positions = ReadonlyMap<string, bigint | undefined>

export interface WebhookProgressNow {
  readonly name: string
  /** Distance to the newest event, in positions. */
  readonly lag: bigint
  readonly deadLetters: number
}

export interface WitnessNow {
  readonly name: string
  /** Events of the last checkpoint that it took. */
  readonly size?: number
  readonly failing?: object
}

/** What is asked at every scrape; what fails is left out of the answer. */
export interface OperatingSources {
  readonly progress?: () => Promise<ProjectionProgress>
  readonly projections?: () => Promise<Positions>
  /** Whether each store answers, by name. */
  readonly stores?: () => Promise<Readonly<Record<string, boolean>>>
  readonly webhooks?: () => Promise<readonly WebhookProgressNow[]>
  readonly witnesses?: () => Promise<readonly WitnessNow[]>
  readonly openStreams?: () => number | undefined
  /** Absent where no answers are kept. */
  readonly responseCache?: () => ResponseCacheSize | undefined
  /** Milliseconds that the newest event is ahead of the machine's clock. */
  readonly logAhead?: () => number | undefined
}

/** Webhooks beyond so many are left out, so that their names do not fill the memory of Prometheus. */
const maxWebhooks = 200

/** Distance between the newest event and the read models, in positions; 0 when they show everything. */
export const lagOf = ({ head, position }: Pick<ProjectionProgress, 'head' | 'position'>): bigint => {
  const distance = (head ?? -1n) - (position ?? -1n)
  return distance > 0n ? distance : 0n
}

/** Positions that projections lack of what the first one shows, of those that lack any. */
export const behindFirst = (positions: Positions): Map<string, bigint> => {
  const [first] = positions.values()
  const distances = [...positions].map(([name, position]) => [name, lagOf({ head: first, position })] as const)
  return new Map(distances.filter(([, distance]) => distance > 0n))
}

const progressGauges = (registers: Registry[], progress: () => Promise<ProjectionProgress>) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const head = gauge('catalog_log_head_position', 'Position of the newest event in the log')
  const lag = gauge('catalog_projection_lag', 'Distance between the newest event and the read models, in positions')
  const position = gauge('catalog_projection_position', 'Position up to which the read models show the log')
  const events = gauge(
    'catalog_projection_lag_events',
    'Events that the read models do not show yet, up to 1,000 where positions do not count them',
  )
  const seconds = gauge('catalog_projection_lag_seconds', 'Age of the first event that the read models do not show yet')
  const projecting = gauge(
    'catalog_projecting',
    'Whether this process writes the read models: 1, or 0 where another does',
  )
  return {
    gauges: [head, lag, position, events, seconds, projecting],
    read: async (): Promise<void> => {
      const now = await progress()
      projecting.set(now.projects ? 1 : 0)
      head.set(Number(now.head ?? -1n))
      position.set(Number(now.position ?? -1n))
      lag.set(Number(lagOf(now)))
      events.set(now.waiting.events)
      seconds.set(secondsOf(now.waiting))
    },
  }
}

const behindGauge = (registers: Registry[], projections: NonNullable<OperatingSources['projections']>) => {
  const behind = new Gauge({
    name: 'catalog_projection_behind',
    help: 'Positions that a read model lacks of what the entities show',
    labelNames: ['projection'],
    registers,
  })
  return {
    gauges: [behind],
    read: async (): Promise<void> => {
      const positions = await projections()
      const distances = behindFirst(positions)
      for (const name of positions.keys()) behind.set({ projection: name }, Number(distances.get(name) ?? 0n))
    },
  }
}

const storeGauges = (registers: Registry[], stores: NonNullable<OperatingSources['stores']>) => {
  const up = new Gauge({
    name: 'catalog_store_up',
    help: 'Whether a store answers: 1 or 0',
    labelNames: ['store'],
    registers,
  })
  return {
    gauges: [up],
    read: async (): Promise<void> => {
      for (const [store, answers] of Object.entries(await stores())) up.set({ store }, answers ? 1 : 0)
    },
  }
}

const webhookGauges = (registers: Registry[], webhooks: NonNullable<OperatingSources['webhooks']>) => {
  const labelNames = ['webhook']
  const lag = new Gauge({
    name: 'catalog_webhook_lag',
    help: 'Distance between the newest event and what a webhook was sent, in positions',
    labelNames,
    registers,
  })
  const letters = new Gauge({
    name: 'catalog_webhook_dead_letters',
    help: 'Events that a webhook did not take and that were laid aside',
    labelNames,
    registers,
  })
  return {
    gauges: [lag, letters],
    read: async (): Promise<void> => {
      const all = await webhooks()
      for (const each of [lag, letters]) each.reset()
      for (const { name, ...now } of all.slice(0, maxWebhooks)) {
        lag.set({ webhook: name }, Number(now.lag))
        letters.set({ webhook: name }, now.deadLetters)
      }
    },
  }
}

const witnessGauges = (registers: Registry[], witnesses: NonNullable<OperatingSources['witnesses']>) => {
  const labelNames = ['witness']
  const size = new Gauge({
    name: 'catalog_witness_events',
    help: 'Events of the last checkpoint of the log that a witness took from this process',
    labelNames,
    registers,
  })
  const failing = new Gauge({
    name: 'catalog_witness_failing',
    help: 'Whether a witness does not take the checkpoint that is due: 1 or 0',
    labelNames,
    registers,
  })
  return {
    gauges: [size, failing],
    read: async (): Promise<void> => {
      for (const { name: witness, ...now } of await witnesses()) {
        size.set({ witness }, now.size ?? 0)
        failing.set({ witness }, now.failing === undefined ? 0 : 1)
      }
    },
  }
}

const streamGauges = (registers: Registry[], openStreams: NonNullable<OperatingSources['openStreams']>) => {
  const open = new Gauge({
    name: 'catalog_event_streams_open',
    help: 'Streams of events that clients have open',
    registers,
  })
  return { gauges: [open], read: async (): Promise<void> => open.set(openStreams() ?? 0) }
}

const aheadGauges = (registers: Registry[], logAhead: NonNullable<OperatingSources['logAhead']>) => {
  const ahead = new Gauge({
    name: 'catalog_log_ahead_seconds',
    help: 'Seconds that the newest event is ahead of the clock of this machine',
    registers,
  })
  return { gauges: [ahead], read: async (): Promise<void> => ahead.set((logAhead() ?? 0) / 1000) }
}

const cacheGauges = (registers: Registry[], size: NonNullable<OperatingSources['responseCache']>) => {
  const gauge = (name: string, help: string) => new Gauge({ name: `catalog_response_cache_${name}`, help, registers })
  const answers = gauge('answers', 'Answers that are kept ready to be sent')
  const bytes = gauge('bytes', 'Memory that they take')
  const hits = gauge('hits', 'Requests that were answered from them since the read models were opened')
  return {
    gauges: [answers, bytes, hits],
    read: async (): Promise<void> => {
      const now = size() ?? { answers: 0, bytes: 0, hits: 0 }
      answers.set(now.answers)
      bytes.set(now.bytes)
      hits.set(now.hits)
    },
  }
}

/** Makes the gauges of what is operated. @returns reads them anew */
export const operatingGauges = (registry: Registry, sources: OperatingSources): (() => Promise<void>) => {
  const registers = [registry]
  const { progress, projections, stores, webhooks, witnesses, openStreams, logAhead, responseCache } = sources
  const all = [
    ...(progress ? [progressGauges(registers, progress)] : []),
    ...(projections ? [behindGauge(registers, projections)] : []),
    ...(stores ? [storeGauges(registers, stores)] : []),
    ...(webhooks ? [webhookGauges(registers, webhooks)] : []),
    ...(witnesses ? [witnessGauges(registers, witnesses)] : []),
    ...(openStreams ? [streamGauges(registers, openStreams)] : []),
    ...(logAhead ? [aheadGauges(registers, logAhead)] : []),
    ...(responseCache ? [cacheGauges(registers, responseCache)] : []),
  ]
  return async () => {
    await Promise.all(
      all.map(({ gauges, read }) =>
        read().catch(() => {
          for (const gauge of gauges) {
            gauge.reset()
            gauge.remove()
          }
        }),
      ),
    )
  }
}
