import type { Json } from '../shared/json.ts'
import type { CatalogEvent, EventMetadata, Members, Reference } from '../events/events.ts'
import { incarnationsSince } from '../events/legacyReferences.ts'
import { portsMember } from '../events/verbs.ts'
import { describeChange, noChanges, type ChangeDescription } from './changes.ts'
import { changeByStatement, withStatement } from './statements.ts'
import { withReport, withResult } from './runs.ts'
import { CatalogError } from '../shared/errors/namedError.ts'
import { inSlices } from '../shared/yieldToEventLoop.ts'

/** Place and status of an entity without its members: small, however large the entity. */
export interface EntityHead {
  /** UUID; unique over all kinds. */
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  /** Id of the entity that this one is deleted and restored with. */
  readonly parent: string | undefined
  /** The incarnation of the parent that it belongs to: the parent's `born`. */
  readonly parentBorn: bigint
  /** `gone`: hard-deleted; only revision and hash still matter. */
  readonly status: 'live' | 'deleted' | 'gone'
  /** Position of the event that began its life. */
  readonly since: bigint
  /** Incarnation: revision of the event that created the entity most recently. 0 in logs that did not record it. */
  readonly born: bigint
  /** Revision of the newest event. */
  readonly revision: bigint
  /** Log position of that event. */
  readonly position: bigint
  /** Hash of that event, for the hash chain. */
  readonly hash: string
  /** Epoch milliseconds of the newest version. */
  readonly updatedAt: number
  /** Id of the deletion that deleted it, unless it is live. */
  readonly deletion: string | undefined
  /** Whether the deletion is inherited from its parent. Only while it is deleted. */
  readonly inherited: boolean
  /** Id of the deletion that was undone last. */
  readonly restored: string | undefined
}

/** The state of one entity, folded from its events. Read models keep the same. */
export interface Entity extends EntityHead {
  readonly name: string
  /** Version in tenths. */
  readonly version: number
  readonly updatedBy: string
  readonly members: Members
  readonly change: ChangeDescription | undefined
}

/** The parts of an event that `evolve` reads. */
export type FoldInput = CatalogEvent & {
  readonly metadata: EventMetadata
  readonly revision: bigint
  readonly position: bigint
}

/** Events between the state and the event to fold were not read. */
class EventsMissing extends CatalogError {
  override readonly name = 'EventsMissing'
  constructor(id: string, expected: bigint, { metadata, type, revision, position }: FoldInput) {
    super(
      `${metadata.kind} ${id}: ${type} at position ${position} has revision ${revision}, but ${expected} comes next: ` +
        'events are missing. Build the read models again, and check the log with "catalog audit verify".',
    )
  }
}

/** Turns events into state, on the write side and in the projections. Pure. @throws EventsMissing */
export const evolve = (id: string, entity: Entity | undefined, event: FoldInput): Entity => {
  const expected = entity === undefined ? 0n : entity.revision + 1n
  if (event.revision !== expected) throw new EventsMissing(id, expected, event)
  if (event.type === 'Created') return created(id, event)
  if (entity === undefined)
    throw new Error(`${event.metadata.kind} ${id}: ${event.type} at ${event.position} comes before Created`)
  const { revision, position, metadata } = event
  const at = { revision, position, hash: metadata.hash }
  const stamp = { ...at, version: metadata.version, updatedAt: Date.parse(metadata.time), updatedBy: metadata.user }
  switch (event.type) {
    case 'Updated': {
      const members = updatedMembers(entity.members, event.data)
      const change = describeChange(entity.members, members, entity.version, Object.keys(event.data.set))
      return { ...entity, ...stamp, members, change }
    }
    case 'SoftDeleted':
    case 'Restored':
    case 'HardDeleted':
      return { ...entity, ...stamp, ...statusAfter(entity, event) }
    case 'AssetsAdded':
    case 'AssetsRemoved':
      return { ...entity, ...stamp, ...listChange(entity, 'assets', event.data.assets, event.type === 'AssetsAdded') }
    case 'PortsAdded':
    case 'PortsRemoved': {
      const { direction, ports } = event.data
      return { ...entity, ...stamp, ...listChange(entity, portsMember[direction], ports, event.type === 'PortsAdded') }
    }
    case 'FollowerAdded':
    case 'FollowerRemoved':
    case 'Voted':
      return { ...entity, ...at, members: membersAfter(entity.members, event) }
    case 'Forgotten': {
      const { members } = event.data
      return { ...entity, ...(isErased(entity, members) ? { ...stamp, ...erased(entity, members) } : at) }
    }
    case 'KeyChanged':
    case 'PoliciesChanged':
      return { ...entity, ...at }
    case 'LineageStated': {
      const change = changeByStatement(entity.members, event, entity.version)
      return { ...entity, ...stamp, members: withStatement(entity.members, event), change }
    }
    case 'RunReported':
      return { ...entity, ...at, members: withReport(entity.members, event.data) }
    case 'Confirmed':
    case 'FellDue':
      return { ...entity, ...at, members: withConfirmation(entity.members, event) }
    case 'Validated': {
      if (event.data.late) return { ...entity, ...at }
      if (event.data.run !== undefined) return { ...entity, ...at, members: withResult(entity.members, event.data) }
      const latestResult = { timestamp: Date.parse(event.metadata.time), ...event.data.result }
      return { ...entity, ...at, members: { ...entity.members, latestResult } }
    }
  }
}

