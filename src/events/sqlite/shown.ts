import type { SqliteLog } from './eventTable.ts'

/** What of a log may be read. */
export type ShownLog = Pick<SqliteLog, 'head' | 'revision' | 'eventAt' | 'pageAfter' | 'textsAfter' | 'streamPage'>

/**
 * The log up to a position: what is behind it may not be on the disk yet, and must not be seen by anybody.
 * @param shown that position, `Infinity` where all may be read; it never goes back behind what was read
 */
export const upTo = (log: SqliteLog, shown: () => number): ShownLog => {
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
