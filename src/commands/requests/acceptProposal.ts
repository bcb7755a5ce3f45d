import {
  type Members,
  type ProposalOrigin,
  type RecordedEvent,
  parseStreamName,
  streamName,
} from '../../events/events.ts'
import { enumerate, summarizeEvent } from '../../events/verbs.ts'
import type { KindDefinition } from '../../kinds/defineKind.ts'
import { kindNamed, proposalKind } from '../../kinds/registry/kinds.ts'
import { sameJson, type Json } from '../../shared/json.ts'
import type { Context } from '../caller.ts'
import { conflict, appendConditionFailed, DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Ports } from '../ports.ts'
import { originOf, type Cause } from '../recording.ts'
import { validEvents } from '../unitOfWork/compensation.ts'
import { liveTarget } from '../unitOfWork/decideRequests.ts'
import type { Request } from '../unitOfWork/request.ts'
import { change, revertingChanges, type Change, type Changes } from './change.ts'
import { verbRequest, type Verb } from './verbRequest.ts'

type ProposalDecision = { readonly status: string; readonly decidedBy: string; readonly [member: string]: Json }

const statusOf = (proposal: Pick<Entity, 'members'> | undefined): string => String(proposal?.members['status'])

const closed = (status: string): DomainError => conflict(`The proposal was already ${status}: read it again.`)

/** Closes an open proposal; an accepted one stays accepted. */
const closing = (definition: KindDefinition, id: string, decided: ProposalDecision): Verb => ({
  definition,
  id,
  command: (_, proposal) => {
    const status = statusOf(proposal)
    const isAccepted = decided.status === 'accepted'
    if (isAccepted && status === 'accepted') return { type: 'NoOp' }
    if (!isAccepted && status !== 'open') throw closed(status)
    return { type: 'Change', members: decided, cleared: [] }
  },
})

/** Throws if the caller may not decide on changes of the entity as it is now. */
type DecisionCheck = (entity: Entity) => Promise<void>

interface Closing extends Pick<Proposed, 'id' | 'base'>, Pick<Verb, 'definition'> {
  readonly target: { readonly kind: string; readonly id: string }
  readonly mayDecide?: DecisionCheck
}

/** Refuses or withdraws a proposal, on condition that the entity has no event that accepts it. */
export const closeProposal = (
  context: Pick<Ports, 'log' | 'verdicts'>,
  { definition, id, target, base, mayDecide }: Closing,
  decided: ProposalDecision,
  cause: Cause,
): Request => {
  const own = closing(definition, id, decided)
  const request = verbRequest(
    {
      ...own,
      command: async (reads, proposal) => {
        // Any member may be what an amended acceptance changes.
        reads.readEveryMember(target.id)
        const entity = reads.own(target.id)
        if (entity !== undefined) await mayDecide?.(entity)
        if (await acceptingEvent(context, target, { id, base })) throw closed('accepted')
        return own.command(reads, proposal)
      },
    },
    cause,
  )
  return { ...request, ids: [id, target.id] }
}

interface Proposed {
  readonly id: string
  /** Revision of the entity that the proposal was made on. */
  readonly base: bigint
  readonly members: readonly string[]
}

/** The event that accepted a proposal. The status of the proposal follows it. */
export const acceptingEvent = async (
  ports: Pick<Ports, 'log' | 'verdicts'>,
  target: { readonly kind: string; readonly id: string },
  { id, base }: Pick<Proposed, 'id' | 'base'>,
): Promise<RecordedEvent | undefined> => {
  for await (const event of validEvents(ports, streamName(target.kind, target.id), base))
    if (event.metadata.proposal?.id === id) return event
  return undefined
}

/** Throws if the members have changed since the proposal was made, or if it was accepted already; says by whom. */
const mustApply = async (context: Context, entity: Entity, { id, base, members }: Proposed, amended: boolean) => {
  if (entity.born > base) throw conflict('What the proposal was about has been hard-deleted: refuse or withdraw it.')
  const changes: string[] = []
  let reached = base
  for await (const event of validEvents(context, streamName(entity.kind, entity.id), base)) {
    const { user, time, proposal } = event.metadata
    reached = event.revision
    if (proposal?.id === id) throw closed('accepted')
    const touched = summarizeEvent(event).changed.filter((name) => members.includes(name))
    if (touched.length > 0) changes.push(`${enumerate(touched)} by ${user} at ${time} (revision ${event.revision})`)
  }
  // Events that others are about to append cannot be read yet.
  if (reached < entity.revision && context.verdicts === undefined) throw appendConditionFailed()
  if (changes.length > 0 && !amended)
    throw conflict(
      `Since the proposal was made others changed ${changes.join('; ')}. Read the entity again, and accept with a ` +
        '`patch` of your own, or refuse.',
    )
}

/** A change that is proposed, as it is stored. */
export type ProposedChange = { readonly set: Members; readonly unset: string[] }

/**
 * What a proposal changes in the present entity, without references to what has been hard-deleted.
 * @throws DomainError `conflict` when nothing is left of a member
 */
export const readProposed = async (
  context: Context,
  definition: KindDefinition,
  { set, unset }: ProposedChange,
  entity: Entity,
): Promise<Changes> => {
  const members = { ...entity.members, ...set }
  for (const name of unset) delete members[name]
  const names = [...Object.keys(set), ...unset]
  const changes = await revertingChanges(context, { definition, old: { ...entity, members }, entity }, names)
  const { values, cleared } = changes
  const emptied = Object.keys(set).filter(
    (name) => cleared.includes(name) || (name in values && sameJson(values[name], [])),
  )
  if (emptied.length === 0) return changes
  throw conflict(
    `Everything that the proposal names in ${enumerate(emptied)} has been hard-deleted since it was made. Accept with ` +
      'a `patch` of your own, or refuse.',
  )
}

/** The change that accepts a proposal: one event of the entity, which names the proposal and its proposer. */
export const acceptProposal = (
  context: Context,
  { definition, id, read }: Change,
  {
    amended,
    mayDecide,
    ...proposed
  }: Proposed & { readonly proposer: string; readonly amended: boolean; readonly mayDecide?: DecisionCheck },
  cause: Cause,
): Request => {
  const proposal: ProposalOrigin = { id: proposed.id, proposer: proposed.proposer, ...(amended && { amended }) }
  const request = change(context, { definition, id, read }, { ...cause, proposal })
  return {
    ...request,
    ids: [id, proposed.id],
    resolve: async (reads) => {
      const status = statusOf(reads.facts.get(proposed.id))
      if (status !== 'open') throw closed(status)
      const entity = liveTarget(reads, id)
      await mayDecide?.(entity)
      await mustApply(context, entity, proposed, amended)
      return request.resolve(reads)
    },
  }
}

/** The request that sets the status of a proposal after the event that accepted it; `undefined` for other events. */
export const acceptance = (event: RecordedEvent): Request | undefined => {
  const { proposal, user } = event.metadata
  if (proposal === undefined || parseStreamName(event.stream).kind === proposalKind) return undefined
  const decided = {
    status: 'accepted',
    decidedBy: user,
    accepted: Number(event.revision),
    ...(proposal.amended && { amended: true }),
  }
  const cause = { ...originOf(event), commandId: event.id }
  const request = verbRequest(closing(kindNamed(proposalKind), proposal.id, decided), cause)
  return { ...request, resolve: async (reads) => ({ ...(await request.resolve(reads)), isConsequence: true }) }
}
