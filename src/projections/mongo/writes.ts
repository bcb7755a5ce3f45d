import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import { isDuplicate } from '../../stores/mongo/connection.ts'
import type { Stored } from './generations.ts'

export type BulkWrite = AnyBulkWriteOperation<Stored>

/** Whether all failures are duplicates. */
const onlyDuplicates = (error: unknown): boolean => {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicate(error)
  const failed = [error.writeErrors].flat()
  if (error.result.getWriteConcernError() !== undefined) return false
  return failed.length > 0 && failed.every(({ code }) => Number(code) === 11_000)
}

/**
 * Makes writes in any order. Those that fail as duplicates are made once more: where another process has just inserted
 * an older document, they match it then.
 */
export const writeUnordered = async (stored: Collection<Stored>, writes: readonly BulkWrite[]): Promise<void> => {
  if (writes.length === 0) return
  for (const isLast of [false, true])
    try {
      await stored.bulkWrite([...writes], { ordered: false })
      return
    } catch (error) {
      if (!onlyDuplicates(error)) throw error
      if (isLast) return
    }
}

/**
 * Whether the server skips the writes after a failed one in an ordered command. MongoDB does, others may not. Tested
 * with an impossible write in a collection of its own.
 */
export const preservesOrder = async (db: Db): Promise<boolean> => {
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

/**
 * Writes documents and the checkpoint in one command, for servers that preserve the order.
 * @returns whether the state matched; `undefined` if unknown; nothing if a document existed already
 */
export const writeWithCheckpoint = async (
  stored: Collection<Stored>,
  writes: readonly BulkWrite[],
  checkpoint: { filter: object; update: object },
): Promise<{ readonly moved: boolean | undefined } | undefined> => {
  try {
    const { matchedCount, upsertedCount } = await stored.bulkWrite([...writes, { updateOne: checkpoint }], {
      ordered: true,
    })
    return { moved: matchedCount + upsertedCount === writes.length + 1 ? true : undefined }
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
    return undefined
  }
}

/** An upsert restricted by a filter: if the existing document does not match, it fails as a duplicate. */
export const toUpsert = (document: Stored, filter: object): BulkWrite => ({
  replaceOne: { filter, replacement: document, upsert: true },
})

/** Inserts an immutable document unless it exists. */
export const toInsert = ({ _id, ...rest }: Stored): BulkWrite => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
})

/** Inserts immutable documents unless they exist. */
export const insertAbsent = async (stored: Collection<Stored>, documents: readonly Stored[]): Promise<void> => {
  if (documents.length === 0) return
  await stored.insertMany([...documents], { ordered: false }).catch((error: unknown) => {
    if (!onlyDuplicates(error)) throw error
  })
}
