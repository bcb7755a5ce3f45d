import { setTimeout as delay } from 'node:timers/promises'
import { tokenFor, type Answer } from '../support/service.ts'
import type { Host } from './host.ts'
import { keyOf, type Key } from './kinds.ts'
import {
  absent,
  requestOf,
  targetOf,
  type Demands,
  type Operation,
  type ProposalStep,
  type Step,
} from './operations.ts'
import { makeProposals, type Proposed } from './proposals.ts'

/** What a client saw of one operation. */
export interface Seen {
  readonly operation: Operation
  /** `X-Correlation-ID` of the request: every event that it makes carries it. */
  readonly correlation: string
  /** Epoch milliseconds before the request was sent, and after its answer was read; no end when {@link isUnknown}. */
  readonly start: number
  readonly end: number
  /** HTTP status; 0 when the connection was lost. */
  readonly status: number
  readonly revision: string | undefined
  /** Catalog-Position of the answer. */
  readonly position: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly demanded: Demands
  /** Seconds after which it may be asked again, as the answer says. */
  readonly retryAfter?: number | undefined
}

/** Does nobody know whether it came to be? So it is without an answer, and where a store was away. */
export const isUnknown = ({ status }: Pick<Seen, 'status'>): boolean => status === 0 || status === 503

/** The same of what was asked of one entity. */
export const isUnknownOf = (seen: Seen, key: Key): boolean => {
  const { operation, status, body } = seen
  if (operation.do !== 'bulk' || status !== 200) return isUnknown(seen)
  return [...body.successRequest, ...body.failedRequest].some(
    (item: { request: string; status: number }) => keyOf(operation.kind, item.request) === key && isUnknown(item),
  )
}

/** Was what was asked of this entity refused? */
export const isRefused = ({ operation, status, body }: Seen, key: Key): boolean => {
  if (operation.do !== 'bulk' || status !== 200) return status >= 400 && status < 500
  return body.failedRequest.some(
    ({ request, status: own }: { request: string; status: number }) =>
      keyOf(operation.kind, request) === key && !isUnknown({ status: own }),
  )
}

const tokens = new Map<string, string>()

const tokenOf = (user: string): string => {
  const token = tokens.get(user) ?? tokenFor(user, ['Admin'], 24 * 3600)
  tokens.set(user, token)
  return token
}

/** `Catalog-Position`, ETag and what else an answer says in its headers. */
const headersOf = ({ headers }: Answer) => ({
  revision: headers.get('etag')?.replaceAll('"', '').split('-')[0],
  position: headers.get('catalog-position') ?? undefined,
  retryAfter: headers.has('retry-after') ? Number(headers.get('retry-after')) : undefined,
})

interface Game {
  readonly host: Host
  readonly name: string
  /** The revision of which an answer last told for an entity. */
  readonly revisions: Map<Key, string>
}

const demandsOf = ({ revisions }: Game, operation: Operation): Demands => {
  if (operation.ifSeen !== true) return new Map()
  if (operation.do === 'bulk') {
    const keys = operation.items.map(({ fqn }) => keyOf(operation.kind, fqn))
    return new Map(keys.map((key) => [key, revisions.get(key) ?? absent]))
  }
  const target = targetOf(operation)
  const revision = target && revisions.get(target)
  return new Map(target === undefined || revision === undefined ? [] : [[target, revision]])
}

const send = async (game: Game, operation: Operation, index: number): Promise<Seen> => {
  const { host, name, revisions } = game
  const demanded = demandsOf(game, operation)
  const { method, path, body, contentType } = requestOf(operation, demanded)
  const target = targetOf(operation)
  const revision = target && demanded.get(target)
  const correlation = `${name}:${index}`
  const service = host.processFor(index)
  await service.listening()
  const start = Date.now()
  const headers = {
    'x-correlation-id': correlation,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(revision !== undefined && { 'if-match': `"${revision}"` }),
  }
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const answer = await service
    .call(method, path, sent, { token: tokenOf(operation.user), headers })
    .catch(() => undefined)
  const common = { operation, correlation, start, demanded }
  if (answer === undefined)
    return { ...common, end: Infinity, status: 0, revision: undefined, position: undefined, body: undefined }
  const told = headersOf(answer)
  if (target !== undefined && told.revision !== undefined) revisions.set(target, told.revision)
  const end = isUnknown(answer) ? Infinity : Date.now()
  return { ...common, end, status: answer.status, body: answer.body, ...told }
}

/** What a client sees of a proposal is judged for itself: see `checkProposals`. */
const unseen = {
  end: Infinity,
  status: 0,
  revision: undefined,
  position: undefined,
  body: undefined,
  demanded: new Map<Key, string>(),
}

const isProposal = (step: Step): step is ProposalStep => 'slot' in step

/** Milliseconds after which a client goes on that was answered 503, so that not all go while a store is away. */
const pause = 500

/** The steps with their places, cut where it is waited. */
const cut = (steps: readonly Step[]): (readonly [number, Step])[][] => {
  const parts: (readonly [number, Step])[][] = [[]]
  for (const [index, step] of steps.entries()) {
    if (step.do === 'wait') parts.push([])
    else parts.at(-1)?.push([index, step])
  }
  return parts
}

/**
 * Plays the steps in their order, as many at once as `width` says.
 * @param name stands in the correlation id of every request
 * @returns what was seen of each operation, in the order in which they were sent, and the proposals that were made
 */
export const play = async (
  host: Host,
  name: string,
  steps: readonly Step[],
  width: number,
): Promise<{ seen: Seen[]; proposed: readonly Proposed[] }> => {
  const game: Game = { host, name, revisions: new Map() }
  const seen: Seen[] = []
  const places = new Map(steps.map((step, index) => [step, index]))
  const proposals = makeProposals(async (step, method, path, body) => {
    const index = places.get(step) as number
    const correlation = `${name}:${index}`
    const headers = { 'x-correlation-id': correlation }
    const service = host.processFor(index)
    await service.listening()
    const answer = await service
      .call(method, path, JSON.stringify(body), { token: tokenOf(step.user), headers })
      .catch(() => undefined)
    return { correlation, answer }
  })
  for (const part of cut(steps)) {
    const next = part.values()
    const client = async (): Promise<void> => {
      for (const [index, step] of next) {
        if (step.do === 'kill') await host.kill(step)
        else if (isProposal(step)) {
          const start = Date.now()
          const accepted = await proposals.play(step)
          if (accepted !== undefined) seen.push({ ...accepted, ...unseen, start })
        } else if (step.do !== 'wait') {
          const one = await send(game, step, index)
          seen.push(one)
          if (one.status === 503) await delay(pause)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(width, part.length) }, client))
  }
  await host.ready()
  return { seen: seen.sort((a, b) => a.start - b.start), proposed: proposals.made }
}
