import { parseStreamName } from '../../events/events.ts'
import type { Batch } from '../projection.ts'
import { moveOn, movingOn, readState, type Generation, type Stored } from './generations.ts'
import { numberText } from './texts.ts'
import { writeTogether, type Replaced, type Write } from './writes.ts'

/** `W` is what a batch writes: documents, or what is done to them. */
export interface Writing<D extends Stored, W = D> {
  readonly batch: Batch
  readonly generation: Generation<D>
  readonly documents: readonly W[]
}

export interface Storing<D extends Stored, W = D> {
  /** Writes documents of which some may be there already, or newer ones. */
  write(writing: Writing<D, W>): Promise<void>
  /** The same as writes of one command. Where one fails those behind it are not done, and {@link write} does all. */
  together(writing: Writing<D, W>): readonly Write[]
  /** Do the writes of these fail only where they, or newer ones, are stored? Then nothing depends on their order. */
  commute?(documents: readonly W[]): boolean
  /** Is told of documents that are stored with their checkpoint. */
  stored?(writing: Writing<D, W>): void
}

/** More writes than this come before their checkpoint in commands of their own: a server takes inserts quicker. */
const fewWrites = 200

/** Each document most likely follows the revision before its first event of the batch. */
export const replacedBy = ({ events }: Pick<Batch, 'events'>): Replaced => {
  const before = new Map<string, bigint>()
  for (const { stream, revision } of events) {
    const { id } = parseStreamName(stream)
    if (!before.has(id)) before.set(id, revision - 1n)
  }
  return ({ _id, revision }) => {
    const replaced = before.get(_id) ?? BigInt(revision) - 1n
    return replaced < 0n ? undefined : numberText(replaced)
  }
}

/** Not every server counts what a command of several updates has found. */
const hasMoved = async (generation: Pick<Generation, 'state'>, position: bigint): Promise<boolean> => {
  const state = await readState(generation)
  return state?.claimed === false && (state.position ?? -1n) >= position
}

/**
 * Stores documents and then the checkpoint: with one command where they are few and the server keeps the order.
 * @param isOrdered see {@link keepsOrder}
 * @returns false where {@link moveOn} does
 */
export const makeStoring =
  <D extends Stored, W>(how: Storing<D, W>, isOrdered: () => Promise<boolean>) =>
  async (writing: Writing<D, W>): Promise<boolean> => {
    const { generation, documents } = writing
    const { checkpoint } = writing.batch
    const applied = documents.length > 0
    const moved = { ...checkpoint, applied }
    const end = (isMoved: boolean): boolean => {
      if (isMoved) how.stored?.(writing)
      return isMoved
    }
    const isFew = applied && documents.length <= fewWrites
    if (isFew && (how.commute?.(documents) === true || (await isOrdered()))) {
      const writes = how.together(writing)
      const told =
        writes.length > fewWrites ? undefined : await writeTogether(generation.documents, writes, movingOn(moved))
      if (told !== undefined) return end(told.moved ?? (await hasMoved(generation, checkpoint.position)))
    }
    if (applied) await how.write(writing)
    return end(await moveOn(generation, moved))
  }
