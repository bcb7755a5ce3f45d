import { evolve, type Entity, type FoldInput } from '../../commands/evolve.ts'
import {
  type Members,
  type RecordedEvent,
  type Reference,
  parseStreamName,
  incarnationKey,
} from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { kinds, storedKinds } from '../../kinds/registry/kinds.ts'
import { queriesChildren } from '../../kinds/registry/referrers.ts'
import {
  measures,
  edgesOf,
  hasCoverage,
  isDescribed,
  isLabelRelation,
  referencesInside,
  relationsOf,
  type Edge,
} from '../../kinds/edges.ts'
import type { Json } from '../../shared/json.ts'
import { memoize } from '../../shared/memoize.ts'
import type { Status } from '../entities/row.ts'

/** The facts that determine the lists of an entity. */
export interface ListFacts {
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  readonly status: Status
  /** Set if its kind can be filtered by the direct parent. */
  readonly parent: string | undefined
  readonly entityStatus: string
  readonly edges: readonly Edge[]
  /** See {@link StoredState.isDerived}. */
  readonly isDerived: boolean
}

/**
 * What lists depend on, by an entity's own events: its references, statuses and categories, and whether it is described.
 * Of members with nested references, such as columns, only those.
 */
export type TimelineState = Pick<
  Entity,
  'kind' | 'fullyQualifiedName' | 'parent' | 'status' | 'inherited' | 'born' | 'members'
>

/** A status with the position from which it holds. */
export type StatusChange = readonly [position: bigint, status: Status]

/** The state of an entity, with which the next event is compared. */
export interface StoredState {
  /** Of the event that last changed it. */
  readonly position: bigint
  /** Its status by its own events and those of its ancestors. */
  readonly status: Status
  /** Whether the status is that of an ancestor, for which it has no event of its own. */
  readonly isDerived: boolean
  /** Its own status changes that descendants inherit, without void ones. Empty if it cannot have descendants. */
  readonly statusHistory: readonly StatusChange[]
  /** By its own events alone. */
  readonly own: TimelineState
}

const definitions: ReadonlyMap<string, KindDefinition> = new Map(storedKinds.map((kind) => [kind.name, kind]))

const foundByParent: ReadonlySet<string> = new Set(
  kinds
    .filter((kind) => queriesChildren(kind) || measures.some(({ child }) => child === kind.name))
    .map(({ name }) => name),
)

const isReference = (value: Json): boolean => typeof value === 'object' && value !== null && 'id' in value

/** For an unknown kind every member with references is stored. */
const isStored = (kind: string, name: string): boolean => {
  const definition = definitions.get(kind)
  return (
    name === 'entityStatus' ||
    definition === undefined ||
    definition.fields[name]?.nested !== undefined ||
    definition.fields[name]?.category !== undefined ||
    relationsOf(definition).includes(name) ||
    (name === 'description' && hasCoverage(definition))
  )
}

const storedValue = (kind: string, name: string, value: Json): Json | undefined => {
  const definition = definitions.get(kind)
  if (definition !== undefined && name === 'description') return isDescribed(value) ? true : undefined
  if (definition?.fields[name]?.nested !== undefined) {
    const inside = referencesInside(definition, name, value)
    return inside.length === 0 ? undefined : (inside as unknown[] as Json)
  }
  if (definition !== undefined || name === 'entityStatus') return value
  return isReference(Array.isArray(value) ? (value[0] ?? null) : value) ? value : undefined
}

const storedMembers = (kind: string, members: Members): Members => {
  const stored: Members = {}
  for (const [name, value] of Object.entries(members)) {
    const storable = isStored(kind, name) ? storedValue(kind, name, value as Json) : undefined
    if (storable !== undefined) stored[name] = storable
  }
  return stored
}

const containers: ReadonlySet<string> = new Set(
  kinds.flatMap(({ parents }) => parents.flatMap((parent) => parent.kinds)),
)

/** Whether a kind can have descendants, which are deleted and restored with it. */
export const isContainer = (kind: string): boolean => containers.has(kind)

