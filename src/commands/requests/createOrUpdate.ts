import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Members } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { ParsedRequest } from '../../kinds/request/requestSchema.ts'
import { makeNameResolver, type Context } from '../caller.ts'
import {
  idsToLookUp,
  expectedId,
  locate,
  resolveLocation,
  resolveMembers,
  type ResolverInput,
} from './resolveRequest.ts'
import type { Command } from '../decide.ts'
import { ancestorIds, type LookupIds } from '../lookup.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import type { Plan, Precondition, Request } from '../unitOfWork/request.ts'
import { refusal } from '../unitOfWork/decideRequests.ts'
import { waitForDescendants } from './execute.ts'

export interface Write {
  readonly type: 'Create' | 'Upsert'
  readonly definition: KindDefinition
  readonly parsed: ParsedRequest
  /** Members that requests cannot set. */
  readonly own?: Members
  /** Called before anything about the entity is revealed. @throws if the caller may not write it */
  readonly mayWrite?: (entity: Entity | undefined, values: ParsedRequest['values']) => Promise<void>
}

export const write = (
  context: Context,
  wanted: Write,
  cause: Cause,
  precondition?: Precondition,
): Request & { readonly unresolved: ResolverInput } => {
  const unresolved = locate(wanted.definition, wanted.parsed)
  const id = expectedId(unresolved)
  const ids = idsToLookUp(unresolved, context, id)
  const { kinds = [], input } = unresolved.place.parent ?? {}
  return {
    unresolved,
    cause,
    ...(id !== undefined && { target: { kind: wanted.definition.name, id } }),
    ids: [...ids.whole, ...ancestorIds(kinds, input?.fullyQualifiedName ?? '')],
    referred: ids.referred,
    resolve: (reads) => resolveWrite(context, wanted, { unresolved, ids }, reads),
    precondition,
    exhausted: wanted.type === 'Upsert' ? 'busy' : 'conflict',
  }
}

export interface Rewrite {
  readonly definition: KindDefinition
  readonly id: string
  readonly make: (current: Entity | undefined) => Promise<Write & { readonly precondition?: Precondition | undefined }>
  readonly exhausted: 'conflict' | 'busy'
}

/** Creates or changes an entity whose id is known. */
export const rewrite = (context: Context, { definition, id, make, exhausted }: Rewrite, cause: Cause): Request => ({
  cause,
  target: { kind: definition.name, id },
  ids: [id],
  exhausted,
  resolve: async (reads) => {
    const { precondition, ...wanted } = await make(reads.own(id))
    const unresolved = locate(definition, wanted.parsed)
    const ids = idsToLookUp(unresolved, context, expectedId(unresolved))
    await reads.load(ids)
    const plan = await resolveWrite(context, wanted, { unresolved, ids }, reads)
    await precondition?.(plan.before)
    return plan
  },
})

/** Resolves a POST or PUT. @throws DomainError when it is invalid */
const resolveWrite = async (
  context: Context,
  { type, definition, parsed, own = {}, mayWrite }: Write,
  { unresolved, ids: { whole, referred } }: { readonly unresolved: ResolverInput; readonly ids: LookupIds },
  reads: Reads,
): Promise<Plan> => {
  const yieldWhenDue = makeYielder()
  const resolveName = await makeNameResolver(context, reads, [...whole, ...referred])
  const problems = [...unresolved.problems]
  const search = { resolveName, naming: context, problems }
  const location = resolveLocation(unresolved, search, reads.facts)
  // Otherwise the append checks that the entity does not exist.
  if (location.id !== '' && (type === 'Upsert' || reads.kindOf(location.id) !== undefined))
    await reads.load({ whole: [location.id] })
  const before = reads.own(location.id)
  if (location.id !== '') await mayWrite?.(before, parsed.values)
  const members = { ...resolveMembers(unresolved, search, before?.members, location.parent), ...own }
  await yieldWhenDue()
  const command: Command =
    type === 'Create'
      ? { type, location, members }
      : { type, location, members, cleared: parsed.cleared, clearedInside: parsed.clearedInside }
  if (problems.length > 0) {
    throw await refusal(context, { definition, before, command }, reads, problems, parsed.unreadable)
  }
  // Descendants of an ended incarnation must be gone before the next one begins, or they would seem to belong to it.
  if (before?.status === 'gone') await waitForDescendants(context, before)
  const subject = { kind: definition.name, ...location }
  return { definition, subject, before, command }
}
