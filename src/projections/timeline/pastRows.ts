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
  known(id: string, position: bigint): ViewRow | undefined
  /** The same with a cache of all kinds for one answer. */
  forOneAnswer(): TimelineRows
}

interface PastRowsOptions {
  readonly log: Pick<EventStore, 'readStream'>
  readonly history: Pick<History, 'asOf'>
  readonly statusesAt: Timeline['statusesAt']
  readonly kindNamed: (name: string) => KindDefinition
  /** Whether rows of a kind may be cached (default: yes). Not those with erasable values. */
  readonly remembers?: (kind: string) => boolean
  /** Size of the cache in characters of text (default 16 Mi). */
  readonly maxSize?: number
}

/** A row with its range of positions. It stays valid, since events never change. */
interface Then {
  readonly from: bigint
  /** Exclusive; extended when the row turns out to hold for longer. */
  to: bigint
  readonly row: ViewRow
  readonly size: number
}

/** Longest stream that is folded from its beginning; longer ones are left to the history. */
const mostFolded = 200

/** Bytes without its texts. */
const thenSize = 300

const makeMemory = (maxSize: number) => {
  const byId = makeMemoryCache<readonly Then[]>(maxSize)
  return {
    find: (id: string, position: bigint): ViewRow | undefined =>
      byId.get(id)?.find(({ from, to }) => from <= position && position < to)?.row,
    /** Caches a row for a range of positions (end exclusive). */
    keep: (row: ViewRow, from: bigint, to: bigint): void => {
      const known = byId.get(row.id) ?? []
      const same = known.find((each) => each.from === from)
      if (same !== undefined) same.to = to > same.to ? to : same.to
      if (same !== undefined) return
      const all = [...known, { from, to, row, size: shownLength(row) + thenSize }]
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
 * @returns the entity with the positions between which it had that status, as far as these differ from its own events
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

const latest = (a: bigint, b = a): bigint => (a > b ? a : b)
const earliest = (a: bigint, b = a): bigint => (a < b ? a : b)

/** Folds short streams once from their beginning, and caches each row with its range of positions. */
export const makeTimelineRows = (options: PastRowsOptions): TimelineRows => {
  const { log, history, kindNamed, statusesAt, remembers = () => true, maxSize = 2 ** 24 } = options
  const memory = makeMemory(maxSize)

  const shown = (entity: Entity | undefined): ViewRow | undefined =>
    entity === undefined || entity.status === 'gone' ? undefined : toViewRow(entity, kindNamed(entity.kind))

  const fold = async ({ kind, id }: Identity, position: bigint): Promise<ViewRow | undefined> => {
    let entity: Entity | undefined
    let next: RecordedEvent | undefined
    let count = 0
    for await (const event of inSlices(log.readStream(streamName(kind, id), { limit: mostFolded }))) {
      if (event.position > position) next = event
      if (next !== undefined) break
      entity = evolve(id, entity, event)
      count++
    }
    const isLong = count === mostFolded
    const own = isLong ? await history.asOf({ kind, id }, { position }) : entity
    const then = await settledSpan({ statusesAt }, own, position)
    const row = shown(then.entity)
    if (row === undefined || own === undefined || isLong || !remembers(kind)) return row
    // A descendant may still turn out to have been deleted with an ancestor until the status span has ended.
    const to = own.parent === undefined ? next?.position : then.span?.to
    const until = to === undefined ? position + 1n : earliest(to, next?.position)
    memory.keep(row, latest(own.position, then.span?.from), until)
    return row
  }

  const folding = new Map<string, Promise<unknown>>()

  /** One fold per entity at a time: the next caller may find its result in the cache. */
  const foldOnce = (identity: Identity, position: bigint): Promise<ViewRow | undefined> => {
    const { id } = identity
    const before = folding.get(id) ?? Promise.resolve()
    const folded = before.then(() => memory.find(id, position) ?? fold(identity, position))
    const end: Promise<unknown> = folded
      .catch(() => undefined)
      .then(() => folding.get(id) === end && folding.delete(id))
    folding.set(id, end)
    return folded
  }

  return {
    known: memory.find,
    forOneAnswer: () => makeTimelineRows({ ...options, remembers: () => true }),
    rowAt: async (identity, position) =>
      memory.find(identity.id, position) ?? (remembers(identity.kind) ? foldOnce : fold)(identity, position),
  }
}
