import type { Context } from '../../commands/caller.ts'
import { conflict, DomainError, forbidden } from '../../commands/errors.ts'
import { watchOthers, type OthersWork } from '../../commands/requests/othersWork.ts'
import { chunkSize, executeAll, executeEach } from '../../commands/requests/execute.ts'
import { pathsToGone } from '../../commands/requests/change.ts'
import type { Entity } from '../../commands/evolve.ts'
import { enumerate } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { childKinds } from '../../kinds/registry/kinds.ts'
import { Readable } from 'node:stream'
import {
  alreadyDeleted,
  changesMembers,
  undo,
  takeBack,
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
  readonly present: Pick<Entity, 'status' | 'deletion' | 'inherited'> | undefined
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
  /** Whether it is written, unless others are to be skipped. */
  isWritten?: boolean
  /** Absent until it was tried. */
  changed?: boolean | undefined
}

/** The step that includes this one. */
const includingStep = ({ isWithParent, parent }: Step): Step | undefined =>
  isWithParent === true && parent?.error === undefined ? parent : undefined

/** The step that restores what this one stands in. */
const restoringStep = ({ parent }: Step): Step | undefined =>
  parent?.undo === 'restore' && parent.error === undefined ? parent : undefined

/** Reverts a request, or previews that. Unless conflicts are to be skipped, it is undone as a whole or not at all. */
export const revertRequest = async (request: CatalogRequest): Promise<Answer> => {
  const correlationId = request.params['correlationId'] as string
  const dryRun = readFlag(request.query, 'dryRun')
  const isWhole = !dryRun && !readFlag(request.query, 'skipConflicts')
  const others = watchOthers(request.api.commands, request.correlationId)
  const steps = await stepsOf(request, await activitiesOf(request, correlationId))
  const preview = { request, steps, others, context: contextOf(request, true), isPreview: true, isWhole: false }
  await revertSteps(preview)
  await reopenChanged(steps, others)
  await revertSteps(preview)
  const failed = failedOf(steps)
  if (failed.length > 0 && isWhole) throw refusal(correlationId, failed)
  if (dryRun || failed.length === steps.length) return answer(request, { correlationId, dryRun }, steps)
  for (const step of steps) delete step.changed
  const position = await revertSteps({ ...preview, context: contextOf(request), isPreview: false, isWhole })
  if (!isWhole || failedOf(steps).length === 0) return answer(request, { correlationId, dryRun }, steps, position)
  await takeBackSteps(preview)
  throw refusal(correlationId, failedOf(steps))
}

const failedOf = (steps: readonly Step[]): Step[] => steps.filter(({ error }) => error !== undefined)

/** Lets the preview be made again of what others have changed since it was planned. */
const reopenChanged = async (steps: readonly Step[], others: OthersWork): Promise<void> => {
  const changed = new Set((await others.all()).flatMap(({ id, parent }) => [id, parent]))
  for (const step of steps)
    for (let at = changed.has(step.activity.id) ? step : undefined; at !== undefined; at = includingStep(at))
      delete at.changed
}

/** Takes back what was written of these, the last first. What others have worked on since stays, as an error. */
const takeBackSteps = async ({ request, steps, others }: Pass): Promise<void> => {
  const context = { ...contextOf(request), mayChange: undefined }
  // Authors of values come back as where this request is undone.
  const cause = { ...causeOf(request), causationId: request.correlationId }
  const written = steps.filter(({ isWritten }) => isWritten).toReversed()
  const requests = written.map((step) => {
    const { definition, activity } = step
    return { ...takeBack(context, { definition, id: activity.id, others }, cause), step }
  })
  for (const one of (await executeAll(context, requests)).summaries)
    if ('error' in one) one.request.step.error = one.error
}

