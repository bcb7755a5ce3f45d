import { setTimeout as delay } from 'node:timers/promises'
import { streamName } from '../../events/events.ts'
import { appendConditionFailed, DomainError } from '../errors.ts'
import { type Entity, evolve } from '../evolve.ts'
import type { Context } from '../caller.ts'
import type { Ports } from '../ports.ts'
import { appendAll, conflicted, type FollowUp } from './appendDecided.ts'
import { consequenceOf } from './compensation.ts'
import { decideAll, decideRequest, type Decided } from './deciding.ts'
import { loadEntities, type Loaded } from './reads.ts'
import type { Outcome, Plan, Request, Result, Target } from './request.ts'
import { notQueued } from './streamQueue.ts'

interface Prepared {
  readonly decided: Decided
  readonly loaded: Loaded
}

/**
 * Commits one request: loads what it reads, resolves and decides it, and appends on condition of everything that was
 * read. Repeated after a conflict. Does not wait for projections. @throws DomainError
 */
export const commit = async (context: Context, request: Request): Promise<Result> => {
  const prepared = request.target === undefined ? await prepare(context, request, undefined) : undefined
  const target = request.target ?? prepared?.decided.plan?.subject
  if (target === undefined) throw prepared?.decided.refused
  const asked = { ...request, target, ids: [...new Set([...request.ids, target.id])] }
  const { outcome } = await context.queued(streamName(target.kind, target.id), (newest) =>
    commitTo(context, asked, newest, newest === undefined ? prepared : undefined),
  )
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/**
 * Commits several requests as one unit of work. A request that is refused or meets a conflict does not affect the
 * others. @param loaded is extended
 */
export const commitAll = async (context: Context, requests: readonly Request[], loaded: Loaded): Promise<Outcome[]> => {
  const decided = await decideAll(context, requests, loaded)
  const appended = await appendAll(context, decided, loaded, followUp)
  const again = new Set<string>()
  for (const [{ plan }, outcome] of appended)
    if (outcome === conflicted && plan !== undefined) again.add(plan.subject.id)
  const repeated = new Map<string, Promise<Outcome>>()
  return Promise.all(
    decided.map((one) => {
      const id = one.plan?.subject.id ?? ''
      if (!again.has(id)) return (appended.get(one) as Outcome | undefined) ?? answerOf(one, loaded)
      // Its answer depends on the earlier requests about the same entity.
      const outcome = Promise.resolve(repeated.get(id)).then(() => alone(context, one))
      repeated.set(id, outcome)
      return outcome
    }),
  )
}

const alone = (context: Context, { request, plan }: Decided): Promise<Outcome> =>
  commit(context, request).then(
    (result) => ({ result }),
    (error: unknown) => ({ error, subject: plan?.subject }),
  )

/** Runs while the request holds the queue of the entity, and depends on the log alone. */
const followUp: FollowUp = async (ports, event, isVoid) => {
  const consequence = consequenceOf(ports, event, isVoid)
  return consequence && commit({ ...ports, verdicts: undefined, queued: notQueued }, consequence)
}

/** @param newest the newest known state of its entity */
const prepare = async (context: Context, request: Request, newest: Entity | undefined): Promise<Prepared> => {
  const whole = request.ids.filter((id) => id !== newest?.id)
  const loaded = await loadEntities(context, { whole, referred: request.referred ?? [] })
  if (newest !== undefined) loaded.known.set(newest.id, newest)
  return { decided: await decideRequest(context, request, loaded), loaded }
}

/** With several processes about every second attempt meets a conflict. */
const attempts = 20

/**
 * Decides and appends until no other append comes first.
 * @param last the entity after the previous commit
 * @param prepared the first attempt, if it is decided already
 */
const commitTo = async (
  context: Context,
  request: Request & { readonly target: Target },
  last: Entity | undefined,
  prepared: Prepared | undefined,
): Promise<{ readonly outcome: Outcome; readonly newest: Entity | undefined }> => {
  const tried = new Set<string>()
  let newest = last
  for (let failures = 0; failures < attempts; failures++) {
    const { decided, loaded } = (failures === 0 && prepared) || (await prepare(context, request, newest))
    const appended = await appendAll(context, [decided], loaded, followUp, tried)
    const outcome = appended.get(decided) ?? (await confirmed(context, request.target, decided, loaded, newest))
    if (outcome !== conflicted) return { outcome, newest: 'result' in outcome ? outcome.result.entity : newest }
    const { entity, own } = await readOn(context, request.target, decided.before, tried)
    newest = entity
    // The events are in the stream although the append reported a conflict.
    if (own !== undefined) return { outcome: { result: { ...resultOf(decided, own, loaded), changed: true } }, newest }
    if (failures > 0) await delay(Math.random() * 5 * failures)
  }
  return { outcome: { error: appendConditionFailed(request.otherwise) }, newest }
}

/** The answer of a request without events, if it is still true: the log does not check it. */
const confirmed = async (
  ports: Ports,
  { kind, id }: Target,
  decided: Decided,
  loaded: Loaded,
  newest: Entity | undefined,
): Promise<Outcome | typeof conflicted> => {
  if (decided.refused !== undefined && !(decided.refused instanceof DomainError)) return answerOf(decided, loaded)
  // Loaded entities may be older than the answer, and reads may not show it yet.
  if (newest !== undefined && newest.position > (loaded.after ?? -1n)) {
    await ports.waitForPosition(newest.position)
    return conflicted
  }
  return (await ports.log.revisionOf(streamName(kind, id))) === decided.before?.revision
    ? answerOf(decided, loaded)
    : conflicted
}

const answerOf = (decided: Decided, loaded: Loaded): Outcome =>
  decided.plan === undefined || decided.refused !== undefined
    ? { error: decided.refused, subject: decided.plan?.subject }
    : { result: resultOf(decided, decided.before as Entity, loaded) }

const resultOf = ({ plan, before }: Decided, entity: Entity, { known }: Loaded): Result => ({
  plan: plan as Plan,
  entity,
  before,
  changed: false,
  position: entity.position,
  known,
})

/** Folds the events after a state. @returns the entity, also after the last event that was tried */
const readOn = async (
  { log, clock }: Ports,
  { kind, id }: Target,
  before: Entity | undefined,
  tried: ReadonlySet<string>,
): Promise<{ entity: Entity | undefined; own: Entity | undefined }> => {
  let entity = before
  let own: Entity | undefined
  for await (const event of log.readStream(streamName(kind, id), { from: (before?.revision ?? -1n) + 1n })) {
    clock.saw(Date.parse(event.metadata.time))
    entity = evolve(id, entity, event)
    if (tried.has(event.id)) own = entity
  }
  return { entity, own }
}
