import type { ListKey, ListPage } from '../../../projections/entities/port.ts'
import { shownLength, type ListedRow } from '../../../projections/entities/row.ts'
import type { PastQuery } from '../../../projections/timeline/port.ts'
import { mapInChunks } from '../../../shared/chunks.ts'
import { makeRoom } from '../../../shared/room.ts'
import type { Api } from '../../deps.ts'

const streamsAtOnce = 50

type Stores = Pick<Api, 'readModels' | 'pastRows'>

/** What entities of a kind were at a position: what has not changed since is as it is stored. */
const rowsThen = async (
  api: Stores,
  kind: string,
  keys: readonly ListKey[],
  position: bigint,
): Promise<ListedRow[]> => {
  const known = new Map(keys.map(({ id }) => [id, api.pastRows.known(id, position)]))
  const present = await api.readModels.getMany([...known].flatMap(([id, row]) => (row === undefined ? [id] : [])))
  return mapInChunks(keys, streamsAtOnce, async ({ id }) => {
    const remembered = known.get(id)
    if (remembered !== undefined) return remembered
    const row = present.get(id)
    if (row !== undefined && row.status !== 'gone' && row.position <= position) return row
    const then = await api.pastRows.rowAt({ kind, id }, position)
    if (then === undefined)
      throw new Error(`${kind} ${id} is said to have been there at ${position}, and its stream says that it was not.`)
    return then
  })
}

/** The rows that a page has room for, from its beginning or, of a page before something, from its end. */
const roomy = (rows: readonly ListedRow[], backwards: boolean): ListedRow[] => {
  const hasRoom = makeRoom()
  const nearest = backwards ? rows.toReversed() : rows
  const full = nearest.findIndex((row) => !hasRoom(shownLength(row)))
  const taken = full === -1 ? nearest : nearest.slice(0, full)
  return backwards ? taken.toReversed() : [...taken]
}

/** One page of a list as it was at a position of the log, which the timeline shows. */
export const listAsOf = async (api: Stores, query: PastQuery): Promise<ListPage> => {
  const { keys, total, hasBefore, hasAfter } = await api.readModels.listAsOf(query)
  const backwards = query.before !== undefined
  const rows = roomy(await rowsThen(api, query.kind, keys, query.position), backwards)
  const cut = rows.length < keys.length
  return { rows, total, hasBefore: hasBefore || (cut && backwards), hasAfter: hasAfter || (cut && !backwards) }
}
