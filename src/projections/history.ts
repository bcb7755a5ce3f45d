import { evolve, type Entity } from '../commands/evolve.ts'
import { type RecordedEvent, streamName } from '../events/events.ts'
import type { EventStore } from '../events/eventStore.ts'
import { inSlices } from '../shared/yieldToEventLoop.ts'
import { jsonLength, type Json, type JsonObject } from '../shared/json.ts'
import { memoize } from '../shared/memoize.ts'
import { limits } from '../shared/limits.ts'
import { makeMemoryCache } from './entities/memoryCache.ts'

export type Moment =
  /** Version in tenths, of the present (or last) incarnation. */
  | { readonly version: number }
  /** Everything up to this log position. */
  | { readonly position: bigint }

export interface Identity {
  readonly kind: string
  readonly id: string
}

/** A query for versions, newest first, with at most one of two exclusive bounds (revisions). */
interface VersionsQuery {
  readonly limit: number
  readonly after?: bigint | undefined
  /** The page of newer versions that ends there. */
  readonly before?: bigint | undefined
}

interface HistoryOptions {
  /** Whether states of a kind may be cached (default: yes). Not those with erasable values. */
  readonly isCacheable?: (kind: string) => boolean
  /** Number of events between two cached states (default 20). */
  readonly step?: number
  /** Shorter streams are not cached (default 200 events). */
  readonly minEvents?: number
  /** Size of the cache in characters of JSON text (default 64 Mi). */
  readonly maxSize?: number
}

/** Cached lengths of values, since states share them. */
const lengthWithin = memoize((value: JsonObject | Json[]) => jsonLength(value))

const lengthOf = (value: Json): number =>
  typeof value === 'object' && value !== null ? lengthWithin(value) : jsonLength(value)

const sizeOf = ({ members, change }: Entity): number =>
  Object.values(members).reduce<number>((sum, value) => sum + lengthOf(value as Json), 0) +
  [change?.fieldsAdded, change?.fieldsUpdated, change?.fieldsDeleted]
    .flatMap((changes) => changes ?? [])
    .reduce((sum, { oldValue = null, newValue = null }) => sum + lengthOf(oldValue) + lengthOf(newValue), 0)

/** The cached index of a stream. It only grows, since events never change. */
interface StreamIndex {
  /** By revision. */
  readonly positions: bigint[]
  readonly versions: number[]
  /** Revisions of the versions of the present (or last) incarnation. */
  steps: number[]
  tip: Entity | undefined
  /** Cached states, oldest first, at least `gap` events apart. */
  states: Entity[]
  gap: number
  size: number
  /** Serialises extensions. */
  extended: Promise<void>
}

const newStreamIndex = (gap: number): StreamIndex => ({
  positions: [],
  versions: [],
  steps: [],
  tip: undefined,
  states: [],
  gap,
  size: 0,
  extended: Promise.resolve(),
})

const markSize = 40

const indexEvent = (streamIndex: StreamIndex, id: string, event: RecordedEvent): void => {
  const before = streamIndex.tip
  const state = evolve(id, before, event)
  if (event.type === 'Created') streamIndex.steps = []
  // Votes and follows make no version.
  const makesVersion = event.type === 'Created' || state.version !== before?.version
  if (makesVersion && state.status !== 'gone') streamIndex.steps.push(streamIndex.positions.length)
  streamIndex.positions.push(event.position)
  streamIndex.versions.push(event.metadata.version)
  streamIndex.tip = state
  streamIndex.size += markSize
  const last = streamIndex.states.at(-1)?.revision ?? -1n
  if (event.revision - last >= BigInt(streamIndex.gap)) {
    streamIndex.states.push(state)
    streamIndex.size += sizeOf(state)
  }
}

/** Drops every second state, so that one stream of large states does not fill the memory. */
const thin = (streamIndex: StreamIndex): void => {
  streamIndex.states = streamIndex.states.filter((_, index) => index % 2 === 1)
  streamIndex.gap *= 2
  streamIndex.size = streamIndex.states.reduce(
    (sum, state) => sum + sizeOf(state),
    markSize * streamIndex.positions.length,
  )
}

/** Collects the states that fit on a page: the newest ones, or the oldest until `add` reports that it is full. */
const makeWindow = (newest: boolean) => {
  const room = limits.pageText.value
  const held: { state: Entity; length: number }[] = []
  let total = 0
  let left = false
  return {
    add: (state: Entity): boolean => {
      const length = sizeOf(state)
      if (!newest && held.length > 0 && total + length > room) {
        left = true
        return false
      }
      held.push({ state, length })
      total += length
      while (newest && held.length > 1 && total > room) {
        total -= held.shift()?.length ?? 0
        left = true
      }
      return true
    },
    result: () => ({ states: held.map(({ state }) => state), left }),
  }
}

