import type { Collection } from 'mongodb'
import type { EntityDocument } from './rows.ts'

type Keys = Readonly<Record<string, 1>>

/**
 * Indexes by name. Equality first, then the place that lists are ordered by, of which a page, or what lies below an
 * FQN, is one range: the first page and the last one cost the same, and matches are counted on keys alone.
 */
export const entityIndexes: Readonly<Record<string, Keys>> = {
  list: { kind: 1, status: 1, place: 1 },
  list_edges: { kind: 1, status: 1, edges: 1, place: 1 },
  list_entity_status: { kind: 1, status: 1, entityStatus: 1, place: 1 },
  list_children: { parent: 1, kind: 1, status: 1, place: 1 },
  related: { edges: 1, status: 1, place: 1 },
  children: { parent: 1, status: 1, _id: 1 },
  statuses: { status: 1, _id: 1 },
  names: { kind: 1, status: 1, sortName: 1, place: 1 },
  times: { kind: 1, status: 1, updatedAt: 1, place: 1 },
  terms: { terms: 1, status: 1, _id: 1 },
  revisions: { _id: 1, revision: 1 },
}

/** Indexes that a write looks its document up by. Some servers use none but unique ones for that. */
const unique = new Set(['revisions'])

/** An index stands in the database that does not serve the catalog's queries. */
export class IndexMismatch extends Error {
  override readonly name = 'IndexMismatch'
}

const textOf = (keys: object): string => JSON.stringify(keys)

/**
 * Makes the indexes that are missing.
 * @throws IndexMismatch when one of these names has other keys; it is named and left alone
 */
export const ensureIndexes = async (entities: Collection<EntityDocument>): Promise<void> => {
  const found = await entities.listIndexes().toArray()
  const keysOf = new Map(found.map((index) => [index['name'] as string, textOf(index['key'] as object)]))
  const keyed = new Set(keysOf.values())
  const differing = Object.entries(entityIndexes).find(
    ([name, keys]) => keysOf.has(name) && keysOf.get(name) !== textOf(keys),
  )
  if (differing) {
    const [name, keys] = differing
    throw new IndexMismatch(
      `The index "${name}" of the collection "${entities.collectionName}" has the keys ${keysOf.get(name)}, not ` +
        `${textOf(keys)}. Drop it: the right one is made at the next start.`,
    )
  }
  const missing = Object.entries(entityIndexes).filter(([, keys]) => !keyed.has(textOf(keys)))
  if (missing.length === 0) return
  await entities.createIndexes(missing.map(([name, key]) => ({ name, key: { ...key }, unique: unique.has(name) })))
}
