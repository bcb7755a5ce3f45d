import { randomUUID } from 'node:crypto'
import { incarnationKey, isBehind, streamName, type RecordedEvent } from '../../events/events.ts'
import { enumerate } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { sameJson, type Json } from '../../shared/json.ts'
import { isRedacted } from '../../shared/secrets/sealed.ts'
import type { Context } from '../caller.ts'
import { listDifference, type ListCommand, type StatusCommand } from '../decide.ts'
import { conflict, DomainError, entityNotFound } from '../errors.ts'
import { referencesIn, type Entity } from '../evolve.ts'
import { upstreamIn, undoEdges, type Upstream } from '../statements.ts'
import type { Cause } from '../recording.ts'
import { validState } from '../unitOfWork/compensation.ts'
import { requestOn, type Plan, type Precondition, type Request } from '../unitOfWork/request.ts'
import { assetLists, revertingChanges, resolveChange, writtenDifference } from './change.ts'
import type { OthersWork } from './othersWork.ts'
import { remove, restore } from './remove.ts'

interface Transition {
  /** `undefined`: it did not exist. */
  readonly before: Entity | undefined
  readonly after: Entity | undefined
}

/** What events of a request changed about an entity: `before` is what there would be without them. */
export interface StateChange extends Transition {
  readonly definition: KindDefinition
  /** Why there is no such state: between these events, others have changed what they changed. */
  readonly refusal?: DomainError
}

export interface Effect extends StateChange {
  readonly id: string
  readonly present: Entity | undefined
  readonly changed: ReadonlySet<string>
  /** Whether it erased personal values. */
  readonly forgets?: boolean
}

/** How an undo changes an entity. A deletion or restore may include changes of members. */
export type UndoMode = 'change' | 'delete' | 'restore'

/** How to undo an effect, or why there is nothing to undo. */
type UndoDecision = { readonly undo: UndoMode } | { readonly nothing: string }

/** Members that events change without a new version. */
const records = ['results', 'runs', 'confirmed'] as const

type ListName = (typeof assetLists)[number]

/** Changed members whose former values were erased or are unreadable, so that they cannot be set back. */
export const lostMembers = ({ before, changed }: Pick<Effect, 'before' | 'changed'>): string[] =>
  [...changed].filter((name) => isRedacted(before?.members[name]))

const changedMembers = ({ definition, before, after }: StateChange): string[] =>
  before === undefined || before.status === 'gone' || after === undefined
    ? []
    : writtenDifference(definition, before, after, true)

/** Changed members that can be set back. */
const revertibleMembers = (change: StateChange): string[] =>
  changedMembers(change).filter((name) => !isRedacted(change.before?.members[name]))

const changedLists = ({ before, after }: StateChange): ListName[] =>
  before === undefined || before.status === 'gone'
    ? []
    : assetLists.filter((name) => !sameJson(before.members[name], after?.members[name]))

/** The edges with the changes undone; `undefined` if there are none. @throws DomainError `conflict` */
const undoneLineage = ({ before, after }: StateChange, present: Entity): Upstream | undefined => {
  const [was, is] = [upstreamIn(before?.members), upstreamIn(after?.members)]
  if (before === undefined || before.status === 'gone' || sameJson(was, is)) return undefined
  const undone = undoEdges(was, is, upstreamIn(present.members))
  if (undone === undefined)
    throw conflict(`Its lineage has been stated again since, last changed by ${present.updatedBy}.`)
  return undone
}

/** Whether the undo changes members, besides the status. */
export const changesMembers = (effect: Effect): boolean =>
  revertibleMembers(effect).length + changedLists(effect).length > 0 ||
  (effect.after !== undefined && undoneLineage({ ...effect }, effect.after) !== undefined)

/**
 * Decides how to undo an effect, by the difference of status and members before and after it.
 * @throws DomainError `conflict` if it was changed again since, or cannot be undone
 */
