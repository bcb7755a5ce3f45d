import type { Finding, Rule } from './findings.ts'
import { ancestorsOf, parentOf, type Key } from './kinds.ts'
import { targetOf } from './operations.ts'
import type { Story } from './order.ts'
import type { Seen } from './play.ts'

interface Fate {
  readonly status: 'live' | 'deleted' | 'gone'
  /** The request that took it. */
  readonly deletion: string | undefined
}

/**
 * What every entity must be in the end: deletions and restores happen to a whole subtree at once, in the order in which
 * the log has their first events. How the service carries them down the tree makes no difference. A deletion that
 * should have been refused, because something stood below, is judged as one that took it.
 */
export const fatesOf = (story: Story, seen: readonly Seen[]): Map<Key, Fate> => {
  const fates = new Map<Key, Fate>()
  const requests = new Map(seen.map((one) => [one.correlation, one]))
  const below = (root: Key): Key[] => [...fates.keys()].filter((key) => ancestorsOf(key).includes(root))
  for (const [at, event] of story.events.entries()) {
    if (story.isUndone(at)) continue
    const operation = requests.get(event.correlation)?.operation
    if (operation === undefined || (operation.do !== 'bulk' && targetOf(operation) !== event.key)) continue
    const { key, type, correlation } = event
    const parent = parentOf(key)
    const stands = parent === undefined || fates.get(parent)?.status === 'live'
    if (type === 'Created' && (stands || story.isLeft(at))) fates.set(key, { status: 'live', deletion: undefined })
    if ((type === 'SoftDeleted' || type === 'HardDeleted') && operation.do === 'delete') {
      for (const each of [key, ...below(key)]) {
        const status = fates.get(each)?.status
        if (type === 'HardDeleted') fates.set(each, { status: 'gone', deletion: undefined })
        else if (status === 'live') fates.set(each, { status: 'deleted', deletion: correlation })
      }
    }
    const deletion = type === 'Restored' && stands ? fates.get(key)?.deletion : undefined
    if (deletion === undefined) continue
    for (const each of [key, ...below(key)])
      if (fates.get(each)?.deletion === deletion) fates.set(each, { status: 'live', deletion: undefined })
  }
  return fates
}

const ruleFor = (is: Fate['status'], wanted: Fate['status']): Rule => {
  if (is === 'live') return 'below a deleted parent nothing is live'
  if (wanted !== 'live') return 'nothing is made below a parent that has ended'
  return is === 'gone' ? 'a deletion takes nothing that came after it' : 'a restore brings back what its deletion took'
}

/**
 * Is something hidden by a request that was to delete it for good? It looks below then, and where it was cut short the
 * process that projects brings back what it has hidden.
 */
export const standsHidden = ({ states, events }: Story, seen: readonly Seen[]): boolean => {
  const requests = new Map(seen.map(({ correlation, operation }) => [correlation, operation]))
  return [...states].some(([key, all]) => {
    const last = events[all.at(-1)?.at ?? -1]
    const operation = last && requests.get(last.correlation)
    const isRoot = operation?.do === 'delete' && operation.hard && targetOf(operation) === key
    return isRoot && last?.type === 'SoftDeleted'
  })
}

/** Compares what every entity came to with what it should have come to. */
export const checkOutcome = (story: Story, seen: readonly Seen[]): Finding[] => {
  const fates = fatesOf(story, seen)
  return [...story.states].flatMap(([key, states]): Finding[] => {
    const is = states.at(-1)?.status ?? 'gone'
    const wanted = fates.get(key)?.status ?? 'gone'
    if (is === wanted) return []
    const last = story.events[states.at(-1)?.at ?? -1]
    const rule = ruleFor(is, wanted)
    return [
      {
        rule,
        key,
        message: `${key}: is ${is} in the end and should be ${wanted}; its last event is ${last?.type} at ${last?.position} (${last?.correlation})`,
      },
    ]
  })
}
