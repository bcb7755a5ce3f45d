import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { BSON, type Collection } from 'mongodb'
import { isDuplicate, typedCollection } from '../../stores/mongo/connection.ts'
import { movingOn, stateFields, stateId, type Generation, type Stored } from './generations.ts'
import { writeApart, type DocumentChanges, type Writing } from './storing.ts'
import { numberText } from './texts.ts'

/** Id of the document of the batch that was begun last. */
export const begunId = 'begun'

/**
 * A batch as it was begun. Its writes depend on each other, and cannot be computed again when a part of them is made:
 * whoever continues at its checkpoint, after a crash or beside it, makes these.
 */
interface BegunDocument extends Stored {
  /** The checkpoint before it; empty for none. */
  readonly after: string
  readonly position: string
  /** Unique id of the attempt. */
  readonly attempt: string
  readonly writes: Uint8Array
}

interface Begun {
  readonly changes: DocumentChanges
  readonly moving: ReturnType<typeof movingOn>
}

const begunIn = <D extends Stored>({ documents }: Pick<Generation<D>, 'documents'>): Collection<BegunDocument> =>
  typedCollection<BegunDocument>(documents)

/** Makes the writes of another attempt. @returns the position after them; `undefined` if it is there no more */
const finish = async <D extends Stored>(generation: Generation<D>, attempt: string): Promise<bigint | undefined> => {
  const found = await begunIn(generation).findOne({ _id: begunId, attempt })
  if (found === null) return undefined
  const { changes, moving } = BSON.deserialize(inflateRawSync(found.writes), { promoteLongs: false }) as Begun
  await writeApart(generation.documents, changes)
  await generation.state.updateOne(moving.filter, moving.update)
  return BigInt(found.position)
}

/** Bytes that are begun at most, as a document holds them: a batch that needs more is made without. */
const mostBegun = 15 * 2 ** 20

const begin = async (
  begunBefore: Collection<BegunDocument>,
  whole: Begun,
  begun: Omit<BegunDocument, 'writes' | '_id'>,
): Promise<void> => {
  // It has 17 MiB otherwise, and grows only.
  BSON.setInternalBufferSize(BSON.calculateObjectSize(whole))
  const writes = deflateRawSync(BSON.serialize(whole), { level: 1 })
  if (writes.length > mostBegun) return
  const filter = { _id: begunId, $or: [{ after: { $lt: begun.after } }, { attempt: begun.attempt }] }
  await begunBefore.replaceOne(filter, { ...begun, writes }, { upsert: true })
}

interface Attempt<D extends Stored> extends Pick<Writing<D>, 'generation' | 'batch'> {
  /** Unique. */
  readonly id: string
  readonly depends: boolean
  changes(): DocumentChanges
}

/**
 * Finishes the batch that another attempt has begun at the checkpoint, or begins this one if its writes depend on each
 * other. @returns the position after a batch that was finished: the writes of the events behind it must be computed again
 */
export const beginOrFinish = async <D extends Stored>({
  generation,
  batch,
  id,
  ...own
}: Attempt<D>): Promise<bigint | undefined> => {
  const fields = { ...stateFields, after: 1, attempt: 1 } as const
  for (;;) {
    const found = await begunIn(generation)
      .find({ _id: { $in: [stateId, begunId] } })
      .project<BegunDocument>(fields)
      .toArray()
    const [state, begun] = [stateId, begunId].map((each) => found.find(({ _id }) => _id === each))
    const [after, position] = [state?.position ?? '', numberText(batch.position)]
    if (begun?.after === after && begun.position > after && begun.attempt !== id) {
      const finished = await finish(generation, begun.attempt)
      if (finished !== undefined) return finished
      continue
    }
    // What comes again, or late, is not begun.
    const isNext = position > after && (batch.after === undefined || numberText(batch.after) === after)
    if (!own.depends || !isNext) return undefined
    const moving = movingOn({ ...batch.checkpoint, applied: true })
    try {
      await begin(begunIn(generation), { changes: own.changes(), moving }, { after, position, attempt: id })
      return undefined
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
  }
}
