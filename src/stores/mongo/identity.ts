import type { Db } from 'mongodb'

interface IdentityDocument {
  readonly _id: 'log'
  /** Id of the first event of the log that everything in this database is of. */
  readonly first: string
}

/** Remembers in a database which log it is of. Of two that claim it at once one wins. */
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
