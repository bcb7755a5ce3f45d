import { countWhile, differingNames, ended, marked, restored, withMembers, type State, type View } from './catalog.ts'
import type { FeedEvent } from './feed.ts'
import type { Finding, Rule } from './findings.ts'
import { keyOf, parentOf, type Key } from './kinds.ts'
import { targetOf } from './operations.ts'
import { isRefused, isUnknownOf, type Seen } from './play.ts'
import { take } from './take.ts'

/** The model after everything that happened, with every state that each entity was in. */
export interface Story {
  readonly events: readonly FeedEvent[]
  readonly states: ReadonlyMap<Key, readonly State[]>
  /** Places of the events of each request. */
  readonly placesOf: (correlation: string) => readonly number[]
  /** The catalog after the event at this place; -1: before all. */
  readonly viewAt: (at: number) => View
  /** The same as answers about that moment show it: what went or came back with what stands above did so with that. */
  readonly viewThen: (at: number) => View
  readonly findings: Finding[]
  /** Was the event at this place taken back by its own request? */
  readonly isUndone: (at: number) => boolean
  /** Is this the beginning of something below what was deleted, which nobody was there to take back? */
  readonly isLeft: (at: number) => boolean
  /** Does it follow from an event of an ancestor, or give back a deletion that did? */
  readonly isInherited: (at: number) => boolean
}

interface Told {
  readonly states: Map<Key, State[]>
  readonly below: Map<Key, Set<Key>>
  readonly findings: Finding[]
  /** What the restore of a request takes back. */
  readonly takenBack: Map<string, string>
  /** Places of events that their own requests took back, each with the place of the first of those. */
  readonly undone: ReadonlyMap<number, number>
  /** Ids of events that compensate others. */
  readonly compensations: ReadonlySet<string>
  /** See {@link Story.isLeft}. */
  readonly left: ReadonlySet<number>
}

const lastUpTo = (states: readonly State[], at: number): State | undefined =>
  states[countWhile(states, (state) => state.at <= at) - 1]

const makes =
  (version: number, life: number | undefined) =>
  (state: State): boolean =>
    state.life === life && state.version === version && state.status !== 'gone'

const viewOf = ({ states, below }: Pick<Told, 'states' | 'below'>, at: number): View => ({
  get: (key) => lastUpTo(states.get(key) ?? [], at),
  below: (key) => [...(below.get(key) ?? [])],
  version: (key, version) => {
    const known = (states.get(key) ?? []).filter((state) => state.at <= at)
    return known.find(makes(version, known.at(-1)?.life))
  },
  endedVersion: (key, version) =>
    (states.get(key) ?? []).filter((state) => state.at <= at).findLast((state) => makes(version, state.life)(state)),
})

const note = ({ states, below }: Told, state: State): void => {
  const known = states.get(state.key)
  if (known === undefined) states.set(state.key, [state])
  else known.push(state)
  const parent = parentOf(state.key)
  if (parent !== undefined) below.set(parent, (below.get(parent) ?? new Set()).add(state.key))
}

/** What the event does all the same, so that what comes after it is judged rightly. */
const unexplained = (before: State, event: FeedEvent, at: number): State | undefined => {
  const stamp = { at, updatedBy: event.actor, updatedAt: event.time }
  if (event.type === 'Restored') return restored(before, stamp)
  const isEnd = event.type === 'SoftDeleted' || event.type === 'HardDeleted'
  return isEnd ? ended(before, event.type === 'HardDeleted', event.correlation, stamp) : undefined
}

/** What somebody has changed in a record, in another one. */
const changedIn = <T>(of: Readonly<Record<string, T>>, was: typeof of, is: typeof of): Record<string, T> => {
  const changed = differingNames(was, is)
  return withMembers(of, is, (name) => changed.includes(name))
}

