import {
  childInTheWay,
  contentAfter,
  sayingOf,
  contentReverted,
  created,
  differs,
  ended,
  followers,
  isReported,
  listed,
  listReverted,
  marked,
  parentIsLive,
  reported,
  restored,
  updated,
  votes,
  type Content,
  type State,
  type View,
} from './catalog.ts'
import type { FeedEvent } from './feed.ts'
import type { Rule } from './findings.ts'
import { ancestorsOf, keyOf, kindOf, parentOf, partsOf, type Key } from './kinds.ts'
import { isStated, silenced, silentIn, standing, statedRefs } from './lineage.ts'
import { targetOf, type Operation, type Values } from './operations.ts'

/** What an operation wants of one entity. */
const sentTo = (operation: Operation, key: Key): Values | undefined => {
  if (operation.do === 'bulk') return operation.items.find(({ fqn }) => keyOf(operation.kind, fqn) === key)?.values
  if (targetOf(operation) !== key) return undefined
  return 'values' in operation ? operation.values : operation.do === 'state' ? {} : undefined
}

const makes = (operation: Operation): boolean => ['create', 'upsert', 'bulk', 'state'].includes(operation.do)

/** One event on its way into the model. */
export interface Turn {
  /** What the restore of a request takes back, by request and entity. */
  readonly takenBack: Map<string, string>
  readonly event: FeedEvent
  readonly at: number
  readonly operation: Operation
  readonly view: View
  readonly before: State | undefined
  /** Places of events that are taken back. */
  readonly undone: ReadonlyMap<number, number>
  /** There when this is one: the state that it is taken back to. */
  readonly to: { readonly state: State | undefined } | undefined
  /** Whether it takes back an earlier one. */
  readonly isCompensation: boolean
  /** See `Story.isLeft`. */
  readonly isLeft: boolean
  readonly say: (rule: Rule, message: string) => void
}

const stampOf = ({ at, event }: Turn) => ({ at, updatedBy: event.actor, updatedAt: event.time })

/** What hides an entity and is taken back, because it should have been refused, ends nothing. */
const isHidden = ({ view, undone }: Turn, key: Key): boolean => {
  const state = view.get(key)
  return state?.status === 'deleted' && undone.has(state.at)
}

const takeCreated = (turn: Turn, sent: Values): State => {
  const { view, event, before, to, say } = turn
  if (before !== undefined && before.status !== 'gone')
    say('an answer is explained by some order', `was created at ${event.position}, but is ${before.status}`)
  const stands = parentIsLive(view, event.key) || isHidden(turn, parentOf(event.key) as Key)
  if (to === undefined && !turn.isLeft && !stands)
    say(
      'nothing is made below a parent that has ended',
      `was created at ${event.position} below ${parentOf(event.key)}, which is ${view.get(parentOf(event.key) as Key)?.status ?? 'not there'}`,
    )
  return created(view, event.key, sent, stampOf(turn))
}

/** What the request makes of the entity. */
const contentOf = ({ operation, view, event, say }: Turn, before: State): Content | undefined => {
  if (operation.do === 'revert' && targetOf(operation) === event.key) {
    const own = view.version(event.key, operation.version)
    const to = own ?? view.endedVersion(event.key, operation.version)
    if (own === undefined && to !== undefined)
      say(
        'a revert stays within one life',
        `was taken back at ${event.position} to version ${to.version / 10} of a life that had ended`,
      )
    return to && contentReverted(view, before, to)
  }
  const sent = sentTo(operation, event.key)
  return sent && contentAfter(before, sent, sayingOf(operation), view)
}

const takeUpdated = (turn: Turn, before: State, content: Content): State => {
  const { view, event, say } = turn
  if (before.status !== 'live')
    say('an answer is explained by some order', `was changed at ${event.position} while ${before.status}`)
  if (!differs(view, before, content))
    say('no change makes no event', `version ${event.version / 10} at ${event.position} changes nothing`)
  return updated(before, content, stampOf(turn))
}

const isDependent = (key: Key): boolean => kindOf(partsOf(key).kind).dependent === true

