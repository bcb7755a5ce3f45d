import { descendantKinds, kinds } from '../../kinds/index.ts'
import { everyUnsettledParent } from './lookup.ts'
import type { EntityLists, EntityReads } from './port.ts'
import type { EntityRow, HeadRow } from './row.ts'

/** An entity that is deleted, or gone, while something below it has yet to follow. */
export interface Ended {
  readonly id: string
  readonly fullyQualifiedName: string
  readonly status: 'deleted' | 'gone'
  /** Kinds of what stands below it and nowhere else below its name. */
  readonly kinds: ReadonlySet<string>
}

/** Deletions that were cut short, until they are finished. */
export interface Unreached {
  /** Those that have not been taken back meanwhile. */
  ended(): readonly Ended[] | Promise<readonly Ended[]>
  size(): number
  finish(): void
}

type Reading = Pick<EntityReads, 'getHeads' | 'getByFqn'> & Pick<EntityLists, 'unsettledParents'>

/** All that stands above these, and they themselves, by id. */
const withAbove = async (readModels: Reading, ids: readonly string[]): Promise<Map<string, HeadRow>> => {
  const rows = new Map<string, HeadRow>()
  for (let wanted = [...ids]; wanted.length > 0;) {
    const found = await readModels.getHeads(wanted)
    for (const [id, row] of found) rows.set(id, row)
    wanted = [...new Set([...found.values()].flatMap(({ parent }) => parent ?? []))].filter((id) => !rows.has(id))
  }
  return rows
}

/** Of what is deleted, and of what is gone, the highest in the line that leads up from here. */
const highest = (rows: ReadonlyMap<string, HeadRow>, id: string): HeadRow[] => {
  const found = new Map<HeadRow['status'], HeadRow>()
  for (let row = rows.get(id); row !== undefined; row = rows.get(row.parent ?? '')) {
    if (row.status !== 'live') found.set(row.status, row)
  }
  return [...found.values()]
}

/** What stands below a name that entities of several kinds have is told apart by its kind, as far as that can be. */
const endedOf = async (readModels: Reading, { id, kind, fullyQualifiedName, status }: HeadRow): Promise<Ended> => {
  const below = new Set(descendantKinds(kind).map(({ name }) => name))
  for (const { name } of kinds) {
    const own = descendantKinds(name).filter((each) => below.has(each.name))
    if (name === kind || own.length === 0) continue
    if ((await readModels.getByFqn(name, fullyQualifiedName)) === undefined) continue
    for (const each of own) below.delete(each.name)
  }
  return { id, fullyQualifiedName, status: status === 'gone' ? 'gone' : 'deleted', kinds: below }
}

/** Finds the deletions that were cut short. Restores are left out: what has not come back yet is still deleted. */
const findUnreached = async (readModels: Reading): Promise<Ended[]> => {
  const found = new Map<string, HeadRow>()
  for await (const ids of everyUnsettledParent(readModels)) {
    const rows = await withAbove(readModels, ids)
    for (const id of ids) for (const row of highest(rows, id)) found.set(row.id, row)
  }
  return Promise.all([...found.values()].map((row) => endedOf(readModels, row)))
}

export const makeUnreached = async (readModels: Reading): Promise<Unreached> => {
  let found: readonly Ended[] = await findUnreached(readModels)
  const present = async (): Promise<readonly Ended[]> => {
    const rows = await readModels.getHeads(found.map(({ id }) => id))
    return found.flatMap((each) => {
      const status = rows.get(each.id)?.status ?? 'live'
      return status === 'live' ? [] : [{ ...each, status }]
    })
  }
  return {
    ended: () => (found.length === 0 ? found : present()),
    size: () => found.length,
    finish: () => void (found = []),
  }
}

export const isBelow = (
  { kinds: below, fullyQualifiedName }: Ended,
  entity: Pick<EntityRow, 'kind' | 'fullyQualifiedName'>,
): boolean => below.has(entity.kind) && entity.fullyQualifiedName.startsWith(`${fullyQualifiedName}.`)

export const statusOf = (
  ended: readonly Ended[],
  entity: Pick<EntityRow, 'kind' | 'fullyQualifiedName' | 'status'>,
): EntityRow['status'] => {
  let { status } = entity
  for (const each of ended) {
    if (status === 'gone') break
    if (isBelow(each, entity)) status = each.status
  }
  return status
}
