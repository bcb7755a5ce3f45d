import { setTimeout as delay } from 'node:timers/promises'
import type { Append, Unless } from '../../events/eventStore.ts'
import type { EventType } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { makeBreather } from '../../shared/breathe.ts'
import { inSpan } from '../../shared/tracing.ts'
import { mustFit } from '../changes.ts'
import type { Command, Decision } from '../decide.ts'
import { appendNow } from './appendNow.ts'
import { addTo, both, decideWith, endedAbove, lookUpAbove, type Above } from './deciding.ts'
import { DomainError, invalid, notFound, overtaken } from '../errors.ts'
import { evolve, type Entity } from '../evolve.ts'
import { wholeIn, type Knowing, type Known, type Needed } from '../lookup.ts'
import type { Ports } from '../ports.ts'
import { sealDecisions } from '../personal.ts'
import { appended, foresee, record, type Cause, type Subject } from '../recording.ts'

/** Throws when the entity, as it is, does not meet what the request demands of it. */
export type Precondition = (entity: Entity | undefined) => void

export type Target = Pick<Subject, 'kind' | 'id'>

/** One thing that is asked of one entity. Made by the functions in `requests/`. */
export interface Request {
  readonly cause: Cause
  /** The entity that it is about, where that is known before anything is looked up. */
  readonly target?: Target
  /** What it looks up: what it is about, and what that stands in. */
  readonly ids: readonly string[]
  /** What it only refers to. */
  readonly referred?: readonly string[] | undefined
  /** Works out what is to happen from what was looked up. Asked again when others came first. */
  readonly plan: (known: Knowing) => Plan | Promise<Plan>
  readonly precondition?: Precondition | undefined
  /** What it is called when others keep coming first; default `conflict`. */
  readonly otherwise?: 'conflict' | 'busy'
}

export interface Plan {
  readonly definition: KindDefinition
  readonly subject: Subject
  readonly before: Entity | undefined
  readonly command: Command
  /** Id of what the entity stands below: nothing begins, comes back or is deleted on its own below what has ended. */
  readonly parent?: string | undefined
  /** What else must not have happened since it was looked up. */
  readonly unless?: Omit<Unless, 'after'>
  /** The same, asked where the log cannot: when look-ups reach what was appended. @throws DomainError */
  readonly confirm?: () => Promise<void>
  /** What comes when that is confirmed. */
  readonly next?: Request
}

export interface Result {
  readonly plan: Plan
  readonly entity: Entity
  readonly before: Entity | undefined
  /** False when there was nothing to do. */
  readonly changed: boolean
  /** Log position of its last event, or of the entity's newest one. */
  readonly position: bigint
  readonly known: Known
}

/** What was looked up for requests, and the position in the log that this reaches at least. */
export interface Seen {
  readonly after: bigint | undefined
  readonly known: Knowing
}

export const look = async (ports: Ports, wanted: Needed): Promise<Seen> => {
  const after = ports.position()
  const known: Knowing = new Map()
  addTo(known, await both(ports, wanted))
  return { after, known }
}

/** For what is looked up further, once something was for the same request: as new as that is new enough. */
export const lookingOn = <P extends Ports>(ports: P, { after = 0n }: Seen): P => ({
  ...ports,
  lookup: (ids) => ports.lookup(ids, after),
  refer: (ids) => ports.refer(ids, after),
})

/** What is to be appended; nothing, when there is nothing to do or it is refused. */
export interface Decided {
  /** Absent when it is refused before that can be told. */
  readonly plan: Plan | undefined
  readonly before: Entity | undefined
  readonly decisions: readonly Decision[]
  /** What the entity stands below, where that must not have ended: nearest first. */
  readonly above: readonly Above[]
  readonly refused?: DomainError
}

/** Events by which something comes to be there. */
export const appearances: ReadonlySet<EventType> = new Set(['Created', 'Restored'])

/** Those, and the one by which a request hides what is there. */
const turns: ReadonlySet<EventType> = new Set([...appearances, 'SoftDeleted'])

export const decideOn = (ports: Ports, request: Request, known: Knowing): Promise<Decided> =>
  inSpan('decide', {}, () => decideUntraced(ports, request, known))

const decideUntraced = async (ports: Ports, request: Request, known: Knowing): Promise<Decided> => {
  let plan: Plan | undefined
  try {
    plan = await request.plan(known)
    request.precondition?.(plan.before)
    const decisions = await sealDecisions(ports, plan, await decideWith(ports, plan, known))
    const turn = decisions.find(({ event: { type } }) => turns.has(type))?.event.type
    const above = turn === undefined ? [] : await lookUpAbove(ports, plan.parent, known)
    const ended = endedAbove(above)
    if (ended !== undefined) throw refusalBelow(ended, turn)
    return { plan, before: plan.before, decisions, above }
  } catch (refused) {
    if (!(refused instanceof DomainError)) throw refused
    const before = plan === undefined ? wholeIn(known, request.target?.id ?? '') : plan.before
    return { plan, before, decisions: [], above: [], refused }
  }
}

/** Said of what a request is about, where that is deleted. */
export const goneMeanwhile = 'There is no such entity. It may have been deleted meanwhile.'

/** What a request is about, as it is. @throws DomainError `not_found` when it is not there, or deleted */
export const liveIn = (known: Known, id: string): Entity => {
  const entity = wholeIn(known, id)
  if (entity?.status !== 'live') throw notFound(goneMeanwhile)
  return entity
}

/** Below what has ended nothing is deleted on its own any more, and nothing comes to be there. */
export const refusalBelow = ({ kind, fullyQualifiedName }: Above, turn: EventType | undefined): DomainError =>
  turn === 'SoftDeleted'
    ? notFound(goneMeanwhile)
    : invalid([
        { path: '', message: `${kind} ${fullyQualifiedName}, below which it stands, is deleted: restore that first` },
      ])

