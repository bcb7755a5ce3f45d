import { isDeepStrictEqual } from 'node:util'
import type { Random } from '../support/random.ts'
import {
  differingNames,
  ended,
  shownRefs,
  statusesOf,
  updated,
  withMembers,
  withoutEndedDue,
  type Content,
  type State,
  type View,
} from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { partsOf, pathOf, type Key } from './kinds.ts'
import { isOfColumn } from './operations.ts'
import type { Story } from './order.ts'
import type { Body } from './quiet.ts'
import { differences } from './shows.ts'

/** A request that changed one entity once. */
export interface Deed {
  readonly request: string
  readonly key: Key
  readonly before: State
  readonly after: State
}

const settable = ['owners', 'tags', 'domains']

/**
 * What stands in an entity, by member: columns are one with their tags, and votes and follows are none. Which sources of
 * a lineage are silent follows from its deletions.
 */
const membersOf = ({ key, values, refs }: State): Record<string, unknown> => {
  const { silent: _, ...own } = values
  const columns = Object.entries(refs).filter(([name, list]) => isOfColumn(name) && list.length > 0)
  const names = partsOf(key).kind === 'lineage' ? Object.keys(refs) : settable
  const others = names
    .filter((name) => refs[name]?.length !== 0)
    .map((name) => [name, refs[name]?.map((ref) => ({ ...ref, at: undefined }))])
  return { ...own, ...Object.fromEntries(others), columns: { list: values['columns'], tags: columns } }
}

const deedsOf = (story: Story): Deed[] =>
  story.events.flatMap(({ key, type, correlation, request }, at): Deed[] => {
    const states = story.states.get(key) ?? []
    const index = states.findIndex((state) => state.at === at)
    const [before, after] = [states[index - 1], states[index]]
    const isOne = story.placesOf(correlation).length === 1 && ['Updated', 'Validated', 'Confirmed'].includes(type)
    return isOne && request !== undefined && before && after ? [{ request, key, before, after }] : []
  })

/** Requests that were the last of an entity with nothing live below it, and brought it back after it was deleted alone. */
const returnsOf = (story: Story): Deed[] =>
  [...story.states].flatMap(([key, states]): Deed[] => {
    const after = states.at(-1)
    const { correlation = '', request } = story.events[after?.at ?? -1] ?? {}
    const places = story.placesOf(correlation)
    const before = states[states.length - places.length - 1]
    const isOwn = places.every((place) => story.events[place]?.key === key)
    const now = story.viewAt(Infinity)
    const isAlone = now.below(key).every((child) => now.get(child)?.status !== 'live')
    if (request === undefined || after?.status !== 'live' || before?.status !== 'deleted' || !isOwn || !isAlone)
      return []
    const deletedWith = story.placesOf(story.events[before.at]?.correlation ?? '')
    return deletedWith.length === 1 ? [{ request, key, before, after }] : []
  })

/** What is to become of an entity; `conflict`: somebody has changed since what the request changed. */
export const takenBack = (view: View, { before, after }: Deed, present: State): Content | 'conflict' | undefined => {
  const [was, is, now] = [before, after, present].map(membersOf) as [Body, Body, Body]
  const back = differingNames(was, is).filter((name) => !isDeepStrictEqual(now[name], was[name]))
  if (back.some((name) => !isDeepStrictEqual(now[name], is[name]))) return 'conflict'
  if (back.length === 0) return undefined
  const isBack = (name: string): boolean => back.includes(isOfColumn(name) ? 'columns' : name)
  const refs = Object.entries(withMembers(present.refs, before.refs, isBack)).map(([name, list]) => [
    name,
    isBack(name) ? list.filter((ref) => shownRefs(view, [ref]).length > 0) : list,
  ])
  return {
    values: withoutEndedDue(present.values, withMembers(present.values, before.values, isBack)),
    refs: Object.fromEntries(refs),
  }
}

/** Takes back requests while nothing else happens, so that it is known what becomes of each entity. @returns that */
export const checkTakeBacks = async (
  host: Host,
  story: Story,
  random: Random,
  share: number,
  say: Say,
): Promise<ReadonlyMap<Key, State>> => {
  const present = new Map<Key, State>()
  const quiet = story.viewAt(Infinity)
  const view: View = { ...quiet, get: (key) => present.get(key) ?? quiet.get(key) }
  const isLive = (key: Key): boolean => [...statusesOf(view, key)].join() === 'live'
  const changes = deedsOf(story).filter(({ key }) => isLive(key) && random.chance(share / 2))
  for (const deed of [...returnsOf(story).filter(({ key }) => isLive(key)), ...changes]) {
    const { request, key, before, after } = deed
    const now = view.get(key) as State
    if (now.life !== after.life || now.status !== 'live') continue
    const isReturn = before.status === 'deleted'
    const content = takenBack(view, deed, now)
    const { status, body } = await host.call('POST', `/v1/requests/${request}/revert`)
    const outcome = status === 200 ? body.data[0]?.outcome : status
    const wanted = content === 'conflict' ? 409 : content === undefined && !isReturn ? 'unchanged' : 'reverted'
    const rule = 'a request that is taken back leaves what was before it'
    if (outcome !== wanted) say(rule, `taking back ${request} came to ${outcome}, not ${wanted}`, key)
    const shown = await host.call('GET', `${pathOf(key)}?include=all`)
    const { updatedBy, updatedAt } = shown.body
    const stamp = { at: now.at, updatedBy, updatedAt }
    const changed = content === undefined || content === 'conflict' ? now : updated(now, content, stamp)
    const next = isReturn ? ended(changed, false, request, stamp) : changed
    present.set(key, next)
    const found = differences(shown.body, next, view)
    if (found.length > 0) say(rule, `after ${request} was taken back (${wanted}): ${found.join('; ')}`, key)
  }
  return present
}