const takeEnded = (turn: Turn, before: State, operation: Operation & { do: 'delete' }): State => {
  const { view, event, to, undone, say } = turn
  const hard = event.type === 'HardDeleted'
  const root = targetOf(operation) as Key
  if (to !== undefined) return ended(before, hard, event.correlation, stampOf(turn))
  if (hard && !operation.hard)
    say(
      'every event has one request that explains it',
      `${event.type} at ${event.position} of a request that asked otherwise`,
    )
  if (before.status === 'gone' || (!hard && before.status === 'deleted'))
    say('an answer is explained by some order', `${event.type} at ${event.position} while ${before.status}`)
  if (event.key !== root && !ancestorsOf(event.key).includes(root))
    say('every event has one request that explains it', `${event.type} at ${event.position} by a deletion of ${root}`)
  if (!operation.recursive && event.key !== root && !isDependent(event.key) && !undone.has(before.at))
    say(
      'a delete without recursive takes no child',
      `was taken at ${event.position} by the deletion of ${root} without recursive (${event.correlation})`,
    )
  const mayMatter = (state: State): boolean => !undone.has(state.at)
  const child = event.key === root && !operation.recursive ? childInTheWay(view, root, hard, mayMatter) : undefined
  if (child !== undefined)
    say(
      'a delete without recursive takes no child',
      `${event.type} at ${event.position} without recursive (${event.correlation}), while there is ${child}`,
    )
  const state = ended(before, hard, event.correlation, stampOf(turn))
  return event.key === root && !hard ? silenced(state) : state
}

const takeRestored = (turn: Turn, before: State): State => {
  const { takenBack, event, operation, to, say } = turn
  if (to !== undefined && operation.do === 'delete') return restored(before, stampOf(turn))
  const root = operation.do === 'bulk' ? event.key : (targetOf(operation) as Key)
  if (before.status !== 'deleted')
    say('an answer is explained by some order', `was restored at ${event.position} while ${before.status}`)
  if (event.key === root || sentTo(operation, event.key) !== undefined)
    takenBack.set(`${event.correlation} ${event.key}`, before.deletion ?? '')
  else {
    const taken = ancestorsOf(event.key).map((key) => takenBack.get(`${event.correlation} ${key}`))
    if (!taken.includes(before.deletion))
      say(
        'a restore brings back what its deletion took',
        `was restored at ${event.position} by ${event.correlation}, which did not take back ${before.deletion}`,
      )
  }
  return restored(before, stampOf(turn))
}

const takeMark = ({ view, at, event, operation, say }: Turn, before: State): State | undefined => {
  if (event.type === 'Confirmed' && operation.do === 'confirm') {
    const { confirmBy: _, due: __, ...values } = before.values
    const { confirmBy } = operation
    const confirmed = { user: event.actor, time: new Date(event.time).toISOString() }
    return {
      ...marked(before, before.refs, at),
      values: { ...values, ...(confirmBy !== undefined && { confirmBy }), confirmed },
    }
  }
  if (event.type === 'Validated' && operation.do === 'result') {
    if (isReported(before, operation)) say('no change makes no event', `the result at ${event.position} was known`)
    return { ...marked(before, before.refs, at), values: reported(before, operation, event.actor) }
  }
  if (event.type === 'Voted' && operation.do === 'vote')
    return marked(before, votes(view, before, keyOf('user', operation.user), operation.vote), at)
  if (
    (event.type === 'FollowerAdded' || event.type === 'FollowerRemoved') &&
    (operation.do === 'follow' || operation.do === 'unfollow')
  ) {
    return marked(
      before,
      followers(view, before, keyOf('user', operation.follower), event.type === 'FollowerAdded'),
      at,
    )
  }
  return undefined
}

