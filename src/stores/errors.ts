import { CatalogError } from '../shared/errors/namedError.ts'

/** A store failed for a reason that the caller cannot mend. */
export class StoreFailed extends CatalogError {
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

/** The reason in an error, for people. */
export const reasonIn = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : 'no reason given'

/**
 * Maps an error from a store to one that the port promises: the catalog's own errors stay, everything else is {@link
 * StoreFailed}. A dying store or a truncated answer can cause any kind of error.
 */
export const asStoreFailure = (error: unknown, store: string): CatalogError =>
  error instanceof CatalogError ? error : new StoreFailed(`${store} failed: ${reasonIn(error)}`, { cause: error })

/** Makes a call, and maps its errors or repeats it. */
export type Guard = <R>(call: () => Promise<R>) => Promise<R>

/** A port whose calls are made by a guard. */
export const guardAll = <T extends Record<keyof T, (...args: never[]) => Promise<unknown>>>(
  calls: T,
  guard: Guard,
): T =>
  Object.fromEntries(
    Object.entries<(...args: never[]) => Promise<unknown>>(calls).map(([name, call]) => [
      name,
      (...args: never[]) => guard(() => call(...args)),
    ]),
  ) as T
