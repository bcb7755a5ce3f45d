import type { Problem } from '../kinds/defineKind.ts'
import { shorten } from '../shared/bounds.ts'
import { limits } from '../shared/limits.ts'
import { NamedError } from '../shared/errors/namedError.ts'

/**
 * What can be wrong with a command, by name; `api/http/problemDetails.ts` alone knows the HTTP side of each.
 * - `invalid`: the request says something that cannot be (400), every problem named
 * - `forbidden`: the caller may not do this to something that it would reach (403)
 * - `not_found`: the entity, or something it is about, does not exist (404)
 * - `already_exists`: the name is taken within its scope (409)
 * - `conflict`: others kept changing it, a `test` of a patch failed, or several have the name that is asked for (409)
 * - `busy`: the same of a PUT, which never answers with a conflict (503)
 * - `precondition_failed`: `If-Match` or `If-None-Match` does not hold (412)
 * - `too_large`: more than the event store takes at once (413)
 */
export type DomainErrorCode =
  'invalid' | 'forbidden' | 'not_found' | 'already_exists' | 'conflict' | 'busy' | 'precondition_failed' | 'too_large'

/** A refused command. The message says what to do about it; nothing was written. */
export class DomainError extends NamedError {
  override readonly name = 'DomainError'
  readonly code: DomainErrorCode
  /** The first things wrong with the body; empty when the message says it all. */
  readonly problems: readonly Problem[]
  /** How many there are beyond these. */
  readonly unlisted: number
  constructor(code: DomainErrorCode, message: string, problems: readonly Problem[] = [], unlisted = 0) {
    super(message)
    this.code = code
    this.problems = problems
    this.unlisted = unlisted
  }
}

/**
 * An `invalid` error from a list of problems; its message is the first of them and how many there are. It keeps the first
 * ones: a bulk request has many such errors.
 * @param unlisted how many there are beyond the list
 */
export const invalid = (problems: readonly Problem[], unlisted = 0): DomainError => {
  const [first] = problems
  const count = problems.length + unlisted
  const more = count <= 1 ? '' : ` (and ${count - 1} more)`
  const named = problems.slice(0, limits.problems.value)
  const message = shorten(`${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'invalid'}`, 300) + more
  return new DomainError('invalid', message, named, count - named.length)
}

/** The newest event is of a time that is far ahead of the machine's clock: one of the two clocks is, or was, wrong. */
export class LogAhead extends NamedError {
  override readonly name = 'LogAhead'
  constructor(newest: number, machine: number) {
    const [of, now] = [newest, machine].map((time) => new Date(time).toISOString())
    super(
      `The newest event of the log is of ${of}, but the clock of this machine says ${now}: nothing is written, since ` +
        'every event would carry that time. Set the clock right; if it is right and the log was written under a wrong ' +
        'one, set CATALOG_ACCEPT_LOG_AHEAD=true.',
    )
  }
}

/** Others kept changing the entity until no attempt was left. */
export const appendConditionFailed = (code: 'conflict' | 'busy' = 'conflict'): DomainError =>
  new DomainError(code, 'Others keep changing this entity: read it again and repeat the request.')

export const notFound = (message: string): DomainError => new DomainError('not_found', message)

type Named = { readonly kind: string; readonly fullyQualifiedName: string }

/** @param owner what the entity that has the name stands for */
export const nameTaken = (
  { kind, fullyQualifiedName, status }: Named & { status: string },
  owner?: Named,
): DomainError =>
  new DomainError(
    'already_exists',
    `The name ${fullyQualifiedName} belongs to the ${status === 'deleted' ? 'soft-deleted ' : ''}${kind}` +
      `${owner === undefined ? '' : ` of ${owner.kind} ${owner.fullyQualifiedName}`}: choose another name.`,
  )
