import type { SqliteLog, TableReads } from './eventTable.ts'

/** A position of the log that threads share. */
export type Shown = BigInt64Array<SharedArrayBuffer>

export const newShown = (): Shown => new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

export type ShownLog = Pick<SqliteLog, 'head' | 'revision'> & TableReads

/** The log up to a position, `Infinity` for all: what is behind it may not be on the disk yet, and must not be seen. */
export const upTo = (log: ShownLog, shown: () => number): ShownLog => {
  const most = (position: number, limit: number): number => Math.max(0, Math.min(limit, shown() - position))
  const before = (position: number | undefined): number | undefined => {
    const last = Math.min(position ?? Infinity, shown())
    return last === Infinity ? undefined : last
  }
  return {
    head: () => Math.min(log.head(), shown()),
    revision: (stream, position) => log.revision(stream, before(position)),
    eventAt: (position) => (position > shown() ? undefined : log.eventAt(position)),
    pageAfter: (position, limit) => log.pageAfter(position, most(position, limit)),
    textsAfter: (position, limit) => log.textsAfter(position, most(position, limit)),
    streamPage: (stream, part, limit) => log.streamPage(stream, { ...part, upTo: before(part.upTo) }, limit),
  }
}

/** The same function, which does nothing where `check` throws. */
export const checkedBy =
  (check: () => void) =>
  <A extends unknown[], R>(read: (...args: A) => R) =>
  (...args: A): R => {
    check()
    return read(...args)
  }

export const readableWhile = (check: () => void, log: ShownLog): ShownLog => {
  const checked = checkedBy(check)
  return {
    head: checked(log.head),
    revision: checked(log.revision),
    eventAt: checked(log.eventAt),
    pageAfter: checked(log.pageAfter),
    textsAfter: checked(log.textsAfter),
    streamPage: checked(log.streamPage),
  }
}
