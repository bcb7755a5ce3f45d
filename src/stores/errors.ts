/** The store cannot be reached, is full or is starting: the same call may work later. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The server cannot serve the catalog, now or later. */
export class UnsupportedServer extends Error {
  override readonly name = 'UnsupportedServer'
}