/** Where what is void begins: with a request, or with what others wrote before it and is not taken back yet. */
const voidFrom = ({ states, undone }: Told, key: Key, first: number): number => {
  /** Where each void change ends: with its own compensation, if it has one yet. */
  const ends = new Map<number, number>()
  const known = states.get(key) ?? []
  for (const { at, life } of known)
    if (undone.has(at) && life === known.at(-1)?.life) ends.set(undone.get(at) as number, at)
  const open = [...ends].filter(([begun, end]) => end === begun || end > first)
  return Math.min(first, ...open.map(([begun]) => begun))
}

/** What an entity was before a request changed it, with what others have changed since. */
const withoutUndone = (told: Told, key: Key, [own, at]: [number, number]): State | undefined => {
  const { states, undone } = told
  const known = states.get(key) ?? []
  const first = voidFrom(told, key, own)
  return known.reduce(
    (to, state, index) => {
      const before = known[index - 1]
      const isOfOthers = state.at > first && state.at < at && !undone.has(state.at)
      if (to === undefined || before === undefined || !isOfOthers) return to
      const [values, refs] = [
        changedIn(to.values, before.values, state.values),
        changedIn(to.refs, before.refs, state.refs),
      ]
      return { ...to, values, refs }
    },
    lastUpTo(known, first - 1),
  )
}

const today = new Date().toISOString().slice(0, 10)

/** The catalog itself says once that nobody has confirmed something in time. */
const fellDue = (told: Told, { key, position, confirmBy }: FeedEvent, at: number, say: Said): void => {
  const before = viewOf(told, at - 1).get(key)
  // Of an episode before this one.
  if (before === undefined) return
  const { status, values } = before
  const isRight = status === 'live' && values['confirmBy'] === confirmBy && String(confirmBy) < today
  if (!isRight || values['due'] !== undefined)
    say(
      'no change makes no event',
      `fell due at ${position} for ${confirmBy}; it is ${status}, to be confirmed by ${values['confirmBy']}, due ${values['due']}`,
    )
  note(told, { ...marked(before, before.refs, at), values: { ...values, due: confirmBy as string } })
}

type Said = (rule: Rule, message: string) => void

const follow = (told: Told, event: FeedEvent, at: number, seen: Seen | undefined): void => {
  const say: Said = (rule, message) =>
    void told.findings.push({ rule, message: `${event.key}: ${message}`, key: event.key })
  // Whoever writes for the first time gets an entity, by a proposal as well.
  if (event.key === keyOf('user', seen?.operation.user ?? event.actor)) return
  if (event.type === 'FellDue' && event.actor === 'system') return fellDue(told, event, at, say)
  if (seen === undefined)
    return say(
      'every event has one request that explains it',
      `${event.type} at ${event.position} belongs to no request (${event.correlation})`,
    )
  const { operation } = seen
  const view = viewOf(told, at - 1)
  const before = view.get(event.key)
  const { takenBack, undone, compensations, left } = told
  const first = undone.get(at)
  const to = first === undefined ? undefined : { state: withoutUndone(told, event.key, [first, at]) }
  const about = { takenBack, undone, isLeft: left.has(at), isCompensation: compensations.has(event.id) }
  const explained = take({ ...about, event, at, operation, view, before, to, say })
  if (explained === undefined) {
    say(
      'every event has one request that explains it',
      `${event.type} at ${event.position} is not what ${operation.do} of ${targetOf(operation) ?? operation.kind} makes (${event.correlation})`,
    )
  }
  const state = explained ?? (before && unexplained(before, event, at))
  if (state === undefined) return
  if (event.version !== state.version)
    say(
      'an event says version and user as they are',
      `${event.type} at ${event.position} has version ${event.version / 10}, not ${state.version / 10}`,
    )
  if (event.actor !== operation.user)
    say(
      'an event says version and user as they are',
      `${event.type} at ${event.position} has the user ${event.actor}, not ${operation.user}`,
    )
  note(told, state)
}

