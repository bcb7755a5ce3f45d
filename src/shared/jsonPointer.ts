/** A JSON Pointer (RFC 6901) of these steps, e.g. `/columns/0/name`; of none it is the whole document. */
export const jsonPointer = (...steps: readonly PropertyKey[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
