import { evolve, type Entity, type FoldableEvent } from '../../commands/evolve.ts'
import {
  type Members,
  type RecordedEvent,
  type Reference,
  parseStreamName,
  incarnationKey,
} from '../../events/events.ts'
import { eventTypes } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { descendantKinds, kinds, storedKinds } from '../../kinds/registry/kinds.ts'
import {
  asksForChildren,
  measures,
  edgesOf,
  isCared,
  isDescribed,
  referencesInside,
  relationsOf,
  type Edge,
} from '../../kinds/edges.ts'
import type { Json } from '../../shared/json.ts'
import type { Status } from '../entities/row.ts'
import type { Projection } from '../projection.ts'

/** From when to when an entity was in a list. Its version grows, too, when lists can be narrowed by something else. */
export const timelineProjection: Pick<Projection, 'name' | 'version' | 'handles'> = {
  name: 'timeline',
  version: 13,
  handles: new Set(eventTypes),
}

/** What decides in which lists an entity is. */
export interface ListFacts {
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  readonly status: Status
  /** Where its kind can be asked for by its direct parent. */
  readonly parent: string | undefined
  readonly entityStatus: string
  readonly edges: readonly Edge[]
}

/**
 * What is kept of an entity to tell what its next event changes: it with its references, status and categories only, and
 * whether it is described. Of members with references inside, such as columns, those alone.
 */
export type TimelineState = Pick<Entity, 'kind' | 'fullyQualifiedName' | 'parent' | 'status' | 'members'>

const definitions: ReadonlyMap<string, KindDefinition> = new Map(storedKinds.map((kind) => [kind.name, kind]))

const foundByParent: ReadonlySet<string> = new Set(
  kinds
    .filter((kind) => asksForChildren(kind, kinds) || measures.some(({ child }) => child === kind.name))
    .map(({ name }) => name),
)

const isReference = (value: Json): boolean => typeof value === 'object' && value !== null && 'id' in value

/** Of a kind that is not known every member with references counts. */
const isKept = (kind: string, name: string): boolean => {
  const definition = definitions.get(kind)
  return (
    name === 'entityStatus' ||
    definition === undefined ||
    definition.fields[name]?.nested !== undefined ||
    definition.fields[name]?.category !== undefined ||
    relationsOf(definition).includes(name) ||
    (name === 'description' && isCared(definition))
  )
}

/** What is kept of a member's value; `undefined`: nothing. */
const keptValue = (kind: string, name: string, value: Json): Json | undefined => {
  const definition = definitions.get(kind)
  if (definition !== undefined && name === 'description') return isDescribed(value) ? true : undefined
  if (definition?.fields[name]?.nested !== undefined) {
    const inside = referencesInside(definition, name, value)
    return inside.length === 0 ? undefined : (inside as unknown[] as Json)
  }
  if (definition !== undefined || name === 'entityStatus') return value
  return isReference(Array.isArray(value) ? (value[0] ?? null) : value) ? value : undefined
}

const keptMembers = (kind: string, members: Members): Members => {
  const kept: Members = {}
  for (const [name, value] of Object.entries(members)) {
    const held = isKept(kind, name) ? keptValue(kind, name, value as Json) : undefined
    if (held !== undefined) kept[name] = held
  }
  return kept
}

export const isTurn = ({ type }: RecordedEvent): boolean =>
  type === 'SoftDeleted' || type === 'Restored' || type === 'HardDeleted'

/** May what stands below an entity get events that follow from this one? */
export const isFollowed = (event: RecordedEvent): boolean =>
  isTurn(event) && descendantKinds(event.metadata.kind).length > 0

/** What is kept of an entity after an event. */
export interface KeptAt {
  readonly position: bigint
  /** The position from which on that event counts. */
  readonly since: bigint
  /** Turns above it count up to here without events of its own: one that comes late changes nothing. */
  readonly settled?: bigint | undefined
  readonly kept: TimelineState
}

/**
 * The position from which on an event counts. An inherited deletion holds as long as its root's does, so it counts, as
 * its end does, from the event above that it follows.
 * @param cause from where on that one counts, if there is one
 * @param before what is kept of the entity
 */
export const countsFrom = (event: RecordedEvent, cause: bigint | undefined, before: KeptAt | undefined): bigint => {
  if (!isTurn(event) || cause === undefined) return event.position
  return cause > (before?.since ?? -1n) || isSettled(cause, before) ? cause : event.position
}

/** Has the timeline shown a turn that counts from here before the entity's own event of it came? */
export const isSettled = (from: bigint, before: KeptAt | undefined): boolean => from <= (before?.settled ?? -1n)

/** May something below have been deleted with it without an event of its own that says so, now that this is over? */
export const endsDeletion = (event: RecordedEvent, before: KeptAt | undefined): before is KeptAt =>
  before?.kept.status === 'deleted' && isFollowed(event)

