import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Command } from '../decide.ts'
import type { Entity } from '../evolve.ts'
import type { IdentityMap } from '../lookup.ts'
import type { Reads } from './reads.ts'
import type { Cause, EventSubject } from '../recording.ts'
import { entityNotFound } from '../errors.ts'

/** Throws if the present entity does not meet the request's precondition. */
export type Precondition = (entity: Entity | undefined) => void | Promise<void>

export type RequestTarget = Pick<EventSubject, 'kind' | 'id'>

/** A request about one entity, made by the functions in `requests/`. */
export interface Request {
  readonly cause: Cause
  /** The known or probable entity of the request. Requests with the same target are committed one after the other. */
  readonly target?: RequestTarget
  /** Ids to load completely: the entity and its ancestors. */
  readonly ids: readonly string[]
  readonly referred?: readonly string[] | undefined
  /** Resolves the request to a command. Reads are recorded for the append condition. Repeated after a conflict. */
  readonly resolve: (reads: Reads) => Plan | Promise<Plan>
  readonly precondition?: Precondition | undefined
  /** Error code when all attempts met conflicts; default `conflict`. */
  readonly exhausted?: 'conflict' | 'busy'
}

type RequestOptions = Pick<Request, 'cause' | 'referred' | 'precondition'> & {
  readonly definition: KindDefinition
  readonly id: string
  /** Whether an entity in this state can be meant. Default: a live one. */
  readonly accepts?: (entity: Entity) => boolean
}

/** A request about an entity that exists. `resolve` makes its command. @throws DomainError `not_found` */
export const requestOn = (
  { definition, id, accepts = ({ status }) => status === 'live', precondition, ...about }: RequestOptions,
  resolve: (before: Entity, reads: Reads) => Promise<Pick<Plan, 'command' | 'isFinal' | 'isConsequence'>>,
): Request => ({
  ...about,
  target: { kind: definition.name, id },
  ids: [id],
  resolve: async (reads) => {
    const before = reads.own(id)
    if (before === undefined || !accepts(before)) throw entityNotFound()
    await precondition?.(before)
    return { definition, subject: before, before, ...(await resolve(before, reads)) }
  },
})

export interface Plan {
  readonly definition: KindDefinition
  readonly subject: EventSubject
  readonly before: Entity | undefined
  readonly command: Command
  /**
   * Whether it is a consequence of another event, so that neither an ended ancestor nor the size of the entity
   * prevents it.
   */
  readonly isConsequence?: true
  /**
   * If the log cannot check conditions: this soft delete, which prevents new children, becomes a hard delete once it is
   * known to be valid.
   */
  readonly isFinal?: boolean
}

export interface Result {
  readonly entity: Entity
  readonly before: Entity | undefined
  readonly changed: boolean
  /** Log position of its last event, or of the entity's newest one. */
  readonly position: bigint
  readonly known: IdentityMap
}

/** The outcome of one of several requests. */
export type Outcome = { readonly result: Result } | Failed

export interface Failed {
  readonly error: unknown
  /** The entity of the request, if known. */
  readonly subject?: EventSubject | undefined
}
