import { isDeepStrictEqual } from 'node:util'
import { ancestorsOf, kindOf, parentOf, partsOf, type Json, type Key, type Members } from './kinds.ts'
import { columnsIn, isOfColumn, referenceMembers, tagsOfColumn, type Operation, type Values } from './operations.ts'

/** A reference is to one life of an entity: whoever comes later under the name is somebody else. */
export interface Ref {
  readonly key: Key
  readonly life: number
  /** Of an edge of lineage: what it was stated with, and the place of the event that began it. */
  readonly sql?: string | undefined
  readonly at?: number
}

/** An entity as it was from one moment on. Nothing in it is taken from the service but where it stands in the order. */
export interface State {
  readonly key: Key
  readonly status: 'live' | 'deleted' | 'gone'
  readonly life: number
  /** In tenths. */
  readonly version: number
  readonly revision: number
  /** Place in the order of all changes, from 0. */
  readonly at: number
  readonly updatedBy: string
  readonly updatedAt: number
  readonly values: Members
  readonly refs: Readonly<Record<string, readonly Ref[]>>
  /** The request whose deletion took it. */
  readonly deletion: string | undefined
}

/** How many of these, from the first on, are so; those are in order. */
export const countWhile = <T>(list: readonly T[], isSo: (one: T) => boolean): number => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(list[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}

/** The catalog at one moment. */
export interface View {
  readonly get: (key: Key) => State | undefined
  /** Every entity that ever stood below this one, one level down. */
  readonly below: (key: Key) => readonly Key[]
  /** The present life of the entity as it was when this version was made. */
  readonly version: (key: Key, version: number) => State | undefined
  /** The same of the lives before, the last of them that had it. */
  readonly endedVersion: (key: Key, version: number) => State | undefined
}

/** Who acts in a run is there from the beginning to the end. */
const isEternal = (key: Key): boolean => !/ w\d+x/.test(key)

export const isThere = (view: View, key: Key): boolean => isEternal(key) || (view.get(key)?.status ?? 'gone') !== 'gone'

export const incarnationKey = (view: View, key: Key): number => view.get(key)?.life ?? 1

/** The references that are shown: those whose entity still has the life that was meant. */
export const shownRefs = (view: View, refs: readonly Ref[]): Key[] =>
  refs
    .filter(({ key, life }) => isThere(view, key) && (isEternal(key) || incarnationKey(view, key) === life))
    .map(({ key }) => key)

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** RFC 7396. */
const mergedValue = (before: Json | undefined, patch: Json): Json =>
  patch !== null &&
  typeof patch === 'object' &&
  !Array.isArray(patch) &&
  before !== null &&
  typeof before === 'object' &&
  !Array.isArray(before)
    ? { ...before, ...patch }
    : patch

/** A PUT of a list of elements with names: each keeps what it had and is not given now. */
const withKept = (before: Json | undefined, list: Json): Json => {
  if (!Array.isArray(before) || !Array.isArray(list)) return list
  const old = before as { name?: string }[]
  return list.map((each) => {
    const { name } = each as { name?: string }
    return name === undefined ? each : { ...old.find((one) => one.name === name), ...(each as object) }
  })
}

/** How a request says what is to be: elements merged by name (`PUT`), members merged (`merge`), or each value whole. */
export type Saying = 'PUT' | 'merge' | 'whole'

export const sayingOf = (operation: Operation): Saying =>
  operation.do !== 'patch' ? 'PUT' : operation.merge ? 'merge' : 'whole'

export interface Content {
  readonly values: Members
  readonly refs: State['refs']
}

const refsTo = (view: View, keys: readonly Key[] | null): Ref[] =>
  [...new Set(keys ?? [])].map((key) => ({ key, life: incarnationKey(view, key) }))

/** Tags stand among the references. */
const withoutTags = (value: Json): Json =>
  Array.isArray(value)
    ? value.map((item: Json) => {
        if (item === null || typeof item !== 'object' || !('tags' in item)) return item
        const { tags: _, ...rest } = item as Members
        return rest
      })
    : value

/** Tags of columns after a request that says which there are: a PUT leaves those of a column that it says nothing of. */
const columnTags = (before: State['refs'], sent: Values, saying: Saying, view: View): State['refs'] => {
  const none = Object.keys(before).filter(isOfColumn)
  const told = columnsIn(sent).map(({ name, tags }): [string, readonly Ref[]] => {
    const at = tagsOfColumn(name)
    return [at, tags === undefined && saying === 'PUT' ? (before[at] ?? []) : refsTo(view, tags ?? null)]
  })
  return Object.fromEntries([...none.map((name): [string, readonly Ref[]] => [name, []]), ...told])
}

/** What an entity holds after a request that sets these values. */
export const contentAfter = (before: Content, sent: Values, saying: Saying, view: View): Content => {
  const values: Record<string, Json> = { ...before.values }
  const refs: Record<string, readonly Ref[]> = { ...before.refs }
  for (const [name, value] of Object.entries(sent)) {
    if (name === 'columns') Object.assign(refs, columnTags(refs, sent, saying, view))
    if (referenceMembers[name] !== undefined) {
      refs[name] = refsTo(view, value as readonly Key[] | null)
    } else if (isEmpty(value)) delete values[name]
    else if (saying === 'PUT') values[name] = withKept(values[name], withoutTags(value))
    else values[name] = saying === 'merge' ? mergedValue(values[name], withoutTags(value)) : withoutTags(value)
  }
  return { values: withoutEndedDue(before.values, values), refs }
}

/** With another day to be confirmed by, an entity is not due any more. */
export const withoutEndedDue = (before: Members, { due, ...others }: Members): Members =>
  due === undefined || (due === before['due'] && others['confirmBy'] !== before['confirmBy'])
    ? others
    : { ...others, due }

type Report = Operation & { do: 'result' }

const resultsOf = ({ values }: State) => (values['results'] ?? []) as { status: string; timestamp: number }[]

/** Is this result known? */
export const isReported = (before: State, { status, timestamp }: Report): boolean =>
  resultsOf(before).some((one) => one.timestamp === timestamp && one.status === status)

/** Since when does the test fail, without any success since? */
const failingSince = (results: readonly { status: string; timestamp: number }[]): number | undefined => {
  let since: number | undefined
  for (const { status, timestamp } of results) {
    if (status === 'Success') break
    if (status === 'Failed') since = timestamp
  }
  return since
}

/** After a result: it has the place of its time; only where no later one is known does it count as the newest. */
export const reported = (before: State, { status, timestamp }: Report, user: string): Members => {
  const result = { status, timestamp }
  const others = resultsOf(before).filter((one) => one.timestamp !== timestamp)
  const results = [...others, result].toSorted((one, other) => other.timestamp - one.timestamp)
  const incident = before.values['incident'] as Members | undefined
  const since = failingSince(results)
  const isChanged = since !== failingSince(resultsOf(before))
  const resolved = { ...incident, status: 'Resolved', resolvedAt: timestamp, resolvedBy: user }
  const next = !isChanged ? incident : since === undefined ? resolved : { status: 'Open', openedAt: since }
  const newest = results[0] === result && { latestResult: result }
  return { ...before.values, results, ...newest, ...(next && { incident: next }) }
}

/** Values that no version takes back. */
const stays = ['confirmed', 'due', 'latestResult', 'results']

/** What an entity holds after it was taken back to a version. Followers, votes, assets, results and who confirmed it stay. */
export const contentReverted = (view: View, before: State, to: State): Content => {
  const isNamed = ([name]: readonly [string, unknown]): boolean => name in referenceMembers || isOfColumn(name)
  const kept = Object.entries(before.refs).filter((one) => !isNamed(one))
  const old = Object.entries(to.refs).filter(isNamed)
  const there = old.map(([name, refs]) => [name, refs.filter((ref) => shownRefs(view, [ref]).length > 0)] as const)
  const of = (values: Members, kept: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => stays.includes(name) === kept))
  return {
    values: withoutEndedDue(before.values, { ...of(to.values, false), ...of(before.values, true) }),
    refs: Object.fromEntries([...kept, ...there]),
  }
}