/**
 * What went with the deletion that an event ends, and has no event of that: by definition it was deleted all the same.
 * @param before what was kept of the deleted entity
 * @param from position from which on the event counts
 * @param below ids of what may stand below, those above before those below them
 * @returns each with what it was before, and all that it was from then on
 */
export function* impliedTurns(
  event: RecordedEvent,
  before: KeptAt,
  from: bigint,
  below: Iterable<string>,
  keptOf: (id: string) => KeptAt | undefined,
): Generator<{ readonly id: string; readonly states: readonly [KeptAt, KeptAt, ...KeptAt[]] }> {
  const above = new Set([parseStreamName(event.stream).id])
  const { position } = event
  const { since } = before
  for (const id of below) {
    const old = keptOf(id)
    if (old === undefined || old.position >= position || old.since >= since) continue
    if (old.kept.status !== 'live' || old.kept.parent === undefined || !above.has(old.kept.parent)) continue
    above.add(id)
    const deleted: KeptAt = { position, since, settled: since, kept: { ...old.kept, status: 'deleted' } }
    const again: KeptAt = { position, since: from, settled: from, kept: old.kept }
    yield { id, states: event.type === 'Restored' ? [old, deleted, again] : [old, deleted] }
  }
}

/** The event without members that decide nothing; `undefined`: it decides nothing at all. */
const deciding = (event: RecordedEvent): RecordedEvent | undefined => {
  const { kind } = event.metadata
  switch (event.type) {
    case 'Created':
      return { ...event, data: { ...event.data, members: keptMembers(kind, event.data.members) } }
    case 'Updated': {
      const set = keptMembers(kind, event.data.set)
      const emptied = Object.keys(event.data.set).filter((name) => !Object.hasOwn(set, name))
      const unset = [...event.data.unset, ...emptied].filter((name) => isKept(kind, name))
      const nothing = unset.length === 0 && Object.keys(set).length === 0
      return nothing ? undefined : { ...event, data: { set, unset } }
    }
    case 'SoftDeleted':
    case 'Restored':
    case 'HardDeleted':
      return event
    case 'AssetsAdded':
    case 'AssetsRemoved':
      return isKept(kind, 'assets') ? event : undefined
    case 'PortsAdded':
    case 'PortsRemoved':
      return isKept(kind, `${event.data.direction}Ports`) ? event : undefined
    case 'FollowerAdded':
    case 'FollowerRemoved':
      return isKept(kind, 'followers') ? event : undefined
    case 'Validated': {
      const { status = null } = event.data.result
      const counts = event.data.run !== 'late' && definitions.has(kind) && isKept(kind, 'latestResult')
      return counts ? { ...event, data: { result: { status } } } : undefined
    }
    case 'Voted':
    case 'LineageStated':
    case 'RunReported':
      return undefined
  }
}

const blank: Omit<Entity, keyof TimelineState | 'id' | 'revision'> = {
  name: '',
  parentBorn: 0n,
  since: 0n,
  born: 0n,
  position: 0n,
  hash: '',
  version: 0,
  updatedAt: 0,
  updatedBy: '',
  deletion: undefined,
  inherited: false,
  restored: undefined,
  change: undefined,
}

/**
 * What is to be kept after an event; `undefined`: what was kept before it still holds.
 * @param stored gives what was kept before; it is only asked where that matters
 */
export const keptAfter = (event: RecordedEvent, stored: () => TimelineState | undefined): TimelineState | undefined => {
  const decided = deciding(event)
  if (decided === undefined) return undefined
  const before = stored()
  if (before === undefined && event.type !== 'Created') return undefined
  const { id } = parseStreamName(event.stream)
  const entity = before && { ...blank, ...before, id, revision: event.revision - 1n }
  // The rule by which an event follows the one before it is that of the log, and has been checked where it was read.
  // Events whose data is read late cannot be spread.
  const { type, data, metadata, position } = decided
  const revision = entity === undefined ? 0n : event.revision
  const next = { type, data, metadata, position, revision } as FoldableEvent
  const { kind, fullyQualifiedName, parent, status, members } = evolve(id, entity, next)
  return { kind, fullyQualifiedName, parent, status, members }
}

const edgesIn = (kind: string, members: Members): Edge[] => {
  const definition = definitions.get(kind)
  const references = Object.entries(members)
    .filter(([name]) => name !== 'entityStatus')
    .map(([name, value]) => [name, (Array.isArray(value) ? value : [value]) as Reference[]] as const)
  if (definition !== undefined) return edgesOf(definition, members, references)
  return references.flatMap(([rel, list]) => [...new Set(list.map(incarnationKey))].map((target) => ({ rel, target })))
}

export const factsOf = (
  id: string,
  { kind, fullyQualifiedName, parent, status, members }: TimelineState,
): ListFacts => {
  const { entityStatus } = members
  return {
    id,
    kind,
    fullyQualifiedName,
    status,
    parent: foundByParent.has(kind) || !definitions.has(kind) ? parent : undefined,
    entityStatus: typeof entityStatus === 'string' ? entityStatus : '',
    edges: edgesIn(kind, members),
  }
}