/**
 * Ids of events that compensate an earlier one of the same entity, and of those that follow from such below it. What
 * deletes for good what it had hidden follows from that event, too, and takes nothing back.
 */
const compensationsIn = (events: readonly FeedEvent[], requests: ReadonlyMap<string, Seen>): Set<string> => {
  const compensations = new Set<string>()
  const keys = new Map<string, Key>()
  for (const { id, key, type, causation, correlation } of events) {
    const isFinal = type === 'HardDeleted' && requests.get(correlation)?.operation.do === 'delete'
    if ((keys.get(causation) === key && !isFinal) || compensations.has(causation)) compensations.add(id)
    keys.set(id, key)
  }
  return compensations
}

/** Where the log cannot refuse an append, a request compensates what is void: see {@link Told.undone}. */
const undoneIn = (
  events: readonly FeedEvent[],
  requests: ReadonlyMap<string, Seen>,
  compensations: ReadonlySet<string>,
): Map<number, number> => {
  const undone = new Map<number, number>()
  const groups = Map.groupBy(events.entries(), ([, { correlation, key }]) => `${correlation} ${key}`)
  for (const group of groups.values()) {
    const [first, { correlation, key, type: begins }] = group[0] as [number, FeedEvent]
    const [at, { type: last }] = group.at(-1) as [number, FeedEvent]
    const seen = requests.get(correlation)
    if (seen === undefined) continue
    // What was taken back is decided anew, on what had come first: the last attempt may hold.
    const back = group.findLastIndex(([, { id }]) => compensations.has(id))
    const byOthers = takenBackByOthers(events, group, compensations, isRefused(seen, key))
    for (const [index, [each, { id }]] of group.slice(0, back + 1).entries()) {
      const [previous = -1, { id: before } = { id: '' }] = group[index - 1] ?? []
      const isAnew = !compensations.has(id) && (compensations.has(before) || byOthers.includes(previous))
      undone.set(each, isAnew ? each : (undone.get(previous) ?? first))
    }
    for (const at of byOthers) undone.set(at, at)
    // Of what was void nobody was told when its process or a store ended: it counts as refused.
    const wasOvertaken = isUnknownOf(seen, key) && begins === 'SoftDeleted' && isBelowEnded(events, first)
    const isUndoneByOthers = (isRefused(seen, key) || wasOvertaken) && othersUndo(last, events.slice(at + 1), key)
    // Of a deletion that was refused as well, who brought it back has taken it back.
    const isOfUndone = begins === 'Restored' && isRefused(seen, key) && undone.has(deletionBefore(events, first))
    if (isUndoneByOthers || isOfUndone) for (const [each] of group) undone.set(each, undone.get(each) ?? first)
  }
  return undone
}

/**
 * Places of the attempts of a request that the compensation of another one has taken back: the entity is brought to
 * what is valid, so that nothing is left to compensate.
 */
const takenBackByOthers = (
  events: readonly FeedEvent[],
  group: readonly (readonly [number, FeedEvent])[],
  compensations: ReadonlySet<string>,
  isRefused: boolean,
): number[] => {
  const found: number[] = []
  for (const [index, [at, { id, key, type, causation }]] of [...group.entries()].toReversed()) {
    const [next = events.length, later] = group[index + 1] ?? []
    const isTriedAgain = later === undefined ? isRefused : later.causation === causation
    if (type !== 'Updated' || compensations.has(id) || !isTriedAgain) continue
    const between = events.slice(at + 1, next).some((event) => event.key === key && compensations.has(event.id))
    if (between || found.includes(next)) found.push(at)
  }
  return found
}

/** The place of the deletion that an event brings something back from. */
const deletionBefore = (events: readonly FeedEvent[], at: number): number => {
  const key = events[at]?.key
  return events.findLastIndex((event, place) => place < at && event.key === key && event.type === 'SoftDeleted')
}

