import type { Batch } from './projection.ts'

/** Events that some projections have been given, with the rows that were folded for them. */
export type Given = Pick<Batch, 'after' | 'events' | 'position' | 'rows'>

/** Keeps batches back for a moment and gives them on together: many small ones cost much more than a large one. */
export interface Gathering {
  /** Keeps a batch. Resolves when there is room for the next. */
  add(batch: Given): Promise<void>
  flush(): Promise<void>
  /** The same without waiting; when it fails, {@link failed} says so. */
  hurry(): void
  /** Aborts, with the reason, when giving on failed while nobody waited for it. */
  readonly failed: AbortSignal
  end(): void
}

/** Milliseconds for which a batch is kept at most, unless told otherwise. */
const shortWhile = 25

const most = 500

const joined = (batches: readonly Given[]): Given => {
  const [only] = batches as readonly [Given]
  if (batches.length === 1) return only
  return {
    after: only.after,
    events: batches.flatMap(({ events }) => events),
    position: (batches.at(-1) as Given).position,
    rows: async () => {
      const rows = (await Promise.all(batches.map((batch) => batch.rows()))).flat()
      return [...new Map(rows.map((row) => [row.id, row])).values()]
    },
  }
}

/**
 * @param giveOn is given batches in order, one after the other
 * @param isAwaited tells whether somebody waits for what is kept
 * @param longest milliseconds for which a batch is kept
 */
export const gather = (
  giveOn: (batch: Given) => Promise<void>,
  isAwaited: () => boolean,
  longest = shortWhile,
): Gathering => {
  const failed = new AbortController()
  let kept: Given[] = []
  let events = 0
  let timer: NodeJS.Timeout | undefined
  let going: Promise<void> = Promise.resolve()

  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
    kept = []
    events = 0
  }
  const giveAll = async (): Promise<void> => {
    const batches = kept
    end()
    if (batches.length > 0) await giveOn(joined(batches))
  }
  const flush = (): Promise<void> => (going = going.then(giveAll))
  const hurry = (): void => void flush().catch((error: unknown) => failed.abort(error))
  return {
    add: async (batch) => {
      kept.push(batch)
      events += batch.events.length
      if (events >= most || isAwaited()) return flush()
      timer ??= setTimeout(hurry, longest)
    },
    flush,
    hurry: () => {
      if (kept.length > 0) hurry()
    },
    failed: failed.signal,
    end,
  }
}
