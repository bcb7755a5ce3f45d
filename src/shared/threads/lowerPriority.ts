import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * Niceness of a background thread: under contention it gets a third of a normal share. With a tenth (10) callers that
 * wait for the thread waited twice as long.
 */
const nicer = 5
const nicest = 19

/**
 * Lowers the priority of the calling thread where fewer processors than busy threads exist. Linux has a niceness for
 * each thread; elsewhere it belongs to the whole process and is left alone, as it is when the thread cannot be
 * identified.
 */
export const lowerPriority = (): void => {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, Math.min(nicest, getPriority(thread) + nicer))
  } catch {
    // Without /proc or permission the thread keeps its priority: nothing depends on it.
  }
}
