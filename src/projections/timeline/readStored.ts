import { idsAbove } from '../../commands/lookup.ts'
import { parseStreamName, type RecordedEvent } from '../../events/events.ts'
import { descendantKinds, kindNamed } from '../../kinds/registry/kinds.ts'
import { notEnded, type DocumentMatch, type Documents } from '../documents/keptDocuments.ts'
import { placeOf, placesBelow } from '../entities/place.ts'
import type { Status } from '../entities/row.ts'
import { countBefore } from '../past.ts'
import { isFollowed, isTurn } from './keptState.ts'
import { listNumber } from './lists.ts'
import { birthMembers, births, causes, fromBirth, fromKept, keptTable, type Span } from './tables.ts'
import { statusesBelow, type KeptAt } from './statusTurns.ts'

export const entityIdOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

type Placed = Pick<Span, 'entity' | 'place'>
export const placedMembers = ['entity', 'place'] as const

/** What is stored before a batch, as far as it matters. */
export interface StoredTimeline {
  readonly kept: (id: string) => KeptAt | undefined
  /** Effective positions of events that descendants may follow. */
  readonly causes: Map<string, bigint>
  /** Entities of the batch, and below those whose status may end, in the order of their places. */
  readonly placed: readonly Placed[]
}

/** Entities that may have a kept state: where part of a batch may come again, those without their first event in it. */
const knownBefore = (events: readonly RecordedEvent[], embedded: boolean): string[] => {
  const begun = new Set(events.filter(({ revision }) => revision === 0n).map(({ stream }) => stream))
  return [...new Set(events.filter(({ stream }) => embedded || !begun.has(stream)).map(entityIdOf))]
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
  known: StoredTimeline['causes'],
): Promise<readonly Placed[]> => {
  const now = (statuses: readonly Status[]) => ({
    list: { $in: descendantKinds(kind).flatMap(({ name }) => statuses.map((status) => listNumber(name, status))) },
    place: placesBelow(fullyQualifiedName),
    to: notEnded,
  })
  const mayBeTold = before?.kept.status === 'deleted' && !before.kept.restored
  const untold = [now(['live']), { ...now(['deleted']), from: { $gt: before?.since ?? -1n } }]
  const hasSome = async (where: DocumentMatch<Span>) =>
    (await documents.find({ where, limit: 1, members: placedMembers })).length > 0
  if (mayBeTold && !(await Promise.all(untold.map(hasSome))).includes(true)) return []
  return documents.find({ where: now(statusesBelow(before, known.get(causationId))), members: placedMembers })
}

const readAllBelow = async (
  documents: Documents<Span>,
  events: readonly RecordedEvent[],
  { kept, causes: known }: Pick<StoredTimeline, 'kept' | 'causes'>,
): Promise<Placed[]> => {
  const restored = new Set(events.flatMap(({ type, stream }) => (type === 'Restored' ? stream : [])))
  const turned = new Set<string>()
  const followed = events.filter(isFollowed)
  const ending = followed.flatMap((event) => {
    const before = kept(entityIdOf(event))
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
const readAbove = (event: RecordedEvent, kept: StoredTimeline['kept']): string[] => {
  const { kind, fullyQualifiedName, condition } = event.metadata
  const before = isTurn(event) || condition !== undefined ? kept(entityIdOf(event)) : undefined
  const matters =
    event.type === 'Created'
      ? event.data.parent !== undefined && condition !== undefined
      : before?.kept.parent !== undefined && (event.type !== 'SoftDeleted' || before.settled !== undefined)
  return matters ? idsAbove([kind], fullyQualifiedName, { kindNamed }) : []
}

export const readStored = async (
  documents: Documents<Span>,
  events: readonly RecordedEvent[],
): Promise<StoredTimeline> => {
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
    const entity = entityIdOf(event)
    placed.set(entity, { entity, place: placeOf(event.metadata.fullyQualifiedName, entity) })
  }
  return {
    kept,
    causes: known,
    placed: [...placed.values()].sort((a, b) => (a.place < b.place ? -1 : 1)),
  }
}

/** Ids below an FQN, ancestors first. */
export const idsBelow = (placed: readonly Placed[], fqn: string): string[] => {
  const { $gte, $lt } = placesBelow(fqn)
  const [from, to] = [$gte, $lt].map((bound) => countBefore(placed, ({ place }) => place >= bound))
  return placed.slice(from, to).map(({ entity }) => entity)
}
