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
import { listRoot, listChanges, listNumber } from './lists.ts'
import { partSize, entityIdOf, idsBelow, isLabelRemoval, readStored, type StoredTimeline } from './readStored.ts'
import {
  changeBefore,
  makeInheritedHistory,
  mayLagAncestors,
  affectsDescendants,
  effectiveStatus,
  staleStatus,
  withStatusChange,
} from './statusHistory.ts'
import { creationSpans, stateText, storedStates, totals, type Span } from './tables.ts'

type Add = (write: BatchWrite<Span>) => void

/** Changes of totals: of each list, and of all of a kind and status below each FQN. */
const makeTally = () => {
  const changes = new Map<bigint, Map<bigint, number>>()
  const count = (key: bigint, position: bigint, n: number): void => {
    const ofKey = changes.get(key) ?? new Map<bigint, number>()
    changes.set(key, ofKey.set(position, (ofKey.get(position) ?? 0) + n))
  }
  return {
    count,
    /** Counts an entity in, or out, of everything that it is below. */
    countScoped: ({ kind, status, fullyQualifiedName }: ListFacts, position: bigint, n: number) => {
      if (status === 'gone') return
      for (const scope of ['', ...ancestorFqns(fullyQualifiedName)])
        count(listNumber(kind, status, listRoot, scope), position, n)
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
  /** The state of a new entity as text, where its span has that too. */
  readonly created: string | undefined
}

const addChange = ({ before, after, from, created }: ListedChange, tally: Tally, add: Add): void => {
  const { id, kind, status, entityStatus, fullyQualifiedName, parent } = after
  const all = listNumber(kind, status)
  const { ended, begun, left, entered } = listChanges(before, after)
  const [oldPlace, place] = [placeOf(before?.fullyQualifiedName ?? '', id), placeOf(fullyQualifiedName, id)]
  for (const list of ended)
    add({ set: { to: from }, where: { list, place: oldPlace, from: { $lt: from }, to: { $gt: from } } })
  const started = begun.map((list): Span => {
    const span = { list, place, from, to: openEnd, entity: id, entityStatus }
    return list === all ? { ...span, parent } : span
  })
  if (created !== undefined) add(into(creationSpans, { addAll: started.map((span) => ({ ...span, text: created })) }))
  else if (started.length > 0) add({ addAll: started })
  for (const list of left) tally.count(list, from, -1)
  for (const list of entered) tally.count(list, from, 1)
  const isSame = before?.status === after.status && before.fullyQualifiedName === after.fullyQualifiedName
  if (isSame) return
  if (before !== undefined) tally.countScoped(before, from, -1)
  tally.countScoped(after, from, 1)
}

interface StatesOptions extends Pick<StoredTimeline, 'states'> {
  readonly embedded: boolean
  readonly tally: Tally
  /** Takes the writes of each change. */
  readonly add: Add
}

const makeStates = ({ states, embedded, tally, add }: StatesOptions) => {
  const changed = new Set<string>()
  const created = new Set<StoredState>()
  const isInSpan = (state: StoredState): boolean => !embedded && created.has(state) && !state.isDerived
  const get = (id: string): StoredState | undefined => states.get(id)
  const inheritedHistory = makeInheritedHistory(get)
  const change = (id: string, old: StoredState | undefined, next: StoredState): void => {
    states.set(id, next)
    changed.add(id)
    if (old === undefined) created.add(next)
    if (next.statusHistory !== old?.statusHistory) inheritedHistory.clear()
    const facts = { before: old && factsOf(id, old), after: factsOf(id, next) }
    addChange({ ...facts, from: next.position, created: isInSpan(next) ? stateText(next) : undefined }, tally, add)
  }
  /** Applies the status changes of ancestors to an entity, up to a position. @returns its state then */
  const settle = (id: string, upTo: bigint): StoredState | undefined => {
    let state = get(id)
    if (state === undefined) return undefined
    const { position: from, own } = state
    for (const [position, inherited] of inheritedHistory.from(own.parent)) {
      const status = position > from && position <= upTo ? effectiveStatus(inherited, state) : state.status
      if (status === state.status) continue
      const next: StoredState = { ...state, position, status, isDerived: true }
      change(id, state, next)
      state = next
    }
    return state
  }
  return {
    get,
    change,
    inheritedStatus: (parent: string | undefined, position: bigint): Status =>
      inheritedHistory.from(parent).findLast(([at]) => at <= position)?.[1] ?? 'live',
    settle,
    /** Whether an owner or tag was hard-deleted before an event. When a batch is repeated, it may be deleted later. */
    isRemoved: (target: string, { position }: RecordedEvent): boolean => {
      const label = get(entityOf(target))
      if (label === undefined || label.position > position) return false
      return label.own.status === 'gone' || lifeOf(target) < label.own.born
    },
    removeLabel: (id: string, target: string, position: bigint): void => {
      const { own, position: from = position } = get(id) ?? {}
      if (own === undefined || from >= position) return
      const members = withoutLabels(own.kind, own.members, (label) => label === target)
      if (members === own.members) return
      const state = settle(id, position) as StoredState
      change(id, state, { ...state, position, own: { ...own, members } })
    },
    write: (): void => {
      for (const id of changed) {
        const state = get(id) as StoredState
        if (isInSpan(state)) continue
        const document = { id, position: state.position, text: stateText(state) }
        const put = { put: document, over: { position: { $lt: state.position } } }
        add(into(storedStates, created.has(state) ? { add: document } : put))
      }
      changed.clear()
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
  { inherited, voidIds }: Pick<StoredTimeline, 'voidIds'> & { readonly inherited: Status },
): StoredState => {
  const { position, type } = event
  const { status: before = 'live', isDerived = false, statusHistory = [] } = old ?? {}
  if (!isStatusEvent(event) && type !== 'Created') return { position, status: before, isDerived, statusHistory, own }
  const status = type === 'Created' ? inherited : effectiveStatus(inherited, { status: before, own })
  const isInheritable = affectsDescendants(event, old?.own) && !voidIds.has(event.id)
  const history = isInheritable ? withStatusChange(statusHistory, [position, own.status]) : statusHistory
  return { position, status, isDerived: status !== own.status, statusHistory: history, own }
}

/** The writes of events, in order. States are stored last: until then a repeated batch computes the same writes. */
export async function* timelineWrites(batch: Batch, documents: Documents<Span>) {
  let part: BatchWrite<Span>[] = []
  const stored = await readStored(documents, batch)
  const { embedded } = documents
  const tally = makeTally()
  const add: Add = (one) => void part.push(one)
  const states = makeStates({ ...stored, embedded, tally, add })
  const write = (): void => {
    if (embedded) tally.write(add)
    states.write()
  }
  /** Changes entities in chunks, each of which is read when it is needed. */
  async function* inChunks(ids: readonly string[], change: (id: string) => void) {
    for (const some of chunksOf(ids, partSize)) {
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
    const before = states.get(id)
    const own = ownStateAfter(
      event,
      () => before?.own,
      (target) => states.isRemoved(target, event),
    )
    if (own === undefined) continue
    // A repeated event changes nothing, but its changes of descendants may not be stored yet.
    if (before === undefined || before.position < position) {
      const mayLag = mayLagAncestors(event)
      const old = mayLag ? states.settle(id, position) : before
      const inherited = mayLag ? states.inheritedStatus(own.parent, position) : 'live'
      states.change(id, old, stateAfter(event, own, old, { inherited, voidIds: stored.voidIds }))
    }
    const stale = staleStatus(changeBefore(states.get(id)?.statusHistory ?? [], position))
    const below = stale === undefined ? [] : idsBelow(stored.places, own.fullyQualifiedName)
    yield* inChunks(below, (each) => {
      const { isDerived, status } = states.get(each) ?? {}
      if (isDerived || status === stale) states.settle(each, position)
    })
    if (!isLabelRemoval(event)) continue
    const target = incarnationOf({ id, born: own.born })
    yield* inChunks(stored.labelled.get(event.id) ?? [], (each) => states.removeLabel(each, target, position))
  }
  write()
  return part
}
