import { incarnationOf, parseStreamName, type RecordedEvent } from '../../events/events.ts'
import { labelRelations } from '../../kinds/edges.ts'
import { assetKinds, descendantKinds, labelKinds } from '../../kinds/registry/kinds.ts'
import { openEnd, type Documents } from '../documents/port.ts'
import { isStatusEvent } from '../entities/pending.ts'
import { placeOf, placesBelow } from '../entities/place.ts'
import type { Status } from '../entities/row.ts'
import { mapInChunks } from '../../shared/bounds.ts'
import { countBefore } from '../history.ts'
import type { Batch } from '../projection.ts'
import { labelsNamed, type StoredState } from './timelineState.ts'
import { listNumber, derivedStatusList } from './lists.ts'
import { mayLagAncestors, affectsDescendants, staleStatus } from './statusHistory.ts'
import { creationSpans, stateOf, storedStates, type Span } from './tables.ts'

export const entityIdOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

export type SpanKey = Pick<Span, 'entity' | 'place'>
export const spanKeyMembers = ['entity', 'place'] as const

/** What is stored before a batch and needed to compute its changes. */
export interface StoredTimeline {
  /** States by id of the entities, owners and tags that were read, updated with each event; `undefined` if none is stored. */
  readonly states: Map<string, StoredState | undefined>
  /** Reads a chunk of descendants and drops the previous chunk, whose states must be stored. */
  readonly prefetch: (ids: readonly string[]) => Promise<void>
  /** Entities of the batch, and descendants whose status may be stale after it, in the order of their places. */
  readonly places: readonly SpanKey[]
  /** Ids of void events, whose status changes descendants do not inherit. */
  readonly voidIds: ReadonlySet<string>
  /** Ids of assets that may have an owner or tag, by the id of the event that removes it. */
  readonly labelled: ReadonlyMap<string, readonly string[]>
}

export const isLabelRemoval = ({ type, metadata }: RecordedEvent): boolean =>
  type === 'HardDeleted' && labelKinds.includes(metadata.kind)

/** Ids of stored assets with an owner or tag at its removal. In a repeated batch their spans may have ended there. */
const labelledBy = async (documents: Documents<Span>, target: string, position: bigint): Promise<string[]> => {
  const edges = labelRelations.map((rel) => ({ rel, target }))
  const lists = assetKinds.flatMap((kind) =>
    edges.flatMap((edge) => (['live', 'deleted'] as const).map((status) => listNumber(kind, status, edge))),
  )
  const where = { list: { $in: lists }, from: { $lt: position }, to: { $gte: position } }
  return (await documents.find({ where, members: spanKeyMembers })).map(({ entity }) => entity)
}

/** Assets with owners and tags that a batch removes: stored ones, and those of its other events. */
const readLabelled = async (
  documents: Documents<Span>,
  events: readonly RecordedEvent[],
  states: StoredTimeline['states'],
): Promise<Map<string, string[]>> => {
  const removals = events.filter(isLabelRemoval)
  const naming = new Map(removals.map((event) => [entityIdOf(event), new Set<string>()]))
  for (const event of removals.length === 0 ? [] : events)
    for (const label of labelsNamed(event)) naming.get(label)?.add(entityIdOf(event))
  const labelled = new Map<string, string[]>()
  for (const event of removals) {
    const id = entityIdOf(event)
    const target = incarnationOf({ id, born: states.get(id)?.own.born ?? 0n })
    const stored = await labelledBy(documents, target, event.position)
    labelled.set(event.id, [...new Set([...stored, ...(naming.get(id) as Set<string>)])])
  }
  return labelled
}

/** Ids of entities that may have a stored state; embedded, where a repeated batch may be stored in part, all. */
const possiblyStored = (events: readonly RecordedEvent[], embedded: boolean): string[] => {
  const begun = new Set(events.filter(({ revision }) => revision === 0n).map(({ stream }) => stream))
  return [...new Set(events.filter(({ stream }) => embedded || !begun.has(stream)).map(entityIdOf))]
}

/** What the state of a new entity is read from. */
const creationMembers = ['entity', 'from', 'text'] as const

const readStates = async (
  documents: Documents<Span>,
  ids: readonly string[],
): Promise<(readonly [id: string, state: StoredState])[]> => {
  if (ids.length === 0) return []
  const [created, changed] = await Promise.all([
    documents.embedded ? [] : documents.in(creationSpans).get(ids, creationMembers),
    documents.in(storedStates).find({ where: { id: { $in: ids } } }),
  ])
  return [
    ...created.map(({ entity, from, text }) => [entity, stateOf(from, text)] as const),
    ...changed.map(({ id, position, text }) => [id, stateOf(position, text)] as const),
  ]
}

