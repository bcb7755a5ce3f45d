import { ancestorFqns } from '../../kinds/names.ts'
import type { JsonObject } from '../../shared/json.ts'
import { compareKeys, pageOfWalk } from './page.ts'
import { isBelow, statusOf, type Pending, type Region } from './pending.ts'
import type { EntityLists, EntityReads, ListKey, ListPage, ListQuery, PendingNames, Related } from './port.ts'
import { referredFqn, type EntityRow, type HeadRow, type ListRow, type ReferenceRow, type Status } from './row.ts'

type Lists = Pick<EntityLists, 'list' | 'countSettled'>

/** FQNs that are below no other one, or none of `others`. */
const topmost = (regions: readonly Region[], others = regions): readonly Region[] => {
  const names = new Set(others.map(({ fullyQualifiedName }) => fullyQualifiedName))
  return regions.filter(({ fullyQualifiedName }) => !ancestorFqns(fullyQualifiedName).some((name) => names.has(name)))
}

type PendingRegions = Readonly<Record<keyof PendingNames, readonly Region[]>>

const regionsFor = (regions: readonly Region[], kind: string): PendingRegions => {
  const own = regions.filter(({ kinds }) => kinds.has(kind))
  const hidden = topmost(own.filter(({ status }) => status !== 'live'))
  const restored = topmost(own.filter(({ status }) => status === 'live'))
  return {
    hidden,
    gone: topmost(own.filter(({ status }) => status === 'gone')),
    restored: topmost(restored, hidden),
  }
}

const namesOf = (regions: readonly Region[]): string[] => regions.map(({ fullyQualifiedName }) => fullyQualifiedName)

interface Source {
  readonly query: ListQuery
  readonly skipped: readonly Region[]
}

/**
 * The sources of a list. Within a pending name both stored statuses are read, so that each row is found once whether it
 * has its event or not.
 */
const sourcesOf = (query: ListQuery, { hidden, gone, restored }: PendingRegions): Source[] => {
  if (query.include === 'all') return [{ query, skipped: gone }]
  const beside: Source = { query, skipped: [...hidden, ...restored] }
  const within = ({ fullyQualifiedName }: Region, conditions: Partial<ListQuery>): ListQuery => ({
    ...query,
    ...conditions,
    scopes: [...query.scopes, fullyQualifiedName],
  })
  if (query.include === 'non-deleted')
    return [
      beside,
      ...restored.map((each) => ({ query: within(each, { include: 'all', own: false }), skipped: hidden })),
    ]
  const below = hidden.filter(({ status }) => status === 'deleted')
  return [
    beside,
    ...below.map((each) => ({ query: within(each, { include: 'all' }), skipped: gone })),
    ...restored.map((each) => ({ query: within(each, { own: true }), skipped: hidden })),
  ]
}

interface Walked {
  /** In the direction of the walk. */
  readonly rows: readonly ListRow[]
  readonly more: boolean
}

/** The next rows of a source. Descendants of a name are contiguous in the list and are skipped in one step. */
const walk = async (lists: Lists, { query, skipped }: Source): Promise<Walked> => {
  const backwards = query.before !== undefined
  const rows: ListRow[] = []
  for (let key = query.before ?? query.after; ;) {
    // One row more than needed shows whether there are more.
    const limit = query.limit + 1 - rows.length
    const from = backwards ? { before: key, after: undefined } : { after: key, before: undefined }
    const page = await lists.list({ ...query, ...from, limit, total: 0 })
    let hidden: Region | undefined
    for (const row of backwards ? page.rows.toReversed() : page.rows) {
      hidden = skipped.find((region) => isBelow(region, row))
      if (hidden !== undefined) break
      rows.push(row)
      key = row
    }
    if (hidden === undefined) {
      // A page may be shorter because of the length of its texts.
      const isCut = page.rows.length < limit && (backwards ? page.hasBefore : page.hasAfter)
      return { rows: rows.slice(0, query.limit), more: rows.length > query.limit || isCut }
    }
    key = { fullyQualifiedName: hidden.fullyQualifiedName + (backwards ? '.' : '/'), id: '' }
  }
}

/** The bounds of a walk in the other direction that includes the key itself. */
const reversed = (query: ListQuery): Pick<ListQuery, 'after' | 'before' | 'limit'> => {
  const { after, before } = query
  if (after !== undefined) return { before: { ...after, id: `${after.id}~` }, after: undefined, limit: 1 }
  const { fullyQualifiedName, id } = before as ListKey
  return { after: { fullyQualifiedName, id: id.slice(0, -1) }, before: undefined, limit: 1 }
}

const hasOtherSide = async (lists: Lists, sources: readonly Source[]): Promise<boolean> => {
  for (const source of sources) {
    const { rows } = await walk(lists, { ...source, query: { ...source.query, ...reversed(source.query) } })
    if (rows.length > 0) return true
  }
  return false
}

/** Merges the first rows of several sources, up to the last row of each truncated source. */
const merged = (walks: readonly Walked[], limit: number, backwards: boolean): Walked => {
  const compare = (a: ListKey, b: ListKey): number => (backwards ? compareKeys(b, a) : compareKeys(a, b))
  const ends = walks.flatMap(({ rows, more }) => (more ? (rows.at(-1) ?? []) : []))
  const [end] = ends.toSorted(compare)
  const rows = walks.flatMap((each) => each.rows).sort(compare)
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0)
  return { rows: known.slice(0, limit), more: ends.length > 0 || known.length > limit }
}

/**
 * The lists that together are the requested one. A live entity has its inherited-deleted children back, and a deleted one
 * has no live children, whatever their rows show.
 */
