import { entityOf, incarnationOf, lifeOf, type RecordedEvent } from '../../events/events.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import { chunksOf } from '../../shared/bounds.ts'
import { into, openEnd, type BatchWrite, type Documents } from '../documents/port.ts'
import { isStatusEvent } from '../entities/pending.ts'
import { placeOf } from '../entities/place.ts'
import type { Status } from '../entities/row.ts'
import type { Batch } from '../projection.ts'
import {
  factsOf,
  ownStateAfter,
  withoutLabels,
  type StoredState,
  type ListFacts,
  type TimelineState,
} from './timelineState.ts'
import { listRoot, isUnusual, listChanges, listNumber, withEntityStatus } from './lists.ts'
import { entityIdOf, idsBelow, isLabelRemoval, readStored, turnedAtOnce, type StoredTimeline } from './readStored.ts'
import {
  turnBefore,
  makeTurnsBelow,
  mayLagAncestors,
  affectsDescendants,
  statusBelow,
  lateStatus,
  withTurn,
} from './statusTurns.ts'
import {
  births,
  creationText,
  instants,
  storedStates,
  momentsIn,
  secondOf,
  toInstants,
  toStateDocument,
  totals,
  type TimePosition,
  type Span,
} from './tables.ts'

type Add = (write: BatchWrite<Span>) => void

/** Changes of totals: of each list, and of all of a kind and status below each FQN. */
const makeTally = () => {
  const changes = new Map<bigint, Map<bigint, number>>()
  const note = (key: bigint, position: bigint, n: number): void => {
    const ofKey = changes.get(key) ?? new Map<bigint, number>()
    changes.set(key, ofKey.set(position, (ofKey.get(position) ?? 0) + n))
  }
  return {
    note,
    /** Counts an entity in, or out, of everything that it is below. */
    noteBelow: ({ kind, status, entityStatus, fullyQualifiedName }: ListFacts, position: bigint, n: number): void => {
      if (status === 'gone') return
      const lists = isUnusual(entityStatus) ? [listRoot, withEntityStatus(entityStatus)] : [listRoot]
      for (const scope of ['', ...ancestorFqns(fullyQualifiedName)])
        for (const list of lists) note(listNumber(kind, status, list, scope), position, n)
    },
    write: (add: Add): void => {
      for (const [key, ofKey] of changes)
        add(into(totals, { total: { key, changes: [...ofKey].sort(([a], [b]) => (a < b ? -1 : 1)) } }))
      changes.clear()
    },
  }
}

type Tally = ReturnType<typeof makeTally>

interface ListedChange {
  readonly before: ListFacts | undefined
  readonly after: ListFacts
  readonly from: bigint
  /** The text of a birth. */
  readonly birth: string | undefined
}

const addChange = ({ before, after, from, birth }: ListedChange, tally: Tally, add: Add): void => {
  const { id, kind, status, entityStatus, fullyQualifiedName, parent } = after
  const all = listNumber(kind, status)
  const { ended, begun, left, entered } = listChanges(before, after)
  const [was, place] = [placeOf(before?.fullyQualifiedName ?? '', id), placeOf(fullyQualifiedName, id)]
  for (const list of ended)
    add({ set: { to: from }, where: { list, place: was, from: { $lt: from }, to: { $gt: from } } })
  const addAll = begun.map((list): Span => {
    const span = { list, place, from, to: openEnd, entity: id, entityStatus }
    return list === all ? { ...span, parent } : span
  })
  if (birth !== undefined) add(into(births, { addAll: addAll.map((span) => ({ ...span, text: birth })) }))
  else if (addAll.length > 0) add({ addAll })
  for (const list of left) tally.note(list, from, -1)
  for (const list of entered) tally.note(list, from, 1)
  const isSame =
    before?.status === after.status &&
    before.entityStatus === after.entityStatus &&
    before.fullyQualifiedName === after.fullyQualifiedName
  if (isSame) return
  if (before !== undefined) tally.noteBelow(before, from, -1)
  tally.noteBelow(after, from, 1)
}

interface StatesOptions extends Pick<StoredTimeline, 'states'> {
  readonly embedded: boolean
  readonly tally: Tally
  /** Takes the writes of each change. */
  readonly add: Add
}

