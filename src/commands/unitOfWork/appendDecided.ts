import type { Append, AppendOutcome } from '../../events/eventStore.ts'
import { type Dependency, type NewEvent, type RecordedEvent, streamName } from '../../events/events.ts'
import { DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import { type EventTime, asAppended, record } from '../recording.ts'
import { CatalogError } from '../../shared/errors/namedError.ts'
import type { Decided } from './decideRequests.ts'
import { halvesOf } from './halves.ts'
import type { Loaded } from './reads.ts'
import type { Outcome, Plan, Result } from './request.ts'
import { recordedCondition } from '../../events/verdicts.ts'

interface RecordingOptions {
  readonly after: bigint | undefined
  /** Whether conditions are recorded in the events. */
  readonly isRecorded: boolean
}

interface StreamAppend {
  readonly append: Append
  readonly decided: readonly Appendable[]
  readonly entities: readonly Entity[]
}

interface Appended {
  readonly streamAppend: StreamAppend
  readonly outcome: AppendOutcome
}

/** A concurrent append won: to this stream, or to one that was read. */
export const conflicted = Symbol('conflicted')

type Appendable = Decided & { readonly plan: Plan }

/** Carries out the consequence of a verdict: a compensation, a hard delete, or nothing. */
export type FollowUp = (ports: Ports, event: RecordedEvent, isVoid: boolean) => Promise<Result | undefined>

/**
 * Appends all decisions, one append per stream, on condition of everything that was read.
 * @returns the outcome of each request with events
 */
export const appendAll = async (
  ports: Ports,
  decided: readonly Decided[],
  loaded: Loaded,
  followUp: FollowUp,
): Promise<Map<Decided, Outcome | typeof conflicted>> => {
  const byStream = new Map<string, Appendable[]>()
  for (const one of decided) {
    if (one.plan === undefined || one.decisions.length === 0) continue
    const stream = streamName(one.plan.subject.kind, one.plan.subject.id)
    byStream.set(stream, [...(byStream.get(stream) ?? []), one as Appendable])
  }
  const outcomes = new Map<Decided, Outcome | typeof conflicted>()
  if (byStream.size === 0) return outcomes
  // A decision about an entity is never earlier than the entity. Nothing is awaited between the clock and the append, so
  // that the time of events never goes back along the log.
  for (const { updatedAt } of loaded.known.values()) ports.clock.observe(updatedAt)
  const now = ports.clock.appendTime()
  const options = { after: loaded.after, isRecorded: ports.verdicts !== undefined }
  const streamAppends: StreamAppend[] = []
  for (const [stream, some] of byStream) streamAppends.push(streamAppendOf(stream, some, { ...options, now }))
  const appends = await ports.log.append(streamAppends.map(({ append }) => append))
  await Promise.all(
    streamAppends.map(async (streamAppend, at) => {
      let appended: Appended = { streamAppend, outcome: appends[at] as AppendOutcome }
      let resolved: Outcome | typeof conflicted | undefined
      // Other appends are written already, so what fails here is the outcome of this one alone.
      try {
        if ('tooLarge' in appended.outcome) appended = await appendHalves(ports, appended, options)
        resolved = await resolveOutcome(ports, appended, followUp)
      } catch (error) {
        if (!(error instanceof CatalogError)) throw error
        resolved = { error, subject: streamAppend.decided[0]?.plan.subject }
      }
      for (const [place, one] of streamAppend.decided.entries())
        outcomes.set(one, resolved ?? outcomeOf(appended, place, loaded))
    }),
  )
  return outcomes
}

/** Waits until reads show what broke the condition, or judges an event whose condition the log could not check. */
const resolveOutcome = async (ports: Ports, { streamAppend, outcome }: Appended, followUp: FollowUp) => {
  if ('brokenAt' in outcome) await ports.waitForPosition(outcome.brokenAt)
  return outcome.ok ? applyVerdict(ports, streamAppend, outcome.position, followUp) : undefined
}

/**
 * If the log could not check the condition: compensates a void event.
 * @returns `conflicted` then; the result of a hard delete; otherwise nothing
 */
const applyVerdict = async (
  ports: Ports,
  { append, decided }: StreamAppend,
  position: bigint,
  followUp: FollowUp,
): Promise<typeof conflicted | Outcome | undefined> => {
  const { verdicts, waitForPosition } = ports
  const last = append.events.at(-1)
  if (verdicts === undefined || last?.metadata.condition === undefined) return undefined
  const event = await verdicts.eventAt(position, last.id, append.condition?.after)
  const isVoid = await verdicts.isVoid(event)
  const result = await followUp(ports, event, isVoid)
  if (result === undefined) return undefined
  await waitForPosition(result.position)
  const [{ before }] = decided as readonly [Appendable]
  return isVoid || result.entity.status !== 'gone' ? conflicted : { result: { ...result, before, changed: true } }
}

/**
 * A consequence of an event is written however large it is: beyond the limit of an append as two halves, one after the
 * other. Only the last part has the id that tells that the consequence is complete.
 */
const appendHalves = async (ports: Ports, whole: Appended, options: RecordingOptions): Promise<Appended> => {
  const { append, decided } = whole.streamAppend
  const [one, ...others] = decided as readonly [Appendable]
  const isCut = 'tooLarge' in whole.outcome && one.plan.isConsequence === true && others.length === 0
  const halves = isCut ? halvesOf(one.decisions) : undefined
  if (halves === undefined) return whole
  const appendPart = async (part: Appendable): Promise<Appended> => {
    const streamAppend = streamAppendOf(append.stream, [part], { ...options, now: ports.clock.appendTime() })
    const [outcome] = await ports.log.append([streamAppend.append])
    return appendHalves(ports, { streamAppend, outcome: outcome as AppendOutcome }, options)
  }
  const { cause } = one.request
  const causeOfPart = { causationId: cause.commandId, ...cause, commandId: `${cause.commandId}:part` }
  const request = { ...one.request, cause: causeOfPart }
  const first = await appendPart({ ...one, request, decisions: halves[0] })
  if (!first.outcome.ok) return first
  const before = asAppended(first.streamAppend.entities[0] as Entity, first.outcome.position)
  return appendPart({ ...one, plan: { ...one.plan, before }, decisions: halves[1] })
}

const streamAppendOf = (
  stream: string,
  decided: readonly Appendable[],
  { now, after, isRecorded }: RecordingOptions & { readonly now: EventTime },
): StreamAppend => {
  // The union of what the requests of this append have read.
  const dependencies: Dependency[] = []
  let isFinal = false
  for (const { reads, plan } of decided) {
    dependencies.push(...reads.dependencies(plan.subject.id))
    isFinal ||= plan.isFinal === true
  }
  const condition = { after, dependencies }
  const conditionToRecord = isRecorded && (isFinal || dependencies.length > 0) && recordedCondition(condition, isFinal)
  const events: NewEvent[] = []
  const entities: Entity[] = []
  for (const one of decided) {
    const before = entities.at(-1) ?? one.plan.before
    const metadata = { ...now, ...(conditionToRecord && { condition: conditionToRecord }) }
    const { decisions, plan, request } = one
    const made = record({ subject: plan.subject, before, decisions, cause: request.cause }, metadata)
    events.push(...made.events)
    entities.push(made.entity as Entity)
  }
  const expected = decided[0]?.plan.before?.revision ?? 'no_stream'
  return { append: { stream, expected, events, condition }, decided, entities }
}

const outcomeOf = (
  { streamAppend: { decided, entities }, outcome }: Appended,
  place: number,
  { known }: Loaded,
): Outcome | typeof conflicted => {
  const { plan, before } = decided[place] as Appendable
  if (outcome.ok) {
    const entity = asAppended(entities[place] as Entity, outcome.position)
    return { result: { entity, before, changed: true, position: entity.position, known } }
  }
  if ('tooLarge' in outcome && decided.length === 1)
    return { error: new DomainError('too_large', outcome.tooLarge.message), subject: plan.subject }
  return conflicted
}
