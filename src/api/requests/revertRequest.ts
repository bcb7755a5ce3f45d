import type { Context } from '../../commands/caller.ts'
import { conflict, DomainError } from '../../commands/errors.ts'
import { chunkSize, executeEach } from '../../commands/requests/execute.ts'
import { pathsToGone } from '../../commands/requests/change.ts'
import type { Entity } from '../../commands/evolve.ts'
import { enumerate } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { childKinds } from '../../kinds/registry/kinds.ts'
import { Readable } from 'node:stream'
import type { Cause } from '../../commands/recording.ts'
import {
  alreadyDeleted,
  changesMembers,
  undo,
  decideUndo,
  lostMembers,
  lostMessage,
  type Effect,
  type UndoMode,
} from '../../commands/requests/undo.ts'
import type { Request } from '../../commands/unitOfWork/request.ts'
import { chunksOf, mapInChunks } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Json } from '../../shared/json.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { makeAccess } from '../access.ts'
import { approverMembers } from '../entities/changePolicies.ts'
import { mustOwn } from '../entities/reads/addressed.ts'
import { causeOf, contextOf, forbiddenBelow } from '../entities/writeRequest.ts'
import { HttpError, problemOf } from '../http/problemDetails.ts'
import { readFlag } from '../http/queryParameters.ts'
import type { Answer } from '../http/route.ts'
import { activitiesOf, approversOf, effectsAtOnce, readEffects, type EntityActivity } from './effects.ts'

/** An effect to be reverted, without the states of its entity: they may be too many for memory. */
interface Step {
  readonly activity: EntityActivity
  readonly definition: KindDefinition
  readonly name: string
  readonly parentId: string | undefined
  readonly present: Pick<Entity, 'version' | 'status' | 'deletion' | 'inherited'> | undefined
  readonly changesMembers: boolean
  undo: UndoMode | 'none'
  /** Changed members that stay as they are, since their former values are lost. */
  readonly lost: readonly string[]
  /** Where references are left out, since they are to what has been hard-deleted. */
  readonly gone: readonly string[]
  /** Why there is nothing to do. */
  nothing?: string
  parent?: Step | undefined
  /** Whether the deletion or restore of the parent includes this one, unless the parent stays as it is. */
  isWithParent?: boolean
  /** Whether only owners may undo it. */
  isForOwners?: boolean
  /** Members whose users may undo it too, since it was done by approving. */
  approvers?: readonly string[] | undefined
  error?: unknown
  version?: number
  /** Absent until it was tried. */
  changed?: boolean | undefined
}

/** The step that includes this one. */
const includingStep = ({ isWithParent, parent }: Step): Step | undefined =>
  isWithParent === true && parent?.error === undefined ? parent : undefined

/** Reverts a request, or previews that. */
export const revertRequest = async (request: CatalogRequest): Promise<Answer> => {
  const correlationId = request.params['correlationId'] as string
  const dryRun = readFlag(request.query, 'dryRun')
  const steps = await stepsOf(request, await activitiesOf(request, correlationId))
  const cause = { ...causeOf(request), causationId: correlationId }
  const runSteps = (to: Context, settle?: () => void) =>
    revertSteps(to, steps, () => batchesOf(request, to, steps, cause), settle)
  await runSteps(contextOf(request, true), () => keepAncestors(steps))
  const failed = steps.filter(({ error }) => error !== undefined)
  if (failed.length > 0 && !dryRun && !readFlag(request.query, 'skipConflicts')) throw refusal(correlationId, failed)
  if (dryRun || failed.length === steps.length) return answer({ correlationId, dryRun }, steps, undefined)
  for (const step of steps) delete step.changed
  return answer({ correlationId, dryRun }, steps, await runSteps(contextOf(request)))
}