/** The event reduced to relevant members; `undefined` if it is irrelevant. */
const relevantPart = memoize((event: RecordedEvent): RecordedEvent | undefined => {
  const { kind } = event.metadata
  switch (event.type) {
    case 'Created':
      return { ...event, data: { ...event.data, members: storedMembers(kind, event.data.members) } }
    case 'Updated': {
      const set = storedMembers(kind, event.data.set)
      const emptied = Object.keys(event.data.set).filter((name) => !Object.hasOwn(set, name))
      const unset = [...event.data.unset, ...emptied].filter((name) => isStored(kind, name))
      const nothing = unset.length === 0 && Object.keys(set).length === 0
      return nothing ? undefined : { ...event, data: { set, unset } }
    }
    case 'SoftDeleted':
    case 'Restored':
    case 'HardDeleted':
      return event
    case 'AssetsAdded':
    case 'AssetsRemoved':
      return isStored(kind, 'assets') ? event : undefined
    case 'PortsAdded':
    case 'PortsRemoved':
      return isStored(kind, `${event.data.direction}Ports`) ? event : undefined
    case 'FollowerAdded':
    case 'FollowerRemoved':
      return isStored(kind, 'followers') ? event : undefined
    case 'Validated': {
      const { result, run, late } = event.data
      const { status = null } = result
      const counts = run !== 'late' && !late && definitions.has(kind) && isStored(kind, 'latestResult')
      return counts ? { ...event, data: { result: { status } } } : undefined
    }
    case 'Confirmed':
    case 'FellDue':
      return definitions.has(kind) ? event : undefined
    case 'Voted':
    case 'LineageStated':
    case 'RunReported':
      return undefined
  }
})

const blank: Omit<Entity, keyof TimelineState | 'id' | 'revision'> = {
  name: '',
  parentBorn: 0n,
  since: 0n,
  position: 0n,
  hash: '',
  version: 0,
  updatedAt: 0,
  updatedBy: '',
  deletion: undefined,
  restored: undefined,
  change: undefined,
}

/** Ids of the owners and tags that an event sets, also on columns. */
export const labelsNamed = (event: RecordedEvent): string[] => {
  const relevant = relevantPart(event)
  if (relevant?.type !== 'Created' && relevant?.type !== 'Updated') return []
  const members = relevant.type === 'Created' ? relevant.data.members : relevant.data.set
  return Object.entries(members).flatMap(([name, value]) =>
    isOfLabels(event.metadata.kind, name, value) ? value.map(({ id }) => id) : [],
  )
}

/** Whether it is an asset's list of owners or tags, or of those of its columns. */
const isOfLabels = (kind: string, name: string, value: unknown): value is Reference[] => {
  const { traits, fields = {} } = definitions.get(kind) ?? {}
  if (traits?.asset !== true || !Array.isArray(value)) return false
  return isLabelRelation(name) || fields[name]?.nested !== undefined
}

/** The members of an asset without removed owners and tags, also on columns; the same object if there are none. */
export const withoutLabels = (kind: string, members: Members, isRemoved: (target: string) => boolean): Members => {
  const changed = Object.entries(members).flatMap(([name, value]) => {
    if (!isOfLabels(kind, name, value)) return []
    const remaining = value.filter((reference) => !isRemoved(incarnationKey(reference)))
    return remaining.length === value.length ? [] : [[name, remaining] as const]
  })
  if (changed.length === 0) return members
  const rest = { ...members, ...Object.fromEntries(changed) } as Members
  for (const [name, { length }] of changed) if (length === 0) delete rest[name]
  return rest
}

/**
 * The state after an event; `undefined` if the event does not change it.
 * @param stored gives the state before, called only if needed
 * @param isRemoved whether an owner or tag had been hard-deleted by then
 */
export const ownStateAfter = (
  event: RecordedEvent,
  stored: () => TimelineState | undefined,
  isRemoved: (target: string) => boolean,
): TimelineState | undefined => {
  const relevant = relevantPart(event)
  if (relevant === undefined) return undefined
  const before = stored()
  if (before === undefined && event.type !== 'Created') return undefined
  const { id } = parseStreamName(event.stream)
  const entity = before && { ...blank, ...before, id, revision: event.revision - 1n }
  // Revisions were checked when the events were read. Lazily parsed events cannot be spread.
  const { type, data, metadata, position } = relevant
  const revision = entity === undefined ? 0n : event.revision
  const next = { type, data, metadata, position, revision } as FoldInput
  const after = evolve(id, entity, next)
  const { kind, fullyQualifiedName, parent, status, inherited, born, members } = after
  return { kind, fullyQualifiedName, parent, status, inherited, born, members: withoutLabels(kind, members, isRemoved) }
}

const edgesIn = (kind: string, members: Members): Edge[] => {
  const definition = definitions.get(kind)
  const references = Object.entries(members)
    .filter(([name]) => name !== 'entityStatus')
    .map(([name, value]) => [name, (Array.isArray(value) ? value : [value]) as Reference[]] as const)
  if (definition !== undefined) return edgesOf(definition, members, references)
  return references.flatMap(([rel, list]) => [...new Set(list.map(incarnationKey))].map((target) => ({ rel, target })))
}

export const factsOf = (id: string, { own, status, isDerived }: StoredState): ListFacts => {
  const { kind, fullyQualifiedName, parent, members } = own
  const { entityStatus } = members
  return {
    id,
    kind,
    fullyQualifiedName,
    status,
    parent: foundByParent.has(kind) || !definitions.has(kind) ? parent : undefined,
    entityStatus: typeof entityStatus === 'string' ? entityStatus : '',
    edges: edgesIn(kind, members),
    isDerived,
  }
}
