import type { Collection } from 'mongodb'
import { type RecordedEvent, parseStreamName } from '../../../events/events.ts'
import { descendantKinds } from '../../../kinds/registry/kinds.ts'
import { statusNumber } from '../../entities/row.ts'
import { placeOf, placesBelow } from '../../entities/mongo/rows.ts'
import { typedCollection } from '../../../stores/mongo/connection.ts'
import { mongoBatching, type MongoLayout } from '../../mongo/mongoProjection.ts'
import { numberText } from '../../mongo/texts.ts'
import type { DocumentChanges } from '../../mongo/storing.ts'
import { upserting } from '../../mongo/writes.ts'
import { everything, listChanges, listName } from '../lists.ts'
import {
  effectOf,
  endsStatus,
  factsOf,
  impliedTurns,
  isFollowed,
  isSettled,
  isTurn,
  keptAfter,
  timelineProjection,
  type TurnEffect,
  type KeptAt,
  type ListFacts,
  type TimelineState,
} from '../timelineProjection.ts'

/** A span of an entity in a list. User input never becomes a field name. */
export interface SpanDocument {
  /** List, entity and `from`. */
  _id: string
  what: 'span'
  /** {@link listName} */
  list: string
  entity: string
  /** `placeOf` */
  place: string
  /** `numberText` of the first position. */
  from: string
  /** `numberText` of the exclusive end, or {@link notEnded}. */
  to: string
  entityStatus: string
}

/** Not stored: ends a span. */
interface EndDocument {
  _id: string
  what: 'end'
  list: string
  place: string
  to: string
}

/** The kept state of an entity, to tell what its next event changes. */
interface KeptDocument {
  _id: string
  what: 'kept'
  /** `numberText` */
  position: string
  /** `numberText` of its effective position. */
  since: string
  /** `numberText` of {@link KeptAt.settled}. */
  settled?: string
  /** JSON text. */
  kept: string
}

/** The newest position up to an instant. */
export interface TimeDocument {
  _id: string
  what: 'time'
  time: number
  position: string
}

/** An event that descendants may follow. */
interface CauseDocument {
  _id: string
  what: 'cause'
  /** `numberText` of its effective position. */
  position: string
}

export type TimelineDocument = SpanDocument | EndDocument | KeptDocument | CauseDocument | TimeDocument

/** After all positions. */
export const notEnded = '~'

/** The list changes between two states of an entity, at a position. */
const changesOf = (
  before: ListFacts | undefined,
  after: ListFacts,
  position: string,
): (SpanDocument | EndDocument)[] => {
  const { id, entityStatus, fullyQualifiedName } = after
  const { ended, begun } = listChanges(before, after)
  const place = placeOf(fullyQualifiedName, id)
  const left = placeOf(before?.fullyQualifiedName ?? '', id)
  return [
    ...ended.map(listName).map((list): EndDocument => ({ _id: '', what: 'end', list, place: left, to: position })),
    ...begun.map(listName).map((list): SpanDocument => {
      const span = { list, place, from: position, to: notEnded }
      return { _id: `${list} ${id} ${position}`, what: 'span', entity: id, entityStatus, ...span }
    }),
  ]
}

const keptId = (id: string): string => `kept ${id}`

type Documents = Collection<TimelineDocument>

const readKept = async (documents: Documents, ids: readonly string[]): Promise<[string, KeptAt][]> => {
  if (ids.length === 0) return []
  const found = await typedCollection<KeptDocument>(documents)
    .find({ _id: { $in: ids.map(keptId) } })
    .toArray()
  return found.map(({ _id, position, since, settled, kept }) => [
    _id.slice(keptId('').length),
    {
      position: BigInt(position),
      since: BigInt(since),
      settled: settled === undefined ? undefined : BigInt(settled),
      kept: JSON.parse(kept) as TimelineState,
    },
  ])
}

const keptDocument = (id: string, { position, since, settled, kept }: KeptAt): KeptDocument => ({
  _id: keptId(id),
  what: 'kept',
  position: numberText(position),
  since: numberText(since),
  ...(settled !== undefined && { settled: numberText(settled) }),
  kept: JSON.stringify(kept),
})

/** Descendants that may lack an event of a status that ends with these events, see {@link endsStatus}. */
const readBelow = async (
  events: readonly RecordedEvent[],
  documents: Documents,
  stored: ReadonlyMap<string, KeptAt>,
): Promise<string[]> => {
  const restored = new Set(events.flatMap(({ type, stream }) => (type === 'Restored' ? stream : [])))
  const isRestored = ({ stream }: RecordedEvent): boolean =>
    restored.has(stream) || stored.get(parseStreamName(stream).id)?.kept.restored === true
  const ending = events.filter((event) => isFollowed(event) && (event.type !== 'SoftDeleted' || isRestored(event)))
  const found = await Promise.all(
    ending.map(({ metadata: { kind, fullyQualifiedName } }) => {
      const lists = descendantKinds(kind).flatMap(({ name }) =>
        [statusNumber.live, statusNumber.deleted].map((status) =>
          listName({ kind: name, status, rel: everything, target: '' }),
        ),
      )
      return typedCollection<SpanDocument>(documents)
        .find({ list: { $in: lists }, place: placesBelow(fullyQualifiedName), to: notEnded })
        .project<Pick<SpanDocument, 'entity'>>({ entity: 1 })
        .toArray()
    }),
  )
  return found.flat().map(({ entity }) => entity)
}

