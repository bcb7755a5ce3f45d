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
import {
  queriesChildren,
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
  /** See {@link StoredState.untold}. */
  readonly untold: boolean
}

/**
 * The state needed to tell what the next event changes: references, statuses and categories, and whether it is
 * described. Members with nested references, such as columns, keep those only.
 */
export type TimelineState = Pick<
  Entity,
  'kind' | 'fullyQualifiedName' | 'parent' | 'status' | 'inherited' | 'born' | 'members'
>

/** A status with the position from which it holds. */
export type StatusEntry = readonly [position: bigint, status: Status]

/** What is kept of an entity, to tell what its next event changes. */
export interface StoredState {
  /** The position up to which it is known. */
  readonly position: bigint
  /** Its status by its own events and those of what stands above it. */
  readonly status: Status
  /** Whether it has this status without an event of its own. */
  readonly untold: boolean
  /** The turns of its own that descendants have with it: none of those that were void. Of leaves none are kept. */
  readonly statusHistory: readonly StatusEntry[]
  /** By its own events alone. */
  readonly own: TimelineState
}

const definitions: ReadonlyMap<string, KindDefinition> = new Map(storedKinds.map((kind) => [kind.name, kind]))

const foundByParent: ReadonlySet<string> = new Set(
  kinds
    .filter((kind) => queriesChildren(kind, kinds) || measures.some(({ child }) => child === kind.name))
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
    const held = isStored(kind, name) ? storedValue(kind, name, value as Json) : undefined
    if (held !== undefined) stored[name] = held
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
      const { status = null } = event.data.result
      const counts = event.data.run !== 'late' && definitions.has(kind) && isStored(kind, 'latestResult')
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

/** Ids of owners and tags that an event names, also of columns. */
export const labelsNamed = (event: RecordedEvent): string[] => {
  const decided = relevantPart(event)
  if (decided?.type !== 'Created' && decided?.type !== 'Updated') return []
  const members = decided.type === 'Created' ? decided.data.members : decided.data.set
  return Object.entries(members).flatMap(([name, value]) =>
    isOfLabels(event.metadata.kind, name, value) ? value.map(({ id }) => id) : [],
  )
}

/** Whether a member of an asset is a list of its owners or tags, or of those of its columns. */
const isOfLabels = (kind: string, name: string, value: unknown): value is Reference[] => {
  const { traits, fields = {} } = definitions.get(kind) ?? {}
  if (traits?.asset !== true || !Array.isArray(value)) return false
  return isLabelRelation(name) || fields[name]?.nested !== undefined
}

/** Members of an asset without owners and tags, also of columns, that are removed. */
export const withoutLabels = (kind: string, members: Members, isRemoved: (target: string) => boolean): Members => {
  const changed = Object.entries(members).flatMap(([name, value]) => {
    if (!isOfLabels(kind, name, value)) return []
    const kept = value.filter((reference) => !isRemoved(incarnationKey(reference)))
    return kept.length === value.length ? [] : [[name, kept] as const]
  })
  if (changed.length === 0) return members
  const rest = { ...members, ...Object.fromEntries(changed) } as Members
  for (const [name, { length }] of changed) if (length === 0) delete rest[name]
  return rest
}

/**
 * The state to keep after an event; `undefined` if the former one still holds.
 * @param stored gives the former state, called only if needed
 * @param isRemoved whether an owner or tag had been hard-deleted by then
 */
export const ownStateAfter = (
  event: RecordedEvent,
  stored: () => TimelineState | undefined,
  isRemoved: (target: string) => boolean,
): TimelineState | undefined => {
  const decided = relevantPart(event)
  if (decided === undefined) return undefined
  const before = stored()
  if (before === undefined && event.type !== 'Created') return undefined
  const { id } = parseStreamName(event.stream)
  const entity = before && { ...blank, ...before, id, revision: event.revision - 1n }
  // Revisions were checked when the events were read. Lazily parsed events cannot be spread.
  const { type, data, metadata, position } = decided
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

export const factsOf = (id: string, { own, status, untold }: StoredState): ListFacts => {
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
    untold,
  }
}
