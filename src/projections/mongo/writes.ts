import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import { isDuplicate, ofShape } from '../../stores/mongo/connection.ts'
import type { Stored } from './generations.ts'
import { numberText } from './texts.ts'

export interface Revised extends Stored {
  /** {@link numberText} */
  revision: string
}

export type Write = AnyBulkWriteOperation<Stored>

/** What stands in its way shows that event, or a later one. */
export const firstRevision = numberText(0n)

/** Other processes may get in between so often before it is taken for a fault. */
const maxRounds = 50

/** True when everything that failed failed because the document is there already. */
export const onlyDuplicates = (error: unknown): boolean => {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicate(error)
  const failed = [error.writeErrors].flat()
  if (error.result.getWriteConcernError() !== undefined) return false
  return failed.length > 0 && failed.every(({ code }) => Number(code) === 11_000)
}

/** @returns false when something was there already */
const write = async <D extends Stored>(stored: Collection<D>, writes: readonly Write[]): Promise<boolean> => {
  if (writes.length === 0) return true
  try {
    await ofShape<Stored>(stored).bulkWrite(writes, { ordered: false })
    return true
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
    return false
  }
}

/** No revision is stored as this. */
const noRevision = ''

/** What a document most likely takes the place of. @returns its revision; `undefined`: nothing */
export type Replaced = (document: Revised) => string | undefined

const insert = (document: Revised): Write => ({ insertOne: { document } })

/** Where another revision is stored the upsert finds nothing, inserts, and fails as a duplicate. */
const replace = (document: Revised, revision: string): Write => ({
  replaceOne: { filter: { _id: document._id, revision }, replacement: document, upsert: true },
})

const likelyWrite = (document: Revised, replaced: Replaced): Write => {
  const revision = replaced(document)
  return revision === undefined ? insert(document) : replace(document, revision)
}

/**
 * Does the server leave out what stands behind a write of one command that fails? MongoDB does, others may not. Asked
 * with a write that cannot be done, in a collection that nobody else uses.
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

/** Documents each in the place of what it most likely follows, as writes of one command: inserts would be another. */
export const replacing = <D extends Revised>(documents: readonly D[], replaced: Replaced): Write[] =>
  documents.map((document) => replace(document, replaced(document) ?? noRevision))

/**
 * Does writes, then moves a checkpoint, with one command, for servers that keep the order.
 * @returns whether it found the state; `undefined`: not known. Nothing where something was there already
 */
export const writeTogether = async <D extends Stored>(
  stored: Collection<D>,
  writes: readonly Write[],
  checkpoint: { filter: object; update: object },
): Promise<{ readonly moved: boolean | undefined } | undefined> => {
  try {
    const { matchedCount, upsertedCount } = await ofShape<Stored>(stored).bulkWrite(
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

/** Writes for those whose stored revision is lower. */
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
 * Stores documents where they are newer than what is there, whatever others store meanwhile: each write holds only for
 * the revision it was made for, else it fails as a duplicate and is made again. Counts of bulk writes differ between
 * servers.
 */
export const writeNewer = async <D extends Revised>(
  stored: Collection<D>,
  documents: readonly D[],
  replaced: Replaced,
): Promise<void> => {
  const collection = ofShape<Revised>(stored)
  const likely = documents.map((document) => likelyWrite(document, replaced))
  if (await write(collection, likely)) return
  // A duplicate of a first event shows that event, or a later one.
  const others = documents.filter(({ revision }) => revision !== firstRevision)
  for (let round = 0; round < maxRounds; round++) {
    const writes = others.length === 0 ? [] : await writesFor(collection, others)
    if (await write(collection, writes)) return
  }
  throw new Error(`Read models could not be written: other processes came first ${maxRounds} times.`)
}

/** Stores documents most of which are not there yet. @returns those that something was stored for already */
export const insertNew = async <D extends Stored>(stored: Collection<D>, documents: readonly D[]): Promise<D[]> => {
  const collection = ofShape<Stored>(stored)
  try {
    if (documents.length > 0) await collection.insertMany(documents, { ordered: false })
    return []
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !onlyDuplicates(error)) throw error
    return [error.writeErrors].flat().flatMap(({ index }) => documents[index] ?? [])
  }
}

/** Stores a document where none is there yet, or one that the filter finds: else it would be inserted, a duplicate. */
export const upserting = <D extends Stored>(document: D, filter: object): Write => ({
  replaceOne: { filter, replacement: document, upsert: true },
})

/** Stores a document that never changes, where it is not there yet. */
export const inserting = <D extends Stored>({ _id, ...rest }: D): Write => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
})

/** Stores documents where none is there yet, or one that the filter finds. */
export const upsertWhere = async <D extends Stored>(
  stored: Collection<D>,
  documents: readonly D[],
  filterOf: (document: D) => object,
): Promise<void> => {
  await write(
    stored,
    documents.map((document) => upserting(document, filterOf(document))),
  )
}

/** Stores documents that never change, where they are not there yet. */
export const insertAbsent = async <D extends Stored>(stored: Collection<D>, documents: readonly D[]): Promise<void> => {
  const collection = ofShape<Stored>(stored)
  await collection.insertMany(documents, { ordered: false }).catch((error: unknown) => {
    if (!onlyDuplicates(error)) throw error
  })
}
