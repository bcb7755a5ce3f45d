import { sameJson, type Json, type JsonObject } from '../../shared/json.ts'
import { isRedacted } from '../../shared/secrets/sealed.ts'
import { mask } from '../../shared/secrets/shownText.ts'
import { incarnationKey, type Reference } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { pathsWhere } from '../../kinds/edges.ts'
import { isWritten } from '../../kinds/perKind.ts'
import type { ParsedRequest } from '../../kinds/request/requestSchema.ts'
import { makeNameResolver, type Context } from '../caller.ts'
import { idsToLookUp, mapReferences, resolveMembers } from './resolveRequest.ts'
import { listDifference, type ListCommand } from '../decide.ts'
import type { Entity } from '../evolve.ts'
import { upstreamIn, type Upstream } from '../statements.ts'
import type { Cause } from '../recording.ts'
import { filterReferences, isAmong, memberReferences, referredIds } from '../lookup.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import { requestOn, type Plan, type Precondition, type Request } from '../unitOfWork/request.ts'
import { refusal } from '../unitOfWork/decideRequests.ts'

/** The members that a change sets and clears; others stay. */
export type Changes = Pick<ParsedRequest, 'values' | 'cleared'> &
  Partial<Pick<ParsedRequest, 'problems' | 'unreadable'>> & {
    /** The new lineage edges. */
    readonly upstream?: Upstream
    /** Set if the members are those of an earlier state, or of a proposed one. */
    readonly lists?: readonly ListCommand[]
  }

export const assetLists = ['assets', 'inputPorts', 'outputPorts'] as const

export interface Change extends Pick<Plan, 'definition'> {
  readonly id: string
  /** Computes the change for the present state. */
  readonly read: (entity: Entity) => Changes | Promise<Changes>
}

/** Changes an existing entity, based on its state at that time. */
export const change = (
  context: Context,
  { definition, id, read }: Change,
  cause: Cause,
  precondition?: Precondition,
): Request =>
  requestOn({ definition, id, cause, precondition }, async (before, reads) =>
    resolveChange(context, { definition, before }, await read(before), reads),
  )

/** @throws DomainError when a reference does not exist or a rule forbids the change */
export const resolveChange = async (
  context: Context,
  { definition, before }: { readonly definition: KindDefinition; readonly before: Entity },
  { values, cleared, problems: found = [], unreadable, upstream, lists }: Changes,
  reads: Reads,
): Promise<Plan> => {
  const unresolved = { definition, name: before.name, values, place: {}, problems: found }
  const ids = idsToLookUp(unresolved, context)
  await reads.load(ids)
  const resolveName = await makeNameResolver(context, reads, ids.referred)
  const problems = [...found]
  const members = resolveMembers(unresolved, { resolveName, naming: context, problems }, before.members)
  const command = { type: 'Change', members, cleared } as const
  if (problems.length > 0) throw await refusal(context, { definition, before, command }, reads, problems, unreadable)
  const plan = { definition, subject: before, before, command }
  if (lists === undefined) return plan
  return { ...plan, command: { ...command, type: 'Revert', lists, statusCommand: undefined, upstream } }
}

/** Names of members written by users that differ between two states. @param undone also those that only an undo sets */
export const writtenDifference = ({ fields }: KindDefinition, one: Entity, other: Entity, undone?: true): string[] =>
  [...new Set([...Object.keys(one.members), ...Object.keys(other.members)])].filter((name) => {
    const field = fields[name]
    const isReverted = isWritten(field) || (undone && field?.undone)
    return isReverted && field?.fixed !== true && !sameJson(one.members[name], other.members[name])
  })

/** References that the log has, as the caller may name them: those to what he may not view by opaque ids. */
const nameableBy = ({ caller, secretCodec }: Context, definition: KindDefinition, values: JsonObject): JsonObject =>
  mapReferences(definition, values, (input) => {
    const { id, type, ...rest } = input as Reference
    const isVisible = caller === undefined || caller.visibilityOf(type) === 'yes'
    return isVisible ? { id, type, ...rest } : { id: secretCodec.hideId(id), type, fullyQualifiedName: mask }
  })

/**
 * The change that reverts members to an earlier state, with secrets as they were encrypted and without references to
 * hard-deleted entities. Members whose earlier value cannot be read any more stay as they are.
 */
export const revertingChanges = async (
  context: Context,
  { definition, old, entity }: { readonly definition: KindDefinition; readonly old: Entity; readonly entity: Entity },
  differing: readonly string[] = writtenDifference(definition, old, entity),
): Promise<Changes> => {
  const ids = [old, entity].flatMap(({ members }) => referredIds(definition, members, [...differing, ...assetLists]))
  const stillExists = isAmong(await context.refer(ids))
  const restorable = ({ members }: Entity, name: string): Json | undefined => {
    const value = members[name]
    return value === undefined || isRedacted(value)
      ? undefined
      : filterReferences(definition.fields[name], value, stillExists)
  }
  const values: JsonObject = {}
  const cleared: string[] = []
  for (const name of differing) {
    if (isRedacted(old.members[name])) continue
    const value = restorable(old, name)
    if (sameJson(value, restorable(entity, name))) continue
    if (value === undefined) cleared.push(name)
    else values[name] = value
  }
  const lists = assetLists
    .flatMap((name) => listDifference(name, entity.members, old.members))
    .map((command) => ({ ...command, references: command.references.filter(stillExists) }))
    .filter(({ references }) => references.length > 0)
  const [was, is] = [upstreamIn(old.members), upstreamIn(entity.members)]
  return {
    lists,
    values: nameableBy(context, definition, values),
    cleared,
    ...(!sameJson(was, is) && { upstream: was }),
  }
}

/** Where an earlier state refers, and a later one does not, to what has been hard-deleted: `owners`, `columns.id.tags`. */
export const pathsToGone = async (
  { refer }: Pick<Context, 'refer'>,
  definition: KindDefinition,
  old: Entity | undefined,
  later: Entity | undefined,
): Promise<string[]> => {
  if (old === undefined || old.status === 'gone' || later === undefined) return []
  const names = [...writtenDifference(definition, old, later, true), ...assetLists]
  const kept = new Set(memberReferences(definition, later.members, names).map(incarnationKey))
  const lost = memberReferences(definition, old.members, names).filter((one) => !kept.has(incarnationKey(one)))
  if (lost.length === 0) return []
  const isThere = isAmong(await refer(lost.map(({ id }) => id)))
  const gone = new Set(lost.filter((one) => !isThere(one)).map(incarnationKey))
  return pathsWhere(definition, old.members, (one) => gone.has(incarnationKey(one))).toSorted()
}
