import type { AppendCondition } from '../../events/appendCondition.ts'
import type { Append, AppendOutcome } from '../../events/eventStore.ts'
import type { RecordedEvent } from '../../events/events.ts'
import { streamName } from '../../events/streamName.ts'
import { sawAll, type EventTime } from '../clock.ts'
import { DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import { appended, record } from '../recording.ts'
import type { Decided } from './deciding.ts'
import type { Loaded } from './reads.ts'
import type { Outcome, Plan, Result } from './request.ts'
import { recordedCondition } from './verdicts.ts'

/** What has to be appended for one stream, and for which requests. */
interface Share {
  readonly append: Append
  readonly decided: readonly Appendable[]
  readonly entities: readonly Entity[]
}

/** Others came first: on this stream, or with something that was read. */
export const lost = Symbol('lost')

type Appendable = Decided & { readonly plan: Plan }

const isToAppend = (decided: Decided): decided is Appendable =>
  decided.plan !== undefined && decided.decisions.length > 0

type Appending = Pick<Ports, 'log' | 'clock' | 'projected' | 'verdicts'>

/** Carries out what a verdict leads to: the compensation of what is void, or the deletion for good; else nothing. */
export type FollowUp = (event: RecordedEvent, isVoid: boolean) => Promise<Result | undefined>

/**
 * Appends what was decided, for each stream at once, on condition of all that was read.
 * @param tried takes the ids of the events, with what they are of
 * @returns what became of each that has something to append
 */
export const appendAll = async (
  ports: Appending,
  decided: readonly Decided[],
  loaded: Loaded,
  followUp: FollowUp,
  tried = new Map<string, Decided>(),
): Promise<Map<Decided, Outcome | typeof lost>> => {
  const byStream = Map.groupBy(decided.filter(isToAppend), ({ plan }) => streamName(plan.subject.kind, plan.subject.id))
  const outcomes = new Map<Decided, Outcome | typeof lost>()
  if (byStream.size === 0) return outcomes
  // Between the time and the append nothing waits, so that the time of events never goes back along the log.
  sawAll(ports.clock, loaded.known)
  const now = ports.clock.now()
  const recorded = ports.verdicts !== undefined
  const shares = [...byStream].map(([stream, some]) => shareOf(stream, some, { now, recorded, tried }))
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
  const [{ plan, before }] = decided as readonly [Appendable]
  return isVoid || result.entity.status !== 'gone' ? lost : { result: { ...result, plan, before, changed: true } }
}

const shareOf = (
  stream: string,
  decided: readonly Appendable[],
  { now, recorded, tried }: { now: EventTime; recorded: boolean; tried: Map<string, Decided> },
): Share => {
  const events: Append['events'][number][] = []
  const entities: Entity[] = []
  const condition = conditionOf(decided)
  const isFinal = decided.some(({ plan }) => plan.isFinal === true)
  const told = recorded && (isFinal || condition.dependencies.length > 0) && recordedCondition(condition, isFinal)
  for (const one of decided) {
    const { plan, decisions, request } = one
    const before = entities.at(-1) ?? plan.before
    const made = record(plan.subject, before, decisions, request.cause, { ...now, ...(told && { condition: told }) })
    for (const { id } of made.events) tried.set(id, one)
    events.push(...made.events)
    entities.push(made.entity as Entity)
  }
  const expected = decided[0]?.plan.before?.revision ?? 'no_stream'
  return { append: { stream, expected, events, condition }, decided, entities }
}

/** All that those who append to one stream have read together. */
const conditionOf = (decided: readonly Appendable[]): AppendCondition => {
  const [first, ...others] = decided.map(({ reads, plan }) => reads.condition(plan.subject.id)) as [AppendCondition]
  return { ...first, dependencies: [first, ...others].flatMap(({ dependencies }) => dependencies) }
}

const outcomeOf = (
  { decided, entities }: Share,
  place: number,
  outcome: AppendOutcome,
  { known }: Loaded,
): Outcome | typeof lost => {
  const { plan, before } = decided[place] as Appendable
  if (outcome.ok) {
    const entity = appended(entities[place] as Entity, outcome.position)
    return { result: { plan, entity, before, changed: true, position: entity.position, known } }
  }
  if ('tooLarge' in outcome && decided.length === 1)
    return { error: new DomainError('too_large', outcome.tooLarge.message), subject: plan.subject }
  return lost
}
