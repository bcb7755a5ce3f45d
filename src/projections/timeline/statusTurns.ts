import { parseStreamName, type RecordedEvent } from '../../events/events.ts'
import type { Status } from '../entities/row.ts'
import { isTurn, type TimelineState } from './keptState.ts'

/** The kept state of an entity after an event. */
export interface KeptAt {
  readonly position: bigint
  /** The position from which its lists are as they are. */
  readonly changed: bigint
  /** The position from which its status holds. */
  readonly since: bigint
  /** The same of the status before, if a request has ended that: it may turn out that it has not. */
  readonly former?: bigint | undefined
  /** Position up to which status changes of ancestors are already applied: a later event of its own changes nothing. */
  readonly settled?: bigint | undefined
  /** Changes of counts by what happened to it while more had ended above: if it had ended with that, they never were. */
  readonly passing?: readonly CountChange[] | undefined
  readonly kept: TimelineState
}

export type CountChange = readonly [list: bigint, position: bigint, n: number]

/** When an event is effective. */
interface Effect extends Pick<KeptAt, 'changed' | 'since' | 'former'> {
  /** Whether it compensates the void event that made the present status: that status never held for descendants. */
  readonly compensates: boolean
}

/**
 * The positions from which an event is effective. An inherited deletion, and its end, is effective from the ancestor's
 * event that it follows, whatever was changed in between.
 * @param cause effective position of the event that caused it, if any
 * @param status the status after it
 * @param before the kept state of the entity
 */
export const effectOf = (
  event: RecordedEvent,
  cause: bigint | undefined,
  { status }: Pick<TimelineState, 'status'>,
  before: KeptAt | undefined,
): Effect => {
  const { since = -1n, former } = before ?? {}
  if (isTurn(event) && cause !== undefined && (cause > since || isSettled(cause, before)))
    return { changed: cause, since: cause, compensates: false }
  const { position: changed } = event
  if (status === before?.kept.status) return { changed, since, former, compensates: false }
  if (cause === undefined) return { changed, since: changed, former: before?.since, compensates: false }
  // A hard deletion follows a soft one that is valid, and no void one.
  const compensates = cause === since && status !== 'gone'
  return { changed, since: (compensates ? former : undefined) ?? changed, compensates }
}

/** Whether an event brings an entity back without what it was deleted with: a compensation, which deletes it again. */
export const isHeld = (
  { type }: RecordedEvent,
  cause: bigint | undefined,
  before: KeptAt | undefined,
  above: KeptAt | undefined,
): boolean =>
  type === 'Restored' && cause === undefined && before?.kept.inherited === true && above?.kept.status === 'deleted'

/** Whether the timeline has applied a status change before the entity's own event of it arrived. */
export const isSettled = (from: bigint, before: KeptAt | undefined): boolean => from <= (before?.settled ?? -1n)

/** Whether a change of this status may leave descendants without events of their own for it. */
export const endsStatus = ({ kept: { status, restored } }: KeptAt): boolean => status === 'deleted' || restored

/**
 * Statuses of descendants that may lack an event of a status that ends.
 * @param before the kept state, if known
 * @param cause effective position of the event that caused the end: a compensation undoes what descendants had with it
 */
export const statusesBelow = (before: KeptAt | undefined, cause: bigint | undefined): readonly Status[] =>
  before?.kept.status === 'live' && !before.kept.late && cause !== before.since ? ['deleted'] : ['live', 'deleted']

/** A status with the position from which it is effective. */
type Turn = Pick<KeptAt, 'since'> & Pick<TimelineState, 'status'>

const turnOf = ({ since, kept: { status } }: KeptAt): Turn => ({ since, status })

/** The turns of a parent that its child has yet to follow. */
const turnsAhead = ({ since, kept: { status } }: KeptAt, turns: readonly Turn[]): readonly Turn[] => {
  const ahead = turns.filter((turn) => turn.since > since)
  return ahead.filter((turn, at) => turn.status !== (ahead[at - 1]?.status ?? status))
}

/** Whether the status of an entity is its parent's: it is live, or was deleted with its parent. */
const isFollowing = ({ kept: { status, inherited } }: KeptAt): boolean =>
  status === 'live' || (status === 'deleted' && inherited)

/** Whether the status is not by events of its own: then there may be none of its end either. */
const isImplied = ({ since, settled, kept: { status, inherited } }: KeptAt): boolean =>
  status === 'deleted' ? settled === since : inherited

/**
 * The states of an entity and its parent after an event of its own about a status that had ended before it came.
 * @param above the parent
 */
export const afterLateEvent = (
  { type, position }: RecordedEvent,
  old: KeptAt,
  kept: TimelineState,
  above: KeptAt | undefined,
): { readonly own?: KeptAt; readonly above?: KeptAt } => {
  const isDeletion = type === 'SoftDeleted' && kept.inherited
  if (old.kept.status !== 'live' || !(isDeletion || type === 'Restored')) return {}
  const own = { ...old, position, kept: { ...old.kept, inherited: isDeletion } }
  if (!isDeletion || above === undefined) return { own }
  if (above.kept.status === 'live') return { own, above: { ...above, position, kept: { ...above.kept, late: true } } }
  const since = above.since > old.since ? above.since : position
  return { own: { position, changed: since, since, settled: since, kept } }
}

