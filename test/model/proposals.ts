import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../support/service.ts'
import type { FeedEvent } from './feed.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { keyOf, kindOf, partsOf, type Key } from './kinds.ts'
import type { Operation, ProposalStep } from './operations.ts'
import type { Story } from './order.ts'

/** What a client was answered when it accepted or refused a proposal; status 0: no answer came. */
export interface Decision {
  readonly accept: boolean
  readonly correlation: string
  readonly status: number
}

/** A proposal that was made, and every decision that was asked for. */
export interface Proposed {
  readonly id: string
  readonly key: Key
  readonly decisions: Decision[]
}

/** Calls the service as a step says. @returns `undefined` when the connection was lost */
export type Call = (
  step: ProposalStep,
  method: string,
  path: string,
  body: object,
) => Promise<{ readonly correlation: string; readonly answer: Answer | undefined }>

/** The proposals of an episode. */
export interface Proposals {
  readonly made: readonly Proposed[]
  /** @returns a PATCH of which nobody knows whether it came to be, where the step may have accepted a proposal */
  readonly play: (step: ProposalStep) => Promise<{ operation: Operation; correlation: string } | undefined>
}

/** A proposal takes the place of the PATCH that accepting it is: the judge explains its event by that. */
export const makeProposals = (call: Call): Proposals => {
  const slots = new Map<number, Promise<Proposed | undefined>>()
  const made: Proposed[] = []
  const propose = async (step: ProposalStep): Promise<Proposed | undefined> => {
    const path = `/v1/${kindOf(step.kind).path}/name/${encodeURIComponent(step.fqn)}/proposals`
    const { answer } = await call(step, 'POST', path, { patch: step.values })
    if (answer?.status !== 201) return undefined
    const proposed = { id: answer.body.id as string, key: keyOf(step.kind, step.fqn), decisions: [] }
    made.push(proposed)
    return proposed
  }
  const play: Proposals['play'] = async (step) => {
    if (step.do === 'propose') {
      const proposing = propose(step)
      slots.set(step.slot, proposing)
      await proposing
      return undefined
    }
    const proposed = await slots.get(step.slot)
    if (proposed === undefined) return undefined
    const accept = step.do !== 'refuse'
    const path = `/v1/proposals/${proposed.id}/${accept ? 'accept' : 'refuse'}`
    const { answer, correlation } = await call(step, 'PUT', path, step.do === 'amend' ? { patch: step.values } : {})
    proposed.decisions.push({ accept, correlation, status: answer?.status ?? 0 })
    const { kind, fqn, values, user } = step
    return accept ? { operation: { do: 'patch', kind, fqn, values, merge: true, user }, correlation } : undefined
  }
  return { made, play }
}

/** Events of what the model knows: proposals have streams of their own. */
export const ofEntities = (events: readonly FeedEvent[]): FeedEvent[] =>
  events.filter(({ key }) => partsOf(key).kind !== 'proposal')

const isUnknown = ({ status }: Decision): boolean => status === 0 || status === 503

/** What a proposal shows must follow from its acceptance in the log, and from the decisions that were acknowledged. */
export const proposalProblems = (
  decisions: readonly Decision[],
  accepted: readonly { readonly correlation: string; readonly revision: number | undefined }[],
  shown: { readonly status: string; readonly accepted?: number },
): string[] => {
  const problems: string[] = []
  if (accepted.length > 1) problems.push(`was accepted ${accepted.length} times`)
  const [event] = accepted
  const mayBe = (accept: boolean): boolean =>
    decisions.some((one) => one.accept === accept && (one.status === 200 || isUnknown(one)))
  const wanted = event !== undefined ? ['accepted'] : mayBe(false) ? ['open', 'refused'] : ['open']
  if (!wanted.includes(shown.status)) problems.push(`is ${shown.status}, not ${wanted.join(' or ')}`)
  if (event !== undefined && shown.status === 'accepted' && shown.accepted !== event.revision)
    problems.push(`says that revision ${shown.accepted} accepted it, not ${event.revision}`)
  for (const { accept, correlation, status } of decisions) {
    const own = accepted.some((one) => one.correlation === correlation)
    if (own && !isUnknown({ accept, correlation, status }) && status !== 200)
      problems.push(`${correlation} was answered ${status} and accepted it`)
    if (status === 200 && accept && !own) problems.push(`${correlation} was told that it accepted it, and did not`)
    if (status === 200 && !accept && shown.status !== 'refused')
      problems.push(`${correlation} was told that it refused it, and it is ${shown.status}`)
  }
  return problems
}

/** Seconds that the status of a proposal may follow its acceptance after a crash. */
const patience = 20

/** Compares every proposal with the events that accepted it. */
export const checkProposals = async (host: Host, story: Story, made: readonly Proposed[], say: Say): Promise<void> => {
  for (const { id, key, decisions } of made) {
    const states = story.states.get(key) ?? []
    const accepted = story.events.flatMap(({ proposal, correlation }, at) =>
      proposal === id && !story.isUndone(at)
        ? [{ correlation, revision: states.find((state) => state.at === at)?.revision }]
        : [],
    )
    const problems = async (): Promise<string[]> => {
      const { status, body } = await host.call('GET', `/v1/proposals/${id}`)
      if (status === 404 && states.some((state) => state.status === 'gone')) return []
      return status === 200 ? proposalProblems(decisions, accepted, body) : [`is answered with ${status}`]
    }
    let found = await problems()
    for (let second = 0; found.length > 0 && second < patience; second++) {
      await delay(1000)
      found = await problems()
    }
    for (const problem of found) say('a proposal is decided once', `proposal ${id} ${problem}`, key)
  }
}