/** Had something above the entity ended when the log took this event of it? */
const isBelowEnded = (events: readonly FeedEvent[], at: number): boolean => {
  for (let key = parentOf((events[at] as FeedEvent).key); key !== undefined; key = parentOf(key)) {
    const turn = events.findLast((event, place) => place < at && event.key === key && turns.has(event.type))
    if (turn?.type === 'SoftDeleted' || turn?.type === 'HardDeleted') return true
  }
  return false
}

/**
 * What was begun below something deleted stays where the process of its request was cut short, and the one of the
 * request that brought that back too, before it had looked for it: nobody was told of it.
 */
const leftIn = (events: readonly FeedEvent[], requests: ReadonlyMap<string, Seen>): Set<number> => {
  const left = new Set<number>()
  const isCut = ({ correlation, key }: FeedEvent): boolean => {
    const seen = requests.get(correlation)
    return seen !== undefined && isUnknownOf(seen, key)
  }
  for (const [at, event] of events.entries()) {
    const parent = parentOf(event.key)
    if (event.type !== 'Created' || parent === undefined || !isCut(event) || !isBelowEnded(events, at)) continue
    const next = events.find(({ key, type }, place) => place > at && key === parent && turns.has(type))
    if (next?.type === 'Restored' && isCut(next)) left.add(at)
  }
  return left
}

const turns: ReadonlySet<FeedEvent['type']> = new Set(['Created', 'SoftDeleted', 'HardDeleted', 'Restored'])

const isExternal = process.env['CATALOG_TEST_EVENTSTORE_URL'] !== undefined

/** What a request would take back, others may have taken back before it. */
const othersUndo = (last: FeedEvent['type'], later: readonly FeedEvent[], key: Key): boolean => {
  const own = later.filter((event) => event.key === key)
  const end = own.find(({ type }) => type === 'HardDeleted' || type === 'Created')?.type
  const turn = own.find(({ type }) => ['SoftDeleted', 'HardDeleted', 'Restored'].includes(type))?.type
  return end === 'HardDeleted' || (last === 'SoftDeleted' && turn === 'Restored')
}

/** Milliseconds for which an append may be under way. */
const appending = 5000

/**
 * When an event was on its way. What a request takes along others may carry on for it, also when it was answered; and the
 * catalog itself says what fell due.
 */
const wayOf = (seen: Seen | undefined, { key, time }: FeedEvent): readonly [number, number] =>
  seen !== undefined && (seen.operation.do === 'bulk' || targetOf(seen.operation) === key)
    ? [seen.start, seen.end]
    : [time, time + appending]

/**
 * EventStoreDB takes the events of several processes as they come. Events of different entities may stand in either
 * order there when they were on their way at once, and in no other case.
 */
const mayCross = (requests: ReadonlyMap<string, Seen>, one: FeedEvent, other: FeedEvent): boolean => {
  if (one.key === other.key) return false
  const [first, second] = [wayOf(requests.get(one.correlation), one), wayOf(requests.get(other.correlation), other)]
  return first[0] <= second[1] && second[0] <= first[1]
}

/** Checks that hold for the feed whatever was asked. @param crosses may these two stand in either order? */
const checkOrder = (
  events: readonly FeedEvent[],
  findings: Finding[],
  crosses: (one: FeedEvent, other: FeedEvent) => boolean,
): void => {
  const ids = new Map<string, FeedEvent>()
  for (const [at, event] of events.entries()) {
    const last = events[at - 1]
    const same = ids.get(event.id)
    const say = (rule: Rule, message: string): void =>
      void findings.push({ rule, message: `${event.key}: ${message}`, key: event.key })
    if (same !== undefined)
      say(
        'an event id is given once',
        `${event.type} at ${event.position} has the id ${event.id} of ${same.type} at ${same.position}`,
      )
    ids.set(event.id, event)
    if (last === undefined) continue
    if (BigInt(event.position) <= BigInt(last.position))
      say('positions increase', `${event.position} comes after ${last.position}`)
    if (event.time < last.time && !crosses(event, last))
      say(
        'time never goes back along the log',
        `${event.type} at ${event.position} is ${last.time - event.time} ms earlier than ${last.type} of ${last.key} before it`,
      )
  }
}

