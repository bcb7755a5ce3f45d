import type { Db } from 'mongodb'

interface IdentityDocument {
  readonly _id: 'log'
  /** Id of the first event of the log that this database belongs to. */
  readonly first: string
}

/** Stores in a database which log it belongs to. One of two concurrent claims wins. */
export const identityIn = (db: Db) => {
  const identity = db.collection<IdentityDocument>('identity')
  const read = async (): Promise<string | undefined> => (await identity.findOne({ _id: 'log' }))?.first
  return {
    read,
    claim: async (first: string, takeOver: boolean): Promise<string> => {
      const change = takeOver ? { $set: { first } } : { $setOnInsert: { first } }
      await identity.updateOne({ _id: 'log' }, change, { upsert: true })
      return (await read()) ?? first
    },
  }
}