/** What a source states, or states again because the lineage came back; a statement brings back no others. */
const takeStated = (turn: Turn, before: State): State | undefined => {
  const { operation, view, event, at, to, say } = turn
  const { source = '' } = event
  const next = { ...before, ...stampOf(turn), version: before.version + 1, revision: before.revision + 1 }
  const silent = silentIn(before)
  const isOwn = operation.do === 'state' && operation.source === source && targetOf(operation) === event.key
  if (silent.includes(source)) {
    const values = { silent: silent.filter((other) => other !== source) }
    const said = (before.refs[source] ?? []).map((ref) => ({ ...ref, at }))
    const stated = isOwn ? statedRefs(view, { ...before, refs: {} }, operation, at) : []
    const again = operation.do === 'state' && !turn.isCompensation ? stated : said
    return { ...next, values, refs: { ...before.refs, [source]: again } }
  }
  if (to?.state !== undefined && (turn.isCompensation || !isOwn)) {
    const again = standing(before.refs[source] ?? [], to.state.refs[source] ?? [], at)
    return { ...next, refs: { ...before.refs, [source]: again } }
  }
  if (!isOwn) return undefined
  if (to?.state === undefined && before.status !== 'live')
    say('an answer is explained by some order', `was stated at ${event.position} while ${before.status}`)
  if (to?.state === undefined && isStated(view, before, operation))
    say('no change makes no event', `version ${event.version / 10} at ${event.position} states what was stated`)
  return { ...next, refs: { ...before.refs, [source]: statedRefs(view, before, operation, at) } }
}

const takeListReverted = (turn: Turn, before: State, { version }: Operation & { do: 'revert' }): State | undefined => {
  const { view, event } = turn
  const [, what, does] = /^(Assets|Ports)(Added|Removed)$/.exec(event.type) ?? []
  const to = view.version(event.key, version) ?? view.endedVersion(event.key, version)
  if (what === undefined || to === undefined) return undefined
  const list = what === 'Assets' ? 'assets' : `${event.direction}Ports`
  const add = does === 'Added'
  const keys = listReverted(view, before, to, list)[add ? 'add' : 'remove']
  return keys.length === 0 ? undefined : listed(view, before, list, keys, add, stampOf(turn))
}

const takeListed = (turn: Turn, before: State): State | undefined => {
  const { operation, view, event } = turn
  if (operation.do === 'revert' && targetOf(operation) === event.key) return takeListReverted(turn, before, operation)
  if (operation.do !== 'assets' || !/^(Assets|Ports)(Added|Removed)$/.test(event.type)) return undefined
  return listed(view, before, operation.list, operation.assets, operation.add, stampOf(turn))
}

/**
 * What goes along with something that is taken back goes into the deletion that this has gone into again, also where
 * somebody has brought that back meanwhile.
 */
const deletionAbove = ({ event, operation, view, takenBack }: Turn): string | undefined => {
  const parent = parentOf(event.key)
  if (parent === undefined || event.key === targetOf(operation)) return undefined
  const formerly = ancestorsOf(event.key).flatMap((key) => takenBack.get(`${event.correlation} ${key}`) ?? [])
  return view.get(parent)?.deletion ?? formerly[0]
}

/** The state after an event that takes back what its request had done before. */
const takeUndoing = (turn: Turn, before: State, to: State | undefined): State | undefined => {
  const { event, view } = turn
  const isEnd = event.type === 'SoftDeleted' || event.type === 'HardDeleted'
  const broughtBack = turn.takenBack.get(`${event.correlation} ${event.key}`)
  const deletion = broughtBack ?? to?.deletion ?? deletionAbove(turn) ?? event.correlation
  if (isEnd) return ended(before, event.type === 'HardDeleted', deletion, stampOf(turn))
  const isBack = event.type === 'Updated' && turn.isCompensation && to !== undefined && differs(view, before, to)
  return isBack ? updated(before, { values: to.values, refs: to.refs }, stampOf(turn)) : undefined
}

/** The state that the event leads to; `undefined` when its request does not explain it. */
export const take = (turn: Turn): State | undefined => {
  const { event, operation, before, to } = turn
  const undoing = to && before && operation.do !== 'delete' ? takeUndoing(turn, before, to.state) : undefined
  if (undoing !== undefined) return undoing
  const sent = sentTo(operation, event.key)
  if (event.type === 'Created') return sent !== undefined && makes(operation) ? takeCreated(turn, sent) : undefined
  if (before === undefined) return undefined
  switch (event.type) {
    case 'Updated': {
      const content = contentOf(turn, before)
      return content && takeUpdated(turn, before, content)
    }
    case 'SoftDeleted':
    case 'HardDeleted':
      return operation.do === 'delete' ? takeEnded(turn, before, operation) : undefined
    case 'Restored':
      return operation.do === 'restore' || makes(operation) || to !== undefined ? takeRestored(turn, before) : undefined
    case 'LineageStated':
      return takeStated(turn, before)
    default:
      return takeMark(turn, before) ?? takeListed(turn, before)
  }
}
