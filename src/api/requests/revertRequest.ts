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
  readonly parent: Step | undefined
  /** Whether the deletion or restore of the parent includes this one, unless the parent stays as it is. */
  readonly isWithParent: boolean
  /** Why there is nothing to do. */
  nothing?: string
  error?: unknown
  version?: number
  /** Absent until it was tried. */
  changed?: boolean | undefined
}

/** The step that includes this one. */
const includes = ({ isWithParent, parent }: Step): Step | undefined =>
  isWithParent && parent?.error === undefined ? parent : undefined

/** Reverts a request, or previews that. */
export const revertRequest = async (request: CatalogRequest, reverting: Reverting): Promise<Answer> => {
  const { correlationId, dryRun, skipConflicts } = reverting
  const effects = await effectsOf(request, correlationId)
  const steps = await stepsOf(request, effects)
  const cause = { ...causeOf(request), causationId: correlationId }
  const take = (to: Context, settle?: () => void) =>
    takeBack(to, steps, (some) => batchesOf(request, to, some, cause), settle)
  await take(contextOf(request, true), () => keepAncestors(steps))
  const failed = steps.filter(({ error }) => error !== undefined)
  if (dryRun) return answer(reverting, steps, undefined)
  if (failed.length > 0 && !skipConflicts) throw refusal(correlationId, failed)
  if (failed.length === steps.length) return answer(reverting, steps, undefined)
  for (const step of steps) delete step.changed
  return answer(reverting, steps, await take(contextOf(request)))
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

const conflict = (message: string): DomainError => new DomainError('conflict', message)

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
    const isWithParent =
      parent?.undo === mode && (mode === 'delete' || (mode === 'restore' && isOneDeletion(effect, parent.effect)))
    const rest = { ...(nothing !== undefined && { nothing }), ...(error !== undefined && { error }) }
    steps.set(effect.id, { effect, undo: mode, parent, isWithParent, ...rest })
    await yieldWhenDue()
  }
  const all = [...steps.values()]
  await mayUndo(request, all)
  await mustStandAlone(request.api, steps)
  keepAncestors(all)
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

/** An entity to delete must not have children that the request did not create. */
const mustStandAlone = async (api: Api, steps: ReadonlyMap<string, Step>): Promise<void> => {
  const deleted = [...steps.values()].filter(({ undo }) => undo === 'delete')
  const byKind = Map.groupBy(deleted, ({ effect }) => effect.definition)
  const yieldWhenDue = makeYielder()
  for (const [definition, some] of byKind)
    for (const kind of childKindsOf(definition))
      for (const chunk of chunksOf(some, chunkSize)) {
        const ids = chunk.map(({ effect }) => effect.id)
        for (const { of, row } of await api.readModels.childrenOf(ids, kind.name, steps.size + 1)) {
          const own = steps.get(row.id)
          if (row.status !== 'live' || own?.undo === 'delete' || own?.error !== undefined) continue
          const step = steps.get(of) as Step
          step.error ??= conflict(`It has got children since, of kind ${kind.name}.`)
        }
        await yieldWhenDue()
      }
}

/** What stays keeps everything that it stands in. */
const keepAncestors = (steps: readonly Step[]): void => {
  for (const { effect, parent, error } of steps.toReversed())
    if (error !== undefined && effect.present?.status === 'live' && parent?.undo === 'delete')
      parent.error ??= conflict(`It stays because ${effect.definition.name} ${nameOf(effect)} below it stays.`)
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
    if (step.undo === 'none' || step.error !== undefined || step.changed !== undefined) continue
    if (includes(step) === undefined) todo.push({ step, undo: step.undo })
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
    throw conflict(`It has just been changed, by ${entity.updatedBy}.`)
  }

/**
 * Takes back what has no error. What an ancestor that turns out to stay would have included is then taken by itself.
 * @param settle draws the conclusions from errors
 * @returns the position at which reads show everything
 */
const takeBack = async (
  context: Context,
  steps: readonly Step[],
  make: (steps: readonly Step[]) => Promise<Made[][]>,
  settle?: () => void,
): Promise<bigint | undefined> => {
  let position: bigint | undefined
  for (let batches = await make(steps); batches.length > 0; batches = await make(steps)) {
    const { taken, position: reached } = await executeAll(
      context,
      batches.map((batch) => batch.map(({ request }) => request)),
    )
    position = reached ?? position
    for (const [at, { step }] of batches.flat().entries()) {
      const one = taken[at] as Summary
      if ('error' in one) step.error ??= one.error
      else {
        step.changed = one.result.changed
        step.version = one.result.entity.version
      }
    }
    settle?.()
  }
  for (const step of steps) step.changed = (includes(step) ?? step).changed
  return position
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
  const root = includes(step)?.effect
  const message = root === undefined ? nothing : `With ${root.definition.name} ${nameOf(root)}.`
  return {
    ...about,
    outcome: changed ? 'reverted' : 'unchanged',
    ...(version !== undefined && { version: version / 10 }),
    ...(message !== undefined && { message }),
  }
}