/** A batch may have many status changes, and other work needs connections to a server, too. */
const queriesAtOnce = 8

/** Descendants of the entities of status events whose own status may be stale. */
const readStaleDescendants = async (
  documents: Documents<Span>,
  statusEvents: readonly RecordedEvent[],
  states: StoredTimeline['states'],
): Promise<SpanKey[]> => {
  const changed = new Set<string>()
  const queries = statusEvents.flatMap(({ stream, position, metadata: { kind, fullyQualifiedName } }) => {
    const before = states.get(parseStreamName(stream).id)
    const stale = staleStatus(before?.statusHistory.at(-1))
    const isKnown = !changed.has(stream) && (before === undefined || before.position < position)
    const statuses: readonly Status[] = isKnown ? (stale === undefined ? [] : [stale]) : ['live', 'deleted']
    changed.add(stream)
    if (statuses.length === 0) return []
    const lists = descendantKinds(kind).flatMap(({ name }) => statuses.map((status) => listNumber(name, status)))
    const where = { list: { $in: [...lists, derivedStatusList] }, place: placesBelow(fullyQualifiedName), to: openEnd }
    return [{ where, members: spanKeyMembers }]
  })
  return (await mapInChunks(queries, queriesAtOnce, (query) => documents.find(query))).flat()
}

/** Number of descendants read and written at a time, which occupies the thread for some 50 ms. */
export const partSize = 500

export const readStored = async (
  documents: Documents<Span>,
  { events, isVoid = async () => false }: Pick<Batch, 'events' | 'isVoid'>,
): Promise<StoredTimeline> => {
  const states = new Map<string, StoredState | undefined>()
  const read = async (ids: readonly string[]): Promise<string[]> => {
    const missing = [...new Set(ids)].filter((id) => !states.has(id))
    for (const id of missing) states.set(id, undefined)
    for (const [id, found] of await readStates(documents, missing)) states.set(id, found)
    return missing
  }
  /** Reads entities and their ancestors. @returns ids of those that had not been read */
  const readWithAncestors = async (ids: readonly string[]): Promise<string[]> => {
    if (ids.length === 0) return []
    const missing = await read(ids)
    return [...missing, ...(await readWithAncestors(ids.flatMap((id) => states.get(id)?.own.parent ?? [])))]
  }
  await read([...possiblyStored(events, documents.embedded), ...events.flatMap(labelsNamed)])
  const statusEvents = events.filter((event) => isStatusEvent(event) && affectsDescendants(event, undefined))
  const voidIds = new Set<string>()
  for (const event of statusEvents)
    if (event.metadata.condition !== undefined && (await isVoid(event))) voidIds.add(event.id)
  const below = await readStaleDescendants(documents, statusEvents, states)
  const parents = events.flatMap(({ type, data }) => (type === 'Created' ? (data.parent?.id ?? []) : []))
  const labelled = await readLabelled(documents, events, states)
  const affected = [below.map(({ entity }) => entity), ...labelled.values()]
  const first = affected.flatMap((ids) => ids.slice(0, documents.embedded ? partSize : undefined))
  await readWithAncestors([...parents, ...events.filter(mayLagAncestors).map(entityIdOf), ...first])
  let last: string[] = []
  const prefetch = async (ids: readonly string[]): Promise<void> => {
    for (const id of last) states.delete(id)
    last = await readWithAncestors(ids)
  }
  const places = new Map(below.map((each) => [each.entity, each]))
  for (const event of below.length > 0 || statusEvents.length > 0 ? events : []) {
    const entity = entityIdOf(event)
    places.set(entity, { entity, place: placeOf(event.metadata.fullyQualifiedName, entity) })
  }
  const inOrder = [...places.values()].sort((a, b) => (a.place < b.place ? -1 : 1))
  return { states, prefetch, voidIds, labelled, places: inOrder }
}

/** Ids below an FQN, ancestors first. */
export const idsBelow = (places: readonly SpanKey[], fqn: string): string[] => {
  const { $gte, $lt } = placesBelow(fqn)
  const [from, to] = [$gte, $lt].map((bound) => countBefore(places, ({ place }) => place >= bound))
  return places.slice(from, to).map(({ entity }) => entity)
}
