/**
 * An error with a name that the catalog throws itself. It passes through all layers unchanged. Any other error that
 * leaves a store counts as a failure of that store.
 */
export abstract class CatalogError extends Error {}