/** What a revert adds to one of the lists of a product, and what it removes. */
export const listReverted = (view: View, before: State, to: State, list: string) => {
  const [was, is] = [to, before].map(({ refs }) => shownRefs(view, refs[list] ?? [])) as [Key[], Key[]]
  return { add: was.filter((key) => !is.includes(key)), remove: is.filter((key) => !was.includes(key)) }
}

/** Names of members in which two records differ. */
export const differingNames = (a: Readonly<Record<string, unknown>>, b: typeof a): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !isDeepStrictEqual(a[name], b[name]))

/** A record with some members as in another one. */
export const withMembers = <T>(
  of: Readonly<Record<string, T>>,
  from: typeof of,
  isTaken: (name: string) => boolean,
): Record<string, T> =>
  Object.fromEntries([
    ...Object.entries(of).filter(([name]) => !isTaken(name)),
    ...Object.entries(from).filter(([name]) => isTaken(name)),
  ])

/** Is this another content? References to ended lives do not count. */
export const differs = (view: View, before: Content, after: Content): boolean =>
  !isDeepStrictEqual(before.values, after.values) ||
  [...new Set([...Object.keys(before.refs), ...Object.keys(after.refs)])].some(
    (name) => !isDeepStrictEqual(shownRefs(view, before.refs[name] ?? []), shownRefs(view, after.refs[name] ?? [])),
  )

/** A column that went, or has another type, breaks readers. */
const breaks = (before: Members, after: Members): boolean => {
  const columns = (members: Members) => (members['columns'] ?? []) as { name: string; dataType: string }[]
  return columns(before).some((old) => columns(after).find(({ name }) => name === old.name)?.dataType !== old.dataType)
}

