import type { Db, Filter, UpdateFilter } from 'mongodb'
import { connect, isDuplicate, withStoreErrors, type DatabaseOptions } from '../../../stores/mongo/connection.ts'
import { numberText } from '../../../projections/mongo/generations.ts'
import { guardAll } from '../../../stores/errors.ts'
import type { SecretCodec } from '../../../kinds/defineKind.ts'
import {
  letterText,
  outcomeOf,
  progressText,
  readLetter,
  readRow,
  type ReadMarks,
  type WebhookRow,
  type WebhookStore,
} from '../webhookStore.ts'

interface MongoWebhookStoreOptions extends DatabaseOptions {
  readonly secretCodec: Pick<SecretCodec, 'seal'>
}

interface WebhookDocument extends WebhookRow {
  readonly _id: string
  readonly name: string
  /** The process that delivers it, and until when. */
  readonly holder?: string
  readonly heldUntil?: Date
}

interface LetterDocument {
  readonly _id: { readonly webhook: string; readonly position: string }
  readonly letter: string
}

interface ReadMarkDocument {
  readonly _id: { readonly reader: string; readonly position: string }
  readonly upTo: boolean
}

/** Letters of a webhook are a range of the `_id` index. */
const rangeOf = (webhook: string, after: bigint | undefined) => ({
  _id: { $gt: { webhook, position: after === undefined ? '' : numberText(after) }, $lte: { webhook, position: '~' } },
})

const marksOf = (reader: string, before = '~') => ({
  _id: { $gte: { reader, position: '' }, $lt: { reader, position: before } },
})

const readMarksIn = (database: Db): ReadMarks => {
  const readMarks = database.collection<ReadMarkDocument>('read_marks')
  return {
    readers: () => readMarks.distinct('_id.reader'),
    readMarks: async (reader) => {
      const found = await readMarks.find(marksOf(reader)).toArray()
      return found.map(({ _id, upTo }) => ({ position: BigInt(_id.position), upTo }))
    },
    addReadMarks: async (reader, marks) => {
      for (const { position, upTo } of marks) {
        const _id = { reader, position: numberText(position) }
        await readMarks.updateOne({ _id }, { [upTo ? '$set' : '$setOnInsert']: { upTo } }, { upsert: true })
        if (upTo) await readMarks.deleteMany(marksOf(reader, _id.position))
      }
    },
    deleteReadMarks: async (reader, upTo) => void (await readMarks.deleteMany(marksOf(reader, numberText(upTo + 1n)))),
  }
}

/** A {@link WebhookStore} in MongoDB, for any number of processes. @throws StoreUnavailable, UnsupportedServer */
export const openMongoWebhookStore = async (options: MongoWebhookStoreOptions): Promise<WebhookStore> => {
  const { client, db } = await connect(options, (database) =>
    database.collection('webhooks').createIndex({ name: 1 }, { unique: true }),
  )
  const webhooks = db.collection<WebhookDocument>('webhooks')
  const letters = db.collection<LetterDocument>('webhook_dead_letters')
  /** @returns whether there was such a webhook */
  const change = async (filter: Filter<WebhookDocument>, update: UpdateFilter<WebhookDocument>): Promise<boolean> =>
    (await webhooks.updateOne(filter, update)).matchedCount > 0
  const toWebhook = readRow(options.secretCodec)
  const store: WebhookStore = {
    list: async () => (await webhooks.find().sort({ name: 1 }).toArray()).map(toWebhook),
    get: async (id) => (await webhooks.find({ _id: id }).toArray()).map(toWebhook)[0],
    create: (webhook, progress) => {
      const { id, name } = webhook
      const row = { generation: 1, webhook: JSON.stringify(webhook), progress: progressText(progress) }
      const inserting = async () => (await webhooks.insertOne({ _id: id, name, ...row })).acknowledged
      return outcomeOf(inserting(), isDuplicate)
    },
    update: ({ webhook, generation }, progress) => {
      const set = { webhook: JSON.stringify(webhook), ...(progress && { progress: progressText(progress) }) }
      const filter = { _id: webhook.id, generation }
      return outcomeOf(change(filter, { $set: { name: webhook.name, ...set }, $inc: { generation: 1 } }), isDuplicate)
    },
    delete: async (id) => {
      const { deletedCount } = await webhooks.deleteOne({ _id: id })
      await letters.deleteMany(rangeOf(id, undefined))
      return deletedCount > 0
    },
    saveProgress: (id, by, progress) => change({ _id: id, ...by }, { $set: { progress: progressText(progress) } }),
    addDeadLetter: async (id, letter, keep) => {
      const _id = { webhook: id, position: numberText(letter.position) }
      await letters.replaceOne({ _id }, { letter: letterText(letter) }, { upsert: true })
      // Counted after the insert, so that the deletion of the webhook meanwhile leaves no letter behind.
      const kept = keep * (await webhooks.countDocuments({ _id: id }))
      const [oldest] = await letters.find(rangeOf(id, undefined)).sort({ _id: -1 }).skip(kept).limit(1).toArray()
      if (oldest !== undefined)
        await letters.deleteMany({ _id: { $gte: { webhook: id, position: '' }, $lte: oldest._id } })
    },
    removeDeadLetter: async (id, position) =>
      void (await letters.deleteOne({ _id: { webhook: id, position: numberText(position) } })),
    deadLetters: async (id, after, limit) => {
      const found = await letters.find(rangeOf(id, after)).sort({ _id: 1 }).limit(limit).toArray()
      return found.map(({ _id, letter }) => readLetter(_id.position, letter))
    },
    countDeadLetters: (id) => letters.countDocuments(rangeOf(id, undefined)),
    lease: async (id, holder, milliseconds) => {
      // The clocks of the processes may differ.
      const { localTime: now } = (await db.command({ hello: 1 })) as { localTime: Date }
      const free = [{ holder }, { heldUntil: { $exists: false } }, { heldUntil: { $lt: now } }]
      return change({ _id: id, $or: free }, { $set: { holder, heldUntil: new Date(now.getTime() + milliseconds) } })
    },
    ...readMarksIn(db),
    close: () => client.close(),
  }
  return guardAll(store, withStoreErrors)
}
