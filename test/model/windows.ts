import type { View } from './catalog.ts'
import { countWhile, namedRefs } from './catalog.ts'
import { ancestorsOf, keyOf, partsOf, type Key } from './kinds.ts'
import { targetOf, type Item, type Operation } from './operations.ts'
import type { Story } from './order.ts'
import type { Seen } from './play.ts'

/** The places in the order between which a request took effect, as far as clocks tell. */
export interface Window {
  /** Everything up to here was answered before the request was sent. */
  readonly low: number
  /** Everything after this was sent after the request was answered. */
  readonly high: number
}

/** Places of the events of the entities that a request names; what it takes below them may come later. */
export const ownPlaces = (story: Story, { correlation, operation }: Seen): number[] =>
  story.placesOf(correlation).filter((at) => operation.do === 'bulk' || story.events[at]?.key === targetOf(operation))

/** The windows of requests, by real time: one sweep over all beginnings and ends. */
export const windowsOf = (story: Story, seen: readonly Seen[]): ((one: Seen) => Window) => {
  const byEnd = seen.toSorted((a, b) => a.end - b.end)
  const ends = byEnd.map(({ end }) => end)
  let last = -1
  const lows = byEnd.map((one) => (last = Math.max(last, ownPlaces(story, one).at(-1) ?? -1)))
  const byStart = seen.toSorted((a, b) => a.start - b.start)
  let first = story.events.length
  const highs = byStart
    .toReversed()
    .map((one) => (first = Math.min(first, story.placesOf(one.correlation)[0] ?? first)))
    .reverse()
  const starts = byStart.map(({ start }) => start)
  return ({ start, end }) => {
    const earlier = countWhile(ends, (each) => each < start)
    const later = countWhile(starts, (each) => each <= end)
    return { low: lows[earlier - 1] ?? -1, high: (highs[later] ?? story.events.length) - 1 }
  }
}

/** Entities that an answer may depend on. */
export const related = (story: Story, operation: Operation, key: Key, item?: Item): Set<Key> => {
  const values = item?.values ?? ('values' in operation ? operation.values : {})
  const named = namedRefs(operation, values, partsOf(key).fqn)
  const more =
    operation.do === 'assets'
      ? operation.assets
      : operation.do === 'state'
        ? operation.edges.map(({ from }) => from)
        : operation.do === 'follow' || operation.do === 'unfollow'
          ? [keyOf('user', operation.follower)]
          : []
  const below = operation.do === 'delete' ? story.viewAt(Infinity).below(key) : []
  return new Set([
    key,
    ...ancestorsOf(key),
    ...named,
    ...named.flatMap(ancestorsOf),
    ...more,
    ...more.flatMap(ancestorsOf),
    ...below,
  ])
}

/** The catalog at each place of the window where something that matters changed. */
export const momentsIn = (story: Story, { low, high }: Window, keys: ReadonlySet<Key>): View[] => {
  const places = [low]
  for (let at = low + 1; at <= high; at++) if (keys.has(story.events[at]?.key as Key)) places.push(at)
  return places.map((at) => story.viewAt(at))
}