const makeStates = ({ states, embedded, tally, add }: StatesOptions) => {
  const unwritten = new Set<string>()
  const born = new Set<StoredState>()
  const of = (id: string): StoredState | undefined => states.get(id)
  const turns = makeTurnsBelow(of)
  const change = (id: string, old: StoredState | undefined, next: StoredState): void => {
    states.set(id, next)
    unwritten.add(id)
    if (next.statusHistory !== old?.statusHistory) turns.forget()
    const birth = embedded || old !== undefined ? undefined : creationText(next)
    if (birth !== undefined) born.add(next)
    const facts = { before: old && factsOf(id, old), after: factsOf(id, next) }
    addChange({ ...facts, from: next.position, birth }, tally, add)
  }
  /** Turns an entity with what stands above it, up to a position. @returns its state then */
  const settle = (id: string, upTo: bigint): StoredState | undefined => {
    let state = of(id)
    if (state === undefined) return undefined
    const { position: from, own } = state
    for (const [position, above] of turns.below(own.parent)) {
      const status = position > from && position <= upTo ? statusBelow(above, state) : state.status
      if (status === state.status) continue
      const next: StoredState = { ...state, position, status, untold: true }
      change(id, state, next)
      state = next
    }
    return state
  }
  return {
    of,
    change,
    above: (parent: string | undefined, position: bigint): Status =>
      turns.below(parent).findLast(([at]) => at <= position)?.[1] ?? 'live',
    settle,
    /** Whether an owner or tag has been hard-deleted before an event; what comes again names what was there then. */
    isRemoved: (target: string, { position }: RecordedEvent): boolean => {
      const label = of(entityOf(target))
      if (label === undefined || label.position > position) return false
      return label.own.status === 'gone' || lifeOf(target) < label.own.born
    },
    removeLabel: (id: string, target: string, position: bigint): void => {
      const { own, position: from = position } = of(id) ?? {}
      if (own === undefined || from >= position) return
      const members = withoutLabels(own.kind, own.members, (label) => label === target)
      if (members === own.members) return
      const state = settle(id, position) as StoredState
      change(id, state, { ...state, position, own: { ...own, members } })
    },
    write: (): void => {
      for (const id of unwritten) {
        const state = of(id) as StoredState
        if (!born.has(state))
          add(into(storedStates, { put: toStateDocument(id, state), over: { position: { $lt: state.position } } }))
      }
      unwritten.clear()
    },
  }
}

/**
 * The state of an entity after an event.
 * @param own its state by its own events
 * @param old its state directly before it
 */
const stateAfter = (
  event: RecordedEvent,
  own: TimelineState,
  old: StoredState | undefined,
  { above, voids }: Pick<StoredTimeline, 'voids'> & { readonly above: Status },
): StoredState => {
  const { position, type } = event
  const { status: before = 'live', untold = false, statusHistory = [] } = old ?? {}
  if (!isStatusEvent(event) && type !== 'Created') return { position, status: before, untold, statusHistory, own }
  const status = type === 'Created' ? above : statusBelow(above, { status: before, own })
  const isTurned = affectsDescendants(event, old?.own) && !voids.has(event.id)
  const after = isTurned ? withTurn(statusHistory, [position, own.status]) : statusHistory
  return { position, status, untold: status !== own.status, statusHistory: after, own }
}

/** With differing clocks an event may have an earlier time than previous ones: it counts for their instants too. */
const instantsIn = async (
  events: readonly RecordedEvent[],
  documents: Documents<Span>,
): Promise<BatchWrite<Span>[]> => {
  const newest = new Map(events.map(({ metadata, position }) => [Date.parse(metadata.time), position] as const))
  if (newest.size === 0) return []
  const first = Math.min(...newest.keys())
  const where = { time: { $gte: documents.embedded ? first : secondOf(first) } }
  for (const [time, position] of (await documents.in(instants).find({ where })).flatMap(momentsIn))
    if (position > (newest.get(time) ?? -1n)) newest.set(time, position)
  let last = -1n
  const moments = [...newest]
    .sort(([a], [b]) => a - b)
    .map(([time, position]): TimePosition => {
      if (position > last) last = position
      return [time, last]
    })
  return toInstants(moments, documents.embedded).map((put) =>
    into(instants, { put, over: { position: { $lt: put.position } } }),
  )
}

/** What events change, in order. Stored states come last: until then a repeated batch computes the same changes. */
export async function* timelineWrites(batch: Batch, documents: Documents<Span>) {
  let part = await instantsIn(batch.events, documents)
  const stored = await readStored(documents, batch)
  const { embedded } = documents
  const tally = makeTally()
  const add: Add = (one) => void part.push(one)
  const states = makeStates({ ...stored, embedded, tally, add })
  const write = (): void => {
    if (embedded) tally.write(add)
    states.write()
  }
  /** Changes entities in chunks, which are read when they are needed. */
  async function* inChunks(ids: readonly string[], change: (id: string) => void) {
    for (const some of chunksOf(ids, turnedAtOnce)) {
      if (embedded && !some.every((each) => stored.states.has(each))) {
        write()
        yield part
        part = []
        await stored.prefetch(some)
      }
      some.forEach(change)
    }
  }
  for (const event of batch.events) {
    const id = entityIdOf(event)
    const { position } = event
    const before = states.of(id)
    const own = ownStateAfter(
      event,
      () => before?.own,
      (target) => states.isRemoved(target, event),
    )
    if (own === undefined) continue
    // What comes again changes nothing; but what it turned below may not be stored yet.
    if (before === undefined || before.position < position) {
      const isLate = mayLagAncestors(event)
      const old = isLate ? states.settle(id, position) : before
      const above = isLate ? states.above(own.parent, position) : 'live'
      states.change(id, old, stateAfter(event, own, old, { above, voids: stored.voids }))
    }
    const late = lateStatus(turnBefore(states.of(id)?.statusHistory ?? [], position))
    const below = late === undefined ? [] : idsBelow(stored.placed, own.fullyQualifiedName)
    yield* inChunks(below, (each) => {
      const { untold, status } = states.of(each) ?? {}
      if (untold || status === late) states.settle(each, position)
    })
    if (!isLabelRemoval(event)) continue
    const target = incarnationOf({ id, born: own.born })
    yield* inChunks(stored.covered.get(event.id) ?? [], (each) => states.removeLabel(each, target, position))
  }
  write()
  return part
}
