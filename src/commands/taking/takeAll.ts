import type { Append, AppendOutcome } from '../../events/eventStore.ts'
import type { NewEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import { makeBreather } from '../../shared/breathe.ts'
import { mustFit } from '../changes.ts'
import { DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { appendNow } from './appendNow.ts'
import type { Ports } from '../ports.ts'
import { appended, foresee, record, type Subject } from '../recording.ts'
import {
  conditionOf,
  decideOn,
  lookingOn,
  take,
  type Decided,
  type Plan,
  type Request,
  type Result,
  type Seen,
} from './take.ts'

export type Taken = { readonly result: Result } | Failed

export const resultsOf = (taken: readonly Taken[]): Result[] =>
  taken.flatMap((one) => ('result' in one ? [one.result] : []))

export interface Failed {
  readonly error: unknown
  /** What it was about, as far as that could be told. */
  readonly subject?: Subject | undefined
}

interface Pending {
  readonly index: number
  readonly request: Request
  readonly plan: Plan
  readonly decided: Decided
}

/**
 * Takes several requests in order, each on what those before lead to, and appends their events at once. One that fails,
 * or meets somebody faster, does not touch the others. @param seen is added to
 */
export const takeAll = async (ports: Ports, requests: readonly Request[], seen: Seen): Promise<Taken[]> => {
  const taken: Taken[] = []
  const shares = new Map<string, Pending[]>()
  const undecided: Omit<Pending, 'decided'>[] = []
  const breathe = makeBreather()
  const further = lookingOn(ports, seen)
  for (const [index, request] of requests.entries()) {
    await breathe()
    try {
      const decided = await decideOn(further, request, seen.known)
      const { plan, before, decisions, refused } = decided
      if (plan === undefined || decisions.length === 0) {
        taken[index] =
          plan === undefined || refused !== undefined
            ? { error: refused, subject: plan?.subject }
            : { result: resultOf(seen, plan, before as Entity, false) }
        if (plan !== undefined) undecided.push({ index, request, plan })
        continue
      }
      const { subject } = plan
      const after = foresee(subject, before, decisions, request.cause) as Entity
      mustFit(before?.members ?? {}, after.members)
      seen.known.set(subject.id, after)
      const stream = streamName(subject.kind, subject.id)
      shares.set(stream, [...(shares.get(stream) ?? []), { index, request, plan, decided }])
    } catch (error) {
      taken[index] = { error }
    }
  }
  const lost = await appendAll(ports, [...shares], seen, taken)
  // They were answered on what others before them were to lead to, and did not.
  for (const { index, request, plan } of undecided) {
    if (lost.has(plan.subject.id)) taken[index] = await takeAlone(ports, request, plan.subject)
  }
  return taken
}

const resultOf = ({ known }: Seen, plan: Plan, entity: Entity, changed: boolean): Result => ({
  plan,
  entity,
  before: plan.before,
  changed,
  position: entity.position,
  known,
})

/** An append, and what each request of it leads to. */
const recorded = ([stream, share]: readonly [string, readonly Pending[]], { after }: Seen, now: number) => {
  const [{ plan, decided }] = share as readonly [Pending]
  const events: NewEvent[] = []
  const entities: Entity[] = []
  for (const {
    plan: { subject, before },
    decided: { decisions },
    request,
  } of share) {
    const { events: own, entity } = record(subject, entities.at(-1) ?? before, decisions, request.cause, now)
    events.push(...own)
    entities.push(entity as Entity)
  }
  const expected = plan.before?.revision ?? 'no_stream'
  const append: Append = { stream, expected, events, ...conditionOf(plan, decided, after) }
  return { append, entities }
}

/** @returns ids of the entities whose events were not appended as they were foreseen */
const appendAll = async (
  ports: Ports,
  shares: readonly [string, readonly Pending[]][],
  seen: Seen,
  taken: Taken[],
): Promise<ReadonlySet<string>> => {
  const lost = new Set<string>()
  const { made, outcomes } = await appendNow(ports, seen.known, (now) => {
    const all = shares.map((share) => recorded(share, seen, now))
    return { appends: all.map(({ append }) => append), made: all.map(({ entities }) => entities) }
  })
  const share = async ([, pending]: (typeof shares)[number], at: number): Promise<void> => {
    const outcome = outcomes[at] as AppendOutcome
    if (!outcome.ok) for (const { plan } of pending) lost.add(plan.subject.id)
    for (const [place, { index, request, plan }] of pending.entries()) {
      const entity = made[at]?.[place] as Entity
      if (outcome.ok) {
        taken[index] = { result: resultOf(seen, plan, appended(entity, outcome.position), true) }
      } else if ('tooLarge' in outcome && pending.length === 1) {
        taken[index] = { error: new DomainError('too_large', outcome.tooLarge.message), subject: plan.subject }
      } else taken[index] = await takeAlone(ports, request, plan.subject)
    }
  }
  await Promise.all(shares.map(share))
  return lost
}

/** Somebody was faster on this stream, or the requests together are too large. */
const takeAlone = async (ports: Ports, request: Request, subject: Subject): Promise<Taken> => {
  try {
    return { result: await take(ports, request) }
  } catch (error) {
    return { error, subject }
  }
}
