import { setTimeout as delay } from 'node:timers/promises'
import { streamName } from '../../events/streamName.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { DomainError, overtaken } from '../errors.ts'
import { consequenceOf } from './compensation.ts'
import { evolve, type Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import { loadEntities, type Loaded } from './reads.ts'
import type { Outcome, Request, Result, Target } from './request.ts'
import { appendAll, decideAll, isToAppend, lost, unchanged, type Decided, type FollowUp } from './unitOfWork.ts'

/**
 * Commits several requests as one unit of work. One that is refused, or meets somebody faster, does not touch the
 * others. @param loaded is added to
 */
export const commitAll = async (ports: Ports, requests: readonly Request[], loaded: Loaded): Promise<Outcome[]> => {
  const decided = await decideAll(ports, requests, loaded)
  const appended = await appendAll(ports, decided, loaded, followingUp(ports))
  const again = new Set<string>()
  for (const [{ plan }, outcome] of appended) if (outcome === lost && plan !== undefined) again.add(plan.subject.id)
  return Promise.all(
    decided.map(async (one): Promise<Outcome> => {
      const { request, plan, refused } = one
      const outcome = appended.get(one)
      if (outcome !== undefined && outcome !== lost) return outcome
      // It was answered on what others before it were to lead to, and did not.
      if (outcome === lost || again.has(plan?.subject.id ?? '')) return alone(ports, request, plan)
      if (plan === undefined || refused !== undefined) return { error: refused, subject: plan?.subject }
      return { result: unchanged({ ...one, plan }, loaded) }
    }),
  )
}

const alone = async (ports: Ports, request: Request, plan: Decided['plan']): Promise<Outcome> => {
  try {
    return { result: await commit(ports, request) }
  } catch (error) {
    return { error, subject: plan?.subject }
  }
}

/** With several processes each attempt is lost to one of the others about every second time. */
const attempts = 20

/**
 * Commits one request, and decides it again when others came first. Does not wait for projections.
 * @throws DomainError
 */
export const commit = async (ports: Ports, request: Request): Promise<Result> => {
  const first = request.target === undefined ? await prepare(ports, request, undefined) : undefined
  const target = request.target ?? first?.decided.plan?.subject
  if (target === undefined) throw first?.decided.refused
  const asked = { ...request, target, ids: [...new Set([...request.ids, target.id])] }
  return ports.queued<Result>(streamName(target.kind, target.id), async (previous, waited) => {
    const tried = new Set<string>()
    let newest = previous?.entity
    const yieldWhenDue = makeYielder()
    for (let attempt = 0; attempt < attempts; attempt++) {
      const usable = attempt === 0 && !waited ? first : undefined
      const prepared = usable ?? (await prepare(ports, asked, newest))
      await yieldWhenDue()
      const done = await appendOrConfirm(ports, target, prepared, { newest, tried })
      if (done !== undefined) return done
      const { before, plan } = prepared.decided
      const { entity, isOwn } = await readOn(ports, target, before, tried)
      if (isOwn && plan !== undefined) {
        const own = unchanged({ ...prepared.decided, plan, before: entity }, prepared.loaded)
        return { ...own, before, changed: true }
      }
      newest = entity
      if (attempt > 0) await delay(Math.random() * 5 * attempt)
    }
    throw overtaken(request.otherwise ?? 'conflict')
  })
}

/** It is done while the entity is kept for the request, and depends on nothing but the log. */
const followingUp =
  (ports: Ports): FollowUp =>
  async (event, isVoid) => {
    const consequence = consequenceOf(ports, event, isVoid)
    return (
      consequence && commit({ ...ports, verdicts: undefined, queued: (_, work) => work(undefined, false) }, consequence)
    )
  }

interface Prepared {
  readonly loaded: Loaded
  readonly decided: Decided
}

/** @param newest the entity as it is known to have been last */
const prepare = async (ports: Ports, request: Request, newest: Entity | undefined): Promise<Prepared> => {
  const { ids, referred = [] } = request
  const loaded = await loadEntities(ports, {
    whole: newest === undefined ? ids : ids.filter((id) => id !== newest.id),
    referred,
  })
  if (newest !== undefined) loaded.known.set(newest.id, newest)
  const [decided] = (await decideAll(ports, [request], loaded)) as [Decided]
  return { loaded, decided }
}

interface Attempt {
  readonly newest: Entity | undefined
  readonly tried: Set<string>
}

/** @returns `undefined` when others came first */
const appendOrConfirm = async (
  ports: Ports,
  target: Target,
  { decided, loaded }: Prepared,
  { newest, tried }: Attempt,
): Promise<Result | undefined> => {
  const { plan, before, refused } = decided
  if (isToAppend(decided)) {
    const outcome = (await appendAll(ports, [decided], loaded, followingUp(ports), tried)).get(decided)
    if (outcome === undefined || outcome === lost) return undefined
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
  if (refused !== undefined && !(refused instanceof DomainError)) throw refused
  // What is around it may not have been loaded as it was then, and nobody could see yet what the answer says.
  if (newest !== undefined && newest.position > (loaded.after ?? -1n)) {
    await ports.projected(newest.position)
    return undefined
  }
  // Nothing is appended, so the store checks nothing, and a read model may be behind.
  if ((await newestRevision(ports, target)) !== before?.revision) return undefined
  if (plan === undefined || refused !== undefined) throw refused as DomainError
  return unchanged({ ...decided, plan }, loaded)
}

const newestRevision = async ({ log }: Ports, { kind, id }: Target): Promise<bigint | undefined> => {
  const stream = streamName(kind, id)
  if (log.revisionOf !== undefined) return log.revisionOf(stream)
  for await (const { revision } of log.readStream(stream, { backwards: true, limit: 1 })) return revision
  return undefined
}

/** Folds what came after a state. `isOwn`: what was tried is among it, although the append was told of a conflict. */
const readOn = async (
  { log, clock }: Ports,
  { kind, id }: Target,
  before: Entity | undefined,
  tried: ReadonlySet<string>,
): Promise<{ entity: Entity | undefined; isOwn: boolean }> => {
  let entity = before
  let isOwn = false
  for await (const event of log.readStream(streamName(kind, id), { from: (before?.revision ?? -1n) + 1n })) {
    clock.saw(Date.parse(event.metadata.time))
    entity = evolve(id, entity, event)
    isOwn ||= tried.has(event.id)
  }
  return { entity, isOwn }
}