const refusal = (correlationId: string, failed: readonly Step[]): DomainError => {
  const problems = failed.map((step) => ({ step, problem: problemOf(step.error).problem }))
  const isForbidden = problems.every(({ problem }) => problem.code === 'FORBIDDEN')
  return new DomainError(
    isForbidden ? 'forbidden' : 'conflict',
    `Nothing of request ${correlationId} was undone: ${failed.length} of what it did cannot be. ` +
      'A dry run shows all of them, and skipping conflicts (skipConflicts, --skip-conflicts) leaves them out.',
    problems.map(({ step, problem: { message } }) => ({ path: '', message: `${titleOf(step)}: ${message}` })),
  )
}

const titleOf = ({ definition, name }: Step): string => `${definition.name} ${name}`

const stepOf = (activity: EntityActivity, effect: Effect, gone: readonly string[]): Step => {
  const { before, after, present } = effect
  const { fullyQualifiedName: name = '', parent: parentId } = present ?? after ?? before ?? {}
  const about = {
    activity,
    definition: effect.definition,
    name,
    parentId,
    present: present && picked(present),
    lost: lostMembers(effect),
    gone,
  }
  try {
    const verdict = decideUndo(effect)
    return { ...about, undo: 'none', ...verdict, changesMembers: changesMembers(effect) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ...about, undo: 'none', error, changesMembers: false }
  }
}

const picked = ({ version, status, deletion, inherited }: Entity): Step['present'] => ({
  version,
  status,
  deletion,
  inherited,
})

/** The steps, each after what it stands in. */
const stepsOf = async (request: CatalogRequest, activities: readonly EntityActivity[]): Promise<Step[]> => {
  const activityById = new Map(activities.map((activity) => [activity.id, activity]))
  const steps = new Map<string, Step>()
  const toStep = async (effect: Effect): Promise<Step> => {
    const { id, definition, before, after } = effect
    const gone = await pathsToGone(request.api.commands, definition, before, after)
    return stepOf(activityById.get(id) as EntityActivity, effect, gone)
  }
  for await (const effects of readEffects(request, activities))
    for (const step of await mapInChunks(effects, effectsAtOnce, toStep)) steps.set(step.activity.id, step)
  const all = [...steps.values()].toSorted((a, b) => a.name.length - b.name.length)
  for (const step of all) {
    const parent = steps.get(step.parentId ?? '')
    step.parent = parent
    // Its deletion may stay inherited from what stays deleted.
    if (step.undo === 'delete' && parent?.nothing === alreadyDeleted) {
      step.undo = 'none'
      step.nothing = alreadyDeleted
    }
    step.isWithParent =
      step.undo === parent?.undo && (step.undo === 'delete' || (step.undo === 'restore' && isOneDeletion(step, parent)))
  }
  await checkPermissions(request, all)
  await checkChildren(request.api, steps)
  keepAncestors(all)
  return all
}

const isOneDeletion = (one: Step, other: Step): boolean => one.present?.deletion === other.present?.deletion

const operations = { change: 'edit', delete: 'delete', restore: 'restore' } as const

/** Checks the permissions of each single write: a deletion or restore that also changes members needs `edit`, too. */
const checkPermissions = async (request: CatalogRequest, steps: readonly Step[]): Promise<void> => {
  const { api, access } = request
  for (const step of steps) {
    if (step.undo === 'none') continue
    const { name } = step.definition
    for (const operation of new Set([operations[step.undo], ...(step.changesMembers ? (['edit'] as const) : [])])) {
      const permission = access.may(operation, name)
      if (permission === 'ifOwner') step.isForOwners = true
      const row = permission === 'ifOwner' ? await api.readModels.get(step.activity.id) : undefined
      if (await access.holds(permission, row)) continue
      if (operation === 'edit' && (await isApprover(request, step))) continue
      step.error ??= new HttpError('FORBIDDEN', `Your roles do not allow ${operation} on ${name}.`)
    }
  }
}

