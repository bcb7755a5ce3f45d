import { compareKeys } from './codePointOrder.ts'
import type { EntityLists, ListKey, ListPage, ListQuery } from './port.ts'
import type { ListedRow } from './row.ts'
import { isBelow, type Ended } from './unreached.ts'

type Lists = Pick<EntityLists, 'list' | 'countSettled'>

/** Those of them that stand below no other one. */
const topmost = (ended: readonly Ended[]): readonly Ended[] =>
  ended.filter(
    ({ fullyQualifiedName }) => !ended.some((other) => fullyQualifiedName.startsWith(`${other.fullyQualifiedName}.`)),
  )

interface Concerned {
  /** Below these nothing is live. */
  readonly hidden: readonly Ended[]
  /** Below these nothing is left. */
  readonly gone: readonly Ended[]
}

const concerning = (ended: readonly Ended[], kind: string): Concerned => {
  const own = ended.filter(({ kinds }) => kinds.has(kind))
  return { hidden: topmost(own), gone: topmost(own.filter(({ status }) => status === 'gone')) }
}

const namesOf = (ended: readonly Ended[]): string[] => ended.map(({ fullyQualifiedName }) => fullyQualifiedName)

interface Source {
  readonly query: ListQuery
  readonly skipped: readonly Ended[]
}

const sourcesOf = (query: ListQuery, { hidden, gone }: Concerned): Source[] => {
  if (query.include === 'non-deleted') return [{ query, skipped: hidden }]
  if (query.include === 'all') return [{ query, skipped: gone }]
  // Below a hidden name it makes no difference what has been reached: who asks for both finds each once.
  const below = hidden.filter(({ status }) => status === 'deleted')
  const reached = below.map(({ fullyQualifiedName }): Source => {
    const scopes = [...query.scopes, fullyQualifiedName]
    return { query: { ...query, include: 'all', scopes }, skipped: gone }
  })
  return [{ query, skipped: hidden }, ...reached]
}

interface Walked {
  /** In the direction of the walk. */
  readonly rows: readonly ListedRow[]
  readonly more: boolean
}

/** The next rows of a source. What stands below a name is one stretch of the list, and is stepped over at once. */
const walk = async (lists: Lists, { query, skipped }: Source): Promise<Walked> => {
  const backwards = query.before !== undefined
  const rows: ListedRow[] = []
  for (let key = query.before ?? query.after; ;) {
    // One more than wanted tells whether there is more that is not stepped over.
    const limit = query.limit + 1 - rows.length
    const from = backwards ? { before: key, after: undefined } : { after: key, before: undefined }
    const page = await lists.list({ ...query, ...from, limit })
    let over: Ended | undefined
    for (const row of backwards ? page.rows.toReversed() : page.rows) {
      over = skipped.find((ended) => isBelow(ended, row))
      if (over !== undefined) break
      rows.push(row)
    }
    if (over === undefined) {
      const isCut = page.rows.length < limit && (backwards ? page.hasBefore : page.hasAfter)
      return { rows: rows.slice(0, query.limit), more: rows.length > query.limit || isCut }
    }
    key = { fullyQualifiedName: over.fullyQualifiedName + (backwards ? '.' : '/'), id: '' }
  }
}

/** Where a walk in the other direction begins, so that it meets the key itself first. */
const turned = (query: ListQuery): Pick<ListQuery, 'after' | 'before' | 'limit'> => {
  const { after, before } = query
  if (after !== undefined) return { before: { ...after, id: `${after.id}~` }, after: undefined, limit: 1 }
  const { fullyQualifiedName, id } = before as ListKey
  return { after: { fullyQualifiedName, id: id.slice(0, -1) }, before: undefined, limit: 1 }
}

const isBehind = async (lists: Lists, sources: readonly Source[]): Promise<boolean> => {
  for (const { query, skipped } of sources) {
    const { rows } = await walk(lists, { query: { ...query, ...turned(query) }, skipped })
    if (rows.length > 0) return true
  }
  return false
}

/** The first rows of several sources together. One that has more says nothing of what comes behind its last row. */
const merged = (walks: readonly Walked[], limit: number, backwards: boolean): Walked => {
  const compare = (a: ListKey, b: ListKey): number => (backwards ? compareKeys(b, a) : compareKeys(a, b))
  const ends = walks.flatMap(({ rows, more }) => (more ? (rows.at(-1) ?? []) : []))
  const [end] = ends.toSorted(compare)
  const rows = walks.flatMap((each) => each.rows).sort(compare)
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0)
  return { rows: known.slice(0, limit), more: ends.length > 0 || known.length > limit }
}

/** See {@link EntityLists.list}: the list as it is once everything is reached. */
export const listSettled = async (
  lists: Lists,
  ended: readonly Ended[],
  query: ListQuery,
): Promise<ListPage & { readonly hidden: readonly Ended[] }> => {
  const concerned = concerning(ended, query.kind)
  const { hidden, gone } = concerned
  if (hidden.length === 0) return { ...(await lists.list(query)), hidden }
  const total = await lists.countSettled(query, { hidden: namesOf(hidden), gone: namesOf(gone) })
  if (query.limit === 0 || total === 0) return { rows: [], total, hasBefore: false, hasAfter: false, hidden }
  const sources = sourcesOf(query, concerned)
  const walks: Walked[] = []
  for (const source of sources) walks.push(await walk(lists, source))
  const backwards = query.before !== undefined
  const { rows, more } = merged(walks, query.limit, backwards)
  const behind = (query.before ?? query.after) !== undefined && (await isBehind(lists, sources))
  return backwards
    ? { rows: rows.toReversed(), total, hasBefore: more, hasAfter: behind, hidden }
    : { rows, total, hasBefore: behind, hasAfter: more, hidden }
}
