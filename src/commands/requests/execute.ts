import { chunksOf } from '../../shared/bounds.ts'
import { makeYielder } from '../../shared/yieldToEventLoop.ts'
import type { Context } from '../caller.ts'
import { appendConditionFailed, DomainError } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import type { IdentityMap, Referred } from '../lookup.ts'
import type { Ports } from '../ports.ts'
import { isProvisional } from '../recording.ts'
import { commit, commitAll } from '../unitOfWork/unitOfWork.ts'
import { loadEntities, type Loaded } from '../unitOfWork/reads.ts'
import { type Failed, type Request, type Result, type Outcome } from '../unitOfWork/request.ts'

/**
 * Executes one request. Resolves when every read shows its result, with the descendants that it deletes or restores.
 * @throws DomainError when it is refused; nothing was written then
 */
export const execute = async (context: Context, request: Request): Promise<Result> =>
  complete(context, await commit(context, request))

/** Waits until every read shows a result, and a short time for the events of the descendants that it deletes or restores. */
export const complete = async (context: Context, result: Result): Promise<Result> => ({
  ...result,
  position: (await completeAll(context, [result])) ?? result.position,
})

export const chunkSize = 500

/** The outcome of one of many requests, kept small since there may be thousands. */
export type Summary<R = Request> = { readonly request: R } & (
  | {
      readonly result: Pick<Result, 'changed'> & {
        readonly entity: Pick<Entity, 'fullyQualifiedName' | 'version'>
        readonly before: Pick<Entity, 'status'> | undefined
      }
    }
  | Failed
)

const summaryOf = <R>(request: R, outcome: Outcome): Summary<R> => {
  if (!('result' in outcome)) return { request, ...outcome }
  const { changed, entity, before } = outcome.result
  const { fullyQualifiedName, version } = entity
  const after = { fullyQualifiedName, version }
  return { request, result: { changed, entity: after, before: before && { status: before.status } } }
}

/** Loads the entities of as many requests as fit the memory bound. @returns those requests, with what was loaded */
const prefetch = async <R extends Request>(
  context: Context,
  requests: readonly R[],
): Promise<[readonly R[], Loaded]> => {
  const after = context.position()
  const whole = requests.flatMap(({ ids }) => ids)
  const [{ found, left }, referred] = await Promise.all([
    context.prefetch(whole),
    context.refer(requests.flatMap(({ referred: ids = [] }) => ids)),
  ])
  const firstLeft = requests.findIndex(({ ids }) => ids.some((id) => left.has(id)))
  if (firstLeft === 0) {
    const [{ ids, referred: further = [] }] = requests as readonly [R]
    return [requests.slice(0, 1), await loadEntities(context, { whole: ids, referred: further })]
  }
  const known: IdentityMap = new Map<string, Entity | Referred>([...referred, ...found])
  const absent = new Set(whole.filter((id) => !found.has(id) && !left.has(id)))
  // An entity that others refer to may have been created between the two look-ups: it counts as absent.
  for (const id of absent) known.delete(id)
  return [firstLeft === -1 ? requests : requests.slice(0, firstLeft), { after, known, absent }]
}

/**
 * Executes many requests in order, which may share a cause; a failed one does not affect the others.
 * @returns the outcome of each, and the position at which reads show all of them; none where nothing was written
 */
export const executeAll = async <R extends Request>(
  context: Context,
  requests: readonly R[],
): Promise<{ summaries: Summary<R>[]; position: bigint | undefined }> => {
  const summaries: Summary<R>[] = []
  const position = await executeEach(context, chunksOf(requests, chunkSize), (summary) => void summaries.push(summary))
  return { summaries, position }
}

/**
 * Like {@link executeAll}, but passes the outcomes of each chunk on before it takes the next chunk.
 * @param chunks each is decided and appended as one unit; other requests run between them
 * @returns the position at which reads show all of them
 */
export const executeEach = async <R extends Request>(
  context: Context,
  chunks: Iterable<readonly R[]> | AsyncIterable<readonly R[]>,
  onSummary: (summary: Summary<R>) => Promise<void> | void,
): Promise<bigint | undefined> => {
  let position: bigint | undefined
  let count = 0
  const withOwnCause = (request: R): R => {
    const commandId = `${request.cause.commandId}:${count++}`
    return { ...request, cause: { ...request.cause, commandId } }
  }
  const yieldWhenDue = makeYielder()
  for await (const chunk of chunks)
    for (let rest = chunk.map(withOwnCause); rest.length > 0;) {
      const [requests, loaded] = await prefetch(context, rest)
      const some = await commitAll(context, requests, loaded)
      const results = some.flatMap((one) => ('result' in one ? [one.result] : []))
      position = (await completeAll(context, results)) ?? position
      for (const [at, one] of some.entries()) await onSummary(summaryOf(requests[at] as R, one))
      rest = rest.slice(requests.length)
      context.progress?.()
      await yieldWhenDue()
    }
  return position
}

export const countChanged = (summaries: readonly Summary[]): number =>
  summaries.filter((one) => 'result' in one && one.result.changed).length

/** @throws the first error that is not a refusal: the work that it interrupted is to be repeated */
export const throwFailure = (summaries: readonly Summary[]): void => {
  for (const one of summaries) if ('error' in one && !(one.error instanceof DomainError)) throw one.error
}

/** Like {@link complete}. @returns the position that reads show */
const completeAll = async (context: Context, results: readonly Result[]): Promise<bigint | undefined> => {
  let last: bigint | undefined
  const statusChanged: Entity[] = []
  for (const { changed, position, before, entity } of results) {
    if (!changed) continue
    // The log begins at 1; a dry run does not get there.
    if (position > (last ?? 0n)) last = position
    if (before !== undefined && before.status !== entity.status) statusChanged.push(entity)
  }
  if (last === undefined) return undefined
  await context.waitForPosition(last)
  if (statusChanged.length === 0) return last
  const followed = await context.waitForCascades(statusChanged)
  return followed === undefined || followed < last ? last : followed
}

/** Waits until all descendants of an entity have followed its last deletion or restore. */
export const waitForDescendants = async (ports: Ports, entity: Entity): Promise<void> => {
  await waitForReads(ports, entity)
  await ports.waitForCascades([entity], Infinity)
}

/**
 * Waits until the read models show an entity, which may be newer after waiting in the queue. They never show a
 * provisional state, so the request is decided again. @throws DomainError `conflict` then
 */
export const waitForReads = async ({ waitForPosition }: Ports, entity: Entity): Promise<void> => {
  if (isProvisional(entity)) throw appendConditionFailed()
  await waitForPosition(entity.position)
}