/** Binary search: number of items before the first match, in a list whose later items all match. */
export const countBefore = <T>(list: readonly T[], matches: (item: T) => boolean): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (matches(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}

/** The revision as of a point in time; `undefined` if it is before the first event. */
const revisionAt = (streamIndex: StreamIndex, moment: Moment): number | undefined => {
  if ('version' in moment) {
    const found =
      streamIndex.steps[
        countBefore(streamIndex.steps, (step) => (streamIndex.versions[step] as number) >= moment.version)
      ]
    return found !== undefined && streamIndex.versions[found] === moment.version ? found : undefined
  }
  const reached = countBefore(streamIndex.positions, (position) => position > moment.position)
  return reached === 0 ? undefined : reached - 1
}

type ReadableLog = Pick<EventStore, 'readStream'> & Partial<Pick<EventStore, 'revisionOf'>>

/** Wanted revisions, ascending; a page takes as many of the newest or oldest as fit. */
interface Wanted {
  readonly revisions: readonly number[]
  readonly newest: boolean
}

const statesAt = async (
  log: ReadableLog,
  { kind, id }: Identity,
  states: readonly Entity[],
  { revisions, newest }: Wanted,
): Promise<{ states: Entity[]; left: boolean }> => {
  const found = makeWindow(newest)
  if (revisions.length === 0) return found.result()
  const first = BigInt(revisions[0] ?? 0)
  const last = BigInt(revisions.at(-1) ?? 0)
  let state = states[countBefore(states, ({ revision }) => revision > first) - 1]
  const wanted = new Set(revisions.map(BigInt))
  if (state !== undefined && wanted.has(state.revision)) found.add(state)
  const from = (state?.revision ?? -1n) + 1n
  if (from > last) return found.result()
  const limit = Number(last - from) + 1
  for await (const event of inSlices(log.readStream(streamName(kind, id), { from, limit }))) {
    state = evolve(id, state, event)
    if (wanted.has(event.revision) && !found.add(state)) break
  }
  return found.result()
}

/** The state as of a revision; `undefined` if it did not exist then. */
const stateAt = async (
  log: ReadableLog,
  identity: Identity,
  { tip, states }: StreamIndex,
  revision: number | undefined,
): Promise<Entity | undefined> => {
  if (revision === undefined) return undefined
  const [state] =
    tip?.revision === BigInt(revision)
      ? [tip]
      : (await statesAt(log, identity, states, { revisions: [revision], newest: true })).states
  return state?.status === 'gone' ? undefined : state
}

/** The first and last of each unbroken sequence. */
const sequencesOf = (revisions: readonly number[]): { first: number; last: number }[] => {
  const lasts = revisions.filter((revision, index) => revision + 1 !== revisions[index + 1])
  const firsts = revisions.filter((revision, index) => revision - 1 !== revisions[index - 1])
  return firsts.map((first, index) => ({ first, last: lasts[index] ?? first }))
}

const pageOf = (steps: readonly number[], { limit, after, before }: VersionsQuery) => {
  const total = steps.length
  const older = before === undefined ? 0 : countBefore(steps, (revision) => revision > before)
  const end = after === undefined ? total : countBefore(steps, (revision) => revision >= after)
  const from = before === undefined ? Math.max(0, end - limit) : older
  const to = before === undefined ? end : Math.min(total, older + limit)
  return { revisions: steps.slice(from, to), newest: before === undefined, total, from, to }
}

/**
 * Past states of entities. Reads the log only, so it includes everything acknowledged: it folds streams up to any
 * revision. For long ones it caches a state every few events, so that reads stay short.
 */
export const makeHistory = (log: ReadableLog, options: HistoryOptions = {}) => {
  const { step = 20, minEvents = 200, maxSize = 64 * 2 ** 20, isCacheable = () => true } = options
  const streamIndexes = makeMemoryCache<StreamIndex>(maxSize)

  const extend = async ({ kind, id }: Identity, streamIndex: StreamIndex): Promise<void> => {
    const stream = streamName(kind, id)
    const length = BigInt(streamIndex.positions.length)
    // Usually there is nothing new, which is known without reading a page.
    if (length > 0n && (await log.revisionOf?.(stream)) === length - 1n) return
    for await (const event of inSlices(log.readStream(stream, { from: length }))) indexEvent(streamIndex, id, event)
    if (streamIndex.positions.length < minEvents || !isCacheable(kind)) return
    while (streamIndex.size > maxSize / 4 && streamIndex.states.length > 1) thin(streamIndex)
    streamIndexes.set(stream, streamIndex, streamIndex.size)
  }

  const indexOf = async (identity: Identity): Promise<StreamIndex> => {
    const streamIndex = streamIndexes.get(streamName(identity.kind, identity.id)) ?? newStreamIndex(step)
    streamIndex.extended = streamIndex.extended.catch(() => undefined).then(() => extend(identity, streamIndex))
    await streamIndex.extended
    return streamIndex
  }

  return {
    /** The entity as of a point in time; `undefined` if it did not exist then. */
    asOf: async (identity: Identity, moment: Moment): Promise<Entity | undefined> => {
      const streamIndex = await indexOf(identity)
      return stateAt(log, identity, streamIndex, revisionAt(streamIndex, moment))
    },
    /**
     * The states before and after each unbroken sequence of an entity's events, oldest first; `undefined` where it did
     * not exist. @param positions those of the events, ascending
     */
    transitions: async function* (identity: Identity, positions: readonly bigint[]) {
      const streamIndex = await indexOf(identity)
      const revisions = positions.flatMap((position) => revisionAt(streamIndex, { position }) ?? [])
      for (const { first, last } of sequencesOf(revisions))
        yield {
          before: await stateAt(log, identity, streamIndex, first === 0 ? undefined : first - 1),
          after: await stateAt(log, identity, streamIndex, last),
        }
    },
    /** Versions of the present (or last) incarnation, newest first, each as of its creation, with their `total`. */
    versions: async (identity: Identity, query: VersionsQuery) => {
      const streamIndex = await indexOf(identity)
      const page = pageOf(streamIndex.steps, query)
      const { states, left } = await statesAt(log, identity, streamIndex.states, page)
      return {
        states: states.reverse(),
        total: page.total,
        hasNewer: page.to < page.total || (!page.newest && left),
        hasOlder: page.from > 0 || (page.newest && left),
      }
    },
  }
}

export type History = ReturnType<typeof makeHistory>
