import type { Collection } from 'mongodb'
import { connect, databaseIn, reaching } from './connection.ts'

interface IdentityDocument {
  readonly _id: 'log'
  /** Id of the first event of the log that everything in this database is of. */
  readonly first: string
}

const withIdentity = <T>(url: string, work: (identity: Collection<IdentityDocument>) => Promise<T>): Promise<T> =>
  reaching(async () => {
    const client = await connect(url, {})
    try {
      return await work(client.db(databaseIn(url)).collection<IdentityDocument>('identity'))
    } finally {
      await client.close()
    }
  })

/** Id of the first event of the log that a database is of; `undefined`: nobody has claimed it. @throws StoreUnavailable */
export const readMongoIdentity = (url: string): Promise<string | undefined> =>
  withIdentity(url, async (identity) => (await identity.findOne({ _id: 'log' }))?.first)

/**
 * Claims a database for the log that begins with an event. Of two that claim it at once one wins.
 * @param takeOver claims it although it is another's
 * @returns the event whose log it is of from then on @throws StoreUnavailable
 */
export const claimMongoIdentity = (url: string, first: string, takeOver: boolean): Promise<string> =>
  withIdentity(url, async (identity) => {
    const change = takeOver ? { $set: { first } } : { $setOnInsert: { first } }
    await identity.updateOne({ _id: 'log' }, change, { upsert: true })
    return (await identity.findOne({ _id: 'log' }))?.first ?? first
  })
