import type { Collection } from 'mongodb'
import { typedCollection } from '../../stores/mongo/connection.ts'
import type { Batch } from '../projection.ts'
import { moveOn, movingOn, readState, type Generation, type Stored } from './generations.ts'
import { insertAbsent, inserting, writeAny, writeTogether, type Write } from './writes.ts'

/** Writes of a batch, of type `W`: documents or updates. */
export interface Writing<D extends Stored, W = D> {
  readonly batch: Batch
  readonly generation: Generation<D>
  readonly documents: readonly W[]
}

/** The writes of a batch, in this order. Repeating them changes nothing. */
export interface DocumentChanges {
  /** Immutable documents, inserted unless they exist. */
  readonly added?: readonly Stored[]
  /** Updates to be made in this order. */
  readonly updates?: readonly Write[]
  /** Upserts restricted by filters, which fail as duplicates where a document does not match. The last is made last. */
  readonly upserts?: readonly Write[]
}

export interface Storing<D extends Stored, W = D> {
  writesOf(writing: Writing<D, W>): DocumentChanges
}

/** More writes than this precede their checkpoint in separate commands, since inserts are faster. */
const fewWrites = 200

/** All writes for one ordered command. If one fails, the later ones are skipped. */
const inOneCommand = ({ added = [], updates = [], upserts = [] }: DocumentChanges): Write[] => [
  ...added.map(inserting),
  ...updates,
  ...upserts,
]

const writeApart = async <D extends Stored>(
  collection: Collection<D>,
  { added = [], updates = [], upserts = [] }: DocumentChanges,
): Promise<void> => {
  await insertAbsent(collection, added)
  if (updates.length > 0) await typedCollection<Stored>(collection).bulkWrite([...updates])
  for (const some of [upserts.slice(0, -1), upserts.slice(-1)]) await writeAny(collection, some)
}

/** Not every server reports matched counts for several updates. */
const hasMoved = async (generation: Pick<Generation, 'state'>, position: bigint): Promise<boolean> => {
  const state = await readState(generation)
  return state?.claimed === false && (state.position ?? -1n) >= position
}

/**
 * Stores documents and then the checkpoint: in one command if they are few and the server preserves the order.
 * @param isOrdered see {@link keepsOrder}
 * @returns false as {@link moveOn} does
 */
export const makeStoring =
  <D extends Stored, W>(how: Storing<D, W>, isOrdered: () => Promise<boolean>) =>
  async (writing: Writing<D, W>): Promise<boolean> => {
    const { generation, documents } = writing
    const { checkpoint } = writing.batch
    const applied = documents.length > 0
    const moved = { ...checkpoint, applied }
    if (!applied) return moveOn(generation, moved)
    const writes = how.writesOf(writing)
    const together = documents.length > fewWrites ? [] : inOneCommand(writes)
    const isFew = together.length > 0 && together.length <= fewWrites
    // What is only added does not fail.
    if (isFew && (together.length === writes.added?.length || (await isOrdered()))) {
      const told = await writeTogether(generation.documents, together, movingOn(moved))
      if (told !== undefined) return told.moved ?? hasMoved(generation, checkpoint.position)
    }
    await writeApart(generation.documents, writes)
    return moveOn(generation, moved)
  }
