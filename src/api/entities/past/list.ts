import type { ListKey, ListPage } from '../../../projections/entities/port.ts'
import { rowsAhead } from '../../../projections/entities/ahead.ts'
import { shownLength, type ListedRow } from '../../../projections/entities/row.ts'
import type { PastQuery } from '../../../projections/timeline/port.ts'
import { chunksOf } from '../../../shared/chunks.ts'
import { makeRoom } from '../../../shared/room.ts'
import type { Api } from '../../deps.ts'

/** Histories that are read side by side, as some are of large entities. */
const streamsAtOnce = 15

type Stores = Pick<Api, 'readModels' | 'pastRows'>

/** A key, with what the entity was then where that is known without its history. */
interface Then {
  readonly key: ListKey
  readonly row: ListedRow | undefined
}

/** What has not changed since is as it is stored; of what is large now only the first, as far as there is room. */
const thenOf = async (api: Stores, keys: readonly ListKey[], position: bigint): Promise<Then[]> => {
  const known = new Map(keys.map(({ id }) => [id, api.pastRows.known(id, position)]))
  const unknown = [...known].flatMap(([id, row]) => (row === undefined ? [id] : []))
  const { rows, left } = await rowsAhead(api.readModels, unknown)
  const end = keys.findIndex(({ id }) => left.has(id))
  return keys.slice(0, end === -1 ? undefined : end).map((key): Then => {
    const present = rows.get(key.id)
    const isSame = present !== undefined && present.status !== 'gone' && present.position <= position
    return { key, row: known.get(key.id) ?? (isSame ? present : undefined) }
  })
}

const rowThen = async (api: Stores, kind: string, id: string, position: bigint): Promise<ListedRow> => {
  const then = await api.pastRows.rowAt({ kind, id }, position)
  if (then === undefined)
    throw new Error(`${kind} ${id} is said to have been there at ${position}, and its stream says that it was not.`)
  return then
}

/** What entities of a kind were at a position, from the first key on, as many as a page has room for. */
const rowsThen = async (
  api: Stores,
  kind: string,
  keys: readonly ListKey[],
  position: bigint,
): Promise<ListedRow[]> => {
  const hasRoom = makeRoom()
  const rows: ListedRow[] = []
  for (const some of chunksOf(await thenOf(api, keys, position), streamsAtOnce)) {
    const read = some.map(async ({ key: { id }, row }) => row ?? rowThen(api, kind, id, position))
    for (const row of await Promise.all(read)) {
      if (!hasRoom(shownLength(row))) return rows
      rows.push(row)
    }
  }
  return rows
}

/** One page of a list as it was at a position of the log, which the timeline shows. */
export const listAsOf = async (api: Stores, query: PastQuery): Promise<ListPage> => {
  const { keys, total, hasBefore, hasAfter } = await api.readModels.listAsOf(query)
  const backwards = query.before !== undefined
  const nearest = backwards ? keys.toReversed() : keys
  const read = await rowsThen(api, query.kind, nearest, query.position)
  const rows = backwards ? read.toReversed() : read
  const cut = rows.length < keys.length
  return { rows, total, hasBefore: hasBefore || (cut && backwards), hasAfter: hasAfter || (cut && !backwards) }
}
