import { isDeepStrictEqual } from 'node:util'
import { statusesOf, type State, type View } from './catalog.ts'
import { changesNothing, expected } from './expect.ts'
import { noteIn, type Finding, type Say } from './findings.ts'
import { ancestorsOf, idOf, keyOf, kindOf, parentOf, partsOf, type Key } from './kinds.ts'
import { absent, targetOf, type Item, type Operation } from './operations.ts'
import type { Story } from './order.ts'
import { isUnknown, isUnknownOf, type Seen } from './play.ts'
import { differences } from './shows.ts'
import { momentsIn, ownPlaces, related, windowsOf, type Window } from './windows.ts'

const describe = (operation: Operation): string => `${operation.do} ${targetOf(operation) ?? operation.kind}`

/** Whether an entity is as the request demands. */
const isAsDemanded = (view: View, { demanded }: Seen, key: Key): boolean => {
  const wanted = demanded.get(key)
  const state = view.get(key)
  const present = state === undefined || state.status === 'gone' ? absent : String(state.revision)
  return wanted === undefined || wanted === present
}

/** A refusal, or an answer that changed nothing: at some moment of its window it was right. */
const checkExplained = (story: Story, one: Seen, window: Window, status: number, say: Say, item?: Item): void => {
  const { operation, revision } = one
  const key = item === undefined ? (targetOf(operation) as Key) : keyOf(operation.kind, item.fqn)
  const moments = momentsIn(story, window, related(story, operation, key, item))
  const isRight = (view: View): boolean => {
    const state = view.get(key)
    if (status === 412) return !isAsDemanded(view, one, key)
    if (status < 300 && !isAsDemanded(view, one, key)) return false
    const isSeenInPassing = status === 200 && operation.do !== 'get' && state !== undefined && story.isUndone(state.at)
    if (!isSeenInPassing && !expected(view, operation, item).has(status)) return false
    if (status >= 400 || operation.do === 'get') return true
    return changesNothing(view, operation, item) && (item !== undefined || String(state?.revision) === revision)
  }
  if (moments.some(isRight)) return
  const wanted = [...new Set(moments.flatMap((view) => [...expected(view, operation, item)]))]
  say(
    'an answer is explained by some order',
    `${describe(operation)} was answered ${status}${status < 300 ? ' unchanged' : ''}; possible: ${wanted.join(', ')} (${one.correlation}${status >= 400 ? `, ${one.body?.detail ?? ''}` : ''})`,
    key,
  )
}

const stateAt = (story: Story, key: Key, shown: string | undefined): State | undefined =>
  story.states.get(key)?.find(({ revision }) => String(revision) === shown)

const statementProblems = ({ operation, body }: Seen, state: State): string[] => {
  if (operation.do !== 'state') return []
  const stated = (body.edges as { from: { id: string } }[]).map(({ from }) => from.id).toSorted()
  const wanted = (state.refs[operation.source] ?? []).map(({ key }) => idOf(key)).toSorted()
  return isDeepStrictEqual(stated, wanted) ? [] : [`states ${stated.join(', ')}, not ${wanted.join(', ')}`]
}

/** What a reader may be told while its own event of a deletion or a restore above it is still to come. */
const shownThen = (story: Story, { body }: Seen, window: Window, state: State): State => {
  const { key, revision } = state
  const status = body.deleted === true ? 'deleted' : 'live'
  const moments = momentsIn(story, window, new Set([key, ...ancestorsOf(key)]))
  const isPossible = moments.some((view) => view.get(key)?.revision === revision && statusesOf(view, key).has(status))
  return isPossible ? { ...state, status } : state
}

/** An entity in an answer is that entity at the revision of the answer's ETag. @param window of what was read */
const checkShown = (story: Story, one: Seen, key: Key, say: Say, window?: Window): void => {
  if (one.status === 204) return
  const own = stateAt(story, key, one.revision)
  const state = own === undefined || window === undefined ? own : shownThen(story, one, window, own)
  if (state === undefined)
    return say(
      'an answer shows what was written',
      `${describe(one.operation)} was answered with revision ${one.revision}, which nothing made (${one.correlation})`,
      key,
    )
  const found = one.operation.do === 'state' ? statementProblems(one, state) : differences(one.body, state)
  if (found.length > 0)
    say(
      'an answer shows what was written',
      `${describe(one.operation)} at revision ${one.revision}: ${found.join('; ')} (${one.correlation})`,
      key,
    )
}