/** When an event counts, and whether it follows from one of an ancestor. */
interface Counted {
  readonly place: number
  readonly isInherited: boolean
}

/**
 * The place from which on each event counts: what follows from one above counts from there, but not before its own last
 * one does.
 */
const countingPlaces = (events: readonly FeedEvent[]): readonly Counted[] => {
  const [counted, byId, lasts]: [Counted[], Map<string, number>, Map<Key, number>] = [[], new Map(), new Map()]
  /** Whether the last deletion of an entity came with one above: a compensation gives it back as it was. */
  const wasInherited = new Map<Key, boolean>()
  for (const [at, { id, key, type, causation }] of events.entries()) {
    const causedBy = byId.get(causation) ?? -1
    const cause = counted[causedBy]?.place ?? at
    const place = turns.has(type) && cause > (lasts.get(key) ?? -1) ? cause : at
    const isCompensation = events[causedBy]?.key === key
    const isInherited = isCompensation ? type === 'SoftDeleted' && wasInherited.get(key) === true : causedBy !== -1
    if (type === 'SoftDeleted') wasInherited.set(key, isInherited)
    counted.push({ place, isInherited })
    byId.set(id, at)
    lasts.set(key, place)
  }
  return counted
}

const viewThenOf = (told: Told, counts: readonly Counted[], at: number): View => {
  const view = viewOf(told, at)
  const counted = ({ at: place }: State): Counted => counts[place] as Counted
  /**
   * By definition what is live, or was deleted with its parent, is what its parent is, and everything is gone that stands
   * below what is gone; void changes, and what takes them back, take nothing and bring nothing back.
   */
  const statusOf = (key: Key, isAbove = false): State['status'] | undefined => {
    const isVoid = (state: State): boolean => isAbove && told.undone.has(state.at)
    const own = told.states.get(key)?.findLast((state) => counted(state).place <= at && !isVoid(state))
    const parent = parentOf(key)
    if (own === undefined || own.status === 'gone' || parent === undefined) return own?.status
    const follows = own.status === 'live' || counted(own).isInherited
    const above = statusOf(parent, true) ?? own.status
    return follows || above === 'gone' ? above : own.status
  }
  return {
    ...view,
    get: (key) => {
      const own = view.get(key)
      const status = statusOf(key)
      return own && status && { ...own, status }
    },
  }
}

/** Follows the events with the model: what each changes is taken from its request, only the order from the log. */
export const tell = (events: readonly FeedEvent[], seen: readonly Seen[]): Story => {
  const requests = new Map(seen.map((one) => [one.correlation, one]))
  const compensations = compensationsIn(events, requests)
  const undone = undoneIn(events, requests, compensations)
  const left = leftIn(events, requests)
  const begun = { states: new Map(), below: new Map(), findings: [], takenBack: new Map() }
  const told: Told = { ...begun, undone, compensations, left }
  const places = new Map<string, number[]>()
  const counts = countingPlaces(events)
  checkOrder(events, told.findings, (one, other) => isExternal && mayCross(requests, one, other))
  for (const [at, event] of events.entries()) {
    places.set(event.correlation, [...(places.get(event.correlation) ?? []), at])
    follow(told, event, at, requests.get(event.correlation))
  }
  return {
    events,
    states: told.states,
    findings: told.findings,
    placesOf: (correlation) => places.get(correlation) ?? [],
    viewAt: (at) => viewOf(told, at),
    viewThen: (at) => viewThenOf(told, counts, at),
    isUndone: (at) => undone.has(at),
    isLeft: (at) => left.has(at),
    isInherited: (at) => counts[at]?.isInherited === true,
  }
}
