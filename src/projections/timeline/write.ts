import type { RecordedEvent } from '../../events/events.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import { into, notEnded, type Documents, type DocumentWrite, type TableWrite } from '../documents/keptDocuments.ts'
import { placeOf } from '../entities/place.ts'
import type { Batch } from '../projection.ts'
import { factsOf, isFollowed, isTurn, keptAfter, type ListFacts, type TimelineState } from './keptState.ts'
import { everything, isUnusual, listChanges, listNumber, withEntityStatus } from './lists.ts'
import { entityIdOf, idsBelow, readStored, type StoredTimeline } from './readStored.ts'
import {
  births,
  birthText,
  causes,
  instants,
  keptTable,
  momentsIn,
  secondOf,
  toInstants,
  toKept,
  totals,
  type TimePosition,
  type Span,
} from './tables.ts'
import {
  afterLateEvent,
  endedAbove,
  endedWith,
  effectOf,
  endsStatus,
  impliedTurns,
  isHeld,
  isSettled,
  mayLackEnd,
  untaken,
  type KeptAt,
  type CountChange,
} from './statusTurns.ts'

type Writes = Iterable<DocumentWrite<Span> | TableWrite>

/** Changes of totals: of each list, and of all of a kind and status below each FQN. */
const makeTally = () => {
  const changes = new Map<bigint, Map<bigint, number>>()
  let passing: CountChange[] | undefined
  const note = (key: bigint, position: bigint, n: number): void => {
    passing?.push([key, position, n])
    const ofKey = changes.get(key) ?? new Map<bigint, number>()
    changes.set(key, ofKey.set(position, (ofKey.get(position) ?? 0) + n))
  }
  return {
    note,
    /** Notes what is noted from now on in a list, too. */
    noteIn: (list: CountChange[] | undefined): void => void (passing = list),
    /** Counts an entity in, or out, of everything that it is below. */
    noteBelow: ({ kind, status, entityStatus, fullyQualifiedName }: ListFacts, position: bigint, n: number): void => {
      if (status === 'gone') return
      const lists = isUnusual(entityStatus) ? [everything, withEntityStatus(entityStatus)] : [everything]
      for (const scope of ['', ...ancestorFqns(fullyQualifiedName)])
        for (const list of lists) note(listNumber(kind, status, list, scope), position, n)
    },
    *writes(): Generator<TableWrite> {
      for (const [key, ofKey] of changes)
        yield into(totals, { total: { key, changes: [...ofKey].sort(([a], [b]) => (a < b ? -1 : 1)) } })
    },
  }
}

type Tally = ReturnType<typeof makeTally>

/** Changes of counts that were undone again. */
const passedIn = (passing: readonly CountChange[] = []): readonly CountChange[] =>
  [...Map.groupBy(passing, ([list]) => list).values()]
    .filter((changes) => changes.reduce((sum, [, , n]) => sum + n, 0) === 0)
    .flat()

/**
 * Writes what an entity is from a position on.
 * @param old the positions from which its lists and its status were as they are before
 */
