import type { RecordedEvent } from '../../events/events.ts'
import { statusNumber, type Status } from '../entities/row.ts'
import { isContainer, type StoredState, type StatusChange, type TimelineState } from './timelineState.ts'

const lessAlive = (one: Status, other: Status): Status => (statusNumber[one] > statusNumber[other] ? one : other)

/** Descendants have followed a change when the next one comes at the latest; a repeated batch needs older ones too. */
const maxStatusChanges = 100

export const withStatusChange = (history: readonly StatusChange[], change: StatusChange): readonly StatusChange[] =>
  history.at(-1)?.[1] === change[1] ? history : [...history, change].slice(-maxStatusChanges)

/** Merges an entity's own status changes with those of its ancestors, from its first own change on. */
const effectiveHistory = (inherited: readonly StatusChange[], own: readonly StatusChange[]): StatusChange[] => {
  if (inherited.length === 0) return [...own]
  const now = { own: 'gone' as Status, inherited: 'live' as Status, ended: false }
  return [...inherited.map((change) => ({ change, isOwn: false })), ...own.map((change) => ({ change, isOwn: true }))]
    .sort((a, b) => (a.change[0] < b.change[0] ? -1 : 1))
    .map(({ change: [position, status], isOwn }): StatusChange => {
      const isCreated = isOwn && now.own === 'gone'
      now[isOwn ? 'own' : 'inherited'] = status
      now.ended = now.inherited === 'gone' || (now.ended && !isCreated)
      return [position, now.ended ? 'gone' : lessAlive(now.own, now.inherited)]
    })
    .filter(([position]) => position >= (own[0]?.[0] ?? position))
}

/** The status changes that children inherit from a parent, including those of its ancestors. Cached until `clear`. */
export const makeInheritedHistory = (storedStateOf: (id: string) => StoredState | undefined) => {
  const cache = new Map<string, readonly StatusChange[]>()
  const from = (parent: string | undefined): readonly StatusChange[] => {
    if (parent === undefined) return []
    const cached = cache.get(parent)
    if (cached !== undefined) return cached
    const state = storedStateOf(parent)
    const history = state === undefined ? [] : effectiveHistory(from(state.own.parent), state.statusHistory)
    cache.set(parent, history)
    return history
  }
  return { from, clear: (): void => cache.clear() }
}

/** The status of an entity below an inherited one; `gone` until it is created again. An inherited deletion is not its own. */
export const effectiveStatus = (inherited: Status, { status, own }: Pick<StoredState, 'status' | 'own'>): Status =>
  status === 'gone' ? 'gone' : lessAlive(inherited, own.inherited ? 'live' : own.status)

/** Whether an event changes the status of an entity that may have descendants, and is not itself inherited. */
export const affectsDescendants = (event: RecordedEvent, before: TimelineState | undefined): boolean => {
  if (!isContainer(event.metadata.kind)) return false
  if (event.type === 'SoftDeleted') return event.data.inherited !== true
  if (event.type === 'Restored') return before?.inherited !== true
  return event.type === 'Created' || event.type === 'HardDeleted'
}

/**
 * Whether ancestors may have changed their status before the event without the entity following. Only for creations and
 * updates whose condition the log has checked this cannot be.
 */
export const mayLagAncestors = ({ type, metadata: { condition } }: RecordedEvent): boolean =>
  condition !== undefined || (type !== 'Created' && type !== 'Updated')

/**
 * The status of descendants that have not followed a status change by the time of the next one, and may never get an
 * event for it; `undefined` if there are none.
 */
export const staleStatus = (change: StatusChange | undefined): Status | undefined =>
  change?.[1] === 'deleted' ? 'live' : change?.[1] === 'live' ? 'deleted' : undefined

/** The status change before the one at a position. */
export const changeBefore = (history: readonly StatusChange[], position: bigint): StatusChange | undefined =>
  history[history.findIndex(([at]) => at === position) - 1]
