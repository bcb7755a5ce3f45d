import type { EventBatch, EventStore } from '../../../events/eventStore.ts'
import { makeNotifier } from '../../../events/notifier.ts'

/** How many events are worth a batch of their own, and how many pages of the log come together in one at most. */
const enough = 500n
const pagesAtOnce = 4

/** Milliseconds after which it is looked again how many events there are. */
const lookEvery = 50

export const makeHurried = () => {
  const { wait, notify } = makeNotifier()
  let wanted = 0n
  let reached = 0n
  return {
    wait,
    wanted: () => wanted,
    isWaited: (): boolean => wanted > reached,
    reached: (position: bigint | undefined): void => {
      reached = position ?? 0n
    },
    to: (position: bigint): void => {
      if (position > wanted) wanted = position
      notify()
    },
  }
}

export type Hurried = ReturnType<typeof makeHurried>

/**
 * Lets events come together for at most `gathering` milliseconds: pages of the log where it is behind, and what is new
 * while nobody waits for it.
 */
export const paced = (
  log: Pick<EventStore, 'head' | 'subscribe'>,
  hurried: Hurried,
  gathering: number,
): Pick<EventStore, 'subscribe'> => {
  const behind = async (position: bigint): Promise<bigint> => ((await log.head()) ?? 0n) - position
  const gather = async (position: bigint, signal: AbortSignal): Promise<void> => {
    const until = performance.now() + gathering
    const canWait = (): boolean => performance.now() < until && position >= hurried.wanted() && !signal.aborted
    while (canWait() && (await behind(position)) < enough) await hurried.wait(signal, Math.min(lookEvery, gathering))
  }
  return {
    subscribe: async function* (options) {
      let pages: EventBatch[] = []
      for await (const page of log.subscribe(options)) {
        const { position } = page
        pages.push(page)
        if ((await behind(position)) > 0n && pages.length < pagesAtOnce) continue
        yield { events: pages.flatMap(({ events }) => events), position }
        pages = []
        await gather(position, options.signal)
      }
    },
  }
}
