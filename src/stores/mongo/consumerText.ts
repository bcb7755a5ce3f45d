import { connect, databaseIn, withStoreErrors } from './connection.ts'

interface CheckpointDocument {
  readonly _id: string
  readonly text: string
}

/** A named text in a database, shared by all processes. @throws StoreUnavailable */
export const openMongoCheckpoint = async (url: string, name: string) => {
  const client = await connect(url, {})
  const checkpoints = client.db(databaseIn(url)).collection<CheckpointDocument>('consumers')
  return {
    read: (): Promise<string | undefined> =>
      withStoreErrors(async () => (await checkpoints.findOne({ _id: name }))?.text),
    write: (text: string): Promise<void> =>
      withStoreErrors(
        async () => void (await checkpoints.updateOne({ _id: name }, { $set: { text } }, { upsert: true })),
      ),
    close: (): Promise<void> => client.close(),
  }
}
