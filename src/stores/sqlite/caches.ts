import { totalmem } from 'node:os'

export interface Caches {
  readonly pages: number
  /** Rows that were read lately, ready to be shown. */
  readonly rows: number
  readonly log: number
  /** Answers that are ready to be sent. */
  readonly answers: number
}

const most = 2 ** 30

/** A quarter of what the machine, or the container, has; at most 1 GiB. */
const usual = (): number => {
  const constrained = process.constrainedMemory()
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.min(most, all / 4)
}

/** Bytes that code, threads and the objects of running requests take. */
const withoutCaches = 320 * 2 ** 20

/**
 * Shares for caches of the memory that the service may take, filled as they are used.
 * @param memory bytes of all of it; when left out a quarter of the machine's, at most 1 GiB
 */
export const cachesOf = (memory: number | undefined): Caches => {
  const whole = memory ?? usual()
  const all = Math.max(whole - withoutCaches, whole / 4)
  return {
    pages: Math.floor(all / 2),
    rows: Math.floor(all / 8),
    log: Math.floor(all / 8),
    answers: Math.floor(all / 16),
  }
}

/** SQL that gives a connection so many bytes for pages of a file that it has open. */
export const pageCache = (bytes: number, file = 'main'): string =>
  `PRAGMA ${file}.cache_size = -${Math.max(1, Math.floor(bytes / 1024))}`
