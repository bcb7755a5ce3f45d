import { descendantKinds, kinds } from '../../kinds/registry/kinds.ts'
import { ancestorFqns, possibleIds } from '../../kinds/names.ts'
import { isBehind, type RecordedEvent } from '../../events/events.ts'
import { memoizeByKey, memoize } from '../../shared/memoize.ts'
import type { EntityLists, EntityReads } from './port.ts'
import type { EntityRow, HeadRow, Status } from './row.ts'

/** A deletion or restore of an entity. */
export type StatusEvent = RecordedEvent & { readonly type: 'SoftDeleted' | 'Restored' | 'HardDeleted' }

export const isStatusEvent = (event: RecordedEvent): event is StatusEvent =>
  event.type === 'SoftDeleted' || event.type === 'Restored' || event.type === 'HardDeleted'

/** A part of the hierarchy whose rows do not show the pending deletion or restore yet. */
export interface Region {
  readonly id: string
  readonly kind: string
  readonly fullyQualifiedName: string
  /** `live`: inherited deletions have ended. Otherwise no descendant is more alive than this status. */
  readonly status: Status
  /** Kinds that occur below this entity and not below its namesakes. */
  readonly kinds: ReadonlySet<string>
}

type Reading = Pick<EntityReads, 'getHeads'> & Pick<EntityLists, 'ownDeletions'>

type Named = Pick<HeadRow, 'id' | 'kind' | 'fullyQualifiedName'>

/** Kinds whose entities may have the name of one of this kind, with the kinds that occur below both. */
const namesakesOf = memoizeByKey((kind: string) => {
  const below = new Set(kindNamesBelow(kind))
  return kinds.flatMap((definition) => {
    const shared = kindNamesBelow(definition.name).filter((name) => below.has(name))
    return definition.name === kind || shared.length === 0 ? [] : [{ definition, shared }]
  })
})

/** Distinguishes descendants of namesakes by their kind, as far as possible. */
const kindsBelow = async (readModels: Reading, { kind, fullyQualifiedName }: Named): Promise<ReadonlySet<string>> => {
  const below = new Set(kindNamesBelow(kind))
  const namesakes = namesakesOf(kind).map(({ definition, shared }) => ({
    ids: possibleIds(definition, fullyQualifiedName),
    shared,
  }))
  const heads = await readModels.getHeads(namesakes.flatMap(({ ids }) => ids))
  const isThere = (id: string): boolean => (heads.get(id)?.status ?? 'gone') !== 'gone'
  for (const { ids, shared } of namesakes) if (ids.some(isThere)) for (const name of shared) below.delete(name)
  return below
}

const statusNow = async (readModels: Reading, row: HeadRow): Promise<Status> => {
  for (let at = row; ;) {
    const { status, inherited, parent } = at
    const above = status === 'deleted' && inherited && parent !== undefined ? parent : undefined
    const next = above === undefined ? undefined : (await readModels.getHeads([above])).get(above)
    if (next === undefined) return status
    at = next
  }
}

/** Positions up to which the log is shown; `undefined` for the beginning. */
export interface ProjectionPositions {
  readonly entities: () => bigint | undefined
  readonly search: () => bigint | undefined
}

/** What is cached of an entity as long as it is pending: see `kindsBelow`. */
interface PendingFacts {
  kinds?: ReadonlySet<string>
}

/** Reads the regions of entities, without those inside another deleted one. */
const readRegions = async (
  readModels: Reading,
  ids: readonly string[],
  knownOf: ReadonlyMap<string, PendingFacts>,
): Promise<readonly Region[]> => {
  const regionsOf = async (row: HeadRow): Promise<readonly Region[]> => {
    const known: PendingFacts = knownOf.get(row.id) ?? {}
    const below = (known.kinds ??= await kindsBelow(readModels, row))
    if (below.size === 0) return []
    const status = await statusNow(readModels, row)
    const own = { ...row, status, kinds: below }
    if (status !== 'live') return [own]
    const deletions = await readModels.ownDeletions(row.fullyQualifiedName, [...below])
    const deleted = deletions.map(
      (each) => ({ ...each, status: 'deleted', kinds: new Set(kindNamesBelow(each.kind)) }) as const,
    )
    return [own, ...deleted]
  }
  const rows = await readModels.getHeads(ids)
  const found = new Map<string, Region>()
  for (const row of rows.values())
    for (const region of await regionsOf(row))
      if (region.id === row.id || !rows.has(region.id)) found.set(region.id, region)
  return [...found.values()]
}

