import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** How many of these objects are still held by somebody else, once the garbage is collected. */
export const stillHeld = async (references: readonly WeakRef<object>[]): Promise<number> => {
  // A reference that was just made, or read, holds its object until the turn of the event loop ends.
  await nextTurn()
  collect()
  await nextTurn()
  return references.filter((reference) => reference.deref() !== undefined).length
}

/** Bytes on the heap and beside it that are still held, once the garbage is collected. */
export const bytesHeld = (): number => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
