import type { ServiceError } from '@grpc/grpc-js'
import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  convertToCommandError,
} from '@eventstore/db-client'
import { NamedError } from '../../shared/errors/namedError.ts'
import { asStoreFailure, reasonIn } from '../../stores/errors.ts'
import { StoreFailed, StoreUnavailable } from '../eventStore.ts'

/** There is no such stream. */
export class NoSuchStream extends StoreFailed {
  override readonly name = 'NoSuchStream'
}

/** Nothing begins at this position. */
export class NoSuchPosition extends StoreFailed {
  override readonly name = 'NoSuchPosition'
}

/** gRPC codes after which the same call may work: cancelled, unknown, deadline exceeded, aborted, internal, unavailable. */
const passingCodes: ReadonlySet<unknown> = new Set([1, 2, 4, 10, 13, 14])

const passingTypes = [CancelledError, DeadlineExceededError, NotLeaderError, TimeoutError, UnavailableError]

/** What the server says while it starts or is overloaded, and the client while it reconnects, without a code of use. */
const notReady = /not ready|is busy|no leader info|failed to discover|channel has been shut down/i

/** Codes of Node's own errors when a connection ends under a call. */
const brokenConnection = /^(ERR_STREAM_|ERR_HTTP2_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/

/**
 * True for errors that pass: the store is away, starting, or has moved. The client names errors inconsistently, so
 * class, code and text are looked at.
 */
const passes = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (passingTypes.some((type) => error instanceof type)) return true
  const { code } = error as { code?: unknown }
  if (passingCodes.has(code) || (typeof code === 'string' && brokenConnection.test(code))) return true
  return (error instanceof UnknownError || code === undefined) && notReady.test(error.message)
}

/** So the server refuses to read from a position at which nothing begins. */
const isNoPosition = (error: unknown): boolean =>
  error instanceof UnknownError && /unexpected ReadAllResult/i.test(error.message)

/**
 * The error that the port promises for an error of the client: {@link StoreUnavailable} for whatever passes, {@link
 * NoSuchStream} and {@link NoSuchPosition} for what is an answer, {@link StoreFailed} for all else.
 */
export const asStoreError = (error: unknown): NamedError => {
  if (error instanceof NamedError) return error
  if (error instanceof StreamNotFoundError) return new NoSuchStream(error.message, { cause: error })
  if (isNoPosition(error)) return new NoSuchPosition(reasonIn(error), { cause: error })
  if (!passes(error)) return asStoreFailure(error, 'The event store')
  return new StoreUnavailable(`The event store does not answer: ${reasonIn(error)}`, { cause: error })
}

/** The call broke, or could not begin; the client connects anew for the next one. Not said of silence. */
export const isBroken = (error: unknown): boolean => error instanceof StoreUnavailable && error.cause !== undefined

/** The same error as the client names it; as it is where the client cannot make anything of it. */
export const clientErrorOf = (error: Error): Error => {
  try {
    return convertToCommandError(error as ServiceError)
  } catch {
    return error
  }
}

/** The store ended a live subscription because more came at once than it keeps for a reader. Ordinary: read on. */
export const isDropped = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause instanceof TimeoutError

/**
 * The result of `work`. @throws StoreUnavailable when there is none after `milliseconds`; what comes later is ignored
 */
export const within = <T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new StoreUnavailable(`The event store gave no answer in ${milliseconds} ms: ${what}.`))
    }, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
