import type { EventBatch, EventStore } from '../../../events/eventStore.ts'
import { makeNotifier } from '../../../events/notifier.ts'

/** How many events are worth a batch of their own, and how many pages of the log come together in one at most. */
const enough = 500n
const pagesAtOnce = 4

/** Milliseconds after somebody waited for which a batch is one page: the next who waits may come while it is written. */
const inDemand = 10_000

/** Milliseconds after which it is looked again how many events there are. */
const lookEvery = 50

export const makeHurried = () => {
  const { wait, notify } = makeNotifier()
  let wanted = 0n
  let reached = 0n
  let asked = -Infinity
  return {
    wait,
    wanted: () => wanted,
    isWaited: (): boolean => wanted > reached,
    isInDemand: (): boolean => performance.now() - asked < inDemand,
    reached: (position: bigint | undefined): void => {
      reached = position ?? 0n
    },
    to: (position: bigint): void => {
      if (position > wanted) wanted = position
      asked = performance.now()
      notify()
    },
  }
}

export type Hurried = ReturnType<typeof makeHurried>

/** Two batches where somebody waits for what the first one ends with. */
const partedAt = (wanted: bigint, { events, position }: EventBatch): EventBatch[] => {
  const first = events.filter((event) => event.position <= wanted)
  if (first.length === 0 || first.length === events.length) return [{ events, position }]
  return [
    { events: first, position: wanted },
    { events: events.slice(first.length), position },
  ]
}

/**
 * Lets events come together for at most `gathering` milliseconds: pages of the log where it is behind, and what is new
 * while nobody waits for it. Who waits does not wait for what came after.
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
        const most = hurried.isInDemand() ? 1 : pagesAtOnce
        if (pages.length < most && (await behind(position)) > 0n) continue
        yield* partedAt(hurried.wanted(), { events: pages.flatMap(({ events }) => events), position })
        pages = []
        await gather(position, options.signal)
      }
    },
  }
}
