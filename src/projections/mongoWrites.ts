import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection } from 'mongodb'
import { isDuplicate } from './mongoConnection.ts'
import { numberText, toDocument, type EntityDocument } from './mongoRow.ts'
import type { EntityRow } from './readModels.ts'

type Entities = Collection<EntityDocument>
type Write = AnyBulkWriteOperation<EntityDocument>

const firstRevision = numberText(0n)

/** Other processes may get in between so often before it is taken for a fault. */
const maxRounds = 50

/** True when everything that failed failed because the document is there already. */
const onlyDuplicates = (error: unknown): boolean => {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicate(error)
  const failed = [error.writeErrors].flat()
  if (error.result.getWriteConcernError() !== undefined) return false
  return failed.length > 0 && failed.every(({ code }) => Number(code) === 11_000)
}

const write = async (entities: Entities, writes: Write[]): Promise<void> => {
  if (writes.length === 0) return
  try {
    await entities.bulkWrite(writes, { ordered: false })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** Writes for those whose stored revision is lower: each holds only while that revision is still the stored one. */
const writesFor = async (entities: Entities, documents: readonly EntityDocument[]): Promise<Write[]> => {
  if (documents.length === 0) return []
  const found = entities
    .find({ _id: { $in: documents.map(({ _id }) => _id) } })
    .project<Pick<EntityDocument, '_id' | 'revision'>>({ revision: 1 })
    .batchSize(documents.length)
  const stored = new Map((await found.toArray()).map(({ _id, revision }) => [_id, revision]))
  return documents.flatMap((document): Write[] => {
    const revision = stored.get(document._id)
    if (revision === undefined) return [{ insertOne: { document } }]
    if (revision >= document.revision) return []
    return [{ replaceOne: { filter: { _id: document._id, revision }, replacement: document } }]
  })
}

/**
 * Stores the rows where they are newer than what is there, whatever other processes store meanwhile. What shows a
 * first event is inserted: when something is there already, it shows that event too. The others take the place of the
 * revision that they were compared with. Reports of bulk writes are not relied on: they are compared again, until none
 * is behind.
 */
export const writeRows = async (entities: Entities, rows: readonly EntityRow[]): Promise<void> => {
  const documents = rows.map(toDocument)
  const firsts = documents.filter(({ revision }) => revision === firstRevision)
  const others = documents.filter(({ revision }) => revision !== firstRevision)
  await write(entities, [
    ...firsts.map((document): Write => ({ insertOne: { document } })),
    ...(await writesFor(entities, others)),
  ])
  for (let round = 0; round < maxRounds; round++) {
    const writes = await writesFor(entities, others)
    if (writes.length === 0) return
    await write(entities, writes)
  }
  throw new Error(`Read models could not be written: other processes came first ${maxRounds} times.`)
}
