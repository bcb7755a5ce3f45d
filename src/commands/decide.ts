import { sameJson, type Json } from '../shared/json.ts'
import { limits } from '../shared/limits.ts'
import { splitFqn } from '../kinds/names.ts'
import { defaultsOf } from '../kinds/perKind.ts'
import { type CatalogEvent, type Members, type Reference, type Vote, incarnationKey } from '../events/events.ts'
import type { Draft, Facts, KindDefinition, Problem, Effects } from '../kinds/defineKind.ts'
import { membersDelta, nextVersion, withoutEmpty } from './changes.ts'
import { DomainError, entityNotFound, invalid, invalidAt } from './errors.ts'
import { standingUpstream, statements, upstreamIn, withoutEdges, type Upstream } from './statements.ts'
import { verbs, type LineageEdge } from '../events/verbs.ts'
import { referencesIn, updatedMembers, type Entity } from './evolve.ts'
import { mergeElements, type MemberPaths } from '../kinds/members/elements.ts'
import { isSameIncarnation, filterReferences } from './lookup.ts'

/** The place of a new entity. `parent` was looked up and is live. */
export interface Location extends Pick<Draft, 'name' | 'fullyQualifiedName' | 'parent'> {
  readonly id: string
}

/** A command about one entity. References are resolved and shapes are checked. */
export type Command =
  /** POST. `members` without defaults. */
  | { type: 'Create'; location: Location; members: Members }
  /** PUT. Members absent from `members` and `cleared` stay as they are. */
  | {
      type: 'Upsert'
      location: Location
      members: Members
      cleared: readonly string[]
      /** Members of list elements to clear; elements keep their other members. If absent, lists are replaced. */
      clearedInside?: MemberPaths | undefined
    }
  /** PATCH, revert. Members absent from `members` and `cleared` stay as they are. */
  | { type: 'Change'; members: Members; cleared: readonly string[] }
  /** Reverts to an earlier state: status, members and lists. `statusCommand` is set if the status differs. */
  | {
      type: 'Revert'
      members: Members
      cleared: readonly string[]
      lists: readonly ListCommand[]
      statusCommand: StatusCommand | undefined
      upstream: Upstream | undefined
    }
  /** `inherited`: because it happened to its parent. */
  | { type: 'SoftDelete'; deletion: string; inherited?: true }
  | { type: 'HardDelete'; deletion: string; inherited?: true }
  /** `deletion`: only if the entity was deleted by that deletion. */
  | { type: 'Restore'; deletion?: string; inherited?: true }
  | { type: 'Vote'; user: Reference; vote: Vote }
  /** States all upstream edges of an asset according to one source. */
  | { type: 'StateLineage'; location: Location; asset: Reference; source: string; edges: readonly LineageEdge[] }
  /** Erases personal members. `keys`: the keys that encrypt them. */
  | { type: 'Forget'; erased: readonly string[]; keys: readonly string[] }
  /** Appends an event that makes no new version. */
  | { type: 'Record'; event: CatalogEvent & { type: UnversionedType } }
  | ListCommand
  /** Restores the state without a void event. `deletion`: the id of the deletion that this needs, if any. */
  | { type: 'Compensate'; to: Entity | undefined; deletion: string }
  | { type: 'NoOp' }

type UnversionedType = 'Confirmed' | 'FellDue' | 'KeyChanged' | 'PoliciesChanged' | 'RunReported' | 'Validated'

export type StatusCommand = Extract<Command, { type: 'SoftDelete' | 'Restore' }>

export interface DecisionContext {
  readonly definition: KindDefinition
  readonly facts: Facts
  readonly effects: Effects
  readonly unreadable?: ReadonlySet<string> | undefined
}

export interface Decision {
  readonly event: CatalogEvent
  /** The event as it is written if that differs: with personal values encrypted. */
  readonly written?: CatalogEvent
  readonly version: number
}

/** Version of a new entity, in tenths. */
const firstVersion = 1

