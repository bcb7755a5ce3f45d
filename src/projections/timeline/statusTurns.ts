import type { RecordedEvent } from '../../events/events.ts'
import { statusNumber, type Status } from '../entities/row.ts'
import { isContainer, type StoredState, type TimelineState, type StatusEntry } from './timelineState.ts'

/** The status of what has one of its own, and one of what stands above it. */
const worse = (one: Status, other: Status): Status => (statusNumber[one] > statusNumber[other] ? one : other)

/** Turns that are kept of an entity. Descendants have each when it ends at the latest; a batch that comes again has more. */
const mostTurns = 100

/** The turns of an entity after one that a request made. */
export const withTurn = (turns: readonly StatusEntry[], turn: StatusEntry): readonly StatusEntry[] =>
  turns.at(-1)?.[1] === turn[1] ? turns : [...turns, turn].slice(-mostTurns)

/** What an entity turns to by its own turns and those of what stands above it, in their order, since the first of its own. */
const combined = (above: readonly StatusEntry[], own: readonly StatusEntry[]): readonly StatusEntry[] => {
  if (above.length === 0) return own
  const now = { own: 'gone' as Status, above: 'live' as Status, ended: false }
  return [...above.map((turn) => ({ turn, isOwn: false })), ...own.map((turn) => ({ turn, isOwn: true }))]
    .sort((a, b) => (a.turn[0] < b.turn[0] ? -1 : 1))
    .map(({ turn: [position, status], isOwn }): StatusEntry => {
      const isCreated = isOwn && now.own === 'gone'
      now[isOwn ? 'own' : 'above'] = status
      now.ended = now.above === 'gone' || (now.ended && !isCreated)
      return [position, now.ended ? 'gone' : worse(now.own, now.above)]
    })
    .filter(([position]) => position >= (own[0]?.[0] ?? position))
}

/** The turns that descendants of entities have with them, by id. */
export const makeTurnsBelow = (storedStateOf: (id: string) => StoredState | undefined) => {
  const known = new Map<string, readonly StatusEntry[]>()
  const below = (id: string | undefined): readonly StatusEntry[] => {
    if (id === undefined) return []
    const found = known.get(id)
    if (found !== undefined) return found
    const entity = storedStateOf(id)
    const turns = entity === undefined ? [] : combined(below(entity.own.parent), entity.statusHistory)
    known.set(id, turns)
    return turns
  }
  return { below, forget: (): void => known.clear() }
}

/** The status below something, until it is created again. What was deleted with something else is not deleted itself. */
export const statusBelow = (above: Status, { status, own }: Pick<StoredState, 'status' | 'own'>): Status =>
  status === 'gone' ? 'gone' : worse(above, own.inherited ? 'live' : own.status)

/** Whether a request, and not what stands above, has turned an entity that may have descendants. */
export const affectsDescendants = (event: RecordedEvent, before: TimelineState | undefined): boolean => {
  if (!isContainer(event.metadata.kind)) return false
  if (event.type === 'SoftDeleted') return event.data.inherited !== true
  if (event.type === 'Restored') return before?.inherited !== true
  return event.type === 'Created' || event.type === 'HardDeleted'
}

/** Whether what stands above an entity may have turned without it: the log has refused no such event, or need not. */
export const mayLagAncestors = ({ type, metadata: { condition } }: RecordedEvent): boolean =>
  condition !== undefined || (type !== 'Created' && type !== 'Updated')

/**
 * The status of descendants that have not had a turn when the next one comes, and may never be told of it; `undefined` if
 * there are none.
 * @param turn the turn that ends
 */
export const lateStatus = (turn: StatusEntry | undefined): Status | undefined =>
  turn?.[1] === 'deleted' ? 'live' : turn?.[1] === 'live' ? 'deleted' : undefined

/** The turn of an entity that ends at a position. */
export const turnBefore = (turns: readonly StatusEntry[], position: bigint): StatusEntry | undefined =>
  turns[turns.findIndex(([at]) => at === position) - 1]
