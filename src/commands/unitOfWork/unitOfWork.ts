import { setTimeout as delay } from 'node:timers/promises'
import { streamName } from '../../events/events.ts'
import { buildFqn } from '../../kinds/names.ts'
import { kindNamed, principalKind } from '../../kinds/registry/kinds.ts'
import { appendConditionFailed, DomainError } from '../errors.ts'
import { type Entity, evolve } from '../evolve.ts'
import { userId, type Context } from '../caller.ts'
import type { Ports, StreamOutcome } from '../ports.ts'
import type { Cause } from '../recording.ts'
import { appendAll, conflicted, type FollowUp } from './appendDecided.ts'
import { consequenceOf } from './compensation.ts'
import { decideAll, type CallerRequest, type Decided } from './decideRequests.ts'
import { loadEntities, loadInto, replaceProvisional, type Loaded } from './reads.ts'
import type { Outcome, Request, Result, RequestTarget } from './request.ts'
import { passThroughQueue } from './streamQueue.ts'

/**
 * Commits one request: loads what it reads, resolves and decides it, and appends on condition of everything that was
 * read. Repeated after a conflict. Does not wait for projections. @throws DomainError
 */
export const commit = async (context: Context, request: Request): Promise<Result> => {
  const { target } = request
  const queued = target === undefined ? passThroughQueue : context.streamQueue
  const stream = target === undefined ? '' : streamName(target.kind, target.id)
  const outcome = await queued(stream, withCaller(context, request), (waiting: readonly CallerRequest[], newest) =>
    commitBatch(context, waiting, newest),
  )
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/**
 * Commits several requests, in one unit of work as far as they do not build upon each other. A request that is refused or
 * meets a conflict does not affect those that do not build upon it. @param loaded is extended
 */
export const commitAll = async (context: Context, requests: readonly Request[], loaded: Loaded): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  const own = requests.map((request) => withCaller(context, request))
  while (outcomes.length < own.length)
    for (const outcome of await commitNext(context, own.slice(outcomes.length), loaded)) outcomes.push(outcome)
  return outcomes
}

/** Commits one unit of work: as many of the requests as {@link decideAll} takes. */
const commitNext = async (context: Context, requests: readonly CallerRequest[], loaded: Loaded): Promise<Outcome[]> => {
  const decided = await decideAll(context, requests, loaded)
  // Before the append, which may change the entity of an item that comes before it.
  const confirmed = await Promise.all(decided.map((one) => one.decisions.length > 0 || isAtHead(context, one)))
  await createCallers(context, decided, loaded)
  const appended = await appendAll(context, decided, loaded, followUp)
  const failedIds = new Set<string>()
  for (const [{ plan }, outcome] of appended)
    if (plan !== undefined && (outcome === conflicted || 'error' in outcome)) failedIds.add(plan.subject.id)
  const repeated = new Map<string, Promise<Outcome>>()
  const outcomes = await Promise.all(
    decided.map((one, at) => {
      const id = one.plan?.subject.id ?? ''
      const isTrue = confirmed[at] === true && !failedIds.has(id)
      const outcome = appended.get(one) ?? (isTrue ? answerOf(one, loaded) : conflicted)
      if (outcome !== conflicted) return outcome
      // Its answer depends on the earlier requests about the same entity.
      const again = Promise.resolve(repeated.get(id)).then(() => retryAlone(context, one))
      repeated.set(id, again)
      return again
    }),
  )
  for (const [at, outcome] of outcomes.entries()) {
    const { plan, before } = decided[at] as Decided
    const made = 'result' in outcome ? outcome.result.entity : undefined
    if (plan !== undefined) replaceProvisional(loaded, plan.subject.id, before, made)
  }
  return outcomes
}

const withCaller = ({ caller, mayChange, readSchema }: Context, request: Request): CallerRequest => ({
  ...request,
  caller,
  mayChange,
  readSchema,
})

const retryAlone = (context: Context, { request, plan }: Decided): Promise<Outcome> =>
  commit(context, request).then(
    (result) => ({ result }),
    (error: unknown) => ({ error, subject: plan?.subject }),
  )

/** Runs while the request holds the queue of the entity, and depends on the log alone. */
const followUp: FollowUp = async (ports, event, isVoid) => {
  const consequence = consequenceOf(ports, event, isVoid)
  return consequence && commit({ ...ports, verdicts: undefined, streamQueue: passThroughQueue }, consequence)
}

/** Creates the entities of callers before their first events, which may refer to them, if they are gone or absent. */
const createCallers = async (ports: Ports, decided: readonly Decided[], loaded: Loaded): Promise<void> => {
  const writing = new Map<string, Cause>()
  for (const { decisions, plan, request } of decided) {
    const { caller, cause } = request
    if (caller !== undefined && decisions.length > 0 && plan?.subject.id !== userId(caller.name))
      writing.set(caller.name, cause)
  }
  await loadInto(ports, loaded, { whole: [...writing.keys()].map(userId) })
  for (const [name, cause] of writing) {
    const entity = loaded.known.get(userId(name))
    if (entity !== undefined && entity.status !== 'gone') continue
    const made = await createCaller(ports, name, cause)
    if (made !== undefined) loaded.known.set(made.id, made)
  }
}