/** Caches the last read, by its key. */
const makeLastReadCache = <T>() => {
  let last: { readonly key: string; readonly value: Promise<T> } | undefined
  return (key: string, read: () => Promise<T>): Promise<T> => {
    if (last?.key === key) return last.value
    const now = { key, value: read() }
    last = now
    now.value.catch(() => (last = last === now ? undefined : last))
    return now.value
  }
}

/** Deletions and restores with pending events of descendants. */
export const makePending = (readModels: Reading, positions: ProjectionPositions) => {
  const roots = new Map<string, bigint>()
  /** Former roots whose descendants the search index may still show as before, with the position that it must reach. */
  const unindexed = new Map<string, bigint>()
  const knownOf = new Map<string, PendingFacts>()
  let changes = 0
  const [once, onceSearched] = [makeLastReadCache<readonly Region[]>(), makeLastReadCache<readonly Region[]>()]
  /** Below a restored root there may be many, so they are read once for all requests between two changes. */
  const regionsOf = (ids: readonly string[], read: typeof once): readonly Region[] | Promise<readonly Region[]> =>
    read(`${changes} ${positions.entities()}`, () => readRegions(readModels, [...new Set(ids)], knownOf))
  const dropIndexed = (): void => {
    for (const [id, position] of unindexed)
      if (!isBehind(positions.search(), position)) {
        unindexed.delete(id)
        if (!roots.has(id)) knownOf.delete(id)
        changes++
      }
  }
  return {
    /** The regions of pending changes, without those inside another deleted one. */
    regions: () => (roots.size === 0 ? none : regionsOf([...roots.keys()], once)),
    /** The same for the search index, which may lag behind the rows. */
    searchRegions: () => {
      dropIndexed()
      const ids = [...roots.keys(), ...unindexed.keys()]
      return ids.length === 0 ? none : regionsOf(ids, onceSearched)
    },
    size: () => roots.size,
    /** Pending entities by id, with the position of the first unfollowed event. */
    all: (): ReadonlyMap<string, bigint> => roots,
    add: (id: string, position: bigint): void => {
      roots.set(id, roots.get(id) ?? position)
      knownOf.set(id, {})
      changes++
    },
    remove: (ids: readonly string[]): void => {
      dropIndexed()
      for (const id of ids) if (roots.delete(id)) unindexed.set(id, positions.entities() ?? -1n)
      changes++
    },
  }
}

export type Pending = ReturnType<typeof makePending>

const none: readonly Region[] = []

const kindNamesBelow = (kind: string): readonly string[] => descendantKinds(kind).map(({ name }) => name)

export const isBelow = (
  { kinds: below, fullyQualifiedName }: Region,
  entity: Pick<EntityRow, 'kind' | 'fullyQualifiedName'>,
): boolean => below.has(entity.kind) && entity.fullyQualifiedName.startsWith(`${fullyQualifiedName}.`)

const namesIn = memoize((regions: readonly Region[]) =>
  Map.groupBy(regions, ({ fullyQualifiedName }) => fullyQualifiedName),
)

/**
 * Applies the definition: an inherited deletion holds as long as its root's, and nothing is more alive than its
 * ancestors.
 * @param entity as its row shows it
 */
export const statusOf = (
  regions: readonly Region[],
  { kind, fullyQualifiedName, status }: Pick<EntityRow, 'kind' | 'fullyQualifiedName' | 'status'>,
): Status => {
  if (status === 'gone' || regions.length === 0) return status
  const named = namesIn(regions)
  const above = ancestorFqns(fullyQualifiedName).flatMap((name) =>
    (named.get(name) ?? []).flatMap((region) => (region.kinds.has(kind) ? region.status : [])),
  )
  if (above.includes('gone')) return 'gone'
  if (above.includes('deleted')) return 'deleted'
  if (status === 'live' || !above.includes('live')) return status
  const isOwn = named.get(fullyQualifiedName)?.some((region) => region.kind === kind && region.status === 'deleted')
  return isOwn === true ? 'deleted' : 'live'
}
