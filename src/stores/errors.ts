import { NamedError } from '../shared/errors/namedError.ts'

/** A store failed, and not for what was asked of it: nobody who asks can do anything about it. */
export class StoreFailed extends NamedError {
  override readonly name: string = 'StoreFailed'
}

/** The store cannot be reached, is full or is starting: the same call may work later. */
export class StoreUnavailable extends StoreFailed {
  override readonly name = 'StoreUnavailable'
}

/** The server cannot serve the catalog, now or later. */
export class UnsupportedServer extends StoreFailed {
  override readonly name = 'UnsupportedServer'
}

/** What went wrong, for people. */
export const reasonIn = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : 'no reason given'

/**
 * The error that a port promises for one that came out of a store, where the adapter knows nothing better: what the
 * catalog names itself stays as it is, all else is {@link StoreFailed}. How a store fails that dies, or an answer of
 * which a half is missing, has no end of names.
 */
export const asStoreFailure = (error: unknown, store: string): NamedError =>
  error instanceof NamedError ? error : new StoreFailed(`${store} failed: ${reasonIn(error)}`, { cause: error })