/** Decides which events a command causes. Pure and idempotent. @throws DomainError when the command is refused */
export const decide = (entity: Entity | undefined, command: Command, context: DecisionContext): Decision[] => {
  const decisions: Decision[] = []
  let version = entity?.version ?? 0
  for (const event of eventsOf(entity, command, context)) {
    version = versionAfter(version, event, entity, context.definition)
    decisions.push({ event, version })
  }
  return decisions
}

const versionAfter = (
  version: number,
  event: CatalogEvent,
  before: Entity | undefined,
  { behaviour }: KindDefinition,
): number => {
  if (event.type === 'Created') return firstVersion
  if (event.type === 'Forgotten') return event.data.members.length > 0 ? version + 1 : version
  if (event.type !== 'Updated') return verbs[event.type].makesVersion ? version + 1 : version
  const members = before?.members ?? {}
  return nextVersion(version, behaviour.breaking?.(members, updatedMembers(members, event.data)) ?? false)
}

const eventsOf = (entity: Entity | undefined, command: Command, context: DecisionContext): CatalogEvent[] => {
  const live = entity?.status === 'live' ? entity : undefined
  switch (command.type) {
    case 'Create':
      if (entity !== undefined && entity.status !== 'gone') throw alreadyExists(entity)
      return [creation(command.location, command.members, context)]
    case 'Upsert':
      if (entity === undefined || entity.status === 'gone')
        return [creation(command.location, command.members, context)]
      return upsert(entity, command, context)
    case 'Change':
      return change(mustBeLive(live), command, context)
    case 'Revert':
      return revert(entity, command, context)
    case 'SoftDelete':
      return softDelete(entity, command)
    case 'HardDelete':
      if (entity === undefined || entity.status === 'gone') throw entityNotFound()
      return [{ type: 'HardDeleted', data: deletionData(command) }]
    case 'Compensate':
      return compensate(entity, command)
    case 'NoOp':
      return []
    case 'Restore':
      return restore(entity, command)
    case 'StateLineage':
      return stateLineage(entity, command, context)
    case 'Forget':
      return forget(entity, command)
    case 'Record':
      mustBeLive(live)
      return [command.event]
    case 'Vote':
      return vote(mustBeLive(live), command.user, command.vote)
    case 'Add':
    case 'Remove':
      return changeList(mustBeLive(live), command)
  }
}

const forget = (entity: Entity | undefined, { erased, keys }: Command & { type: 'Forget' }): CatalogEvent[] => {
  if (entity === undefined) throw entityNotFound()
  const isKnown = keys.length > 0 || erased.some((name) => entity.members[name] !== undefined)
  return isKnown ? [{ type: 'Forgotten', data: { members: [...erased], keys: [...keys] } }] : []
}

/** Adds references to a list or removes them. */
export interface ListCommand {
  readonly type: 'Add' | 'Remove'
  readonly list: 'followers' | 'assets' | 'inputPorts' | 'outputPorts'
  readonly references: readonly Reference[]
}

const listEvent = ({ type, list }: ListCommand, references: Reference[]): CatalogEvent => {
  const isAdded = type === 'Add'
  switch (list) {
    case 'followers':
      return { type: isAdded ? 'FollowerAdded' : 'FollowerRemoved', data: { user: references[0] as Reference } }
    case 'assets':
      return { type: isAdded ? 'AssetsAdded' : 'AssetsRemoved', data: { assets: references } }
    case 'inputPorts':
    case 'outputPorts': {
      const direction = list === 'inputPorts' ? 'input' : 'output'
      return { type: isAdded ? 'PortsAdded' : 'PortsRemoved', data: { direction, ports: references } }
    }
  }
}

const mustBeLive = (live: Entity | undefined): Entity => {
  if (live === undefined) throw entityNotFound()
  return live
}

const alreadyExists = (entity: Entity): DomainError =>
  new DomainError(
    'already_exists',
    `${entity.kind} ${entity.fullyQualifiedName} already ` +
      `exists${entity.status === 'deleted' ? ' and is soft-deleted: restore it, or upsert' : ': change'} it with PUT.`,
  )

/** A PUT never answers with a conflict, so another name for an entity that is identified by its parent is `invalid`. */
const immutableName = ({ kind, name }: Entity): DomainError =>
  invalidAt('/name', `cannot be changed: there is already a ${kind} named ${name}`)

