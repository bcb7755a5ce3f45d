import { Gauge, type Registry } from 'prom-client'
import type { Lag } from '../../projections/projection.ts'
import { inTime } from '../../shared/backOff.ts'
import type { EntityCount } from './entityCounts.ts'
import type { ResponseCache } from '../http/responseCache.ts'
import type { WitnessState } from '../../subscriptions/witnesses/witnesses.ts'
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

export interface WebhookLag {
  readonly name: string
  readonly lag: bigint
  readonly deadLetters: number
  readonly failing: boolean
  /** How a person is sent an inbox; absent for webhooks that are sent events. */
  readonly channel?: InboxChannel | undefined
}

type CacheSize = ReturnType<ResponseCache['size']>

/** Sources read at every scrape; what fails or does not come in time is left out. */
export interface GaugeSources {
  readonly progress?: () => Promise<ProjectionProgress>
  readonly projections?: () => Promise<Positions>
  readonly stores?: () => Promise<Readonly<Record<string, boolean>>>
  readonly webhooks?: () => Promise<readonly WebhookLag[]>
  readonly witnesses?: () => Promise<readonly WitnessState[]>
  readonly entities?: () => Promise<readonly EntityCount[]>
  readonly openStreams?: () => number | undefined
  /** Absent without a response cache. */
  readonly responseCache?: () => CacheSize | undefined
  /** Absent without a JWKS URL. */
  readonly keysFailing?: () => boolean
  /** Milliseconds by which the newest event is ahead of the machine's clock. */
  readonly logAhead?: () => number | undefined
}

/** Lag of the read models in positions. */
export const lagOf = ({ head, position }: Pick<ProjectionProgress, 'head' | 'position'>): bigint => {
  const distance = (head ?? -1n) - (position ?? -1n)
  return distance > 0n ? distance : 0n
}

type Value = number | readonly (readonly [label: string, value: number])[]

/** Help text and value of each gauge of a source, by its name without the prefix `catalog_`. */
type Gauges<T> = Readonly<Record<string, readonly [help: string, valueOf: (now: T) => Value]>>

const progressGauges: Gauges<ProjectionProgress> = {
  log_head_position: ['Position of the newest event in the log', ({ head }) => Number(head ?? -1n)],
  projection_lag: ['Distance between the newest event and the read models, in positions', (now) => Number(lagOf(now))],
  projection_position: ['Position up to which the read models show the log', ({ position }) => Number(position ?? -1n)],
  projection_lag_events: [
    'Events that the read models do not show yet; at most 1,000 if positions have gaps',
    ({ waiting }) => waiting.events,
  ],
  projection_lag_seconds: [
    'Age of the first event that the read models do not show yet',
    ({ waiting }) => waiting.seconds,
  ],
  projecting: [
    'Whether this process writes the read models: 1, or 0 if another one does',
    ({ projects }) => Number(projects),
  ],
}

const byKind =
  (count: (of: EntityCount) => number | undefined) =>
  (all: readonly EntityCount[]): [string, number][] =>
    all.flatMap((each) => {
      const value = count(each)
      return value === undefined ? [] : [[each.kind, value]]
    })

const entityGauges: Gauges<readonly EntityCount[]> = {
  entities: ['Live entities, counted at most once a minute', byKind(({ total }) => total)],
  entities_undescribed: ['Live assets without a description', byKind(({ undescribed }) => undescribed)],
  entities_unowned: ['Live assets without an owner', byKind(({ unowned }) => unowned)],
}

type Webhooks = readonly WebhookLag[]

/** A number of each webhook that is sent events. */
const byWebhook =
  (valueOf: (of: WebhookLag) => bigint | number | boolean) =>
  (all: Webhooks): [string, number][] =>
    all.filter(({ channel }) => channel === undefined).map((one) => [one.name, Number(valueOf(one))])

const webhookGauges: Gauges<Webhooks> = {
  webhook_lag: [
    'Distance between the newest event and what a webhook was sent, in positions',
    byWebhook(({ lag }) => lag),
  ],
  webhook_dead_letters: ['Dead letters of a webhook', byWebhook(({ deadLetters }) => deadLetters)],
  webhook_failing: [
    'Whether deliveries of this process to a webhook fail, or a 410 has disabled it: 1 or 0',
    byWebhook(({ failing }) => failing),
  ],
}

/** The sum of a number over the deliveries by each channel. */
const byChannel =
  (valueOf: (of: WebhookLag) => number) =>
  (all: Webhooks): [string, number][] =>
    inboxChannels.map((by) => [by, all.reduce((sum, one) => sum + (one.channel === by ? valueOf(one) : 0), 0)])

