import type { KindDefinition } from '../../kinds/defineKind.ts'
import type { Command } from '../decide.ts'
import type { Entity } from '../evolve.ts'
import type { LoadedEntities } from '../lookup.ts'
import type { Reads } from './reads.ts'
import type { Cause, Subject } from '../recording.ts'

/** Throws when the entity, as it is, does not meet what the request demands of it. */
export type Precondition = (entity: Entity | undefined) => void

export type Target = Pick<Subject, 'kind' | 'id'>

/** One thing that is asked of one entity. Made by the functions in `requests/`. */
export interface Request {
  readonly cause: Cause
  /** The entity that it is about, where that is known before anything is loaded. */
  readonly target?: Target
  /** What is loaded for it: what it is about, and what that stands in. */
  readonly ids: readonly string[]
  /** What it only refers to. */
  readonly referred?: readonly string[] | undefined
  /** Makes a command of it, on what is read: that is noted, and the append depends on it. Repeated when others came first. */
  readonly resolve: (reads: Reads) => Plan | Promise<Plan>
  readonly precondition?: Precondition | undefined
  /** What it is called when others keep coming first; default `conflict`. */
  readonly otherwise?: 'conflict' | 'busy'
}

export interface Plan {
  readonly definition: KindDefinition
  readonly subject: Subject
  readonly before: Entity | undefined
  readonly command: Command
  /** Id of what the entity stands below: nothing begins, comes back or is deleted on its own below what has ended. */
  readonly parent?: string | undefined
  /**
   * Where the log cannot refuse: this deletion, which keeps anything from coming below, is for good as soon as it is
   * known to hold.
   */
  readonly isFinal?: boolean
}

export interface Result {
  readonly plan: Plan
  readonly entity: Entity
  readonly before: Entity | undefined
  /** False when there was nothing to do. */
  readonly changed: boolean
  /** Log position of its last event, or of the entity's newest one. */
  readonly position: bigint
  readonly known: LoadedEntities
}

/** What became of one of several requests. */
export type Outcome = { readonly result: Result } | Failed

export interface Failed {
  readonly error: unknown
  /** What it was about, as far as that could be told. */
  readonly subject?: Subject | undefined
}

export const resultsOf = (outcomes: readonly Outcome[]): Result[] =>
  outcomes.flatMap((one) => ('result' in one ? [one.result] : []))