const creation = (location: Location, members: Members, context: DecisionContext): CatalogEvent => {
  const { parent, name, fullyQualifiedName } = location
  const withDefaults: Members = { ...defaultsOf(context.definition), ...members }
  const draft = { name, fullyQualifiedName, members: withDefaults, before: undefined, parent }
  // Many requests look up all ancestors.
  const [levels, most] = [splitFqn(fullyQualifiedName)?.length ?? 0, limits.levels.value]
  const message = `stands ${levels} levels deep; at most ${most} are possible`
  const complete = completed(draft, context, levels <= most ? [] : [{ path: '/name', message }])
  return { type: 'Created', data: { name, ...(parent && { parent: parent.reference }), members: complete } }
}

/** Lets the kind complete and check a draft. @param found problems that are already known */
const completed = (
  drafted: Draft,
  { definition, facts, effects, unreadable }: DecisionContext,
  found: readonly Problem[],
): Members => {
  const draft = unreadable === undefined ? drafted : { ...drafted, unreadable }
  const derived = definition.behaviour.derive?.(draft, effects) ?? { members: draft.members }
  const problems: Problem[] = [...found, ...(derived.problems ?? [])]
  problems.push(...(definition.behaviour.check?.({ ...draft, members: derived.members }, facts) ?? []))
  if (problems.length > 0) throw invalid(problems)
  return withoutEmpty(derived.members)
}

/** The members with the change applied; cleared members get their default. */
const merged = (before: Members, { members: set, cleared }: MemberChanges, definition: KindDefinition): Members => {
  const members = { ...before, ...set }
  const defaults = cleared.length === 0 ? {} : defaultsOf(definition)
  for (const name of cleared) {
    const value = defaults[name]
    if (value === undefined) delete members[name]
    else members[name] = value
  }
  return members
}

const upsert = (entity: Entity, command: Command & { type: 'Upsert' }, context: DecisionContext): CatalogEvent[] => {
  if (entity.name !== command.location.name) throw immutableName(entity)
  return [...restore(entity), ...change(entity, withElements(entity, command, context), context)]
}

/** The command with list elements merged into the present ones, without references to hard-deleted entities. */
const withElements = (
  entity: Entity,
  command: Command & { type: 'Upsert' },
  { definition, facts }: DecisionContext,
): Command & { type: 'Upsert' } => {
  const { clearedInside: cleared } = command
  if (cleared === undefined) return command
  const members = { ...command.members }
  for (const [member, value] of Object.entries(members) as [string, Json][]) {
    const field = definition.fields[member]
    const before = entity.members[member]
    if (field?.elements === undefined || before === undefined) continue
    const visible = filterReferences(field, before, existsIn(facts)) as Json
    members[member] = mergeElements(visible, value, field.elements, { member, cleared, numbered: field.numbered })
  }
  return { ...command, members }
}

const existsIn = (facts: Facts) => isSameIncarnation((id) => facts.get(id)?.reference)

type MemberChanges = Pick<Command & { type: 'Change' }, 'members' | 'cleared'> & Pick<Command, 'type'>

const change = (entity: Entity, wanted: MemberChanges, context: DecisionContext): CatalogEvent[] => {
  const { name, fullyQualifiedName } = entity
  const { definition, facts } = context
  const members = merged(entity.members, wanted, definition)
  const parent = entity.parent === undefined ? undefined : facts.get(entity.parent)
  const fixedProblems = Object.entries(definition.fields)
    .filter(([member, field]) => field.fixed && !sameJson(entity.members[member], members[member] as Json))
    .map(([member]) => ({ path: `/${member}`, message: 'cannot be changed after creation' }))
  const draft = { name, fullyQualifiedName, members, before: entity.members, parent }
  const after = completed({ ...draft, wasDerived: wanted.type === 'Revert' }, context, fixedProblems)
  const { set, unset } = effectiveDelta(entity.members, after, wanted, context)
  return Object.keys(set).length + unset.length > 0 ? [{ type: 'Updated', data: { set, unset } }] : []
}

