/** Number of callers whose usage is kept while nothing waits. */
const maxIdleCallers = 1000

type MayBegin = (caller: string) => boolean

/**
 * A fair queue: first in, first out for each caller, and between callers the one that has used least since it began to
 * wait.
 * @param tieBreak order of callers with equal use: `newest` if a burst of requests must not delay the next caller
 */
export const makeFairQueue = <T>(tieBreak: 'oldest' | 'newest' = 'oldest') => {
  const queues = new Map<string, T[]>()
  const usage = new Map<string, number>()
  /** The use of the caller served last: new callers start there. */
  let virtualTime = 0
  let size = 0

  /** @returns whether it was still waiting */
  const remove = (caller: string, item: T): boolean => {
    const queue = queues.get(caller)
    const at = queue?.indexOf(item) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    size -= 1
    if (queue.length === 0) queues.delete(caller)
    return true
  }

  const leastUsing = (mayBegin: MayBegin): string | undefined => {
    let least = Infinity
    let leastUsing: string | undefined
    for (const caller of queues.keys()) {
      if (!mayBegin(caller)) continue
      const own = usage.get(caller) as number
      if (own < least || (own === least && tieBreak === 'newest')) [least, leastUsing] = [own, caller]
    }
    return leastUsing
  }

  return {
    size: (): number => size,
    /** Number of waiting items of a caller. */
    sizeOf: (caller: string): number => queues.get(caller)?.length ?? 0,
    add: (caller: string, item: T): void => {
      if (size === 0 && usage.size > maxIdleCallers) usage.clear()
      size += 1
      const queue = queues.get(caller)
      if (queue !== undefined) return void queue.push(item)
      queues.set(caller, [item])
      usage.set(caller, Math.max(usage.get(caller) ?? 0, virtualTime))
    },
    remove,
    /** @param mayBegin whether it can be the turn of this caller */
    next: (mayBegin: MayBegin = () => true): { readonly caller: string; readonly item: T } | undefined => {
      const caller = leastUsing(mayBegin)
      if (caller === undefined) return undefined
      const [item] = queues.get(caller) as [T]
      remove(caller, item)
      virtualTime = usage.get(caller) as number
      return { caller, item }
    },
    /** Records a caller's use, in any unit such as processor time or turns. */
    charge: (caller: string, cost: number): void => void usage.set(caller, (usage.get(caller) ?? virtualTime) + cost),
  }
}