function* changeWrites(
  before: ListFacts | undefined,
  after: ListFacts,
  { from, old }: { readonly from: bigint; readonly old: Pick<KeptAt, 'since' | 'changed' | 'passing'> | undefined },
  tally: Tally,
  birth?: string,
): Generator<DocumentWrite<Span> | TableWrite> {
  const { id, kind, status, entityStatus, fullyQualifiedName, parent } = after
  const all = listNumber(kind, status)
  const { ended, begun, left, entered } = listChanges(before, after)
  const [was, place] = [placeOf(before?.fullyQualifiedName ?? '', id), placeOf(fullyQualifiedName, id)]
  const { since = -1n, changed = -1n } = old ?? {}
  const [begin, until] = [{ $gte: since < changed ? since : changed, $lte: changed }, { $gt: from }]
  for (const list of ended) yield { set: { to: from }, where: { list, place: was, from: begin, to: until } }
  // What was void, and compensated, in between never was.
  for (const list of changed > from ? begun : [])
    yield { set: { to: from }, where: { list, place, from: { $gt: from, $lte: changed }, to: until } }
  for (const [list, position, n] of changed > from ? passedIn(old?.passing) : []) {
    if (position <= from) continue
    tally.note(list, position, -n)
    if (n > 0) yield { set: { to: from }, where: { list, place: was, from: position, to: until } }
  }
  const addAll = begun.map((list): Span => {
    const span = { list, place, from, to: notEnded, entity: id, entityStatus }
    return list === all ? { ...span, parent } : span
  })
  if (birth !== undefined) yield into(births, { addAll: addAll.map((span) => ({ ...span, text: birth })) })
  else if (addAll.length > 0) yield { addAll }
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

/** The states of entities, as events change them. */
const makeStates = ({ kept }: Pick<StoredTimeline, 'kept'>, embedded: boolean, tally: Tally) => {
  const changed = new Map<string, KeptAt>()
  const born = new Set<KeptAt>()
  return {
    of: (id: string): KeptAt | undefined => changed.get(id) ?? kept(id),
    keep: (id: string, state: KeptAt): void => void changed.set(id, state),
    change: (id: string, old: KeptAt | undefined, next: KeptAt) => {
      changed.set(id, next)
      const when = { from: next.changed, old }
      const birth = embedded || old !== undefined ? undefined : birthText(next)
      if (birth !== undefined) born.add(next)
      return changeWrites(old && factsOf(id, old.kept), factsOf(id, next.kept), when, tally, birth)
    },
    *writes(): Generator<TableWrite> {
      for (const [id, state] of changed)
        if (!born.has(state))
          yield into(keptTable, { put: toKept(id, state), over: { position: { $lt: state.position } } })
    },
  }
}

/** Where to note what an event changes that may turn out never to have been. */
const passingAfter = (
  event: RecordedEvent,
  old: KeptAt | undefined,
  { parent }: TimelineState,
  keptOf: (id: string) => KeptAt | undefined,
): CountChange[] | undefined => {
  if (old === undefined || isTurn(event)) return undefined
  const isEnded = event.metadata.condition !== undefined && endedAbove(parent, event.position, keptOf) !== undefined
  return isEnded ? [...(old.passing ?? [])] : undefined
}

/** What events change, in their order. Kept states come last: until then a repeated batch computes the same changes. */
function* changesIn(
  events: readonly RecordedEvent[],
  stored: StoredTimeline,
  embedded: boolean,
): Generator<DocumentWrite<Span> | TableWrite> {
  const tally = makeTally()
  const states = makeStates(stored, embedded, tally)
  const { of: keptOf, change } = states
  for (const event of events) {
    const id = entityIdOf(event)
    const { position } = event
    let old = keptOf(id)
    const kept = keptAfter(event, () => old?.kept)
    // A repeated or ineffective event changes nothing.
    if (kept === undefined || (old !== undefined && old.position >= position)) continue
    const { parent = '' } = old?.kept ?? {}
    const cause = stored.causes.get(event.metadata.causationId)
    if (old !== undefined && isHeld(event, cause, old, keptOf(parent))) {
      states.keep(id, { ...old, position })
      continue
    }
    const ended = mayLackEnd(event, cause, old) ? endedAbove(kept.parent, position, keptOf) : undefined
    if (ended !== undefined && old?.kept.status === 'live') {
      const told = endedWith(ended, { ...old, position })
      yield* change(id, old, told)
      old = told
    }
    const { compensates, ...effect } = effectOf(event, cause, kept, old)
    if (isFollowed(event)) {
      stored.causes.set(event.id, effect.changed)
      yield into(causes, { add: { event: event.id, position: effect.changed } })
    }
    if (old !== undefined && isSettled(effect.changed, old)) {
      const { own, above } = afterLateEvent(event, old, kept, keptOf(parent))
      if (own !== undefined) yield* change(id, old, own)
      if (above !== undefined) states.keep(parent, above)
      continue
    }
    const passing = passingAfter(event, old, kept, keptOf)
    const own = { position, ...effect, settled: old?.settled, passing, kept }
    const next = ended !== undefined && event.type === 'Created' ? endedWith(ended, own) : own
    tally.noteIn(passing)
    yield* change(id, old, next)
    tally.noteIn(undefined)
    if (old === undefined || !isFollowed(event)) continue
    const below = idsBelow(stored.placed, kept.fullyQualifiedName)
    for (const implied of compensates
      ? untaken(event, old, next, below, keptOf)
      : endsStatus(old)
        ? impliedTurns(event, old, next, below, keptOf)
        : [])
      for (const [at, state] of implied.states.slice(1).entries()) yield* change(implied.id, implied.states[at], state)
  }
  if (embedded) yield* tally.writes()
  yield* states.writes()
}

/** With differing clocks an event may have an earlier time than previous ones: it counts for their instants too. */
const instantsIn = async (events: readonly RecordedEvent[], documents: Documents<Span>): Promise<TableWrite[]> => {
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

export const timelineWrites = async ({ events }: Batch, documents: Documents<Span>): Promise<Writes> => {
  const times = await instantsIn(events, documents)
  const stored = await readStored(documents, events)
  return (function* () {
    yield* times
    yield* changesIn(events, stored, documents.embedded)
  })()
}