const successOf = ({ do: asked }: Operation, types: readonly string[]): number =>
  asked === 'state' ? 200 : types[0] === 'Created' ? 201 : types.at(-1) === 'HardDeleted' ? 204 : 200

/** Places of what a request did to an entity: of the attempt that stands, where others before it were taken back. */
const standingPlaces = (story: Story, correlation: string, key: Key): number[] => {
  const own = story.placesOf(correlation).filter((at) => story.events[at]?.key === key)
  const standing = own.filter((at) => !story.isUndone(at))
  return standing.length > 0 ? standing : own
}

/** What was written under a condition was as demanded just before. */
const checkDemand = (story: Story, one: Seen, key: Key, own: readonly number[], say: Say): void => {
  const [first] = own
  if (first === undefined || isAsDemanded(story.viewThen(first - 1), one, key)) return
  say('an answer is explained by some order', `was not at ${one.demanded.get(key)} before ${one.correlation}`, key)
}

const checkWrite = (story: Story, one: Seen, window: Window, say: Say): void => {
  const { operation, status, correlation } = one
  const key = targetOf(operation) as Key
  const own = standingPlaces(story, correlation, key)
  const types = own.map((at) => story.events[at]?.type as string)
  const isUndone = own.some(story.isUndone)
  if (status >= 400) {
    if (types.length > 0 && !isUndone)
      say(
        'a refusal wrote nothing',
        `${describe(operation)} was answered ${status}, and yet made ${types.join(', ')} at ${story.events[own[0] as number]?.position} (${correlation})`,
        key,
      )
    else checkExplained(story, one, window, status, say)
    return
  }
  checkShown(story, one, key, say)
  checkDemand(story, one, key, own, say)
  // What was taken back was decided anew: then it had nothing left to do.
  if (own.every(story.isUndone)) return checkExplained(story, one, window, status, say)
  if (status !== successOf(operation, types))
    say(
      'an answer is explained by some order',
      `${describe(operation)} was answered ${status} and made ${types.join(', ')} (${correlation})`,
      key,
    )
  const last = story.events[own.at(-1) as number]
  if (one.position !== undefined && BigInt(one.position) < BigInt(last?.position as string))
    say(
      'an answer shows what was written',
      `Catalog-Position ${one.position} is before ${last?.position} (${correlation})`,
      key,
    )
  if (stateAt(story, key, one.revision)?.at !== own.at(-1) && status !== 204)
    say(
      'an answer shows what was written',
      `${describe(operation)} was answered with revision ${one.revision}, which it did not make (${correlation})`,
      key,
    )
}

const checkBulk = (story: Story, one: Seen, window: Window, say: Say): void => {
  const { operation, body, correlation } = one
  if (operation.do !== 'bulk' || one.status !== 200) return
  const results = new Map<string, number>(
    [...body.successRequest, ...body.failedRequest].map(({ request, status }: { request: string; status: number }) => [
      request,
      status,
    ]),
  )
  for (const item of operation.items) {
    const key = keyOf(operation.kind, item.fqn)
    const status = results.get(item.fqn)
    const own = standingPlaces(story, correlation, key)
    const types = own.map((at) => story.events[at]?.type as string)
    const isUndone = own.some(story.isUndone)
    if (status !== undefined && status < 300) checkDemand(story, one, key, own, say)
    if (status === undefined)
      say('an answer is explained by some order', `the bulk request ${correlation} says nothing of it`, key)
    else if (isUnknown({ status })) continue
    else if (status >= 400 && types.length > 0 && !isUndone)
      say(
        'a refusal wrote nothing',
        `its item in the bulk request ${correlation} was answered ${status}, and yet made ${types.join(', ')}`,
        key,
      )
    else if (own.every(story.isUndone) || status >= 400) checkExplained(story, one, window, status, say, item)
    else if (status !== successOf(operation, types))
      say(
        'an answer is explained by some order',
        `its item in the bulk request ${correlation} was answered ${status} and made ${types.join(', ')}`,
        key,
      )
  }
}