export const updatedMembers = (
  before: Members,
  { set, unset }: (CatalogEvent & { type: 'Updated' })['data'],
): Members => {
  const members = { ...before, ...set }
  for (const name of unset) delete members[name]
  return members
}

type StatusEvent = FoldInput & { type: 'SoftDeleted' | 'Restored' | 'HardDeleted' }

const statusAfter = (entity: Entity, event: StatusEvent): Partial<Entity> => {
  const { deletion } = event.data
  const fields = { deletion, inherited: false }
  switch (event.type) {
    case 'SoftDeleted': {
      const inherited = event.data.inherited === true
      return { ...fields, status: 'deleted', inherited, change: deletedChange(entity, true) }
    }
    case 'Restored': {
      const change = deletedChange(entity, false)
      return { ...fields, status: 'live', deletion: undefined, restored: deletion, change }
    }
    case 'HardDeleted':
      return { ...fields, status: 'gone', restored: undefined, members: {}, change: undefined }
  }
}

type FollowingEvent = FoldInput & { type: 'FollowerAdded' | 'FollowerRemoved' | 'Voted' }

const membersAfter = (members: Members, event: FollowingEvent): Members => {
  if (event.type !== 'Voted')
    return withReferences(members, 'followers', [event.data.user], event.type === 'FollowerAdded')
  const { user, vote } = event.data
  const up = withReferences(members, 'upVoters', [user], vote === 'votedUp')
  return withReferences(up, 'downVoters', [user], vote === 'votedDown')
}

/** The members after a confirmation, or after it fell due. */
const withConfirmation = (members: Members, event: FoldInput & { type: 'Confirmed' | 'FellDue' }): Members => {
  if (event.type === 'FellDue') return { ...members, due: event.data.confirmBy }
  const { due: _, confirmBy: __, ...others } = members
  const { confirmBy, user } = event.data
  const confirmed = { user: user.fullyQualifiedName, time: event.metadata.time }
  return { ...others, ...(confirmBy !== undefined && { confirmBy }), confirmed }
}

/** The references in a member; empty if it is absent. */
export const referencesIn = (members: Members, name: string): Reference[] => (members[name] ?? []) as Reference[]

const created = (id: string, event: FoldInput & { type: 'Created' }): Entity => ({
  kind: event.metadata.kind,
  id,
  name: event.data.name,
  fullyQualifiedName: event.metadata.fullyQualifiedName,
  parent: event.data.parent?.id,
  parentBorn: BigInt(event.data.parent?.life ?? 0),
  status: 'live',
  since: event.position,
  born: event.metadata.schemaVersion < incarnationsSince ? 0n : event.revision,
  revision: event.revision,
  position: event.position,
  hash: event.metadata.hash,
  version: event.metadata.version,
  updatedAt: Date.parse(event.metadata.time),
  updatedBy: event.metadata.user,
  deletion: undefined,
  inherited: false,
  restored: undefined,
  members: event.data.members,
  change: undefined,
})

/** Whether values of the present incarnation are erased, and not only of former ones. */
const isErased = ({ status }: Entity, members: readonly string[]): boolean => status !== 'gone' && members.length > 0

/** The members and the change description without the erased values. */
const erased = (entity: Entity, names: readonly string[]): Pick<Entity, 'members' | 'change'> => {
  const members = { ...entity.members }
  for (const name of names) delete members[name]
  const fieldsDeleted = names.filter((name) => name in entity.members).map((name) => ({ name }))
  return { members, change: { ...noChanges(entity.version), fieldsDeleted } }
}

const deletedChange = (entity: Entity, deleted: boolean): ChangeDescription => ({
  ...noChanges(entity.version),
  fieldsUpdated: [{ name: 'deleted', oldValue: !deleted, newValue: deleted }],
})

/** The list with references appended or removed; an empty list is removed. */
const withReferences = (members: Members, name: string, references: readonly Reference[], add: boolean): Members => {
  const ids = new Set(references.map((reference) => reference.id))
  const others = referencesIn(members, name).filter((reference) => !ids.has(reference.id))
  const { [name]: _, ...rest } = members
  const list = add ? [...others, ...references] : others
  return list.length === 0 ? rest : { ...rest, [name]: list as Json }
}

const listChange = (entity: Entity, name: string, references: readonly Reference[], add: boolean) => {
  const list: Json = [...references]
  return {
    members: withReferences(entity.members, name, references, add),
    change: {
      ...noChanges(entity.version),
      ...(add ? { fieldsAdded: [{ name, newValue: list }] } : { fieldsDeleted: [{ name, oldValue: list }] }),
    },
  }
}

/** Each event of a stream, with the states before and after it; yields to other work. @throws the signal's reason */
export async function* statesAlong(id: string, events: AsyncIterable<FoldInput>, signal: AbortSignal) {
  let before: Entity | undefined
  for await (const event of inSlices(events)) {
    signal.throwIfAborted()
    const after = evolve(id, before, event)
    yield { event, before, after }
    before = after
  }
}