/** Events that end what stands below. */
const endings: ReadonlySet<EventType> = new Set(['SoftDeleted', 'HardDeleted'])

/** What must not have happened, for decisions to hold, since `after`. */
export const conditionOf = (
  plan: Pick<Plan, 'unless'> | undefined,
  { above }: Pick<Decided, 'above'>,
  after: bigint | undefined,
): Pick<Append, 'unless'> => {
  const streams = above.map(({ kind, id }) => streamName(kind, id))
  const unless = [
    ...(plan?.unless === undefined ? [] : [{ after, ...plan.unless }]),
    ...(streams.length === 0 ? [] : [{ after, types: endings, streams }]),
  ]
  return unless.length === 0 ? {} : { unless }
}

/** With several processes each attempt is lost to one of the others about every second time. */
const attempts = 20

/**
 * Takes one request: look up, decide, append, and again when somebody was faster. Does not wait for projections.
 * @throws DomainError
 */
export const take = async (ports: Ports, request: Request): Promise<Result> => {
  const first = request.target === undefined ? await prepare(ports, request, undefined) : undefined
  const target = request.target ?? first?.decided.plan?.subject
  if (target === undefined) throw first?.decided.refused
  const asked = { ...request, target, ids: [...new Set([...request.ids, target.id])] }
  return ports.queued<Result>(streamName(target.kind, target.id), async (previous, waited) => {
    const tried = new Set<string>()
    let newest = previous?.entity
    const breathe = makeBreather()
    for (let attempt = 0; attempt < attempts; attempt++) {
      const usable = attempt === 0 && !waited ? first : undefined
      const prepared = usable ?? (await prepare(ports, asked, newest))
      await breathe()
      const isBehind = isUndecided(prepared) && isAhead(newest, prepared)
      if (isBehind) await ports.projected((newest as Entity).position)
      const done = isBehind ? undefined : await appendOrConfirm(ports, target, request, prepared, tried)
      if (done !== undefined) return done
      const { entity, isOwn } = await readOn(ports, target, prepared.decided.before, tried)
      if (isOwn) return { ...resultOf(prepared, entity as Entity), changed: true }
      newest = entity
      if (attempt > 0) await delay(Math.random() * 5 * attempt)
    }
    throw overtaken(request.otherwise ?? 'conflict')
  })
}

interface Prepared {
  readonly seen: Seen
  readonly decided: Decided
}

/** Is nothing to be appended? Then the log will not say whether what was looked up still holds. */
const isUndecided = ({ decided: { plan, decisions } }: Prepared): boolean =>
  plan === undefined || decisions.length === 0

/**
 * Was the entity read further on in the log than what was looked up? What is around it may not have been so at that
 * moment, and nobody could see yet what the answer says.
 */
const isAhead = (newest: Entity | undefined, { seen: { after } }: Prepared): boolean =>
  newest !== undefined && (after === undefined || after < newest.position)

/** @param newest the entity as it is known to have been last */
const prepare = async (ports: Ports, request: Request, newest: Entity | undefined): Promise<Prepared> => {
  const { ids, referred = [] } = request
  const seen = await look(ports, { whole: newest === undefined ? ids : ids.filter((id) => id !== newest.id), referred })
  if (newest !== undefined) seen.known.set(newest.id, newest)
  return { seen, decided: await decideOn(lookingOn(ports, seen), request, seen.known) }
}

const resultOf = ({ seen, decided }: Prepared, entity: Entity): Result => ({
  plan: decided.plan as Plan,
  entity,
  before: decided.before,
  changed: decided.decisions.length > 0,
  position: entity.position,
  known: seen.known,
})

/** @returns `undefined` when others came first */
const appendOrConfirm = async (
  ports: Ports,
  target: Target,
  request: Request,
  prepared: Prepared,
  tried: Set<string>,
): Promise<Result | undefined> => {
  const { plan, before, refused } = prepared.decided
  if (plan !== undefined && !isUndecided(prepared)) return appendOne(ports, plan, request.cause, prepared, tried)
  // Nothing is appended, so the store checks nothing, and a read model may be behind.
  if ((await newestRevision(ports, target)) !== before?.revision) return undefined
  if (refused !== undefined) throw refused
  return resultOf(prepared, before as Entity)
}

const appendOne = async (
  ports: Ports,
  plan: Plan,
  cause: Cause,
  prepared: Prepared,
  tried: Set<string>,
): Promise<Result | undefined> => {
  const { subject, before } = plan
  const breathe = makeBreather()
  // What changes is worked out ahead: what makes the append cannot wait.
  foresee(subject, before, prepared.decided.decisions, cause)
  await breathe()
  const { made, outcomes } = await appendNow(ports, prepared.seen.known, (now) => {
    const { events, entity } = record(subject, before, prepared.decided.decisions, cause, now)
    mustFit(before?.members ?? {}, entity?.members ?? {})
    for (const { id } of events) tried.add(id)
    const append: Append = {
      stream: streamName(subject.kind, subject.id),
      expected: before?.revision ?? 'no_stream',
      events,
      ...conditionOf(plan, prepared.decided, prepared.seen.after),
    }
    return { appends: [append], made: entity as Entity }
  })
  const [outcome] = outcomes
  if (outcome?.ok) return resultOf(prepared, appended(made, outcome.position))
  if (outcome !== undefined && 'tooLarge' in outcome) throw new DomainError('too_large', outcome.tooLarge.message)
  if (outcome !== undefined && 'overtaken' in outcome) await ports.projected(outcome.overtaken)
  return undefined
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