export const decideUndo = (effect: Effect): UndoDecision => {
  const { before, present } = effect
  if (effect.forgets === true) throw conflict('It was erased, which cannot be undone.')
  if (effect.refusal !== undefined) throw effect.refusal
  if (before === undefined && effect.after === undefined)
    return { nothing: 'The request both created and hard-deleted it.' }
  const after = stateAfter(effect)
  if (present === undefined || present.status === 'gone') {
    if (before === undefined) return { nothing: 'It has already been hard-deleted.' }
    throw conflict(`It has been hard-deleted since, by ${present?.updatedBy ?? 'somebody'}.`)
  }
  if (present.born !== after.born) throw conflict('It has been hard-deleted since, and a new entity has its name.')
  const [was, is] = [before?.status === 'live', after.status === 'live']
  // What it restored, and then deleted with its parent, must not come back with that.
  const isBegun = is || before === undefined || (after.inherited && before.deletion !== after.deletion)
  if (!was && isBegun) return undoCreation(effect, after, present)
  if (was && !is) return undoDeletion(effect, after, present)
  if (!changesMembers(effect)) return { nothing: whyNothing(effect, is) }
  if (is && present.status !== 'live') throw conflict(`It has been deleted since, by ${present.updatedBy}.`)
  if (!is) mustBeDeletedBy(after, present)
  return { undo: 'change' }
}

/** @throws DomainError `conflict` if a life of the entity ended with it */
const stateAfter = ({ before, after }: StateChange): Entity => {
  if (after === undefined || (before !== undefined && before.born !== after.born))
    throw conflict('It was hard-deleted, which cannot be undone.')
  return after
}

const whyNothing = (effect: Effect, isLive: boolean): string => {
  const lost = lostMembers(effect)
  if (lost.length > 0) return lostMessage(lost)
  return isLive
    ? 'It changed nothing, or only votes, follows and validation results, which are not undone.'
    : 'It was deleted before the request and still is.'
}

/** The message about members that cannot be set back. */
export const lostMessage = (lost: readonly string[]): string => `What ${enumerate(lost)} said before was erased.`

/** Why there is nothing to undo where what was created is deleted. */
export const alreadyDeleted = 'It has already been deleted.'

const undoCreation = (effect: Effect, after: Entity, present: Entity): UndoDecision => {
  if (present.status !== 'live') {
    if (changesMembers(effect) && present.deletion !== after.deletion)
      throw conflict(`It has been deleted since, by ${present.updatedBy}.`)
    // An inherited deletion ends with that of the parent.
    if (!present.inherited) return { nothing: alreadyDeleted }
  }
  mustBeUntouched(effect.before, after, present)
  return { undo: 'delete' }
}

/** @throws DomainError `conflict` if others have worked on what was created or restored */
const mustBeUntouched = (before: Entity | undefined, after: Entity, present: Entity): void => {
  const since = `since it was ${before === undefined ? 'created' : 'restored'}`
  const received = records.filter((name) => !sameJson(after.members[name], present.members[name]))
  if (received.length > 0) throw conflict(`It has been given ${received.join(', ')} ${since}.`)
  // An entity that was deleted and restored is unchanged.
  if (present.version !== after.version && !sameJson(after.members, present.members))
    throw conflict(`It has been changed ${since}, by ${present.updatedBy}.`)
}

const undoDeletion = (effect: Effect, after: Entity, present: Entity): UndoDecision => {
  if (present.status === 'live')
    return changesMembers(effect) ? { undo: 'change' } : { nothing: 'It has already been restored.' }
  mustBeDeletedBy(after, present)
  return { undo: 'restore' }
}

const mustBeDeletedBy = (after: Entity, present: Entity): void => {
  if (present.status === 'live') throw conflict(`It has been restored since, by ${present.updatedBy}.`)
  if (present.deletion !== after.deletion) throw conflict(`It has been deleted again since, by ${present.updatedBy}.`)
}

interface Undo {
  readonly effect: Effect
  /** `change`: only members. */
  readonly undo: UndoMode
  /** Kinds of descendants that the caller may not delete or restore. */
  readonly forbiddenKinds: readonly KindDefinition[]
  readonly others: OthersWork
}

/** Sets an entity back to its state before the effect, if its plan still holds. @throws DomainError `conflict` if not */
export const undo = (context: Context, wanted: Undo, cause: Cause, precondition?: Precondition): Request => {
  const { effect, undo: mode, others } = wanted
  const { definition, id } = effect
  const statusRequest = makeStatusRequest(context, wanted, cause)
  return {
    cause,
    target: { kind: definition.name, id },
    ids: [id],
    precondition,
    resolve: async (reads): Promise<Plan> => {
      const present = reads.own(id)
      if (present === undefined) throw entityNotFound()
      if ('nothing' in decideUndo({ ...effect, present }))
        return { definition, subject: present, before: present, command: { type: 'NoOp' } }
      if (mode !== 'change') await others.mustBeAbsent(present, reads)
      const statusPlan = await statusRequest?.resolve(reads)
      if (statusPlan !== undefined && !changesMembers(effect)) return statusPlan
      const old = { ...present, members: membersWithout(effect, present) }
      const changes = await revertingChanges(context, { definition, old, entity: present }, revertibleMembers(effect))
      const change = await resolveChange(context, { definition, before: present }, changes, reads)
      const { members, cleared } = change.command as Plan['command'] & { type: 'Change' }
      const command = {
        type: 'Revert',
        members,
        cleared,
        lists: changes.lists ?? [],
        statusCommand: statusPlan?.command as StatusCommand | undefined,
        upstream: changes.upstream,
      } as const
      return { ...change, ...statusPlan, command }
    },
  }
}

