import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import { isDuplicate, typedCollection } from '../../stores/mongo/connection.ts'
import type { Stored } from './generations.ts'
import { numberText } from './texts.ts'

export interface Revised extends Stored {
  /** {@link numberText} */
  revision: string
}

export type Write = AnyBulkWriteOperation<Stored>

/** An existing document already has that event or a later one. */
export const firstRevision = numberText(0n)

/** Number of conflicts with other processes before it counts as a failure. */
const maxRounds = 50

/** Whether all failures are duplicates. */
const onlyDuplicates = (error: unknown): boolean => {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicate(error)
  const failed = [error.writeErrors].flat()
  if (error.result.getWriteConcernError() !== undefined) return false
  return failed.length > 0 && failed.every(({ code }) => Number(code) === 11_000)
}

/** Makes writes in any order. @returns false if a document existed already */
export const writeAny = async <D extends Stored>(stored: Collection<D>, writes: readonly Write[]): Promise<boolean> => {
  if (writes.length === 0) return true
  try {
    await typedCollection<Stored>(stored).bulkWrite(writes, { ordered: false })
    return true
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
    return false
  }
}

/** A value that is never a stored revision. */
const noRevision = ''

/** The revision that a document most likely replaces; `undefined` for none. */
export type Replaced = (document: Revised) => string | undefined

const insert = (document: Revised): Write => ({ insertOne: { document } })

/** If another revision is stored, the upsert does not match, inserts, and fails as a duplicate. */
const replace = (document: Revised, revision: string): Write => ({
  replaceOne: { filter: { _id: document._id, revision }, replacement: document, upsert: true },
})

const likelyWrite = (document: Revised, replaced: Replaced): Write => {
  const revision = replaced(document)
  return revision === undefined ? insert(document) : replace(document, revision)
}

/**
 * Whether the server skips the writes after a failed one in an ordered command. MongoDB does, others may not. Tested
 * with an impossible write in a collection of its own.
 */
export const keepsOrder = async (db: Db): Promise<boolean> => {
  const filter = { _id: 'order of writes' }
  const touching = { updateOne: { filter, update: { $set: { touched: new Date() } }, upsert: true } }
  const impossible = { updateOne: { filter, update: { $inc: { touched: 1 } } as object } }
  const asked = db.collection<Stored & { touched: Date }>('write_order')
  await asked.bulkWrite([touching])
  try {
    await asked.bulkWrite([impossible, touching], { ordered: true })
    return false
  } catch (error) {
    if (error instanceof MongoBulkWriteError && [error.writeErrors].flat().length > 0)
      return error.result.matchedCount === 0
    throw error
  }
}

/** Replacements of expected revisions, all as upserts so that they fit into one command. */
export const replacing = <D extends Revised>(documents: readonly D[], replaced: Replaced): Write[] =>
  documents.map((document) => replace(document, replaced(document) ?? noRevision))

/**
 * Writes documents and the checkpoint in one command, for servers that preserve the order.
 * @returns whether the state matched; `undefined` if unknown; nothing if a document existed already
 */
export const writeTogether = async <D extends Stored>(
  stored: Collection<D>,
  writes: readonly Write[],
  checkpoint: { filter: object; update: object },
): Promise<{ readonly moved: boolean | undefined } | undefined> => {
  try {
    const { matchedCount, upsertedCount } = await typedCollection<Stored>(stored).bulkWrite(
      [...writes, { updateOne: checkpoint }],
      {
        ordered: true,
      },
    )
    return { moved: matchedCount + upsertedCount === writes.length + 1 ? true : undefined }
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
    return undefined
  }
}

/** Writes for documents with a lower stored revision. */
const writesFor = async (collection: Collection<Revised>, documents: readonly Revised[]): Promise<Write[]> => {
  const found = collection
    .find({ _id: { $in: documents.map(({ _id }) => _id) } })
    .project<Pick<Revised, '_id' | 'revision'>>({ revision: 1 })
    .batchSize(documents.length)
  const stored = new Map((await found.toArray()).map(({ _id, revision }) => [_id, revision]))
  return documents.flatMap((document): Write[] => {
    const revision = stored.get(document._id)
    if (revision === undefined) return [insert(document)]
    return revision >= document.revision ? [] : [replace(document, revision)]
  })
}

/**
 * Stores documents that are newer than the stored ones, despite concurrent writers: each write requires the revision it
 * was made for, otherwise it fails as a duplicate and is repeated. Bulk write counts differ between servers and are not
 * used.
 */
export const writeNewer = async <D extends Stored>(
  stored: Collection<D>,
  documents: readonly Revised[],
  replaced: Replaced,
): Promise<void> => {
  const collection = typedCollection<Revised>(stored)
  const likely = documents.map((document) => likelyWrite(document, replaced))
  if (await writeAny(collection, likely)) return
  // A duplicate of a first event already has that event or a later one.
  const others = documents.filter(({ revision }) => revision !== firstRevision)
  for (let round = 0; round < maxRounds; round++) {
    const writes = others.length === 0 ? [] : await writesFor(collection, others)
    if (await writeAny(collection, writes)) return
  }
  throw new Error(`Read models could not be written: other processes came first ${maxRounds} times.`)
}

/** An upsert restricted by a filter: if the existing document does not match, it fails as a duplicate. */
export const upserting = <D extends Stored>(document: D, filter: object): Write => ({
  replaceOne: { filter, replacement: document, upsert: true },
})

/** Inserts an immutable document unless it exists. */
export const inserting = <D extends Stored>({ _id, ...rest }: D): Write => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
})

/** Inserts immutable documents unless they exist. */
export const insertAbsent = async <D extends Stored>(
  stored: Collection<D>,
  documents: readonly Stored[],
): Promise<void> => {
  const collection = typedCollection<Stored>(stored)
  if (documents.length === 0) return
  await collection.insertMany(documents, { ordered: false }).catch((error: unknown) => {
    if (!onlyDuplicates(error)) throw error
  })
}
