import { status, type ServiceError } from '@grpc/grpc-js'
import { CatalogError } from '../../shared/errors/namedError.ts'
import { asStoreFailure, reasonIn } from '../../stores/errors.ts'
import { StoreFailed, StoreUnavailable, UnsupportedServer } from '../eventStore.ts'

/** No event starts at this position. */
export class MissingPosition extends StoreFailed {
  override readonly name = 'MissingPosition'
}

const passingCodes: ReadonlySet<unknown> = new Set([
  status.CANCELLED,
  status.UNKNOWN,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.INTERNAL,
  status.UNAVAILABLE,
])

/** Error codes of Node for a connection that ends during a call, and the client's message for a closed one. */
const brokenConnection = /^(ERR_STREAM_|ERR_HTTP2_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/
const closedChannel = /channel has been (shut down|closed)/i

const isTransient = ({ code, message, metadata }: Partial<Omit<ServiceError, 'code'>> & { code?: unknown }): boolean =>
  passingCodes.has(code) ||
  (typeof code === 'string' && brokenConnection.test(code)) ||
  metadata?.get('exception')[0] === 'not-leader' ||
  closedChannel.test(message ?? '')

/**
 * Maps an error of a call to one that the port promises: {@link StoreUnavailable} if it is transient, {@link
 * UnsupportedServer}, {@link MissingPosition}, else {@link StoreFailed}.
 */
export const asEventStoreError = (error: unknown): CatalogError => {
  if (error instanceof CatalogError || !(error instanceof Error)) return asStoreFailure(error, 'The event store')
  const { code } = error as Partial<ServiceError>
  if (code === status.UNKNOWN && /unexpected ReadAllResult/i.test(error.message))
    return new MissingPosition(reasonIn(error), { cause: error })
  if (code === status.UNIMPLEMENTED)
    return new UnsupportedServer(
      `The server does not take a call of EventStoreDB 23.10, the oldest that the catalog needs: ${reasonIn(error)}`,
      { cause: error },
    )
  if (!isTransient(error)) return asStoreFailure(error, 'The event store')
  return new StoreUnavailable(`The event store does not answer: ${reasonIn(error)}`, { cause: error })
}

/** Whether the connection broke, so that the next call needs a new one. A timeout is not such an error. */
export const isConnectionLoss = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause !== undefined

/** Whether the store dropped a live subscription because of its limited buffer. This is ordinary: resubscribe. */
export const isDropped = (error: unknown): boolean =>
  error instanceof StoreUnavailable && (error.cause as Partial<ServiceError> | undefined)?.code === status.ABORTED

/** The result of `work`. @throws StoreUnavailable on timeout after `milliseconds`; a later result is ignored */
export const withTimeout = <T>(milliseconds: number, what: string, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new StoreUnavailable(`The event store did not answer within ${milliseconds} ms: ${what}.`))
    }, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
