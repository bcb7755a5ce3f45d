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
import { listNumber, untoldList } from './lists.ts'
import { mayLagAncestors, affectsDescendants, lateStatus } from './statusTurns.ts'
import { creationMembers, births, fromCreation, fromStateDocument, storedStates, type Span } from './tables.ts'

export const entityIdOf = ({ stream }: RecordedEvent): string => parseStreamName(stream).id

type Placed = Pick<Span, 'entity' | 'place'>
export const placedMembers = ['entity', 'place'] as const

/** What is stored before a batch, as far as it matters. */
export interface StoredTimeline {
  /** States by id of the entities, owners and tags that were read; `undefined`: none is stored. Changed ones replace them. */
  readonly states: Map<string, StoredState | undefined>
  /** Reads a chunk of descendants and drops the previous chunk, whose states must be stored. */
  readonly prefetch: (ids: readonly string[]) => Promise<void>
  /** Entities of the batch, and those below what turns that may be late, in the order of their places. */
  readonly placed: readonly Placed[]
  /** Ids of turns that are void: descendants never had them. */
  readonly voids: ReadonlySet<string>
  /** Ids of what may be covered by an owner or tag that is removed, by the id of that event. */
  readonly covered: ReadonlyMap<string, readonly string[]>
}

export const isLabelRemoval = ({ type, metadata }: RecordedEvent): boolean =>
  type === 'HardDeleted' && labelKinds.includes(metadata.kind)

/** What an owner or tag covers when it is removed, by what is stored. Of a batch that comes again some has ended there. */
const coveredBy = async (documents: Documents<Span>, target: string, position: bigint): Promise<string[]> => {
  const edges = labelRelations.map((rel) => ({ rel, target }))
  const lists = assetKinds.flatMap((kind) =>
    edges.flatMap((edge) => (['live', 'deleted'] as const).map((status) => listNumber(kind, status, edge))),
  )
  const where = { list: { $in: lists }, from: { $lt: position }, to: { $gte: position } }
  return (await documents.find({ where, members: placedMembers })).map(({ entity }) => entity)
}

/** What owners and tags cover that a batch removes: by what is stored, or by its other events. */
const readCovered = async (
  documents: Documents<Span>,
  events: readonly RecordedEvent[],
  states: StoredTimeline['states'],
): Promise<Map<string, string[]>> => {
  const removals = events.filter(isLabelRemoval)
  const naming = new Map(removals.map((event) => [entityIdOf(event), new Set<string>()]))
  for (const event of removals.length === 0 ? [] : events)
    for (const label of labelsNamed(event)) naming.get(label)?.add(entityIdOf(event))
  const covered = new Map<string, string[]>()
  for (const event of removals) {
    const id = entityIdOf(event)
    const target = incarnationOf({ id, born: states.get(id)?.own.born ?? 0n })
    const stored = await coveredBy(documents, target, event.position)
    covered.set(event.id, [...new Set([...stored, ...(naming.get(id) as Set<string>)])])
  }
  return covered
}

/** Entities that may have a stored state: if part of a batch may come again, those without their first event in it. */
const knownBefore = (events: readonly RecordedEvent[], embedded: boolean): string[] => {
  const begun = new Set(events.filter(({ revision }) => revision === 0n).map(({ stream }) => stream))
  return [...new Set(events.filter(({ stream }) => embedded || !begun.has(stream)).map(entityIdOf))]
}

const readStates = async (
  documents: Documents<Span>,
  ids: readonly string[],
): Promise<(readonly [id: string, state: StoredState])[]> => {
  if (ids.length === 0) return []
  const [born, found] = await Promise.all([
    documents.embedded ? [] : documents.in(births).get(ids, creationMembers),
    documents.in(storedStates).find({ where: { id: { $in: ids } } }),
  ])
  return [
    ...born.map((birth) => [birth.entity, fromCreation(birth)] as const),
    ...found.map((state) => [state.id, fromStateDocument(state)] as const),
  ]
}

/** A batch may have many turns, and others need connections to a server, too. */
const queriesAtOnce = 8

/** Entities below those that a batch turns that may be late. */
const readBelow = async (
  documents: Documents<Span>,
  turns: readonly RecordedEvent[],
  states: StoredTimeline['states'],
): Promise<Placed[]> => {
  const turned = new Set<string>()
  const queries = turns.flatMap(({ stream, position, metadata: { kind, fullyQualifiedName } }) => {
    const before = states.get(parseStreamName(stream).id)
    const late = lateStatus(before?.statusHistory.at(-1))
    const isKnown = !turned.has(stream) && (before === undefined || before.position < position)
    const statuses: readonly Status[] = isKnown ? (late === undefined ? [] : [late]) : ['live', 'deleted']
    turned.add(stream)
    if (statuses.length === 0) return []
    const lists = descendantKinds(kind).flatMap(({ name }) => statuses.map((status) => listNumber(name, status)))
    const where = { list: { $in: [...lists, untoldList] }, place: placesBelow(fullyQualifiedName), to: openEnd }
    return [{ where, members: placedMembers }]
  })
  return (await mapInChunks(queries, queriesAtOnce, (query) => documents.find(query))).flat()
}

/** Number of descendants read and written at a time, which occupies the thread for some 50 ms. */
export const turnedAtOnce = 500

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
  /** Reads entities and what stands above them. @returns those that were not read yet */
  const readPaths = async (ids: readonly string[]): Promise<string[]> => {
    if (ids.length === 0) return []
    const missing = await read(ids)
    return [...missing, ...(await readPaths(ids.flatMap((id) => states.get(id)?.own.parent ?? [])))]
  }
  await read([...knownBefore(events, documents.embedded), ...events.flatMap(labelsNamed)])
  const turns = events.filter((event) => isStatusEvent(event) && affectsDescendants(event, undefined))
  const voids = new Set<string>()
  for (const event of turns) if (event.metadata.condition !== undefined && (await isVoid(event))) voids.add(event.id)
  const below = await readBelow(documents, turns, states)
  const born = events.flatMap(({ type, data }) => (type === 'Created' ? (data.parent?.id ?? []) : []))
  const covered = await readCovered(documents, events, states)
  const changed = [below.map(({ entity }) => entity), ...covered.values()]
  const first = changed.flatMap((ids) => ids.slice(0, documents.embedded ? turnedAtOnce : undefined))
  await readPaths([...born, ...events.filter(mayLagAncestors).map(entityIdOf), ...first])
  let last: string[] = []
  const prefetch = async (ids: readonly string[]): Promise<void> => {
    for (const id of last) states.delete(id)
    last = await readPaths(ids)
  }
  const placed = new Map(below.map((each) => [each.entity, each]))
  for (const event of below.length > 0 || turns.length > 0 ? events : []) {
    const entity = entityIdOf(event)
    placed.set(entity, { entity, place: placeOf(event.metadata.fullyQualifiedName, entity) })
  }
  const inOrder = [...placed.values()].sort((a, b) => (a.place < b.place ? -1 : 1))
  return { states, prefetch, voids, covered, placed: inOrder }
}

/** Ids below an FQN, ancestors first. */
export const idsBelow = (placed: readonly Placed[], fqn: string): string[] => {
  const { $gte, $lt } = placesBelow(fqn)
  const [from, to] = [$gte, $lt].map((bound) => countBefore(placed, ({ place }) => place >= bound))
  return placed.slice(from, to).map(({ entity }) => entity)
}