/** Takes back what the request of this cause wrote to an entity. @throws DomainError `conflict` if others work on it */
export const takeBack = (
  ports: Pick<Context, 'log' | 'verdicts'>,
  { definition, id, others }: Pick<Effect, 'definition' | 'id'> & Pick<Undo, 'others'>,
  cause: Cause,
): Request =>
  requestOn({ definition, id, cause, accepts: () => true }, async (before, reads) => {
    const isOwn = ({ metadata, position }: RecordedEvent): boolean =>
      metadata.correlationId === cause.correlationId && isBehind(others.since, position)
    const to = await validState(ports, streamName(definition.name, id), isOwn)
    if (before.status === 'live' && to?.status !== 'live') await others.mustBeAbsent(before, reads)
    return { command: { type: 'Compensate', to, deletion: randomUUID() }, isConsequence: true }
  })

/** The request that changes the status alone. */
const makeStatusRequest = (context: Context, { effect, undo: mode, forbiddenKinds }: Undo, cause: Cause) => {
  const { definition, id } = effect
  const removal = { definition, id, hard: false, recursive: true, inherited: true, forbiddenKinds } as const
  if (mode === 'delete') return remove(context, removal, cause)
  if (mode === 'restore') return restore(context, { definition, id, forbiddenKinds }, cause)
  return undefined
}

/** The members of a later state without what was changed. @throws DomainError `conflict` if others changed it again */
const membersWithout = (change: StateChange, later: Entity): Entity['members'] => {
  const { before, after } = change
  const changedSince = revertibleMembers(change).filter(
    (name) =>
      !sameJson(later.members[name], after?.members[name]) && !sameJson(later.members[name], before?.members[name]),
  )
  if (changedSince.length > 0)
    throw conflict(`Changed again since: ${changedSince.join(', ')}. The last change is by ${later.updatedBy}.`)
  const upstream = undoneLineage(change, later) as Json | undefined
  const members: Entity['members'] = { ...later.members, ...(upstream && { upstream }) }
  const former = [
    ...changedMembers(change).map((name) => [name, before?.members[name]] as const),
    ...changedLists(change).map((name) => [name, listWithout(change, later, name)] as const),
  ]
  for (const [name, value] of former) {
    if (value === undefined) delete members[name]
    else members[name] = value
  }
  return members
}

/** A later list without what was added, and with what was removed; `undefined` if it is empty. */
const listWithout = (change: StateChange, { members }: Entity, name: ListName): Json | undefined => {
  const present = new Map(referencesIn(members, name).map((reference) => [incarnationKey(reference), reference]))
  for (const { type, references } of undoList(change, name))
    for (const reference of references) {
      if (type === 'Add') present.set(incarnationKey(reference), reference)
      else present.delete(incarnationKey(reference))
    }
  return present.size === 0 ? undefined : [...present.values()]
}

/** A later state without what was changed; `undefined` if it would not exist. @throws DomainError `conflict` */
const stateWithout = (change: StateChange, later: Entity | undefined): Entity | undefined => {
  const { before } = change
  if (later === undefined || (before === undefined && change.after === undefined)) return later
  const after = stateAfter(change)
  if (later.born !== after.born) return later
  const isBegun = before?.status !== 'live' && after.status === 'live'
  if (before === undefined || isBegun) mustBeUntouched(before, after, later)
  if (before === undefined) return undefined
  const { status } = before.status === after.status ? later : before
  return { ...later, status, members: membersWithout(change, later) }
}

/** What a request changed, with its next events. What others changed in between is not part of it. */
export const joined = (earlier: StateChange, later: Transition): StateChange => {
  const { definition, refusal } = earlier
  if (refusal !== undefined) return { ...later, definition, refusal }
  try {
    return { ...later, definition, before: stateWithout(earlier, later.before) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...later, definition, refusal: error }
  }
}

/** Removes what the effect added to a list, and adds what it removed. */
const undoList = ({ before, after }: StateChange, name: ListName): ListCommand[] =>
  listDifference(name, after?.members ?? {}, before?.members ?? {})
