import { makeBreather } from '../../shared/breathe.ts'
import type { Members } from '../../events/events.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { ParsedRequest } from '../../kinds/request/requestSchema.ts'
import { referable, type Context } from '../caller.ts'
import { finishCascades } from '../cascade.ts'
import { idsOf, placeOf, resolveRequest, type Unresolved } from '../context.ts'
import type { Command } from '../decide.ts'
import { lookUpInto, refusal } from '../taking/deciding.ts'
import { wholeIn, type Knowing, type Needed } from '../lookup.ts'
import type { Entity } from '../evolve.ts'
import type { Cause } from '../recording.ts'
import type { Plan, Precondition, Request } from '../taking/take.ts'

export interface Write {
  readonly type: 'Create' | 'Upsert'
  readonly definition: KindDefinition
  readonly parsed: ParsedRequest
  /** Members that requests cannot set. */
  readonly own?: Members
}

export const write = (
  context: Context,
  wanted: Write,
  cause: Cause,
  precondition?: Precondition,
): Request & { readonly unresolved: Unresolved } => {
  const unresolved = placeOf(wanted.definition, wanted.parsed)
  const ids = idsOf(unresolved, context.kindNamed)
  return {
    unresolved,
    cause,
    ids: ids.whole,
    referred: ids.referred,
    plan: (known) => planWrite(context, wanted, { unresolved, ids }, known),
    precondition,
    otherwise: wanted.type === 'Upsert' ? 'busy' : 'conflict',
  }
}

export interface Rewrite {
  readonly definition: KindDefinition
  readonly id: string
  readonly make: (current: Entity | undefined) => Promise<Write & { readonly precondition?: Precondition }>
  readonly otherwise: 'conflict' | 'busy'
}

/** Creates or changes an entity whose id is known, as that is when it happens. */
export const rewrite = (context: Context, { definition, id, make, otherwise }: Rewrite, cause: Cause): Request => ({
  cause,
  target: { kind: definition.name, id },
  ids: [id],
  otherwise,
  plan: async (known) => {
    const { precondition, ...wanted } = await make(wholeIn(known, id))
    const unresolved = placeOf(definition, wanted.parsed)
    const ids = idsOf(unresolved, context.kindNamed)
    await lookUpInto(context, known, () => ids)
    precondition?.(wholeIn(known, id))
    return planWrite(context, wanted, { unresolved, ids }, known)
  },
})

interface Asked {
  readonly unresolved: Unresolved
  readonly ids: Needed
}

/** What a POST or PUT means. @throws DomainError when it says something that cannot be */
export const planWrite = async (
  context: Context,
  { type, definition, parsed, own = {} }: Write,
  asked: Asked,
  known: Knowing,
): Promise<Plan> => {
  const breathe = makeBreather()
  const {
    location,
    members: requested,
    problems,
  } = resolveRequest(asked.unresolved, referable(context, known), context.kindNamed)
  await breathe()
  const members = { ...requested, ...own }
  const command: Command =
    type === 'Create' ? { type, location, members } : { type, location, members, cleared: parsed.cleared }
  const before = await entityAt(context, asked, location.id, known)
  if (problems.length > 0) {
    throw await refusal(context, { definition, before, command }, known, { problems, unreadable: parsed.unreadable })
  }
  // What an ended life left below it must go before the next one begins, or it would appear as if it belonged there.
  if (before?.status === 'gone') await finishCascades(context, [location.id])
  const subject = { kind: definition.name, ...location }
  return { definition, subject, before, command, parent: location.parent?.reference.id }
}

/** The entity that stands where the request puts it; looked up, unless that was done with all that it refers to. */
const entityAt = async (context: Context, { ids }: Asked, id: string, known: Knowing): Promise<Entity | undefined> => {
  if (id === '') return undefined
  if (!ids.whole.includes(id)) await lookUpInto(context, known, () => ({ whole: [id] }))
  return wholeIn(known, id)
}
