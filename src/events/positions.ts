/** Whether a position is before another one; `undefined` is the beginning of the log. */
export const isBehind = (position: bigint | undefined, other: bigint | undefined): boolean =>
  other !== undefined && (position === undefined || position < other)
