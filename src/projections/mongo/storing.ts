import { parseStreamName } from '../../events/events.ts'
import type { Batch } from '../projection.ts'
import { moveOn, movingOn, readState, type Generation, type Stored } from './generations.ts'
import { numberText } from './texts.ts'
import { writeTogether, type Replaced, type Write } from './writes.ts'

/** Writes of a batch, of type `W`: documents or updates. */
export interface Writing<D extends Stored, W = D> {
  readonly batch: Batch
  readonly generation: Generation<D>
  readonly documents: readonly W[]
}

export interface Storing<D extends Stored, W = D> {
  /** Writes documents, some of which may exist already or be newer. */
  write(writing: Writing<D, W>): Promise<void>
  /**
   * The same as writes for one ordered command. If one fails, the later ones are skipped and {@link write} does all.
   */
  together(writing: Writing<D, W>): readonly Write[]
  /** Whether the writes fail only if the same or newer documents are stored, so that their order does not matter. */
  commute?(documents: readonly W[]): boolean
  /** Called with documents that were stored with their checkpoint. */
  stored?(writing: Writing<D, W>): void
}

/** More writes than this precede their checkpoint in separate commands, since inserts are faster. */
const fewWrites = 200

/** The revision that each document most likely replaces: the one before its first event in the batch. */
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