/** The difference as answers show it: references to hard-deleted entities are left out and are not a change. */
const effectiveDelta = (
  before: Members,
  after: Members,
  { members, cleared }: MemberChanges,
  { definition, facts }: DecisionContext,
): ReturnType<typeof membersDelta> => {
  const delta = membersDelta(before, after)
  const changedNames = [...Object.keys(delta.set), ...delta.unset].filter(
    (name) => name in members || cleared.includes(name),
  )
  if (!changedNames.some((name) => before[name] !== undefined)) return delta
  const former = { ...before }
  for (const name of changedNames) {
    const value = before[name]
    const valid = value === undefined ? undefined : filterReferences(definition.fields[name], value, existsIn(facts))
    if (valid === undefined) delete former[name]
    else former[name] = valid
  }
  return membersDelta(former, after)
}

interface DeletionData {
  readonly deletion: string
  readonly inherited?: boolean | undefined
}

const deletionData = ({ deletion, inherited = false }: DeletionData) => ({ deletion, ...(inherited && { inherited }) })

/** @param upstream the edges that a lineage has then */
const restore = (
  entity: Entity | undefined,
  { deletion, inherited }: Partial<DeletionData> = {},
  upstream = upstreamIn(entity?.members),
): CatalogEvent[] => {
  if (entity === undefined || entity.status === 'gone') throw entityNotFound()
  if (entity.status === 'live' || entity.deletion === undefined) return []
  if (deletion !== undefined && deletion !== entity.deletion) return []
  const data = deletionData({ deletion: entity.deletion, inherited })
  return [{ type: 'Restored', data }, ...lineageEvents(entity, upstream, standingUpstream(entity))]
}

const softDeletion = (data: DeletionData): CatalogEvent => ({ type: 'SoftDeleted', data: deletionData(data) })

/** Deletes what is live. What is deleted with its parent gets a deletion of its own, unless that is inherited too. */
const softDelete = (entity: Entity | undefined, data: DeletionData): CatalogEvent[] => {
  const restoration = entity?.inherited === true && data.inherited !== true ? restore(entity) : []
  if (restoration.length === 0 && entity?.status !== 'live') throw entityNotFound()
  return [...restoration, softDeletion(data)]
}

/** Reverts a state. If it is deleted before and after, it is restored only for the change. */
const revert = (
  entity: Entity | undefined,
  { statusCommand, lists, upstream, ...wanted }: Command & { type: 'Revert' },
  context: DecisionContext,
): CatalogEvent[] => {
  const restoration = restore(entity)
  const present = entity as Entity
  const changes = [
    ...change(present, wanted, context),
    ...lists.flatMap((list) => changeList(present, list)),
    ...(upstream === undefined ? [] : lineageEvents(present, upstream)),
  ]
  const isDeletedAfter = statusCommand === undefined ? restoration.length > 0 : statusCommand.type === 'SoftDelete'
  if (restoration.length > 0 && isDeletedAfter && changes.length === 0) return []
  if (!isDeletedAfter) return [...restoration, ...changes]
  const { deletion = '', inherited } = statusCommand?.type === 'SoftDelete' ? statusCommand : present
  return [...restoration, ...changes, softDeletion({ deletion, inherited })]
}

/** Compensates: from the present state, which a cascade may have changed meanwhile, to the former one. */
const compensate = (entity: Entity | undefined, { to, deletion }: Command & { type: 'Compensate' }): CatalogEvent[] => {
  if (entity === undefined || entity.status === 'gone') return []
  if (to === undefined || to.status === 'gone') return [{ type: 'HardDeleted', data: { deletion } }]
  const restoration = restore(entity)
  const { set, unset } = membersDelta(updatableMembers(entity.members), updatableMembers(to.members))
  const changes: CatalogEvent[] = [
    ...lineageEvents(entity, upstreamIn(to.members)),
    // By differences: the whole list may be too long for one event.
    ...listsWithOwnEvents
      .flatMap((list) => listDifference(list, entity.members, to.members))
      .flatMap((command) => changeList(entity, command)),
    ...changedVoters(entity.members, to.members).flatMap((user) => vote(entity, user, voteOf(to.members, user))),
  ]
  if (Object.keys(set).length + unset.length > 0) changes.push({ type: 'Updated', data: { set, unset } })
  if (changes.length === 0 && hasSameStatus(entity, to)) return []
  if (to.status === 'live') return [...restoration, ...changes]
  return [...restoration, ...changes, softDeletion({ deletion: to.deletion ?? deletion, inherited: to.inherited })]
}

