/** What waits, of many callers: whoever has used least so far comes next. */
interface FairQueue<T> {
  readonly size: () => number
  /** How much of a caller waits. */
  readonly sizeOf: (caller: string) => number
  readonly add: (caller: string, item: T) => void
  /** Takes out something that has no need to wait any more. @returns whether it was still waiting */
  readonly remove: (caller: string, item: T) => boolean
  readonly next: () => { readonly caller: string; readonly item: T } | undefined
  /** Notes what a caller has used, in any unit: processor time, or turns. */
  readonly charge: (caller: string, cost: number) => void
}

/**
 * A start-time fair queue: first come first served for each caller, and between callers the one that has used least,
 * counted from the moment at which it began to wait. What was used is forgotten when nothing waits any more.
 *
 * @param tie who comes first of callers that have used the same: the newest, when a crowd that comes at once shall not
 *   hold up whoever comes next
 */
export const makeFairQueue = <T>(tie: 'oldest' | 'newest' = 'oldest'): FairQueue<T> => {
  const queues = new Map<string, T[]>()
  const used = new Map<string, number>()
  /** What the caller that came last had used: newcomers stand where it stood. */
  let reached = 0
  let size = 0

  const remove = (caller: string, item: T): boolean => {
    const queue = queues.get(caller)
    const at = queue?.indexOf(item) ?? -1
    if (queue === undefined || at === -1) return false
    queue.splice(at, 1)
    size -= 1
    if (queue.length === 0) queues.delete(caller)
    return true
  }

  const lightest = (): string | undefined => {
    let least = Infinity
    let lightest: string | undefined
    for (const caller of queues.keys()) {
      const own = used.get(caller) as number
      if (own < least || (own === least && tie === 'newest')) [least, lightest] = [own, caller]
    }
    return lightest
  }

  return {
    size: () => size,
    sizeOf: (caller) => queues.get(caller)?.length ?? 0,
    add: (caller, item) => {
      if (size === 0) used.clear()
      size += 1
      const queue = queues.get(caller)
      if (queue !== undefined) return void queue.push(item)
      queues.set(caller, [item])
      used.set(caller, Math.max(used.get(caller) ?? 0, reached))
    },
    remove,
    next: () => {
      const caller = lightest()
      if (caller === undefined) return undefined
      const [item] = queues.get(caller) as [T]
      remove(caller, item)
      reached = used.get(caller) as number
      return { caller, item }
    },
    charge: (caller, cost) => void used.set(caller, (used.get(caller) ?? reached) + cost),
  }
}
