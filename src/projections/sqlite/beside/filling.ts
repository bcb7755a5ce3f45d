import { makeThreads } from '../../../shared/threads/threads.ts'
import type { Operations } from './fillWorker.ts'
import type { ProjectingWork } from './thread.ts'

/** A file that a thread fills from the log; nothing is kept of it unless it is finished. */
export interface Filling {
  fill(upTo: bigint): Promise<void>
  /** Makes the indexes, writes everything out and closes the file. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds: as long as it takes, and the file stays open between two steps. */
const endless = 2 ** 31 - 1

export const fillHistory = (work: ProjectingWork): Filling => {
  const module = new URL('./fillWorker', import.meta.url)
  const threads = makeThreads<Operations>({ module, count: 1, timeout: endless, rest: endless, data: work })
  return {
    fill: (upTo) => threads.run('fill', [upTo]),
    finish: () => threads.run('finish', []),
    close: threads.close,
  }
}