/** The references that a request names and that must exist, whatever it does. */
export const namedRefs = (operation: Operation, values: Values, fqn: string): Key[] => {
  const inside = columnsIn(values).flatMap(({ tags = [] }) => tags)
  const named = [...Object.keys(referenceMembers).flatMap((name) => (values[name] ?? []) as Key[]), ...inside]
  if (operation.kind !== 'testCase') return named
  const required = kindOf('testCase').required?.(fqn.split('.')) ?? {}
  return [...named, `testDefinition ${required['testDefinition']}`, `testSuite ${required['testSuite']}`]
}

interface Stamp {
  readonly at: number
  readonly updatedBy: string
  readonly updatedAt: number
}

const withRef = (refs: State['refs'], name: string, ref: Ref, add: boolean): State['refs'] => {
  const others = (refs[name] ?? []).filter(({ key }) => key !== ref.key)
  return { ...refs, [name]: add ? [...others, ref] : others }
}

export const created = (view: View, key: Key, sent: Values, stamp: Stamp): State => {
  const before = view.get(key)
  const content = contentAfter({ values: {}, refs: {} }, sent, 'whole', view)
  const { status, version, deletion } = { status: 'live', version: 1, deletion: undefined } as const
  return {
    key,
    status,
    life: (before?.life ?? 0) + 1,
    version,
    revision: (before?.revision ?? -1) + 1,
    deletion,
    ...content,
    ...stamp,
  }
}

export const updated = (before: State, content: Content, stamp: Stamp): State => {
  const step = breaks(before.values, content.values) ? 10 : 1
  return { ...before, ...content, ...stamp, version: before.version + step, revision: before.revision + 1 }
}

export const ended = (before: State, hard: boolean, deletion: string, stamp: Stamp): State => ({
  ...before,
  ...stamp,
  status: hard ? 'gone' : 'deleted',
  deletion,
  version: before.version + 1,
  revision: before.revision + 1,
})

export const restored = (before: State, stamp: Stamp): State => ({
  ...before,
  ...stamp,
  status: 'live',
  deletion: undefined,
  version: before.version + 1,
  revision: before.revision + 1,
})

/** Votes and followers leave version, time and user of the last change alone. */
export const marked = (before: State, refs: State['refs'], at: number): State => ({
  ...before,
  refs,
  at,
  revision: before.revision + 1,
})

export const votes = (view: View, { refs }: State, voter: Key, vote: string): State['refs'] => {
  const ref = { key: voter, life: incarnationKey(view, voter) }
  return withRef(withRef(refs, 'upVoters', ref, vote === 'votedUp'), 'downVoters', ref, vote === 'votedDown')
}

export const followers = (view: View, { refs }: State, follower: Key, add: boolean): State['refs'] =>
  withRef(refs, 'followers', { key: follower, life: incarnationKey(view, follower) }, add)

export const listed = (
  view: View,
  before: State,
  list: string,
  assets: readonly Key[],
  add: boolean,
  stamp: Stamp,
): State => {
  const refs = assets.reduce(
    (all, key) => withRef(all, list, { key, life: incarnationKey(view, key) }, add),
    before.refs,
  )
  return { ...before, refs, ...stamp, version: before.version + 1, revision: before.revision + 1 }
}

/** Does something stand below that must be gone before its parent may go alone? */
export const childInTheWay = (
  view: View,
  key: Key,
  hard: boolean,
  mayMatter: (state: State) => boolean = () => true,
): Key | undefined =>
  view.below(key).find((child) => {
    if (kindOf(partsOf(child).kind).dependent === true) return false
    const state = view.get(child)
    if (state === undefined || !mayMatter(state)) return false
    return state.status === 'live' || (hard && state.status === 'deleted')
  })

export const parentIsLive = (view: View, key: Key): boolean => {
  const parent = parentOf(key)
  return parent === undefined || view.get(parent)?.status === 'live'
}

/**
 * What a reader may find: its own state, and, while a deletion or a restore is on its way down to it, also what that
 * will make of it.
 */
export const statusesOf = (view: View, key: Key): ReadonlySet<State['status'] | 'none'> => {
  if (isEternal(key)) return new Set(['live'])
  const own = view.get(key)
  if (own === undefined) return new Set(['none'])
  const found = new Set<State['status']>([own.status])
  const above = ancestorsOf(key).map((ancestor) => view.get(ancestor))
  if (above.some((ancestor) => ancestor?.status === 'gone')) found.add('gone')
  if (own.status === 'live' && above.some((ancestor) => ancestor?.status === 'deleted')) found.add('deleted')
  if (
    own.status === 'deleted' &&
    own.deletion !== undefined &&
    above.some((ancestor) => ancestor?.status === 'live' && ancestor.deletion !== own.deletion)
  )
    found.add('live')
  return found
}
