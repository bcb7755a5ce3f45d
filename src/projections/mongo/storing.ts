import type { Collection } from 'mongodb'
import type { Batch } from '../projection.ts'
import { advanceCheckpoint, advanceUpdate, readState, type Generation, type Stored } from './generations.ts'
import { insertAbsent, toInsert, writeUnordered, writeWithCheckpoint, type BulkWrite } from './writes.ts'

/** Writes of a batch. */
interface Writing {
  readonly batch: Batch
  readonly generation: Generation
  readonly documents: readonly DocumentChanges[]
}

/** The writes of a batch, in this order. Repeating them changes nothing. */
export interface DocumentChanges {
  /** Immutable documents, inserted unless they exist. */
  readonly added?: readonly Stored[]
  /** Updates to be made in this order. */
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

/** All writes for one ordered command. If one fails, the later ones are skipped. */
const inOneCommand = ({ added, updates, upserts }: Required<DocumentChanges>): BulkWrite[] => [
  ...added.map(toInsert),
  ...updates,
  ...upserts,
]

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
  return state?.claimed === false && (state.position ?? -1n) >= position
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
    const together = documents.length > fewWrites ? [] : inOneCommand(writes)
    const isFew = together.length > 0 && together.length <= fewWrites
    // What is only added does not fail.
    if (isFew && (together.length === writes.added.length || (await isOrdered()))) {
      const told = await writeWithCheckpoint(generation.documents, together, advanceUpdate(moved))
      if (told !== undefined) return told.moved ?? hasMoved(generation, checkpoint.position)
    }
    await writeApart(generation.documents, writes)
    return advanceCheckpoint(generation, moved)
  }
