import { totalmem } from 'node:os'

interface Caches {
  readonly pages: number
  readonly rows: number
  readonly log: number
  readonly answers: number
}

const maxMemory = 2 ** 30

/** A quarter of the memory of the machine or container; at most 1 GiB. */
const defaultMemory = (): number => {
  const constrained = process.constrainedMemory()
  const all = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.min(maxMemory, all / 4)
}

/** Bytes for code, threads and objects of running requests. */
const reservedBytes = 320 * 2 ** 20

/**
 * Divides the memory of the service between its caches, which fill as they are used.
 * @param memory bytes in all; default: a quarter of the machine's, at most 1 GiB
 */
export const cachesOf = (memory: number | undefined): Caches => {
  const whole = memory ?? defaultMemory()
  const all = Math.max(whole - reservedBytes, whole / 4)
  return {
    pages: Math.floor(all / 2),
    rows: Math.floor(all / 8),
    log: Math.floor(all / 8),
    answers: Math.floor(all / 16),
  }
}

/** SQL that sets the page cache of a connection to this many bytes. */
export const pageCache = (bytes: number, file = 'main'): string =>
  `PRAGMA ${file}.cache_size = -${Math.max(1, Math.floor(bytes / 1024))}`
