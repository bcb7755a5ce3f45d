import type { Context } from '../../commands/caller.ts'
import { DomainError } from '../../commands/errors.ts'
import { chunkSize, executeAll, type Summary } from '../../commands/requests/execute.ts'
import type { Cause } from '../../commands/recording.ts'
import { changesMembers, undo, verdictOn, type Effect, type UndoMode } from '../../commands/requests/undo.ts'
import type { Request } from '../../commands/unitOfWork/request.ts'
import { chunksOf, mapInChunks } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Json } from '../../shared/json.ts'
import type { Api, CatalogRequest } from '../deps.ts'
import { childKindsOf } from '../entities/changeRoutes.ts'
import { isAllowed } from '../entities/reads/callerReads.ts'
import { causeOf, contextOf, forbiddenBelow } from '../entities/writeRequest.ts'
import { HttpError, problemOf } from '../http/problemDetails.ts'
import { jsonAnswer, type Answer } from '../http/route.ts'
import { effectsOf } from './effects.ts'

interface Reverting {
  readonly correlationId: string
  readonly dryRun: boolean
  readonly skipConflicts: boolean
}

/** An effect to be reverted. */
interface Step {
  readonly effect: Effect
  undo: UndoMode | 'none'
  /** The ancestor whose deletion or restore includes this one. */
  readonly with: Step | undefined
  /** Why there is nothing to do. */
  nothing?: string
  error?: unknown
  version?: number
  changed?: boolean
}

/** Reverts a request, or previews that. */
export const revertRequest = async (request: CatalogRequest, reverting: Reverting): Promise<Answer> => {
  const { correlationId, dryRun, skipConflicts } = reverting
  const effects = await effectsOf(request, correlationId)
  const context = contextOf(request)
  const steps = await stepsOf(request, effects)
  const cause = { ...causeOf(request), causationId: correlationId }
  const make = (to: Context) => batchesOf(request, to, steps, cause)
  const tried = contextOf(request, true)
  await run(tried, await make(tried))
  follow(steps)
  const failed = steps.filter(({ error }) => error !== undefined)
  if (dryRun) return answer(reverting, steps, undefined)
  if (failed.length > 0 && !skipConflicts) throw refusal(correlationId, failed)
  if (failed.length === steps.length) return answer(reverting, steps, undefined)
  for (const step of steps) step.changed = false
  const position = await run(context, await make(context))
  follow(steps)
  return answer(reverting, steps, position)
}

const refusal = (correlationId: string, failed: readonly Step[]): HttpError => {
  const problems = failed.map(({ effect, error }) => ({ effect, problem: problemOf(error).problem }))
  const isForbidden = problems.every(({ problem }) => problem.code === 'FORBIDDEN')
  return new HttpError(
    isForbidden ? 'FORBIDDEN' : 'CONFLICT',
    `Nothing of request ${correlationId} was taken back: ${failed.length} of what it did cannot be. ` +
      'Add ?dryRun=true to see all, ?skipConflicts=true to leave those out.',
    {
      problems: problems.map(({ effect, problem: { message } }) => ({
        path: '',
        message: `${effect.definition.name} ${nameOf(effect)}: ${message}`,
      })),
    },
  )
}

const nameOf = ({ present, after, before }: Effect): string => (present ?? after ?? before)?.fullyQualifiedName ?? ''

const parentOf = ({ present, after, before }: Effect): string | undefined => (present ?? after ?? before)?.parent

const stepsOf = async (request: CatalogRequest, effects: readonly Effect[]): Promise<Step[]> => {
  const steps = new Map<string, Step>()
  const yieldWhenDue = makeYielder()
  for (const effect of effects.toSorted((a, b) => nameOf(a).length - nameOf(b).length)) {
    let [mode, nothing, error]: [UndoMode | 'none', string?, unknown?] = ['none']
    try {
      const verdict = verdictOn(effect)
      if ('undo' in verdict) mode = verdict.undo
      else nothing = verdict.nothing
    } catch (thrown) {
      if (!(thrown instanceof DomainError)) throw thrown
      error = thrown
    }
    const parent = steps.get(parentOf(effect) ?? '')
    const isTaken =
      parent?.undo === mode && (mode === 'delete' || (mode === 'restore' && isOneDeletion(effect, parent.effect)))
    const rest = { ...(nothing !== undefined && { nothing }), ...(error !== undefined && { error }) }
    steps.set(effect.id, { effect, undo: mode, with: isTaken ? parent : undefined, ...rest })
    await yieldWhenDue()
  }
  const all = [...steps.values()]
  await mayUndo(request, all)
  await mustStandAlone(request.api, steps)
  return all
}

const isOneDeletion = (one: Effect, other: Effect): boolean => one.present?.deletion === other.present?.deletion

const operations = { change: 'edit', delete: 'delete', restore: 'restore' } as const

/** Checks the permission of each single write. */
const mayUndo = async (request: CatalogRequest, steps: readonly Step[]): Promise<void> => {
  const { api } = request
  for (const step of steps) {
    if (step.undo === 'none') continue
    const { name } = step.effect.definition
    const operation = operations[step.undo]
    const permission = api.permits(request.actor, operation, name)
    const row = permission === 'ifOwner' ? await api.readModels.get(step.effect.id) : undefined
    if (await isAllowed(request, permission, row)) continue
    step.error ??= new HttpError('FORBIDDEN', `Your roles do not allow ${operation} on ${name}.`)
  }
}

