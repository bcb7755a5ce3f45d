import { isDeepStrictEqual } from 'node:util'
import { isThere, shownRefs, type State, type View } from './catalog.ts'
import type { Say } from './findings.ts'
import type { Host } from './host.ts'
import { idOf, keyOf, kindOf, modelKinds, parentOf, partsOf, type Key } from './kinds.ts'
import { isOfColumn } from './operations.ts'
import type { Story } from './order.ts'
import { forEachOf } from './quiet.ts'
import { differences } from './shows.ts'

type Status = State['status']

/** Every entity and what it is in the end. */
export type Ends = ReadonlyMap<Key, Status>

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const includes = { all: ['live', 'deleted'], deleted: ['deleted'], 'non-deleted': ['live'] } as const

/** Walks all pages of a list. */
const walk = async (host: Host, path: string, limit: number): Promise<{ fqns: string[]; totals: Set<number> }> => {
  const fqns: string[] = []
  const totals = new Set<number>()
  for (let after: string | undefined = ''; after !== undefined;) {
    const { status, body } = await host.call(
      'GET',
      `${path}&limit=${limit}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`,
    )
    if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`)
    for (const { fullyQualifiedName } of body.data) fqns.push(fullyQualifiedName)
    totals.add(body.paging.total)
    after = body.paging.after
  }
  return { fqns, totals }
}

const checkList = async (
  host: Host,
  path: string,
  wanted: readonly string[],
  limit: number,
  say: Say,
): Promise<void> => {
  const { fqns, totals } = await walk(host, path, limit)
  if (!isDeepStrictEqual(fqns, wanted)) {
    const missing = wanted.filter((fqn) => !fqns.includes(fqn))
    const strange = fqns.filter((fqn) => !wanted.includes(fqn))
    say(
      'lists and totals agree',
      `${path} lacks ${missing.join(', ') || 'nothing'} and has ${strange.join(', ') || 'nothing'} besides, or has another order`,
    )
  }
  if (!isDeepStrictEqual([...totals], [wanted.length]))
    say('lists and totals agree', `${path} has the totals ${[...totals].join(', ')}, not ${wanted.length}`)
}

interface Listing {
  readonly kind: string
  /** Name and value of a filter. */
  readonly filter: string
  readonly keys: Key[]
}

/** Every list by its filter that an entity of these is in. */
const listings = (ends: Ends): Listing[] => {
  const found = new Map<string, Listing>()
  for (const key of ends.keys()) {
    const { kind, fqn } = partsOf(key)
    const { filter } = kindOf(kind)
    const parent = parentOf(key)
    if (filter === undefined || parent === undefined) continue
    const value = filter.by === 'root' ? (fqn.split('.')[0] as string) : partsOf(parent).fqn
    const text = `${filter.name}=${encodeURIComponent(value)}`
    const listing = found.get(`${kind} ${text}`) ?? { kind, filter: text, keys: [] }
    listing.keys.push(key)
    found.set(`${kind} ${text}`, listing)
  }
  return [...found.values()]
}

const wantedIn = (ends: Ends, keys: readonly Key[], include: keyof typeof includes): string[] =>
  keys
    .filter((key) => (includes[include] as readonly Status[]).includes(ends.get(key) as Status))
    .map((key) => partsOf(key).fqn)
    .toSorted(byCodePoint)

/**
 * All lists below a parent, whatever they include, page by page. A list below what is gone is empty.
 * @param asOf the position of the moment at which they ended so; left out, now
 */
export const checkLists = (host: Host, ends: Ends, say: Say, asOf?: string): Promise<void> =>
  forEachOf(listings(ends), async ({ kind, filter, keys }) => {
    for (const include of ['all', 'deleted', 'non-deleted'] as const) {
      await checkList(
        host,
        `/v1/${kindOf(kind).path}?include=${include}&${filter}${asOf === undefined ? '' : `&asOf=@${asOf}`}`,
        wantedIn(ends, keys, include),
        keys.length > 10 ? 7 : 2,
        say,
      )
    }
  })

/** Entities by the tags that they bear, at any depth; and by kind, as lists are. */
const bearers = (ends: Ends, view: View): Map<string, { kind: string; tag: Key; keys: Key[] }> => {
  const found = new Map<string, { kind: string; tag: Key; keys: Key[] }>()
  for (const key of ends.keys()) {
    const { kind } = partsOf(key)
    const own = Object.entries(view.get(key)?.refs ?? {}).filter(([name]) => name === 'tags' || isOfColumn(name))
    const borne = new Set(own.flatMap(([, refs]) => shownRefs(view, refs)))
    for (const tag of new Set(own.flatMap(([, refs]) => refs.map((ref) => ref.key)))) {
      const each = found.get(`${kind} ${tag}`) ?? { kind, tag, keys: [] }
      if (borne.has(tag)) each.keys.push(key)
      found.set(`${kind} ${tag}`, each)
    }
  }
  return found
}

/** Whatever bears a tag, itself or on one of its columns, is found by it, and nothing else is. */
export const checkTagged = (host: Host, ends: Ends, view: View, say: Say, asOf?: string): Promise<void> =>
  forEachOf([...bearers(ends, view).values()], async ({ kind, tag, keys }) => {
    // A tag and a term of one name are one filter.
    const { fqn } = partsOf(tag)
    const moment = asOf === undefined ? '' : `&asOf=@${asOf}`
    const path = `/v1/${kindOf(kind).path}?include=all&tag=${encodeURIComponent(fqn)}${moment}`
    const wanted = isThere(view, tag) ? wantedIn(ends, keys, 'all') : []
    await checkList(host, path, wanted, 7, say)
  })

/** Is something there although what it stands below is gone? So it is while a deletion goes down. */
const isUnsettled = (ends: Ends): boolean =>
  [...ends].some(([key, status]) => {
    const parent = parentOf(key)
    return status !== 'gone' && parent !== undefined && ends.get(parent) === 'gone'
  })

/** Everything that lists show of their entities and of others is as it was then. */
const checkItemsThen = (host: Host, then: Ends, view: View, position: string, say: Say): Promise<void> =>
  forEachOf(listings(then), async ({ kind, filter }) => {
    const path = `/v1/${kindOf(kind).path}?include=all&fields=*&limit=1000&${filter}&asOf=@${position}`
    const { status, body } = await host.call('GET', path)
    if (status !== 200) return say('lists and totals agree', `${path} was answered ${status}`)
    for (const one of body.data as { fullyQualifiedName: string }[]) {
      const key = keyOf(kind, one.fullyQualifiedName)
      const state = view.get(key)
      const found = state === undefined ? ['is in it'] : differences(one, state, view)
      if (found.length > 0)
        say('everything in an answer about a moment is as it was then', `${path}: ${found.join('; ')}`, key)
    }
  })

/** The same lists as they were after some of the events. */
export const checkListsThen = async (host: Host, story: Story, say: Say, places: readonly number[]): Promise<void> => {
  for (const at of places) {
    const view = story.viewThen(at)
    const then: Ends = new Map([...story.states.keys()].map((key) => [key, view.get(key)?.status ?? 'gone']))
    if (isUnsettled(then)) continue
    const position = story.events[at]?.position as string
    await checkLists(host, then, say, position)
    await checkTagged(host, then, view, say, position)
    await checkItemsThen(host, then, view, position, say)
  }
}

/** All lists without a filter, over everything that a run has made. @param begin entities that were there before */
export const checkWholeLists = (host: Host, ends: Ends, begin: readonly Key[], say: Say): Promise<void> =>
  forEachOf(Object.entries(modelKinds), async ([kind, { path }]) => {
    const all: Ends = new Map([...begin.map((key): [Key, Status] => [key, 'live']), ...ends])
    const keys = [...all.keys()].filter((key) => partsOf(key).kind === kind)
    for (const include of ['all', 'deleted', 'non-deleted'] as const) {
      await checkList(host, `/v1/${path}?include=${include}`, wantedIn(all, keys, include), 997, say)
    }
  })

/** Searching for the name of a root finds all that is below it, and nothing that is gone. */
export const checkSearch = (host: Host, ends: Ends, say: Say): Promise<void> => {
  const roots = [...new Set([...ends.keys()].map((key) => partsOf(key).fqn.split('.')[0] as string))]
  return forEachOf(roots, async (root) => {
    for (const deleted of [false, true]) {
      const path = `/v1/search/query?q=${encodeURIComponent(`fullyQualifiedName:"${root}"`)}&size=1000&deleted=${deleted}`
      const { status, body } = await host.call('GET', path)
      const keys = [...ends.keys()].filter((key) => partsOf(key).fqn.split('.')[0] === root)
      const wanted = keys
        .filter((key) => ends.get(key) === (deleted ? 'deleted' : 'live'))
        .map(idOf)
        .toSorted()
      const hits = status === 200 ? (body.hits.hits as { _id: string }[]).map(({ _id }) => _id).toSorted() : []
      const total = status === 200 ? body.hits.total.value : status
      if (isDeepStrictEqual(hits, wanted) && total === wanted.length) continue
      const strange = hits.filter((id) => !wanted.includes(id))
      say(
        'search agrees',
        `${path} finds ${hits.length} (total ${total}), not ${wanted.length}; lacks ${keys.filter((key) => wanted.includes(idOf(key)) && !hits.includes(idOf(key))).join(', ') || 'nothing'}; ${strange.length} do not belong there`,
      )
    }
  })
}

/** Everything that the catalog has of each kind. */
export const everything = async (host: Host): Promise<Key[]> => {
  const keys: Key[] = []
  for (const [kind, { path }] of Object.entries(modelKinds)) {
    const { fqns } = await walk(host, `/v1/${path}?include=all`, 1000)
    keys.push(...fqns.map((fqn) => keyOf(kind, fqn)))
  }
  return keys
}
