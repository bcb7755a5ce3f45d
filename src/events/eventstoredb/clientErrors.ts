import type { ServiceError } from '@grpc/grpc-js'
import {
  CancelledError,
  DeadlineExceededError,
  NotLeaderError,
  TimeoutError,
  UnavailableError,
  UnknownError,
  convertToCommandError,
} from '@eventstore/db-client'
import { StoreUnavailable } from '../eventStore.ts'

/** gRPC codes after which the same call may work: cancelled, deadline exceeded, aborted, internal, unavailable. */
const passingCodes: ReadonlySet<unknown> = new Set([1, 4, 10, 13, 14])

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
  if (error instanceof StoreUnavailable || passingTypes.some((type) => error instanceof type)) return true
  const { code } = error as { code?: unknown }
  if (passingCodes.has(code) || (typeof code === 'string' && brokenConnection.test(code))) return true
  return (error instanceof UnknownError || code === undefined) && notReady.test(error.message)
}

/** The error that the port promises for an error of the client: {@link StoreUnavailable} for whatever passes. */
export const asStoreError = (error: unknown): unknown => {
  if (error instanceof StoreUnavailable || !passes(error)) return error
  const reason = error instanceof Error && error.message !== '' ? error.message : 'no reason given'
  return new StoreUnavailable(`The event store does not answer: ${reason}`, { cause: error })
}

/** The call broke, or could not begin; the client connects anew for the next one. Not said of silence. */
export const isBroken = (error: unknown): boolean => error instanceof StoreUnavailable && error.cause !== undefined

export const clientErrorOf = (error: Error): Error => convertToCommandError(error as ServiceError)

/** The store ended a live subscription because more came at once than it keeps for a reader. Ordinary: read on. */
export const isDropped = (error: unknown): boolean => error instanceof TimeoutError

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
