import { streamName, type Reference, type Vote, type CatalogEvent } from '../../events/events.ts'
import type { KindDefinition, ReferenceInput } from '../../kinds/defineKind.ts'
import { isUuid } from '../../kinds/names.ts'
import { principalKind } from '../../kinds/registry/kinds.ts'
import { userId, callerReference, makeNameResolver, type Caller, type Context } from '../caller.ts'
import { candidateIds, findMeant, describeReference } from './resolveRequest.ts'
import type { Command, ListCommand } from '../decide.ts'
import { notFound } from '../errors.ts'
import type { Entity } from '../evolve.ts'
import { referenceTo } from '../lookup.ts'
import type { Reads } from '../unitOfWork/reads.ts'
import type { Cause } from '../recording.ts'
import { requestOn, type Precondition, type Request } from '../unitOfWork/request.ts'
import { isKept, learnResults, reportOf, runOf, storedReport, type ResultReport, type RunResult } from '../runs.ts'
import type { JsonObject } from '../../shared/json.ts'

export interface Verb {
  readonly definition: KindDefinition
  readonly id: string
  /** Further streams that it reads. */
  readonly referred?: readonly string[]
  readonly command: (reads: Reads, entity: Entity) => Command | Promise<Command>
}

export const verbRequest = ({ command, ...about }: Verb, cause: Cause, precondition?: Precondition): Request =>
  requestOn({ ...about, cause, precondition }, async (before, reads) => ({ command: await command(reads, before) }))

type VerbTarget = Pick<Verb, 'definition' | 'id'>

export const vote = ({ caller }: Context & { caller: Caller }, to: VerbTarget, wanted: Vote): Verb => ({
  ...to,
  referred: [userId(caller.name)],
  command: (reads) => ({ type: 'Vote', user: callerReference(caller, reads), vote: wanted }),
})

export const confirm = (
  { caller }: Context & { caller: Caller },
  to: VerbTarget,
  confirmBy: string | undefined,
): Verb => ({
  ...to,
  referred: [userId(caller.name)],
  command: (reads) => {
    const data = { user: callerReference(caller, reads), ...(confirmBy !== undefined && { confirmBy }) }
    return { type: 'Record', event: { type: 'Confirmed', data } }
  },
})

/** Records that nobody confirmed the entity in time; does nothing if that is outdated. */
export const fallDue = (to: VerbTarget, confirmBy: string): Verb => ({
  ...to,
  command: (_, { members }) =>
    members['confirmBy'] === confirmBy && members['due'] === undefined
      ? { type: 'Record', event: { type: 'FellDue', data: { confirmBy } } }
      : { type: 'NoOp' },
})

export const follow = (
  context: Context & { caller: Caller },
  to: VerbTarget,
  type: 'Add' | 'Remove',
  user: string,
): Verb => {
  const { caller, secretCodec } = context
  const id = secretCodec.revealId(user.toLowerCase())
  return {
    ...to,
    referred: isUuid(id) ? [id] : [],
    command: async (reads) => {
      const listCommand = (user: Reference): Command => ({ type, list: 'followers', references: [user] })
      const found = (await makeNameResolver(context, reads, [id]))(id, { id: user })
      if (found !== undefined && id === userId(caller.name)) return listCommand(referenceTo(found))
      const isThere = found?.status === 'live' || (type === 'Remove' && found?.status === 'deleted')
      if (found === undefined || !isThere || found.kind !== principalKind)
        throw notFound(`There is no ${principalKind} ${user}.`)
      return listCommand(referenceTo(found))
    },
  }
}

export type KindReference = ReferenceInput & { readonly type: string }

/** Adds to a list of references or removes from it, atomically. @throws DomainError `not_found` */
export const editList = (
  context: Context,
  to: VerbTarget,
  inputs: readonly KindReference[],
  command: Pick<ListCommand, 'type' | 'list'>,
): Verb => {
  const candidates = inputs.flatMap((input) => candidateIds(input, [input.type], context))
  return {
    ...to,
    referred: candidates,
    command: async (reads) => {
      const resolveName = await makeNameResolver(context, reads, candidates)
      const missing: string[] = []
      const references = inputs.flatMap((input, index) => {
        const [entity] = findMeant({ input, kinds: [input.type] }, { resolveName, naming: context })
        if (entity !== undefined) return [referenceTo(entity)]
        missing.push(`/assets/${index}: there is no ${input.type} ${describeReference(input, context)}`)
        return []
      })
      if (missing.length > 0) throw notFound(missing.join('; '))
      return { ...command, references }
    },
  }
}

/** Records an event of a pipeline run; one that adds nothing to the run changes nothing. */
export const reportRun = (to: VerbTarget, data: (CatalogEvent & { type: 'RunReported' })['data']): Verb => ({
  ...to,
  command: (_, { members }) => {
    const stored = storedReport(members, data)
    return stored ? { type: 'Record', event: { type: 'RunReported', data: stored } } : { type: 'NoOp' }
  },
})

/** What the log says of results of a time that a test no longer keeps; those of one test are remembered. */
export const makeKnownResults = ({ log }: Pick<Context, 'log'>) => {
  let last = { id: '', from: 0n, results: new Map<number, JsonObject>() }
  return async ({ kind, id, born }: Entity, { timestamp }: RunResult): Promise<JsonObject | undefined> => {
    if (last.id !== id) last = { id, from: born, results: new Map() }
    const known = last
    for await (const event of log.readStream(streamName(kind, id), { from: known.from })) {
      learnResults(known.results, event)
      known.from = event.revision + 1n
    }
    return known.results.get(timestamp)
  }
}

/** Records the result of a test run; a repeated report of one time changes nothing. @param now in epoch milliseconds */
export const reportResult = (
  to: VerbTarget,
  report: ResultReport,
  now: number,
  { user, knownResult }: { user: string; knownResult: ReturnType<typeof makeKnownResults> },
): Verb => ({
  ...to,
  command: async (_, entity) => {
    const result = runOf(entity.members, report, now)
    const known = isKept(entity.members, result) ? undefined : await knownResult(entity, result)
    const data = reportOf(entity.members, result, user, known)
    return data === undefined ? { type: 'NoOp' } : { type: 'Record', event: { type: 'Validated', data } }
  },
})
