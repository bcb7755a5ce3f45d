import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type Db } from 'mongodb'
import { isDuplicate } from '../../stores/mongo/connection.ts'
import type { Batch } from '../projection.ts'
import { advanceCheckpoint, advanceUpdate, positionIn, readState, type Generation, type Stored } from './generations.ts'

type BulkWrite = AnyBulkWriteOperation<Stored>

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
const writeUnordered = async (stored: Collection<Stored>, writes: readonly BulkWrite[]): Promise<void> => {
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
  const collection = db.collection<Stored & { touched: Date }>('write_order')
  await collection.bulkWrite([touching])
  try {
    await collection.bulkWrite([impossible, touching], { ordered: true })
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

const toInsert = ({ _id, ...rest }: Stored): BulkWrite => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
})

const insertAbsent = async (stored: Collection<Stored>, documents: readonly Stored[]): Promise<void> => {
  if (documents.length === 0) return
  await stored.insertMany([...documents], { ordered: false }).catch((error: unknown) => {
    if (!onlyDuplicates(error)) throw error
  })
}

interface Writing {
  readonly batch: Batch
  readonly generation: Generation
  readonly documents: readonly DocumentChanges[]
}

/** The writes of a batch, in this order. Repeating them changes nothing. */
export interface DocumentChanges {
  readonly added?: readonly Stored[]
  readonly updates?: readonly BulkWrite[]
  /** Upserts restricted by filters, which fail as duplicates where a document does not match. The last is made last. */
  readonly upserts?: readonly BulkWrite[]
}

/** What is added comes first; the last upsert comes after all others. */
const merged = (changes: readonly DocumentChanges[]): Required<DocumentChanges> => ({
  added: changes.flatMap(({ added = [] }) => added),
  updates: changes.flatMap(({ updates = [] }) => updates),
  upserts: changes.flatMap(({ upserts = [] }) => upserts),
})

/** More writes than this precede their checkpoint in separate commands, since inserts are faster. */
const fewWrites = 200

const writeApart = async (
  collection: Collection<Stored>,
  { added, updates, upserts }: Required<DocumentChanges>,
): Promise<void> => {
  await insertAbsent(collection, added)
  if (updates.length > 0) await collection.bulkWrite([...updates])
  for (const some of [upserts.slice(0, -1), upserts.slice(-1)]) await writeUnordered(collection, some)
}

/** Not every server reports matched counts for several updates. */
const hasMoved = async (generation: Pick<Generation, 'state'>, position: bigint): Promise<boolean> => {
  const state = await readState(generation)
  return state !== undefined && state.claim === undefined && (positionIn(state) ?? -1n) >= position
}

/**
 * Stores documents and then the checkpoint: in one command if they are few and the server preserves the order.
 * @param isOrdered see {@link preservesOrder}
 * @returns false as {@link advanceCheckpoint} does
 */
export const makeBatchWriter =
  (isOrdered: () => Promise<boolean>) =>
  async ({ generation, documents, batch: { checkpoint } }: Writing): Promise<boolean> => {
    const applied = documents.length > 0
    const moved = { ...checkpoint, applied }
    if (!applied) return advanceCheckpoint(generation, moved)
    const writes = merged(documents)
    const { added, updates, upserts } = writes
    const together = documents.length > fewWrites ? [] : [...added.map(toInsert), ...updates, ...upserts]
    const isFew = together.length > 0 && together.length <= fewWrites
    // What is only added does not fail.
    if (isFew && (together.length === added.length || (await isOrdered()))) {
      const outcome = await writeWithCheckpoint(generation.documents, together, advanceUpdate(moved))
      if (outcome !== undefined) return outcome.moved ?? hasMoved(generation, checkpoint.position)
    }
    await writeApart(generation.documents, writes)
    return advanceCheckpoint(generation, moved)
  }