/** @returns `undefined` where another request was faster */
const createCaller = async (ports: Ports, name: string, cause: Cause): Promise<Entity | undefined> => {
  const definition = kindNamed(principalKind)
  const [id, fullyQualifiedName] = [userId(name), buildFqn([name])]
  const target = { kind: definition.name, id, fullyQualifiedName }
  const request: Request = {
    cause: { ...cause, proposal: undefined, commandId: `${cause.commandId}:principal` },
    target,
    ids: [id],
    resolve: (reads) => ({
      definition,
      subject: target,
      before: reads.own(id),
      command: { type: 'Create', location: { ...target, name, parent: undefined }, members: {} },
    }),
  }
  try {
    const context = { ...ports, caller: undefined, mayChange: undefined, streamQueue: passThroughQueue }
    return (await commit(context, request)).entity
  } catch (error) {
    if (error instanceof DomainError && error.code === 'already_exists') return undefined
    throw error
  }
}

/** @param newest the newest known state of their entity */
const loadAndDecide = async (
  ports: Ports,
  requests: readonly CallerRequest[],
  newest: Entity | undefined,
): Promise<{ decided: readonly Decided[]; loaded: Loaded }> => {
  const [whole, referred]: [string[], string[]] = [[], []]
  for (const request of requests) {
    whole.push(...request.ids)
    if (request.referred !== undefined) referred.push(...request.referred)
    if (request.caller !== undefined) whole.push(userId(request.caller.name))
  }
  const loaded = await loadEntities(ports, { whole, referred })
  // Also of this one, since a look-up appends the events that an entity has pending.
  const isNewer = newest !== undefined && newest.revision > (loaded.known.get(newest.id)?.revision ?? -1n)
  if (isNewer) loaded.known.set(newest.id, newest)
  return { decided: await decideAll(ports, requests, loaded), loaded }
}

/** With several processes about every second attempt meets a conflict. */
const attempts = 20

/** Commits all requests that wait for one entity. @param last the entity after the previous commit */
const commitBatch = async (
  ports: Ports,
  waiting: readonly CallerRequest[],
  last: Entity | undefined,
): Promise<StreamOutcome<Outcome>> => {
  const outcomes = new Map<Request, Outcome>()
  let pending = waiting
  let newest = last
  // Together at first; one after the other if that fails or some have nothing to append.
  for (let some = pending, failures = 0; pending.length > 0; some = pending.slice(0, 1)) {
    const { decided, loaded } = await loadAndDecide(ports, some, newest)
    await createCallers(ports, decided, loaded)
    const appended = await appendAll(ports, decided, loaded, followUp)
    const before = newest
    for (const one of decided) {
      const outcome = appended.size === 0 ? await confirmAtHead(ports, one, loaded, before) : appended.get(one)
      if (outcome === undefined || outcome === conflicted) continue
      outcomes.set(one.request, outcome)
      if ('result' in outcome) newest = outcome.result.entity
    }
    if (outcomes.size === waiting.length) break
    failures = decided.some(({ request }) => outcomes.has(request)) ? 0 : failures + 1
    if (failures === attempts) {
      // Only this one is refused: those behind it may meet no conflict.
      const [{ request }] = decided as readonly [Decided]
      outcomes.set(request, { error: appendConditionFailed(request.exhausted) })
      failures = 0
    }
    newest = await catchUp(ports, decided[0] as Decided, newest)
    pending = pending.filter((request) => !outcomes.has(request))
    if (failures > 1) await delay(Math.random() * 5 * failures)
  }
  return { outcomes: waiting.map((request) => outcomes.get(request) as Outcome), newest }
}

/** The answer of a request without events, if it is still true. */
const confirmAtHead = async (
  ports: Ports,
  decided: Decided,
  loaded: Loaded,
  newest: Entity | undefined,
): Promise<Outcome | typeof conflicted> => {
  // Loaded entities may be older than the answer, and reads may not show it yet.
  if (newest !== undefined && newest.position > (loaded.after ?? -1n)) {
    await ports.waitForPosition(newest.position)
    return conflicted
  }
  return (await isAtHead(ports, decided)) ? answerOf(decided, loaded) : conflicted
}

/** Whether a request without events was decided on its entity as the log has it: no append checks that. */
const isAtHead = async ({ log }: Ports, decided: Decided): Promise<boolean> => {
  const { before, refused } = decided
  const target = targetOf(decided)
  const isUnexpected = refused !== undefined && !(refused instanceof DomainError)
  // A provisional state is checked by the append of the request that led to it, and by nothing in a dry run.
  if (target === undefined || isUnexpected || before?.position === 0n) return true
  return (await log.revisionOf(streamName(target.kind, target.id))) === before?.revision
}

const answerOf = (decided: Decided, { known }: Loaded): Outcome =>
  decided.plan === undefined || decided.refused !== undefined
    ? { error: decided.refused, subject: decided.plan?.subject }
    : { result: { ...unchanged(decided.before as Entity), known } }

const unchanged = (entity: Entity) => ({ entity, before: entity, changed: false, position: entity.position })

/** The entity of a request, as far as it is known. */
const targetOf = ({ plan, request }: Decided): RequestTarget | undefined => plan?.subject ?? request.target

/** Folds the events after the state of a decision. @param newest known where a refusal does not say which entity it is */
const catchUp = async ({ log, clock }: Ports, decided: Decided, newest: Entity | undefined) => {
  const target = targetOf(decided)
  if (target === undefined) return newest
  const { kind, id } = target
  let entity = decided.before
  for await (const event of log.readStream(streamName(kind, id), { from: (entity?.revision ?? -1n) + 1n })) {
    clock.observe(Date.parse(event.metadata.time))
    entity = evolve(id, entity, event)
  }
  return entity
}