const withSettledChildren = (query: ListQuery): ListQuery[] => {
  const { include, children = [] } = query
  if (children.length === 0) return [query]
  const live = {
    ...query,
    include: 'non-deleted',
    children: children.map((each) => ({ ...each, inherited: true })),
  } as const
  const deleted = children.some(({ some }) => some) ? [] : [{ ...query, include: 'deleted', children: [] } as const]
  return [...(include === 'deleted' ? [] : [live]), ...(include === 'non-deleted' ? [] : deleted)]
}

/** See {@link EntityLists.list}: the list with pending deletions and restores applied. */
export const listSettled = async (lists: Lists, regions: readonly Region[], query: ListQuery): Promise<ListPage> => {
  const concerned = regionsFor(regions, query.kind)
  const { hidden, gone, restored } = concerned
  if (hidden.length === 0 && restored.length === 0 && (query.children ?? []).length === 0) return lists.list(query)
  const names = { hidden: namesOf(hidden), gone: namesOf(gone), restored: namesOf(restored) }
  const parts = withSettledChildren(query)
  const counting = query.total ?? Promise.all(parts.map((part) => lists.countSettled(part, names)))
  const total = [await counting].flat().reduce((sum, n) => sum + n, 0)
  if (query.limit === 0 || total === 0) return { rows: [], total, hasBefore: false, hasAfter: false }
  const sources = parts.flatMap((part) => sourcesOf(part, concerned))
  const walks: Walked[] = []
  for (const source of sources) walks.push(await walk(lists, source))
  const backwards = query.before !== undefined
  const { rows, more } = merged(walks, query.limit, backwards)
  const behind = (query.before ?? query.after) !== undefined && (await hasOtherSide(lists, sources))
  return { total, ...pageOfWalk(query, { found: rows, cut: more, behind }) }
}

type Reads = EntityReads & Pick<EntityLists, 'list' | 'countSettled' | 'relatedTo' | 'childrenOf' | 'countBelow'>

const shownAs = (status: Status, shownAlways: string): string =>
  JSON.stringify({ ...(JSON.parse(shownAlways) as JsonObject), deleted: status === 'deleted' })

/** The row with pending deletions and restores applied. */
export const settledRow = (regions: readonly Region[], row: EntityRow): EntityRow => {
  const status = statusOf(regions, row)
  return status === row.status ? row : { ...row, status, shownAlways: shownAs(status, row.shownAlways) }
}

const settledHead = (regions: readonly Region[], row: HeadRow): HeadRow => ({ ...row, status: statusOf(regions, row) })

/** The reference with pending deletions and restores applied. */
export const settledReference = (regions: readonly Region[], row: ReferenceRow): ReferenceRow => ({
  ...row,
  status: statusOf(regions, { ...row, fullyQualifiedName: referredFqn(row) }),
})

const settledRelated = (regions: readonly Region[], related: Related[]): Related[] => {
  if (regions.length === 0) return related
  return related.flatMap((each) => {
    const row = settledReference(regions, each.row)
    return row.status === 'gone' ? [] : [{ ...each, row }]
  })
}

const settledListed = (regions: readonly Region[], row: ListRow): ListRow => {
  const shown = JSON.parse(row.shownAlways) as JsonObject
  const before = shown['deleted'] === true ? 'deleted' : 'live'
  const status = statusOf(regions, { ...row, status: before })
  return status === before ? row : { ...row, shownAlways: shownAs(status, row.shownAlways) }
}

const settledMany =
  <Row>(
    pending: Pick<Pending, 'regions'>,
    read: (ids: readonly string[]) => Promise<Map<string, Row>>,
    settled: (regions: readonly Region[], row: Row) => Row,
  ) =>
  async (ids: readonly string[]): Promise<Map<string, Row>> => {
    const [regions, rows] = [await pending.regions(), await read(ids)]
    return regions.length === 0 ? rows : new Map([...rows].map(([id, row]) => [id, settled(regions, row)]))
  }

/**
 * Reads that apply pending deletions and restores. Pending regions are read first: a row that has its event
 * meanwhile is the same either way.
 */
export const settledReads = (reads: Reads, pending: Pick<Pending, 'regions'>): Omit<Reads, 'countSettled'> => ({
  get: async (id) => {
    const regions = await pending.regions()
    const row = await reads.get(id)
    return row && settledRow(regions, row)
  },
  getByFqn: async (kind, fqn) => {
    const regions = await pending.regions()
    const row = await reads.getByFqn(kind, fqn)
    const settled = row && settledRow(regions, row)
    return settled?.status === 'gone' ? undefined : settled
  },
  getMany: settledMany(pending, reads.getMany, settledRow),
  getHeads: settledMany(pending, reads.getHeads, settledHead),
  getReferences: settledMany(pending, reads.getReferences, settledReference),
  list: async (query) => {
    const regions = await pending.regions()
    if (regions.length === 0) return reads.list(query)
    const page = await listSettled(reads, regions, query)
    return { ...page, rows: page.rows.map((row) => settledListed(regions, row)) }
  },
  relatedTo: async (...args) => settledRelated(await pending.regions(), await reads.relatedTo(...args)),
  childrenOf: async (...args) => settledRelated(await pending.regions(), await reads.childrenOf(...args)),
  countBelow: async (kind, scope) => {
    const regions = await pending.regions()
    if (regions.length === 0) return reads.countBelow(kind, scope)
    const query = { kind, include: 'non-deleted', scopes: [scope], edges: [], limit: 0 } as const
    return (await listSettled(reads, regions, query)).total
  },
})
