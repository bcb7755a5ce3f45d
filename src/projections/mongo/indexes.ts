import type { Collection, Document } from 'mongodb'
import { CatalogError } from '../../shared/errors/namedError.ts'

/** Index keys of a collection, by index name. */
export type Indexes = Readonly<Record<string, Readonly<Record<string, 1 | -1>>>>

/** An existing index has other keys than the catalog needs. */
class IndexMismatch extends CatalogError {
  override readonly name = 'IndexMismatch'
}

const textOf = (keys: object): string => JSON.stringify(keys)

/**
 * Makes the indexes that are missing, none of them unique: a collection that is divided by hashed ids could not keep
 * such a promise. @throws IndexMismatch when one of these names has other keys, and stays
 */
export const ensureIndexes = async <D extends Document>(collection: Collection<D>, indexes: Indexes): Promise<void> => {
  const found = await collection.listIndexes().toArray()
  const keysOf = new Map(found.map((index) => [index['name'] as string, textOf(index['key'] as object)]))
  const keyed = new Set(keysOf.values())
  const differing = Object.entries(indexes).find(
    ([name, keys]) => keysOf.has(name) && keysOf.get(name) !== textOf(keys),
  )
  if (differing) {
    const [name, keys] = differing
    throw new IndexMismatch(
      `The index "${name}" of the collection "${collection.collectionName}" has the keys ${keysOf.get(name)}, not ` +
        `${textOf(keys)}. Drop it: the right one is made at the next start.`,
    )
  }
  const missing = Object.entries(indexes).filter(([, keys]) => !keyed.has(textOf(keys)))
  if (missing.length === 0) return
  await collection.createIndexes(missing.map(([name, key]) => ({ name, key: { ...key } })))
}