/** With differing clocks an event may have an earlier time than previous ones: it counts for their instants too. */
const timesIn = async (events: readonly RecordedEvent[], documents: Documents): Promise<TimeDocument[]> => {
  const newest = new Map(
    events.map(({ metadata, position }) => [Date.parse(metadata.time), numberText(position)] as const),
  )
  const later = typedCollection<TimeDocument>(documents).find({ time: { $gt: Math.min(...newest.keys()) } })
  for (const { time, position } of newest.size === 0 ? [] : await later.toArray())
    if (position > (newest.get(time) ?? '')) newest.set(time, position)
  let last = ''
  return [...newest]
    .sort(([a], [b]) => a - b)
    .map(([time, position]): TimeDocument => {
      if (position > last) last = position
      return { _id: `time ${numberText(BigInt(time))}`, what: 'time', time, position: last }
    })
}

/** Entities that may have a kept state: those without their first event in the batch. */
const knownBefore = (events: readonly RecordedEvent[]): string[] => {
  const streams = new Set<string>()
  const begun = new Set<string>()
  for (const { stream, revision } of events) {
    if (revision === 0n) begun.add(stream)
    else if (!begun.has(stream)) streams.add(stream)
  }
  return [...streams].map((stream) => parseStreamName(stream).id)
}

const causeId = (event: string): string => `cause ${event}`

/** Computes effective positions of events in log order, and keeps those that may be followed. */
const readCauses = async (events: readonly RecordedEvent[], documents: Documents) => {
  const asked = events.filter(isTurn).map(({ metadata }) => causeId(metadata.causationId))
  const collection = typedCollection<CauseDocument>(documents)
  const stored = asked.length === 0 ? [] : await collection.find({ _id: { $in: asked } }).toArray()
  const known = new Map(stored.map(({ _id, position }) => [_id, BigInt(position)]))
  const added: CauseDocument[] = []
  return {
    added,
    effectOf: (event: RecordedEvent, before: KeptAt | undefined): TurnEffect => {
      const effect = effectOf(event, known.get(causeId(event.metadata.causationId)), before)
      if (!isFollowed(event)) return effect
      const _id = causeId(event.id)
      added.push({ _id, what: 'cause', position: numberText(effect.from) })
      known.set(_id, effect.from)
      return effect
    },
  }
}

/** Ids below a name, ancestors first. */
const idsBelow = (known: ReadonlyMap<string, KeptAt>, above: string): string[] =>
  [...known]
    .flatMap(([id, { kept }]) =>
      kept.fullyQualifiedName.startsWith(`${above}.`) ? [[kept.fullyQualifiedName.length, id] as const] : [],
    )
    .sort(([a], [b]) => a - b)
    .map(([, id]) => id)

const documentsIn = async (events: readonly RecordedEvent[], documents: Documents): Promise<TimelineDocument[]> => {
  const [own, causes] = [await readKept(documents, knownBefore(events)), await readCauses(events, documents)]
  const stored = new Map(own)
  const below = (await readBelow(events, documents, stored)).filter((id) => !stored.has(id))
  for (const [id, kept] of await readKept(documents, [...new Set(below)])) stored.set(id, kept)
  const changed = new Map<string, KeptAt>()
  const change = (id: string, old: KeptAt | undefined, next: KeptAt) => {
    for (const map of [stored, changed]) map.set(id, next)
    return changesOf(old && factsOf(id, old.kept), factsOf(id, next.kept), numberText(next.since))
  }
  const changes = events.flatMap((event) => {
    const { id } = parseStreamName(event.stream)
    const { position } = event
    const old = stored.get(id)
    const kept = keptAfter(event, () => old?.kept)
    // A repeated or ineffective event changes nothing.
    if (kept === undefined || (old !== undefined && old.position >= position)) return []
    const effect = causes.effectOf(event, old)
    const { from } = effect
    if (isSettled(from, old)) return []
    const next = { position, since: from, settled: old?.settled, kept }
    const ownChanges = change(id, old, next)
    if (!endsStatus(event, old, effect)) return ownChanges
    const ids = idsBelow(stored, kept.fullyQualifiedName)
    const implied = [...impliedTurns(event, old, next, ids, (each) => stored.get(each))]
    return [
      ...ownChanges,
      ...implied.flatMap((each) =>
        each.states.slice(1).flatMap((state, at) => change(each.id, each.states[at], state)),
      ),
    ]
  })
  const last = [...changed].map(([id, kept]) => keptDocument(id, kept))
  return [...(await timesIn(events, documents)), ...causes.added, ...changes, ...last]
}

const those = <W extends TimelineDocument['what']>(
  all: readonly TimelineDocument[],
  what: W,
): (TimelineDocument & { what: W })[] =>
  all.filter((document): document is TimelineDocument & { what: W } => document.what === what)

const ending = ({ list, place, to }: EndDocument) => ({
  updateOne: { filter: { list, place, to: notEnded, from: { $lt: to } }, update: { $set: { to } } },
})

const older = ({ _id, position }: KeptDocument | TimeDocument): object => ({
  _id,
  position: { $lt: position },
})

/** Writes kept states last: until then a repeated batch computes the same changes. */
const writesOf = (all: readonly TimelineDocument[]): DocumentChanges => ({
  added: [...those(all, 'cause'), ...those(all, 'span')],
  // In order, since of two spans in one batch the earlier one must end first.
  updates: those(all, 'end').map(ending),
  upserts: [...those(all, 'time'), ...those(all, 'kept')].map((one) => upserting(one, older(one))),
})

export const timelineLayout: MongoLayout<TimelineDocument> = {
  ...timelineProjection,
  batching: mongoBatching,
  indexes: {
    lists: { list: 1, place: 1, from: 1, to: 1, entityStatus: 1 },
    times: { time: 1 },
  },
  documentsOf: ({ events }, { documents }) => documentsIn(events, documents),
  writesOf: ({ documents }) => writesOf(documents),
}