/** Whether the caller may undo a step as an approver, which makes the step one for approvers. */
const isApprover = async (request: CatalogRequest, step: Step): Promise<boolean> => {
  const { api, access } = request
  const { activity, definition } = step
  const permission = access.may('approve', definition.name)
  const row = permission === 'ifOwner' ? await api.readModels.get(activity.id) : undefined
  if (!(await access.holds(permission, row, approverMembers))) return false
  step.isForOwners = permission === 'ifOwner'
  step.approvers = await approversOf(api, activity)
  return step.approvers !== undefined && (await access.holds(permission, row, step.approvers))
}

/** The children of these, but those with a deletion of their own. */
async function* childrenOf({ readModels }: Api, steps: readonly Step[], limit: number) {
  const yieldWhenDue = makeYielder()
  for (const [definition, some] of Map.groupBy(steps, (step) => step.definition))
    for (const { name: kind } of childKinds(definition.name))
      for (const chunk of chunksOf(some, chunkSize)) {
        const ids = chunk.map(({ activity }) => activity.id)
        for (const { of, row } of await readModels.childrenOf(ids, kind, limit))
          if (row.status === 'live') yield { parent: of, id: row.id, kind }
        await yieldWhenDue()
      }
  for (const { activity, present } of steps) {
    if (present?.inherited === true)
      yield* await readModels.headsBelow({ parents: [activity.id], status: 'deleted', inherited: true }, limit)
    await yieldWhenDue()
  }
}

/** An entity to delete must not have children that the request did not create. */
const checkChildren = async (api: Api, steps: ReadonlyMap<string, Step>): Promise<void> => {
  const deleted = [...steps.values()].filter(({ undo }) => undo === 'delete')
  for await (const { parent = '', id, kind } of childrenOf(api, deleted, steps.size + 1)) {
    const own = steps.get(id)
    if (own?.undo === 'delete' || own?.error !== undefined) continue
    const step = steps.get(parent) as Step
    const [created = 0n] = step.activity.positions
    // Lineage may have been stated before its asset was created.
    if (((await api.readModels.get(id))?.position ?? created) < created) continue
    step.error ??= conflict(`Since then it has been given children of kind ${kind}.`)
  }
}

/** What stays keeps everything that it stands in. */
const keepAncestors = (steps: readonly Step[]): void => {
  for (const step of steps.toReversed()) {
    const { error, present, parent } = step
    const isAsAlive = present?.status === 'live' || present?.inherited === true
    if (error !== undefined && isAsAlive && parent?.undo === 'delete')
      parent.error ??= conflict(`It is kept because ${titleOf(step)} below it is kept.`)
  }
}

type StepRequest = Request & { readonly step: Step }

/**
 * Batches of requests: first deletions of created entities that would be restored with others, then restores, since
 * others may refer to them, then changes, then the other deletions of created entities. Entities included in another's
 * restore or deletion only have their members changed.
 */
async function* batchesOf(
  request: CatalogRequest,
  context: Context,
  steps: readonly Step[],
  cause: Cause & { readonly causationId: string },
): AsyncGenerator<readonly StepRequest[]> {
  const todo: { step: Step; undo: UndoMode }[] = []
  for (const step of steps) {
    if (step.undo === 'none' || step.error !== undefined || step.changed !== undefined) continue
    if (includingStep(step) === undefined) todo.push({ step, undo: step.undo })
    else if (step.changesMembers) todo.push({ step, undo: 'change' })
  }
  const asked = { ...request, access: makeAccess(request.api, request.actor) }
  const made = ({ step, undo: mode }: (typeof todo)[number], effect: Effect): StepRequest => {
    const forbiddenKinds = mode === 'change' ? [] : forbiddenBelow(request, mode, effect.definition.name)
    // Changes name the reverted request, so that former values get their former authors back.
    const { causationId, ...rest } = cause
    const own = { ...rest, ...(mode === 'change' && { causationId }) }
    const precondition = async (entity: Entity | undefined): Promise<void> => {
      if (step.isForOwners && entity !== undefined) await mustOwn(asked, entity, 'ifOwner', step.approvers)
      if (mode !== 'change') mustBeUnchanged(step, entity)
    }
    return { ...undo(context, { effect, undo: mode, forbiddenKinds }, own, precondition), step }
  }
  const some = (mode: UndoMode) => todo.filter((each) => each.undo === mode)
  const levels = [...Map.groupBy(some('restore'), ({ step }) => step.name.length).values()]
  const { deleted = [], live = [] } = Object.groupBy(some('delete'), ({ step }) => step.present?.status ?? 'live')
  for (const level of [deleted, ...levels, some('change'), live]) {
    const byId = new Map(level.map((each) => [each.step.activity.id, each]))
    const activities = level.map(({ step }) => step.activity)
    for await (const effects of readEffects(request, activities))
      yield effects.map((effect) => made(byId.get(effect.id) as (typeof todo)[number], effect))
  }
}

