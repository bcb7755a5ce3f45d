import { allMemory } from '../../shared/limits.ts'

/** Bytes for code, threads and objects of running requests. */
const reservedBytes = 320 * 2 ** 20

/**
 * Divides the memory of the service between its caches, which fill as they are used.
 * @param memory bytes in all; default: a quarter of the machine's, at most 1 GiB
 */
export const cachesOf = (memory: number | undefined) => {
  const whole = memory ?? Math.min(2 ** 30, allMemory / 4)
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
