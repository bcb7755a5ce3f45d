import { evolve, type Entity } from '../../commands/evolve.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { type RecordedEvent, streamName } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { inSlices } from '../../shared/yieldToEventLoop.ts'
import { toViewRow, type ViewRow } from '../entities/entityRow.ts'
import { makeMemoryCache } from '../entities/memoryCache.ts'
import { shownLength } from '../entities/row.ts'
import type { History, Identity } from '../history.ts'
import type { StatusSpan, Timeline } from './port.ts'

/** Rows of entities at past positions, for lists. */
export interface TimelineRows {
  rowAt(identity: Identity, position: bigint): Promise<ViewRow | undefined>
  /** The same from the cache only. */
  cached(id: string, position: bigint): ViewRow | undefined
  /** The same with a cache of all kinds for one answer. */
  forOneAnswer(): TimelineRows
}

interface TimelineRowsOptions {
  readonly log: Pick<EventStore, 'readStream'>
  readonly history: Pick<History, 'asOf'>
  readonly statusesAt: Timeline['statusesAt']
  readonly kindNamed: (name: string) => KindDefinition
  /** Whether rows of a kind may be cached (default: yes). Not those with erasable values. */
  readonly isCacheable?: (kind: string) => boolean
  /** Size of the cache in characters of text (default 16 Mi). */
  readonly maxSize?: number
}

/** A row with the positions at which it is valid, for good: events never change. */
interface CachedRow {
  readonly from: bigint
  /** Exclusive; extended when the row is found to be valid for longer. */
  to: bigint
  readonly row: ViewRow
  readonly size: number
}

/** Number of events up to which a stream is folded from its beginning; longer ones are left to the history. */
const maxFolded = 200

/** Bytes of a cached row without its texts. */
const rowOverhead = 300

const latest = (a: bigint, b = a): bigint => (a > b ? a : b)
const earliest = (a: bigint, b = a): bigint => (a < b ? a : b)

const makeRowCache = (maxSize: number) => {
  const byId = makeMemoryCache<readonly CachedRow[]>(maxSize)
  return {
    get: (id: string, position: bigint): ViewRow | undefined =>
      byId.get(id)?.find(({ from, to }) => from <= position && position < to)?.row,
    /** Caches a row for a range of positions (end exclusive). */
    add: (row: ViewRow, from: bigint, to: bigint): void => {
      const cached = byId.get(row.id) ?? []
      const same = cached.find((each) => each.from === from)
      if (same !== undefined) same.to = latest(same.to, to)
      if (same !== undefined) return
      const all = [...cached, { from, to, row, size: shownLength(row) + rowOverhead }]
      byId.set(
        row.id,
        all,
        all.reduce((sum, { size }) => sum + size, 0),
      )
    },
  }
}

/**
 * Applies inherited deletions of the timeline to an entity folded from its own events.
 * @returns the entity, with the span of that status unless the entity is a root
 */
const settledSpan = async (
  { statusesAt }: Pick<Timeline, 'statusesAt'>,
  entity: Entity | undefined,
  position: bigint,
): Promise<{ readonly entity: Entity | undefined; readonly span?: StatusSpan | undefined }> => {
  if (entity?.parent === undefined) return { entity }
  const span = (await statusesAt([entity], position)).get(entity.id)
  const { status } = span ?? entity
  if (status === 'gone') return { entity: undefined }
  return { entity: status === entity.status ? entity : { ...entity, status }, span }
}

/** See {@link settledSpan}. */
export const settledAt = async (
  timeline: Pick<Timeline, 'statusesAt'>,
  own: Entity | undefined,
  position: bigint,
): Promise<Entity | undefined> => (await settledSpan(timeline, own, position)).entity

/** Folds short streams once from their beginning, and caches each row with its range of positions. */
export const makeTimelineRows = (options: TimelineRowsOptions): TimelineRows => {
  const { log, history, kindNamed, statusesAt, isCacheable = () => true, maxSize = 2 ** 24 } = options
  const cache = makeRowCache(maxSize)

  const viewRowOf = (entity: Entity | undefined): ViewRow | undefined =>
    entity === undefined || entity.status === 'gone' ? undefined : toViewRow(entity, kindNamed(entity.kind))

  const fold = async ({ kind, id }: Identity, position: bigint): Promise<ViewRow | undefined> => {
    let entity: Entity | undefined
    let next: RecordedEvent | undefined
    let count = 0
    for await (const event of inSlices(log.readStream(streamName(kind, id), { limit: maxFolded }))) {
      if (event.position > position) next = event
      if (next !== undefined) break
      entity = evolve(id, entity, event)
      count++
    }
    const isLong = count === maxFolded
    const own = isLong ? await history.asOf({ kind, id }, { position }) : entity
    const settled = await settledSpan({ statusesAt }, own, position)
    const row = viewRowOf(settled.entity)
    if (row === undefined || own === undefined || isLong || !isCacheable(kind)) return row
    // Until the span has ended, later events may still show that it was deleted with an ancestor.
    const end = own.parent === undefined ? next?.position : settled.span?.to
    const to = end === undefined ? position + 1n : earliest(end, next?.position)
    cache.add(row, latest(own.position, settled.span?.from), to)
    return row
  }

  const folds = new Map<string, Promise<unknown>>()

  /** One fold per entity at a time: the next caller may find its result in the cache. */
  const foldOnce = (identity: Identity, position: bigint): Promise<ViewRow | undefined> => {
    const { id } = identity
    const before = folds.get(id) ?? Promise.resolve()
    const folded = before.then(() => cache.get(id, position) ?? fold(identity, position))
    const end: Promise<unknown> = folded.catch(() => undefined).then(() => folds.get(id) === end && folds.delete(id))
    folds.set(id, end)
    return folded
  }

  return {
    cached: cache.get,
    forOneAnswer: () => makeTimelineRows({ ...options, isCacheable: () => true }),
    rowAt: async (identity, position) =>
      cache.get(identity.id, position) ?? (isCacheable(identity.kind) ? foldOnce : fold)(identity, position),
  }
}