/** The entity must not have changed since the revert was decided. */
const mustBeUnchanged = ({ present }: Step, entity: Entity | undefined): void => {
  if (entity === undefined || entity.version === present?.version) return
  throw conflict(`It has just been changed, by ${entity.updatedBy}.`)
}

/**
 * Undoes what has no error. What an ancestor that turns out to stay would have included is then taken by itself.
 * @param settle draws the conclusions from errors
 * @returns the position at which reads show everything
 */
const revertSteps = async (
  context: Context,
  steps: readonly Step[],
  make: () => AsyncIterable<readonly StepRequest[]>,
  settle?: () => void,
): Promise<bigint | undefined> => {
  let position: bigint | undefined
  for (;;) {
    let isDone = true
    const reached = await executeEach(context, make(), ({ request: { step }, ...outcome }) => {
      isDone = false
      if ('error' in outcome) step.error ??= outcome.error
      else {
        step.changed = outcome.result.changed
        step.version = outcome.result.entity.version
      }
    })
    if (isDone) break
    position = reached ?? position
    settle?.()
  }
  for (const step of steps) step.changed = (includingStep(step) ?? step).changed
  return position
}

const answer = (
  about: { readonly correlationId: string; readonly dryRun: boolean },
  steps: readonly Step[],
  position: bigint | undefined,
): Answer => {
  const failed = steps.filter(({ error }) => error !== undefined).length
  const status = failed === 0 ? 'success' : failed === steps.length ? 'failure' : 'partialSuccess'
  const texts = function* (): Generator<string> {
    let separator = `${JSON.stringify({ ...about, status }).slice(0, -1)},"data":[`
    for (const some of chunksOf(steps, chunkSize)) {
      yield separator + some.map((step) => JSON.stringify(shown(step))).join(',')
      separator = ','
    }
    yield ']}'
  }
  const headers = position === undefined ? {} : { 'Catalog-Position': String(position) }
  return { status: 200, headers, body: Readable.from(texts()) }
}

const goneMessage = (gone: readonly string[]): string =>
  `What ${enumerate(gone)} referred to has been hard-deleted since, and is left out.`

const shown = (step: Step): Json => {
  const { activity, definition, name, undo, error, version, lost, gone, nothing, changed } = step
  const entity = { id: activity.id, type: definition.name, fullyQualifiedName: name }
  const about = { entity, undo, changed: [...activity.changed] }
  if (error !== undefined) {
    const { code, message } = problemOf(error).problem
    return { ...about, outcome: code === 'CONFLICT' ? 'conflict' : 'refused', code, message }
  }
  const root = includingStep(step)
  const left = [...(lost.length > 0 ? [lostMessage(lost)] : []), ...(gone.length > 0 ? [goneMessage(gone)] : [])]
  const own = nothing ?? (left.length > 0 ? left.join(' ') : undefined)
  const message = root === undefined ? own : `With ${titleOf(root)}.`
  return {
    ...about,
    ...(changed && { changed: about.changed.filter((name) => !lost.includes(name)) }),
    outcome: changed ? 'reverted' : 'unchanged',
    ...(version !== undefined && { version: version / 10 }),
    ...(message !== undefined && { message }),
  }
}
