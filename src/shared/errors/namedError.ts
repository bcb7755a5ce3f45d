/**
 * An error that the catalog throws under a name of its own: it says what happened, and passes whatever it crosses
 * unchanged. What comes out of a store and is none of these is the store's failure.
 */
export abstract class NamedError extends Error {}
