import { idsAbove } from '../../commands/lookup.ts'
import { parseStreamName, type RecordedEvent } from '../../events/events.ts'
import { ancestorFqns } from '../../kinds/names.ts'
import { descendantKinds, kindNamed } from '../../kinds/registry/kinds.ts'
import { into, notEnded, type Documents, type DocumentWrite, type TableWrite } from '../documents/keptDocuments.ts'
import { placeOf, placesBelow } from '../entities/place.ts'
import type { Status } from '../entities/row.ts'
import { countBefore } from '../past.ts'
import type { Batch } from '../projection.ts'
import { everything, isUnusual, listChanges, listNumber, withEntityStatus } from './lists.ts'
import {
  birthMembers,
  births,
  birthText,
  causes,
  fromBirth,
  fromKept,
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
  factsOf,
  impliedTurns,
  isFollowed,
  isHeld,
  isSettled,
  isTurn,
  keptAfter,
  mayLackEnd,
  statusesBelow,
  untaken,
  type KeptAt,
  type ListFacts,
  type CountChange,
  type TimelineState,
} from './timelineProjection.ts'

type Writes = Iterable<DocumentWrite<Span> | TableWrite>

const idOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

type Placed = Pick<Span, 'entity' | 'place'>
export const placedMembers = ['entity', 'place'] as const

/** What is stored before a batch, as far as it matters. */
interface Stored {
  readonly kept: (id: string) => KeptAt | undefined
  /** Effective positions of events that descendants may follow. */
  readonly causes: Map<string, bigint>
  /** Entities of the batch, and below those whose status may end, in the order of their places. */
  readonly placed: readonly Placed[]
}

/** Entities that may have a kept state: where part of a batch may come again, those without their first event in it. */
const knownBefore = (events: readonly RecordedEvent[], embedded: boolean): string[] => {
  const begun = new Set(events.filter(({ revision }) => revision === 0n).map(({ stream }) => stream))
  return [...new Set(events.filter(({ stream }) => embedded || !begun.has(stream)).map(idOf))]
}

const readKept = async (
  documents: Documents<Span>,
  ids: readonly string[],
): Promise<(readonly [id: string, kept: () => KeptAt])[]> => {
  if (ids.length === 0) return []
  const [born, found] = await Promise.all([
    documents.embedded ? [] : documents.in(births).get(ids, birthMembers),
    documents.in(keptTable).find({ where: { id: { $in: ids } } }),
  ])
  return [
    ...born.map((birth) => [birth.entity, () => fromBirth(birth)] as const),
    ...found.map((kept) => [kept.id, () => fromKept(kept)] as const),
  ]
}

/** Entities below that may lack an event of a status. @param before the kept state that it ends, if known */
const readBelow = async (
  documents: Documents<Span>,
  { metadata: { kind, fullyQualifiedName, causationId } }: RecordedEvent,
  before: KeptAt | undefined,
  known: Stored['causes'],
): Promise<readonly Placed[]> => {
  const now = (statuses: readonly Status[]) => ({
    list: { $in: descendantKinds(kind).flatMap(({ name }) => statuses.map((status) => listNumber(name, status))) },
    place: placesBelow(fullyQualifiedName),
    to: notEnded,
  })
  const mayBeTold = before?.kept.status === 'deleted' && !before.kept.restored
  if (mayBeTold && (await documents.find({ where: now(['live']), limit: 1, members: placedMembers })).length === 0)
    return []
  return documents.find({ where: now(statusesBelow(before, known.get(causationId))), members: placedMembers })
}

const readAllBelow = async (
  documents: Documents<Span>,
  events: readonly RecordedEvent[],
  { kept, causes: known }: Pick<Stored, 'kept' | 'causes'>,
): Promise<Placed[]> => {
  const restored = new Set(events.flatMap(({ type, stream }) => (type === 'Restored' ? stream : [])))
  const turned = new Set<string>()
  const followed = events.filter(isFollowed)
  const ending = followed.flatMap((event) => {
    const before = kept(idOf(event))
    const mayEnd = event.type !== 'SoftDeleted' || restored.has(event.stream) || before?.kept.restored === true
    const ends = turned.has(event.stream) ? undefined : before
    turned.add(event.stream)
    return mayEnd ? [{ event, ends }] : []
  })
  const found = await Promise.all(ending.map(({ event, ends }) => readBelow(documents, event, ends, known)))
  // Those below may have another state by then.
  const implying = ending.flatMap(({ event }, at) => (found[at]?.length ? `${event.metadata.fullyQualifiedName}.` : []))
  const below = followed.filter(({ metadata }) =>
    implying.some((above) => metadata.fullyQualifiedName.startsWith(above)),
  )
  return [...found, ...(await Promise.all(below.map((event) => readBelow(documents, event, undefined, known))))].flat()
}

/** Ids of ancestors, if they matter: the event may come late, or void where the log cannot refuse it. */
const readAbove = (event: RecordedEvent, kept: Stored['kept']): string[] => {
  const { kind, fullyQualifiedName, condition } = event.metadata
  const before = isTurn(event) || condition !== undefined ? kept(idOf(event)) : undefined
  const matters =
    event.type === 'Created'
      ? event.data.parent !== undefined && condition !== undefined
      : before?.kept.parent !== undefined && (event.type !== 'SoftDeleted' || before.settled !== undefined)
  return matters ? idsAbove([kind], fullyQualifiedName, { kindNamed }) : []
}

const readStored = async (documents: Documents<Span>, events: readonly RecordedEvent[]): Promise<Stored> => {
  const stored = new Map(await readKept(documents, knownBefore(events, documents.embedded)))
  const kept = (id: string): KeptAt | undefined => stored.get(id)?.()
  const followed = events.filter(isTurn).map(({ metadata }) => metadata.causationId)
  const found = followed.length === 0 ? [] : await documents.in(causes).find({ where: { event: { $in: followed } } })
  const known = new Map(found.map(({ event, position }) => [event, position]))
  const below = await readAllBelow(documents, events, { kept, causes: known })
  const own = below.length === 0 && !events.some(isFollowed) ? [] : events
  const above = events.flatMap((event) => readAbove(event, kept))
  const missing = new Set([...below.map(({ entity }) => entity), ...above].filter((id) => !stored.has(id)))
  for (const [id, found] of await readKept(documents, [...missing])) stored.set(id, found)
  const placed = new Map(below.map((each) => [each.entity, each]))
  for (const event of own) {
    const entity = idOf(event)
    placed.set(entity, { entity, place: placeOf(event.metadata.fullyQualifiedName, entity) })
  }
  return {
    kept,
    causes: known,
    placed: [...placed.values()].sort((a, b) => (a.place < b.place ? -1 : 1)),
  }
}

/** Ids below an FQN, ancestors first. */
const idsBelow = (placed: readonly Placed[], fqn: string): string[] => {
  const { $gte, $lt } = placesBelow(fqn)
  const [from, to] = [$gte, $lt].map((bound) => countBefore(placed, ({ place }) => place >= bound))
  return placed.slice(from, to).map(({ entity }) => entity)
}

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
  const [begin, until] = [{ $gte: since, $lte: changed }, { $gt: from }]
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
const makeStates = ({ kept }: Pick<Stored, 'kept'>, embedded: boolean, tally: Tally) => {
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
  stored: Stored,
  embedded: boolean,
): Generator<DocumentWrite<Span> | TableWrite> {
  const tally = makeTally()
  const states = makeStates(stored, embedded, tally)
  const { of: keptOf, change } = states
  for (const event of events) {
    const id = idOf(event)
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
