import type { AppendCondition } from '../../events/appendCondition.ts'
import type { Append, AppendOutcome } from '../../events/eventStore.ts'
import type { EventType, RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import { inSpan } from '../../shared/tracing.ts'
import { mustFit } from '../changes.ts'
import { sawAll, type EventTime } from '../clock.ts'
import type { Decision } from '../decide.ts'
import { DomainError, nameTaken } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { sealDecisions } from './sealDecisions.ts'
import type { Ports } from '../ports.ts'
import { makeReads, type Head, type Loaded, type Reads } from './reads.ts'
import { appended, foresee, record, type Subject } from '../recording.ts'
import type { Outcome, Plan, Request, Result } from './request.ts'
import { recordedCondition } from './verdicts.ts'
import { decideWith, endedAbove, readAbove, refusalBelow } from './deciding.ts'

/** One request, decided on what was loaded, and all that it read of that. */
export interface Decided {
  readonly request: Request
  readonly reads: Reads
  /** Absent when it is refused before that can be told. */
  readonly plan: Plan | undefined
  readonly before: Entity | undefined
  /** Nothing, when there is nothing to do or it is refused. */
  readonly decisions: readonly Decision[]
  readonly refused?: unknown
}

/** What has to be appended for one stream, and for which requests. */
interface Share {
  readonly append: Append
  readonly decided: readonly Decided[]
  readonly entities: readonly Entity[]
}

/** Others came first: on this stream, or with something that was read. */
export const lost = Symbol('lost')

/** Resolves and decides requests in order, each on what those before it lead to. Nothing is appended yet. */
export const decideAll = async (ports: Ports, requests: readonly Request[], loaded: Loaded): Promise<Decided[]> => {
  const decided: Decided[] = []
  const yieldWhenDue = makeYielder()
  for (const request of requests) {
    await yieldWhenDue()
    decided.push(await inSpan('decide', {}, () => decideOne(ports, request, loaded)))
  }
  return decided
}

const decideOne = async (ports: Ports, request: Request, loaded: Loaded): Promise<Decided> => {
  const reads = makeReads(ports, loaded)
  let plan: Plan | undefined
  try {
    plan = await request.resolve(reads)
    request.precondition?.(plan.before)
    const decisions = await sealDecisions(ports, plan, await decideWith(ports, plan, reads))
    await mustStandInLife(plan, decisions, reads)
    await mustHoldName(plan, decisions, reads)
    if (decisions.length > 0) loaded.known.set(plan.subject.id, expected(plan, decisions, request))
    return { request, reads, plan, before: plan.before, decisions }
  } catch (refused) {
    const before = plan === undefined ? reads.own(request.target?.id ?? '') : plan.before
    return { request, reads, plan, before, decisions: [], refused }
  }
}

/** Events by which a request makes something appear or disappear. */
const turns: ReadonlySet<EventType> = new Set(['Created', 'Restored', 'SoftDeleted'])

/** Nothing begins, comes back or is deleted on its own below what has ended. @throws DomainError */
const mustStandInLife = async ({ parent }: Plan, decisions: readonly Decision[], reads: Reads): Promise<void> => {
  const turn = decisions.find(({ event: { type } }) => turns.has(type))?.event.type
  const ended: Head | undefined = turn === undefined ? undefined : endedAbove(await readAbove(parent, reads))
  if (ended !== undefined) throw refusalBelow(ended, turn)
}

/** A name belongs to one entity at a time, as long as that is not hard-deleted. @throws DomainError */
const mustHoldName = async ({ definition, subject }: Plan, decisions: readonly Decision[], reads: Reads) => {
  if (!decisions.some(({ event: { type } }) => type === 'Created')) return
  const namesake = await reads.namesake(definition, subject)
  if (namesake === undefined) return
  const [owner] = await readAbove(namesake.parent, reads)
  throw nameTaken(namesake, owner)
}

/** What decisions lead to, for the requests that follow. @throws DomainError where it is too large */
const expected = ({ subject, before }: Plan, decisions: readonly Decision[], { cause }: Request): Entity => {
  const after = foresee(subject, before, decisions, cause) as Entity
  mustFit(before?.members ?? {}, after.members)
  return after
}

/** Has it something to append? */
export const isToAppend = (decided: Decided): decided is Decided & { readonly plan: Plan } =>
  decided.plan !== undefined && decided.decisions.length > 0

type Appending = Pick<Ports, 'log' | 'clock' | 'projected' | 'verdicts'>

/** Carries out what a verdict leads to: the compensation of what is void, or the deletion for good; else nothing. */
export type FollowUp = (event: RecordedEvent, isVoid: boolean) => Promise<Result | undefined>

/**
 * Appends what was decided, for each stream at once, on condition of all that was read.
 * @param tried takes the ids of the events
 * @returns what became of each that has something to append
 */
export const appendAll = async (
  ports: Appending,
  decided: readonly Decided[],
  loaded: Loaded,
  followUp: FollowUp,
  tried: Set<string> = new Set(),
): Promise<Map<Decided, Outcome | typeof lost>> => {
  const byStream = Map.groupBy(decided.filter(isToAppend), ({ plan }) => streamName(plan.subject.kind, plan.subject.id))
  const outcomes = new Map<Decided, Outcome | typeof lost>()
  if (byStream.size === 0) return outcomes
  // Between the time and the append nothing waits, so that the time of events never goes back along the log.
  sawAll(ports.clock, loaded.known)
  const now = ports.clock.now()
  const recorded = ports.verdicts !== undefined
  const shares = [...byStream].map(([stream, some]) => shareOf(stream, some, now, recorded))
  for (const { append } of shares) for (const { id } of append.events) tried.add(id)
  const appends = await ports.log.append(shares.map(({ append }) => append))
  for (const [at, share] of shares.entries()) {
    const outcome = appends[at] as AppendOutcome
    if ('brokenAt' in outcome) await ports.projected(outcome.brokenAt)
    const judged = outcome.ok ? await judge(ports, share, outcome.position, followUp) : undefined
    if (judged === lost) for (const { id } of share.append.events) tried.delete(id)
    for (const [place, one] of share.decided.entries())
      outcomes.set(one, judged ?? outcomeOf(share, place, outcome, loaded))
  }
  return outcomes
}

/**
 * Where the log could not refuse: what is void is compensated.
 * @returns `lost` then; what a deletion for good has led to; else nothing
 */
const judge = async (
  { verdicts, projected }: Appending,
  { append, decided }: Share,
  position: bigint,
  followUp: FollowUp,
): Promise<typeof lost | Outcome | undefined> => {
  const last = append.events.at(-1)
  if (verdicts === undefined || last?.metadata.condition === undefined) return undefined
  const event = await verdicts.eventAt(position, last.id, append.condition?.after)
  const isVoid = await verdicts.isVoid(event)
  const result = await followUp(event, isVoid)
  if (result === undefined) return undefined
  await projected(result.position)
  const [{ plan, before }] = decided as [Decided & { readonly plan: Plan }]
  return isVoid || result.entity.status !== 'gone' ? lost : { result: { ...result, plan, before, changed: true } }
}

const shareOf = (
  stream: string,
  decided: readonly (Decided & { readonly plan: Plan })[],
  now: EventTime,
  recorded: boolean,
): Share => {
  const events: Append['events'][number][] = []
  const entities: Entity[] = []
  const condition = conditionOf(decided)
  const isFinal = decided.some(({ plan }) => plan.isFinal === true)
  const told = recorded && (isFinal || condition.dependencies.length > 0) && recordedCondition(condition, isFinal)
  for (const { plan, decisions, request } of decided) {
    const before = entities.at(-1) ?? plan.before
    const made = record(plan.subject, before, decisions, request.cause, { ...now, ...(told && { condition: told }) })
    events.push(...made.events)
    entities.push(made.entity as Entity)
  }
  const expected = decided[0]?.plan.before?.revision ?? 'no_stream'
  return { append: { stream, expected, events, condition }, decided, entities }
}

/** All that those who append to one stream have read together. */
const conditionOf = (decided: readonly (Decided & { readonly plan: Plan })[]): AppendCondition => {
  const [first, ...others] = decided.map(({ reads, plan }) => reads.condition(plan.subject.id)) as [AppendCondition]
  return { ...first, dependencies: [first, ...others].flatMap(({ dependencies }) => dependencies) }
}

const outcomeOf = (
  { decided, entities }: Share,
  place: number,
  outcome: AppendOutcome,
  { known }: Loaded,
): Outcome | typeof lost => {
  const { plan, before } = decided[place] as Decided & { readonly plan: Plan }
  if (outcome.ok) {
    const entity = appended(entities[place] as Entity, outcome.position)
    return { result: { plan, entity, before, changed: true, position: entity.position, known } }
  }
  if ('tooLarge' in outcome && decided.length === 1)
    return { error: new DomainError('too_large', outcome.tooLarge.message), subject: plan.subject as Subject }
  return lost
}

/** The answer to a request that has nothing to append. */
export const unchanged = ({ plan, before }: Decided & { readonly plan: Plan }, { known }: Loaded): Result => {
  const entity = before as Entity
  return { plan, entity, before, changed: false, position: entity.position, known }
}