/** What was read is a state that was there between the last answer before and the first request after. */
const checkRead = (story: Story, one: Seen, window: Window, say: Say): void => {
  const key = targetOf(one.operation) as Key
  checkExplained(story, one, window, one.status, say)
  if (one.status !== 200) return
  checkShown(story, one, key, say, window)
  const revision = Number(one.revision)
  const oldest = story.viewAt(window.low).get(key)?.revision ?? -1
  const newest = story.viewAt(window.high).get(key)?.revision ?? -1
  if (revision < oldest || revision > newest)
    say(
      'an answer is explained by some order',
      `was read at revision ${revision}, while it was at ${oldest} to ${newest} (${one.correlation})`,
      key,
    )
}

const checkList = (story: Story, one: Seen, window: Window, say: Say): void => {
  const { operation, body } = one
  if (operation.do !== 'list' || one.status !== 200) return
  const { kind, fqn, include } = operation
  const shown = new Map<Key, { deleted: boolean }>(
    body.data.map((each: { fullyQualifiedName: string; deleted: boolean }) => [
      keyOf(kind, each.fullyQualifiedName),
      each,
    ]),
  )
  const byRoot = kindOf(kind).filter?.by === 'root'
  const keys = [...story.states.keys()].filter(
    (key) =>
      partsOf(key).kind === kind &&
      (byRoot ? partsOf(key).fqn.startsWith(`${fqn}.`) : partsOf(parentOf(key) ?? 'none none').fqn === fqn),
  )
  const wanted: readonly string[] =
    include === 'all' ? ['live', 'deleted'] : include === 'deleted' ? ['deleted'] : ['live']
  let least = 0
  let most = 0
  for (const key of keys) {
    const moments = momentsIn(story, window, new Set([key, ...ancestorsOf(key)]))
    const possible = new Set(
      moments.flatMap((view) => [...statusesOf(view, key)].map((status) => wanted.includes(status))),
    )
    if (possible.has(true)) most += 1
    if (!possible.has(false)) least += 1
    if (!possible.has(shown.has(key)))
      say(
        'lists and totals agree',
        `${shown.has(key) ? 'is' : 'is not'} in the list of ${include} ${kind} below ${fqn} (${one.correlation})`,
        key,
      )
  }
  const { total } = body.paging
  if (total >= least && total <= most) return
  say(
    'lists and totals agree',
    `${include} ${kind} below ${fqn} has the total ${total}; there were ${least} to ${most} (${one.correlation})`,
  )
}

/** Checks every answer that a client got against the story. */
export const checkAnswers = (story: Story, seen: readonly Seen[]): Finding[] => {
  const findings: Finding[] = []
  const say = noteIn(findings)
  const windowOf = windowsOf(story, seen)
  for (const one of seen) {
    const window = windowOf(one)
    if ((ownPlaces(story, one)[0] ?? Infinity) <= window.low)
      say(
        'the order of the log respects real time',
        `${describe(one.operation)} (${one.correlation}) stands before what was answered before it was sent`,
        targetOf(one.operation),
      )
    checkTimes(story, one, say)
    if (one.status === 503 && !((one.retryAfter ?? 0) > 0))
      say(
        'no request fails within the service',
        `${describe(one.operation)} was answered 503 without Retry-After: ${one.body?.detail} (${one.correlation})`,
      )
    if (isUnknown(one)) continue
    if (one.status >= 500)
      say(
        'no request fails within the service',
        `${describe(one.operation)} was answered ${one.status}: ${one.body?.detail} (${one.correlation})`,
      )
    else if (one.operation.do === 'list') checkList(story, one, window, say)
    else if (one.operation.do === 'get') checkRead(story, one, window, say)
    else if (one.operation.do === 'bulk') checkBulk(story, one, window, say)
    else checkWrite(story, one, window, say)
  }
  return findings
}

/**
 * Both clocks are that of this machine; milliseconds may be cut off. An item of a bulk request of which nobody knows what
 * became may be taken back after the answer.
 */
const checkTimes = (story: Story, seen: Seen, say: Say): void => {
  const { operation, correlation, start, end } = seen
  for (const at of story.placesOf(correlation)) {
    const event = story.events[at]
    if (event === undefined) continue
    const isOwn = operation.do === 'bulk' ? !story.isInherited(at) : event.key === targetOf(operation)
    const isOpen = event.time > end && isUnknownOf(seen, event.key)
    if (!isOwn || isOpen || (event.time >= start - 1 && event.time <= end)) continue
    say(
      'the time of an event is within its request',
      `${event.type} at ${event.position} is ${event.time < start ? `${start - event.time} ms before its request was sent` : `${event.time - end} ms after its request was answered`} (${correlation})`,
      event.key,
    )
    return
  }
}
