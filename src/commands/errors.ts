import type { Problem } from '../kinds/defineKind.ts'
import { shorten } from '../shared/bounds.ts'
import { limits } from '../shared/limits.ts'
import { CatalogError } from '../shared/errors/namedError.ts'

/**
 * Why a command was refused. Only `api/http/problemDetails.ts` maps these to HTTP.
 * - `invalid`: the request is wrong (400); every problem is named
 * - `forbidden`: the caller may not do this to one of the entities concerned (403)
 * - `not_found`: the entity, or one that the request needs, does not exist (404)
 * - `already_exists`: the name is taken within its scope (409)
 * - `conflict`: concurrent changes used up all attempts, a `test` of a patch failed, or a name is ambiguous (409)
 * - `busy`: the same for a PUT, which never answers with a conflict (503)
 * - `precondition_failed`: `If-Match` or `If-None-Match` does not hold (412)
 * - `too_large`: more than the event store accepts in one append (413)
 */
export type DomainErrorCode =
  'invalid' | 'forbidden' | 'not_found' | 'already_exists' | 'conflict' | 'busy' | 'precondition_failed' | 'too_large'

/** A refused command. Its message says what to do; nothing was written. */
export class DomainError extends CatalogError {
  override readonly name = 'DomainError'
  readonly code: DomainErrorCode
  /** The first problems of the body, since a bulk request has many such errors; empty if the message says everything. */
  readonly problems: readonly Problem[]
  /** Number of further problems. */
  readonly unlisted: number
  constructor(code: DomainErrorCode, message: string, problems: readonly Problem[] = [], unlisted = 0) {
    super(message)
    this.code = code
    this.problems = problems.slice(0, limits.problems.value)
    this.unlisted = unlisted + problems.length - this.problems.length
  }
}

/**
 * Makes an `invalid` error from a list of problems. Its message has the first problem and their number.
 * @param unlisted number of problems beyond the list
 */
export const invalid = (problems: readonly Problem[], unlisted = 0): DomainError => {
  const [first] = problems
  const count = problems.length + unlisted
  const more = count <= 1 ? '' : ` (and ${count - 1} more)`
  const message = shorten(`${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'invalid'}`, 300) + more
  return new DomainError('invalid', message, problems, unlisted)
}

/** Makes an `invalid` error of one problem. @param path JSON Pointer into the body, or `?name` of a query parameter */
export const invalidAt = (path: string, message: string): DomainError => invalid([{ path, message }])

/** Personal values were forgotten, and can be read until their keys are destroyed, which is tried again. */
export class ForgetPending extends CatalogError {
  override readonly name = 'ForgetPending'
  constructor(cause: unknown) {
    super(
      'The log says that the personal data is erased, but the keys could not be destroyed yet, so its past can still be ' +
        'read. The catalog tries again every second, so it goes on by itself; the same request says when it is done.',
      { cause },
    )
  }
}

/** The newest event is far ahead of the machine's clock: one of the two clocks is, or was, wrong. */
export class LogAhead extends CatalogError {
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

/** Whether a retry would fail again: a refusal that is no conflict, or an error that no port promises. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof DomainError ? error.code !== 'conflict' : !(error instanceof CatalogError)

/** Concurrent changes of the entity used up all attempts. */
export const appendConditionFailed = (code: 'conflict' | 'busy' = 'conflict'): DomainError =>
  new DomainError(code, 'Others keep changing this entity: read it again and repeat the request.')

export const notFound = (message: string): DomainError => new DomainError('not_found', message)

export const forbidden = (message: string): DomainError => new DomainError('forbidden', message)

export const conflict = (message: string): DomainError => new DomainError('conflict', message)

/** The entity of a request is not there, or no longer. */
export const entityNotFound = (): DomainError =>
  notFound('There is no such entity, or it has been deleted: read it again.')

type Named = { readonly kind: string; readonly fullyQualifiedName: string }

/** Says whose a name is. @param owner the asset of the contract that has the name, if the caller may view it */
export const nameTaken = ({ kind, fullyQualifiedName, status }: Named & { status: string }, owner?: Named): string =>
  `The name ${fullyQualifiedName} belongs to the ${status === 'deleted' ? 'soft-deleted ' : ''}${kind}` +
  `${owner === undefined ? '' : ` of ${owner.kind} ${owner.fullyQualifiedName}`}: choose another name.`