/** @throws what is no refusal, such as that a store cannot be reached */
const refusal = (correlationId: string, failed: readonly Step[]): DomainError => {
  for (const { error } of failed) if (!(error instanceof DomainError || error instanceof HttpError)) throw error
  const problems = failed.map((step) => ({ step, problem: problemOf(step.error).problem }))
  const isForbidden = problems.every(({ problem }) => problem.code === 'FORBIDDEN')
  const isKept = failed.some(({ isWritten }) => isWritten)
  return new DomainError(
    isForbidden ? 'forbidden' : 'conflict',
    `${isKept ? 'Nothing but what others work on since then' : 'Nothing'} of request ${correlationId} was undone: ` +
      `${failed.length} of what it did cannot be. ` +
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

const picked = ({ status, deletion, inherited }: Entity): Step['present'] => ({ status, deletion, inherited })

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
  for (const step of all.toReversed()) if (step.error !== undefined) fail(step, step.error)
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
      step.error ??= forbidden(`Your roles do not allow ${operation} on ${name}.`)
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

/** Notes an error. What stays keeps everything that it stands in. */
const fail = (step: Step, error: unknown): void => {
  step.error ??= error
  const { present, parent } = step
  const isAsAlive = present?.status === 'live' || present?.inherited === true
  if (isAsAlive && parent?.undo === 'delete' && parent.error === undefined)
    fail(parent, conflict(`It is kept because ${titleOf(step)} below it is kept.`))
}

type StepRequest = Request & { readonly step: Step }

interface Pass {
  readonly request: CatalogRequest
  readonly steps: readonly Step[]
  readonly others: OthersWork
  readonly context: Context
  readonly isPreview: boolean
  /** Whether it ends with the first error. */
  readonly isWhole: boolean
}

/**
 * Batches of requests: first deletions of created entities that would be restored with others, then restores, since
 * others may refer to them, then changes, then the other deletions of created entities. Entities included in another's
 * restore or deletion only have their members changed.
 */
async function* batchesOf(pass: Pass): AsyncGenerator<readonly StepRequest[]> {
  const { request, steps, others, context, isPreview, isWhole } = pass
  // Names the reverted request, so that former values get their former authors back.
  const cause = { ...causeOf(request), causationId: request.params['correlationId'] as string }
  const todo = new Map<string, { step: Step; undo: UndoMode }>()
  for (const step of steps) {
    if (step.undo === 'none' || step.error !== undefined || step.changed !== undefined) continue
    if (includingStep(step) === undefined) todo.set(step.activity.id, { step, undo: step.undo })
    else if (step.changesMembers) todo.set(step.activity.id, { step, undo: 'change' })
  }
  const asked = { ...request, access: makeAccess(request.api, request.actor) }
  const made = (effect: Effect): StepRequest[] => {
    const { step, undo: mode } = todo.get(effect.id) as { step: Step; undo: UndoMode }
    // An error keeps what it stands in, and what that would have included is taken by itself.
    if (step.error !== undefined || (mode !== step.undo && includingStep(step) === undefined)) return []
    // What a preview restores is not there yet for what it restores below.
    if (isPreview && mode === 'restore' && restoringStep(step) !== undefined) {
      step.changed = true
      return []
    }
    const forbiddenKinds = mode === 'change' ? [] : forbiddenBelow(request, mode, effect.definition.name)
    const precondition = async (entity: Entity | undefined): Promise<void> => {
      if (step.isForOwners && entity !== undefined) await mustOwn(asked, entity, 'ifOwner', step.approvers)
    }
    return [{ ...undo(context, { effect, undo: mode, forbiddenKinds, others }, cause, precondition), step }]
  }
  const some = (mode: UndoMode) => [...todo.values()].flatMap(({ step, undo: own }) => (own === mode ? [step] : []))
  const levels = [...Map.groupBy(some('restore'), ({ name }) => name.length).values()]
  const { deleted = [], live = [] } = Object.groupBy(some('delete'), ({ present }) => present?.status ?? 'live')
  for (const level of [deleted, ...levels, some('change'), live]) {
    const activities = level.map(({ activity }) => activity)
    for await (const effects of readEffects(request, activities)) {
      if (isWhole && failedOf(steps).length > 0) return
      yield effects.flatMap(made)
    }
  }
}

/**
 * Undoes what has no error. What an ancestor that turns out to stay would have included is then taken by itself.
 * @returns the position at which reads show everything
 */
const revertSteps = async (pass: Pass): Promise<bigint | undefined> => {
  const { context, steps, isWhole } = pass
  let position: bigint | undefined
  for (let isDone = false; !isDone;) {
    isDone = true
    const reached = await executeEach(context, batchesOf(pass), ({ request: { step }, ...outcome }) => {
      isDone = false
      if ('error' in outcome) return fail(step, outcome.error)
      step.changed = outcome.result.changed
      step.version = outcome.result.entity.version
      step.isWritten ||= isWhole && step.changed
    })
    position = reached ?? position
  }
  for (const step of steps) step.changed = (includingStep(step) ?? step).changed
  return position
}

const answer = (
  { problemOf: problemIn }: CatalogRequest,
  about: { readonly correlationId: string; readonly dryRun: boolean },
  steps: readonly Step[],
  position?: bigint,
): Answer => {
  const failed = steps.filter(({ error }) => error !== undefined).length
  const status = failed === 0 ? 'success' : failed === steps.length ? 'failure' : 'partialSuccess'
  const texts = function* (): Generator<string> {
    let separator = `${JSON.stringify({ ...about, status }).slice(0, -1)},"data":[`
    for (const some of chunksOf(steps, chunkSize)) {
      yield separator + some.map((step) => JSON.stringify(shown(step, problemIn))).join(',')
      separator = ','
    }
    yield ']}'
  }
  return { status: 200, position, body: Readable.from(texts()) }
}

const goneMessage = (gone: readonly string[]): string =>
  `What ${enumerate(gone)} referred to has been hard-deleted since, and is left out.`

const shown = (step: Step, problemIn: CatalogRequest['problemOf']): Json => {
  const { activity, definition, name, undo, error, version, lost, gone, nothing, changed } = step
  const entity = { id: activity.id, type: definition.name, fullyQualifiedName: name }
  const about = { entity, undo, changed: [...activity.changed] }
  if (error !== undefined) {
    const { code, message } = problemIn(error)
    const by = restoringStep(step)
    const back = by !== undefined && isOneDeletion(step, by) ? ` It comes back with ${titleOf(by)}.` : ''
    return { ...about, outcome: code === 'CONFLICT' ? 'conflict' : 'refused', code, message: message + back }
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
