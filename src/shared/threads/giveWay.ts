import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * How much nicer a thread is that has time: where others want the processor it gets a third of their share. With a tenth
 * (10) whoever waits for the thread after all waited twice as long.
 */
const nicer = 5
const nicest = 19

/**
 * Lets this thread run behind the others of the process where there are fewer processors than threads that are busy.
 * To be called in the thread itself. Linux has a niceness for each thread; elsewhere it belongs to the whole process,
 * and is left as it is, as it is where the system does not say which thread this is.
 */
export const giveWay = (): void => {
  if (process.platform !== 'linux') return
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, Math.min(nicest, getPriority(thread) + nicer))
  } catch {
    // Without /proc, or where the system forbids it, it runs as all others do: nothing depends on it.
  }
}
