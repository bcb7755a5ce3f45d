import { status, type ServiceError } from '@grpc/grpc-js'
import { NamedError } from '../../shared/errors/namedError.ts'
import { asStoreFailure, reasonIn } from '../../stores/errors.ts'
import { StoreFailed, StoreUnavailable } from '../eventStore.ts'

/** Nothing begins at this position. */
export class NoSuchPosition extends StoreFailed {
  override readonly name = 'NoSuchPosition'
}

/** After these the same call may work. */
const passingCodes: ReadonlySet<unknown> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
])

/** Codes of Node's own errors when a connection ends under a call, and what the client says of one that it has closed. */
const brokenConnection = /^(ERR_STREAM_|ERR_HTTP2_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/
const closedChannel = /channel has been (shut down|closed)/i

const passes = ({ code, message, metadata }: Partial<Omit<ServiceError, 'code'>> & { code?: unknown }): boolean =>
  passingCodes.has(code) ||
  (typeof code === 'string' && brokenConnection.test(code)) ||
  metadata?.get('exception')[0] === 'not-leader' ||
  closedChannel.test(message ?? '')

/**
 * The error that the port promises for one of a call: {@link StoreUnavailable} for whatever passes, {@link
 * NoSuchPosition} for what is an answer, {@link StoreFailed} for all else.
 */
export const asStoreError = (error: unknown): NamedError => {
  if (error instanceof NamedError || !(error instanceof Error)) return asStoreFailure(error, 'The event store')
  const { code } = error as Partial<ServiceError>
  if (code === status.UNKNOWN && /unexpected ReadAllResult/i.test(error.message))
    return new NoSuchPosition(reasonIn(error), { cause: error })
  if (!passes(error)) return asStoreFailure(error, 'The event store')
  return new StoreUnavailable(`The event store does not answer: ${reasonIn(error)}`, { cause: error })
}

/** The call broke, or could not begin; the next one connects anew. Not said of silence. */
export const isBroken = (error: unknown): boolean => error instanceof StoreUnavailable && error.cause !== undefined

/** The store ended a live subscription because more came at once than it keeps for a reader. Ordinary: read on. */
export const isDropped = (error: unknown): boolean =>
  error instanceof StoreUnavailable && (error.cause as Partial<ServiceError> | undefined)?.code === status.ABORTED

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