const hasSameStatus = (entity: Entity, to: Entity): boolean =>
  entity.status === to.status && entity.deletion === to.deletion && entity.inherited === to.inherited

/** Lists of references whose changes have events of their own. */
const listsWithOwnEvents = ['assets', 'inputPorts', 'outputPorts', 'followers'] as const

const voterLists = ['upVoters', 'downVoters'] as const

const membersWithOwnEvents: ReadonlySet<string> = new Set([...listsWithOwnEvents, ...voterLists])

const updatableMembers = (members: Members): Members =>
  Object.fromEntries(Object.entries(withoutEdges(members)).filter(([name]) => !membersWithOwnEvents.has(name)))

/** The users whose votes differ. */
const changedVoters = (from: Members, to: Members): Reference[] => {
  const changed = voterLists.flatMap((list) => {
    const [before, after] = [referencesIn(from, list), referencesIn(to, list)]
    return [...referencesNotIn(before, after), ...referencesNotIn(after, before)]
  })
  return [...new Map(changed.map((user) => [incarnationKey(user), user])).values()]
}

/** States the edges of a source if they differ from the present ones; restores a deleted lineage first. */
const stateLineage = (
  entity: Entity | undefined,
  { location, asset, source, edges }: Command & { type: 'StateLineage' },
  context: DecisionContext,
): CatalogEvent[] => {
  const standing = standingUpstream(entity)
  const wanted = { ...standing, [source]: [...edges] }
  if (entity?.status === 'deleted') return restore(entity, {}, wanted)
  const isNew = entity === undefined || entity.status === 'gone'
  const begun = isNew ? [creation(location, { [assetMember]: asset }, context)] : []
  return [...begun, ...statements(asset, standing, wanted)]
}

const assetMember = 'entity'

const lineageEvents = ({ members }: Entity, upstream: Upstream, standing?: Upstream): CatalogEvent[] =>
  statements(members[assetMember] as Reference, upstreamIn(members), upstream, standing)

const voteOf = (members: Members, user: Reference): Vote => {
  const has = (name: string) =>
    referencesIn(members, name).some((voter) => incarnationKey(voter) === incarnationKey(user))
  return has('upVoters') ? 'votedUp' : has('downVoters') ? 'votedDown' : 'unVoted'
}

const vote = ({ members }: Entity, user: Reference, wanted: Vote): CatalogEvent[] =>
  voteOf(members, user) === wanted ? [] : [{ type: 'Voted', data: { user, vote: wanted } }]

const referencesNotIn = (some: readonly Reference[], others: readonly Reference[]): Reference[] => {
  const known = new Set(others.map(incarnationKey))
  return some.filter((reference) => !known.has(incarnationKey(reference)))
}

/** The commands that change a list to what it is in other members. */
export const listDifference = (list: ListCommand['list'], from: Members, to: Members): ListCommand[] => {
  const [before, after] = [referencesIn(from, list), referencesIn(to, list)]
  return [
    { type: 'Remove', list, references: referencesNotIn(before, after) },
    { type: 'Add', list, references: referencesNotIn(after, before) },
  ]
}

/** Adds missing references or removes present ones; no event when nothing changes. */
const changeList = (entity: Entity, command: ListCommand): CatalogEvent[] => {
  const { type, list, references } = command
  const present = new Set(referencesIn(entity.members, list).map(incarnationKey))
  const distinct = [...new Map(references.map((reference) => [incarnationKey(reference), reference])).values()]
  const effective = distinct.filter((reference) => present.has(incarnationKey(reference)) !== (type === 'Add'))
  // Each follower has an event.
  if (list === 'followers') return effective.map((user) => listEvent(command, [user]))
  return effective.length === 0 ? [] : [listEvent(command, effective)]
}
