import { randomUUID } from 'node:crypto'
import type { EventType } from '../../events/events.ts'
import { finishCascades } from '../cascade.ts'
import { endBegunBelow } from './begunBelow.ts'
import { conditionIds, membersWithout, refusedSince } from './brokenConditions.ts'
import type { Context } from '../caller.ts'
import type { Standing } from '../decide.ts'
import { DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { Known } from '../lookup.ts'
import type { Head } from '../unitOfWork/reads.ts'
import { endedAbove, refusalBelow } from '../unitOfWork/deciding.ts'
import { lifeBefore, standing } from './lastStanding.ts'
import { commit } from '../unitOfWork/commit.ts'
import type { Request, Result } from '../unitOfWork/request.ts'

export interface Done {
  readonly request: Request
  readonly result: Result
}

/**
 * Looks again where the log could not look: what began, came back or was deleted below what had ended, and what was
 * deleted although something had come below, is taken back; and so is what was decided on something that had changed. Whoever comes second finds the other.
 * @returns why each that was taken back was
 */
export const confirm = async (context: Context, done: readonly Done[]): Promise<Map<Result, DomainError>> => {
  const refused = new Map<Result, DomainError>()
  const last = lastOf(done.flatMap(({ result }) => (result.changed ? [result] : [])))
  if (context.log.conditional || last === undefined) return refused
  await context.projected(last)
  const begun = new Set(done.filter(({ result }) => turnOf(result) !== undefined).map(({ result }) => result.entity.id))
  const chains = new Map(done.map(({ result }) => [result, chainOf(result)]))
  const ids = done.flatMap(({ result }) => [...(chains.get(result) ?? []), ...conditionIds(result)])
  const now = await context.refer([...new Set(ids)])
  for (const { request, result } of done) {
    const above = await statesAbove({ context, now, begun }, result, chains.get(result) ?? [])
    const ended = endedAbove([{ ...result.entity, status: 'live' }, ...above])
    const error =
      ended === undefined
        ? ((await refusalOf(result)) ?? (await refusedSince(context, request, result, now)))
        : refusalBelow(ended, turnOf(result))
    if (error !== undefined) refused.set(result, error)
  }
  await takeBack(
    context,
    done.filter(({ result }) => refused.has(result)),
  )
  const kept = done.flatMap(({ result }) => (refused.has(result) ? [] : [result]))
  await finishCascades(context, await endBegunBelow(context, kept))
  return refused
}

export const lastOf = (results: readonly Pick<Result, 'position'>[]): bigint | undefined =>
  results.reduce<bigint | undefined>(
    (max, { position }) => (max === undefined || position > max ? position : max),
    undefined,
  )

/** Whether the entity has come to be there, or was hidden. */
const turnOf = ({ before, entity, changed }: Result): EventType | undefined => {
  if (!changed || before?.status === entity.status || entity.status === 'gone') return undefined
  return entity.status === 'deleted' ? 'SoftDeleted' : before?.status === 'deleted' ? 'Restored' : 'Created'
}

/** Ids of what stands above, nearest first, where that matters. */
const chainOf = (result: Result): string[] => {
  const chain: string[] = []
  if (turnOf(result) === undefined) return chain
  for (let id = result.plan.parent; id !== undefined; id = result.known.get(id)?.parent) chain.push(id)
  return chain
}

interface Looked {
  readonly context: Context
  readonly now: Known
  /** Ids of what has turned in the same append, whose order among them means nothing. */
  readonly begun: ReadonlySet<string>
}

const statesAbove = async ({ context, now, begun }: Looked, { position, entity }: Result, chain: readonly string[]) => {
  const above: Head[] = []
  for (const id of chain) {
    const present = now.get(id)
    if (present === undefined) break
    const { parentBorn } = above.at(-1) ?? entity
    const isThen = present.since < position || begun.has(id)
    above.push(isThen ? present : ((await lifeBefore(context, present, position, parentBorn)) ?? present))
  }
  return above
}

const refusalOf = async ({ plan }: Result): Promise<DomainError | undefined> => {
  try {
    await plan.confirm?.()
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

/** Brings entities back to what they were, in the name of the requests that changed them. */
export const takeBack = async (context: Context, done: readonly Done[]): Promise<void> => {
  const taken: Result[] = []
  for (const { request, result } of done) {
    const back = backFrom(result, await standing(context, result.before))
    taken.push(await commit(context, { cause: request.cause, ...back }))
  }
  const last = lastOf(taken.filter(({ changed }) => changed))
  if (last === undefined) return
  await context.projected(last)
  const ended = await endBegunBelow(context, taken)
  await finishCascades(context, [...taken.map(({ entity }) => entity.id), ...ended])
}

/** Whether it is still what a result made of it, or what a cascade made of that: what others decided stays. */
const isOwn = (present: Entity | undefined, { before, entity, position }: Result): boolean => {
  if (present?.born !== entity.born) return false
  if (before?.status === 'live') return present.deletion === entity.deletion
  return before?.status !== 'deleted' || present.status !== 'live' || present.since <= position
}

const backFrom = (result: Result, former: Standing): Omit<Request, 'cause'> => {
  const { plan } = result
  const { definition, subject } = plan
  const deletion = randomUUID()
  return {
    target: subject,
    ids: [subject.id],
    resolve: (reads) => {
      const present = reads.own(subject.id)
      const to = former.to && present && { ...former.to, members: membersWithout(result, present.members) }
      const command = isOwn(present, result)
        ? ({ type: 'TakeBack', ...former, to, deletion } as const)
        : ({ type: 'Stay' } as const)
      return { definition, subject, before: present, command }
    },
  }
}