/** An entity to delete must not have descendants that the request did not create. */
const mustStandAlone = async (api: Api, steps: ReadonlyMap<string, Step>): Promise<void> => {
  const deleted = [...steps.values()].filter(({ undo }) => undo === 'delete')
  const byKind = Map.groupBy(deleted, ({ effect }) => effect.definition)
  const yieldWhenDue = makeYielder()
  for (const [definition, some] of byKind)
    for (const kind of childKindsOf(definition))
      for (const chunk of chunksOf(some, chunkSize)) {
        const ids = chunk.map(({ effect }) => effect.id)
        for (const { of, row } of await api.readModels.childrenOf(ids, kind.name, steps.size + 1)) {
          if (row.status !== 'live' || steps.get(row.id)?.undo === 'delete') continue
          const step = steps.get(of) as Step
          step.error ??= new DomainError('conflict', `It has got children since, of kind ${kind.name}.`)
        }
        await yieldWhenDue()
      }
  for (const step of deleted.toReversed()) if (step.error !== undefined && step.with) step.with.error ??= step.error
}

interface Made {
  readonly step: Step
  readonly request: Request
}

/**
 * Batches of requests: restores first, since others may refer to them, then changes, then deletions of created
 * entities. Entities included in another's restore or deletion only have their members changed.
 */
const batchesOf = async (
  request: CatalogRequest,
  context: Context,
  steps: readonly Step[],
  cause: Cause & { readonly causationId: string },
): Promise<Made[][]> => {
  const todo: { step: Step; undo: UndoMode }[] = []
  const yieldWhenDue = makeYielder()
  for (const step of steps) {
    if (step.undo === 'none' || step.error !== undefined) continue
    if (step.with === undefined) todo.push({ step, undo: step.undo })
    else if (changesMembers(step.effect)) todo.push({ step, undo: 'change' })
    await yieldWhenDue()
  }
  const made = ({ step, undo: mode }: (typeof todo)[number]): Made => {
    const { definition, id } = step.effect
    const forbidden = mode === 'change' ? [] : forbiddenBelow(request, mode, definition.name)
    // Changes name the reverted request, so that former values get their former authors back.
    const { causationId, ...rest } = cause
    const own = { ...rest, ...(mode === 'change' && { causationId }), commandId: `${cause.commandId}:${id}` }
    const precondition = mode === 'change' ? undefined : mustBe(step)
    return { step, request: undo(context, { effect: step.effect, undo: mode, forbidden }, own, precondition) }
  }
  const some = (mode: UndoMode) => todo.filter((each) => each.undo === mode)
  const levels = [...Map.groupBy(some('restore'), ({ step }) => nameOf(step.effect).length).values()]
  return [...levels, some('change'), some('delete')].flatMap((level) => chunksOf(level.map(made), chunkSize))
}

/** The entity must not have changed since the revert was decided. */
const mustBe =
  ({ effect: { present } }: Step) =>
  (entity: { readonly version: number; readonly updatedBy: string } | undefined): void => {
    if (entity === undefined || entity.version === present?.version) return
    throw new DomainError('conflict', `It has just been changed, by ${entity.updatedBy}.`)
  }

/** Executes the batches. @returns the position at which reads show everything */
const run = async (context: Context, batches: readonly Made[][]): Promise<bigint | undefined> => {
  const { taken, position } = await executeAll(
    context,
    batches.map((batch) => batch.map(({ request }) => request)),
  )
  for (const [at, { step }] of batches.flat().entries()) {
    const one = taken[at] as Summary
    if ('error' in one) step.error ??= one.error
    else {
      step.changed = step.changed === true || one.result.changed
      step.version = one.result.entity.version
    }
  }
  return position
}

/** Applies the outcome of an ancestor to the entities that it includes. */
const follow = (steps: readonly Step[]): void => {
  for (const step of steps) {
    if (step.with === undefined) continue
    if (step.with.error !== undefined) step.error ??= step.with.error
    step.changed = step.with.changed === true
  }
}

const answer = async (reverting: Reverting, steps: readonly Step[], position: bigint | undefined): Promise<Answer> => {
  const { correlationId, dryRun } = reverting
  const failed = steps.filter(({ error }) => error !== undefined).length
  const data = await mapInChunks(steps, chunkSize, async (step) => shown(step))
  const status = failed === 0 ? 'success' : failed === steps.length ? 'failure' : 'partialSuccess'
  return jsonAnswer({ correlationId, dryRun, status, data }, { position })
}

const shown = (step: Step): Json => {
  const { effect, undo, error, version, nothing, changed } = step
  const { definition, id } = effect
  const entity = { id, type: definition.name, fullyQualifiedName: nameOf(effect) }
  const about = { entity, undo, changed: [...effect.changed] }
  if (error !== undefined) {
    const { code, message } = problemOf(error).problem
    return { ...about, outcome: code === 'CONFLICT' ? 'conflict' : 'refused', code, message }
  }
  const message =
    step.with === undefined ? nothing : `With ${step.with.effect.definition.name} ${nameOf(step.with.effect)}.`
  return {
    ...about,
    outcome: changed ? 'reverted' : 'unchanged',
    ...(version !== undefined && { version: version / 10 }),
    ...(message !== undefined && { message }),
  }
}