const inboxGauges: Gauges<Webhooks> = {
  inbox_deliveries: ['Deliveries of inboxes to people', byChannel(() => 1)],
  inbox_deliveries_failing: [
    'Deliveries of inboxes that fail in this process',
    byChannel(({ failing }) => Number(failing)),
  ],
  inbox_dead_letters: ['Dead letters of the deliveries of inboxes', byChannel(({ deadLetters }) => deadLetters)],
}

const projectionGauges: Gauges<Positions> = {
  projection_behind: [
    'Positions by which a read model is behind the entities',
    (positions) => {
      const [head] = positions.values()
      return [...positions].map(([name, position]) => [name, Number(lagOf({ head, position }))])
    },
  ],
}

const storeGauges: Gauges<Readonly<Record<string, boolean>>> = {
  store_up: [
    'Whether a store responds: 1 or 0',
    (stores) => Object.entries(stores).map(([name, up]) => [name, Number(up)]),
  ],
}

const witnessGauges: Gauges<readonly WitnessState[]> = {
  witness_events: [
    'Size of the last checkpoint that a witness accepted from this process',
    (all) => all.map(({ name, size = 0 }) => [name, size]),
  ],
  witness_failing: [
    'Whether sending the next checkpoint to a witness fails: 1 or 0',
    (all) => all.map(({ name, failing }) => [name, Number(failing !== undefined)]),
  ],
}

const cacheGauges: Gauges<CacheSize | undefined> = {
  response_cache_answers: ['Responses in the cache', (size) => size?.answers ?? 0],
  response_cache_bytes: ['Memory of the responses in the cache', (size) => size?.bytes ?? 0],
  response_cache_hits: [
    'Requests answered from the cache since the read models were opened',
    (size) => size?.hits ?? 0,
  ],
}

const streamGauges: Gauges<number | undefined> = {
  event_streams_open: ['Open event streams', (open = 0) => open],
}

const clockGauges: Gauges<number | undefined> = {
  log_ahead_seconds: [
    'Seconds by which the newest event is ahead of the clock of this machine',
    (milliseconds = 0) => milliseconds / 1000,
  ],
}

const keyGauges: Gauges<boolean> = {
  jwks_failing: ['Whether the keys at CATALOG_JWKS_URL could not be read the last time: 1 or 0', Number],
}

/** Milliseconds that a source has, since a scrape itself has 10 seconds by default. */
const sourceTimeout = 4000

/** Makes the operating gauges. @returns function that refreshes them */
export const operatingGauges = (registry: Registry, sources: GaugeSources): (() => Promise<void>) => {
  const refreshing: (() => Promise<void>)[] = []
  /** @param byLabel gauges by the label that they have; '' for none */
  const add = <T>(read: (() => T | Promise<T>) | undefined, byLabel: Readonly<Record<string, Gauges<T>>>): void => {
    if (read === undefined) return
    const all = Object.entries(byLabel).flatMap(([label, gauges]) =>
      Object.entries(gauges).map(([name, [help, valueOf]]) => {
        const labelNames = label === '' ? [] : [label]
        return {
          label,
          valueOf,
          gauge: new Gauge({ name: `catalog_${name}`, help, labelNames, registers: [registry] }),
        }
      }),
    )
    refreshing.push(async () => {
      for (const { label, gauge } of all) {
        gauge.reset()
        // Without labels there is one value, which is 0 now.
        if (label === '') gauge.remove()
      }
      const now = await inTime(sourceTimeout, async () => ({ value: await read() }), undefined)
      if (now === undefined) return
      for (const { label, valueOf, gauge } of all) {
        const value = valueOf(now.value)
        if (typeof value === 'number') gauge.set(value)
        else for (const [of, each] of value) gauge.set({ [label]: of }, each)
      }
    })
  }
  add(sources.progress, { '': progressGauges })
  add(sources.entities, { kind: entityGauges })
  add(sources.projections, { projection: projectionGauges })
  add(sources.stores, { store: storeGauges })
  add(sources.webhooks, { webhook: webhookGauges, channel: inboxGauges })
  add(sources.witnesses, { witness: witnessGauges })
  add(sources.openStreams, { '': streamGauges })
  add(sources.logAhead, { '': clockGauges })
  add(sources.keysFailing, { '': keyGauges })
  add(sources.responseCache, { '': cacheGauges })
  return async () => void (await Promise.all(refreshing.map((refresh) => refresh())))
}