/** The former state of an entity, and its states since. */
interface ImpliedTurns {
  readonly id: string
  readonly states: readonly [KeptAt, ...KeptAt[]]
}

/**
 * The end of what stands above, if it has ended: of the first deletion, or for good.
 * @param position the position asked for: where a batch is repeated, what stands above may be kept as it was later
 */
export const endedAbove = (
  parent: string | undefined,
  position: bigint,
  keptOf: (id: string) => KeptAt | undefined,
): Turn | undefined => {
  let ended: Turn | undefined
  for (let above = keptOf(parent ?? ''); above !== undefined; above = keptOf(above.kept.parent ?? '')) {
    if (above.position > position || above.kept.status === 'live') continue
    if (above.kept.status === 'gone') return turnOf(above)
    if (ended === undefined || above.since < ended.since) ended = turnOf(above)
  }
  return ended
}

/** Whether an entity may have ended with what stands above without having been told: created void, or deleted for good. */
export const mayLackEnd = ({ type }: RecordedEvent, cause: bigint | undefined, before: KeptAt | undefined): boolean =>
  type === 'Created' || (type === 'HardDeleted' && cause === undefined && before?.kept.status === 'live')

/** The state of what has ended with what stands above, without an event of its own. */
export const endedWith = (
  above: Turn,
  { position, since, kept }: Pick<KeptAt, 'position' | 'since' | 'kept'>,
): KeptAt => {
  const from = above.since > since ? above.since : since
  const { status } = above
  const ended = { ...kept, status, inherited: status === 'deleted' }
  return { position, changed: from, since: from, settled: from, kept: ended }
}

/**
 * The states of an entity with a deletion of its own that came when what stands above was deleted: it was deleted with
 * that before. Nothing if it was not.
 * @param above the turns of its parent, from the deletion on that has ended
 */
const deletedBefore = (old: KeptAt, [ended]: readonly Turn[], position: bigint): readonly KeptAt[] => {
  const { since, former = since, kept } = old
  if (kept.status !== 'deleted' || ended?.status !== 'deleted') return []
  if (ended.since <= former || ended.since >= since) return []
  const live = { ...old, position, changed: since, since: former, kept: { ...kept, status: 'live' } } as const
  return [live, { ...old, position, changed: ended.since }]
}

/**
 * Descendants without events of their own for a status of an ancestor that has ended: by definition they had it all the
 * same. A child that has only the newest status still to follow gets one of its own, unless it is deleted without any.
 * @param before the kept state of the changed entity
 * @param next its kept state after the event
 * @param below ids of possible descendants, ancestors first
 */
export function* impliedTurns(
  event: RecordedEvent,
  before: KeptAt,
  { since: from, kept: { status } }: Pick<KeptAt, 'since' | 'kept'>,
  below: Iterable<string>,
  keptOf: (id: string) => KeptAt | undefined,
): Generator<ImpliedTurns> {
  const turns = new Map([[parseStreamName(event.stream).id, [turnOf(before), { since: from, status }]]])
  const { position } = event
  for (const id of below) {
    const old = keptOf(id)
    if (old === undefined || old.position >= position || old.kept.parent === undefined) continue
    const above = turns.get(old.kept.parent) ?? []
    if (!isFollowing(old)) {
      const states = deletedBefore(old, above, position)
      if (states.length === 0) continue
      turns.set(id, above)
      yield { id, states: [old, ...states] }
      continue
    }
    const ahead = turnsAhead(old, above)
    if (ahead.length < (isImplied(old) ? 1 : 2)) continue
    turns.set(id, [turnOf(old), ...ahead])
    const states = ahead
      .filter((turn) => turn.status !== 'gone')
      .map(({ since, status: own }): KeptAt => {
        const isLive = own === 'live'
        const restored = isLive || old.kept.restored
        const kept = { ...old.kept, status: own, inherited: !isLive, restored, late: false }
        return { position, changed: since, since, settled: since, kept }
      })
    yield { id, states: [old, ...states] }
  }
}

/**
 * The descendants that had a void status of an ancestor with it, after its compensation: what was created below a void
 * deletion is live from then, unless more had ended above, and what a void restore brought back stayed deleted.
 * @param before the kept state of the ancestor with the void status
 * @param next its kept state after the compensation
 * @param below ids of possible descendants
 */
export function* untaken(
  { position }: RecordedEvent,
  before: KeptAt,
  next: Pick<KeptAt, 'since'>,
  below: Iterable<string>,
  keptOf: (id: string) => KeptAt | undefined,
): Generator<ImpliedTurns> {
  const wasRestored = before.kept.status === 'live'
  const above = wasRestored ? undefined : endedAbove(before.kept.parent, position, keptOf)
  for (const id of below) {
    const old = keptOf(id)
    if (old === undefined || old.kept.status !== before.kept.status) continue
    if (wasRestored ? old.since !== before.since : !isImplied(old) || old.since < before.since) continue
    if (above !== undefined && above.since <= old.since) continue
    const turn = wasRestored ? { since: next.since } : { settled: undefined }
    const kept = { ...old.kept, status: wasRestored ? 'deleted' : 'live', inherited: wasRestored } as const
    yield { id, states: [old, { ...old, position, changed: old.since, ...turn, kept }] }
  }
}
