import type { DatabaseSync } from 'node:sqlite'
import type { SqliteFile } from './file.ts'
import { makeSlices, pauseBetweenSlices } from './slices.ts'

/** Milliseconds after which it is looked again for pages that nothing uses. */
const usualLook = 10_000
/** With fewer pages (64 MiB), or a smaller share of the file, it is not worth it: what is written next uses them. */
const fewPages = 8192
const smallShare = 1 / 8

export interface GiveBackOptions {
  /** Milliseconds. */
  readonly look?: number
  /** Pages. */
  readonly few?: number
}

interface GivingFile extends Pick<SqliteFile, 'statement' | 'transaction'> {
  readonly database: DatabaseSync
}

export interface GivingBack {
  /** To be called after each commit: whatever made pages free was one. */
  committed(): void
  stop(): void
}

/** What `PRAGMA auto_vacuum` says of a file that can give pages back; one that an earlier version made cannot. */
const incremental = 2

/** Gives unused pages back to the disk, a few at a time and behind everything else, when they are many. */
export const makeGivingBack = (
  file: GivingFile,
  { look = usualLook, few = fewPages }: GiveBackOptions = {},
): GivingBack => {
  const numberOf = (pragma: string): number => (file.statement(`PRAGMA ${pragma}`).get() as [number])[0]
  const vacuum = makeSlices(2000)
  let looked = -Infinity
  let timer: NodeJS.Timeout | undefined
  let stopped = numberOf('auto_vacuum') !== incremental
  const isMuch = (): boolean => {
    const free = numberOf('freelist_count')
    return free > few && free > numberOf('page_count') * smallShare
  }
  const slice = (): void => {
    try {
      vacuum((pages) => file.transaction(() => file.database.exec(`PRAGMA incremental_vacuum(${pages})`)))
      timer = isMuch() ? setTimeout(slice, pauseBetweenSlices).unref() : undefined
    } catch {
      // What this file is for goes on without it; where the file cannot be written, those who must say so.
      timer = undefined
    }
  }
  return {
    committed: () => {
      if (stopped || timer !== undefined || performance.now() - looked < look) return
      looked = performance.now()
      if (isMuch()) timer = setTimeout(slice, pauseBetweenSlices).unref()
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
