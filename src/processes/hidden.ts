import type { Context } from '../commands/caller.ts'
import { isHiding } from '../commands/overtaken/hiding.ts'
import { revealHidden } from '../commands/overtaken/revealing.ts'
import type { RecordedEvent } from '../events/events.ts'
import { parseStreamName } from '../events/streamName.ts'

/** What requests have hidden to look below it, and left so when their process ended: it is brought back. */
export const makeHidden = (context: Context, grace: number) => {
  const hidden = new Map<string, number>()
  const add = (id: string): void => void (hidden.has(id) || hidden.set(id, performance.now()))
  return {
    saw: (event: RecordedEvent): void => {
      const { id } = parseStreamName(event.stream)
      const isDeletion = event.type === 'SoftDeleted' && event.data.inherited !== true
      if (isDeletion && isHiding(event.data.deletion)) add(id)
      else if (event.type === 'Restored' || event.type === 'HardDeleted') hidden.delete(id)
    },
    /** Finds what was hidden before anything was told. */
    find: async (): Promise<void> => {
      if (!context.log.conditional) for await (const ids of context.tree.hidden()) ids.forEach(add)
    },
    /** Those whose requests should have gone on by now. @returns position of the last event that this took */
    reveal: async (): Promise<bigint | undefined> => {
      const now = performance.now()
      const ids = [...hidden].flatMap(([id, since]) => (now - since < grace ? [] : [id]))
      const last = ids.length === 0 ? undefined : await revealHidden(context, ids)
      for (const id of ids) hidden.delete(id)
      return last
    },
  }
}
