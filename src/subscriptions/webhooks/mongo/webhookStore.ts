import type { Collection } from 'mongodb'
import { connect, databaseIn, isDuplicate, reaching, type Patience } from '../../../stores/mongo/connection.ts'
import type { Sealer } from '../../../kinds/defineKind.ts'
import { progressText, readProgress, readWebhook } from '../storedText.ts'
import type { DeadLetter, Webhook } from '../webhook.ts'
import type { StoredWebhook, WebhookStore, WriteOutcome } from '../webhookStore.ts'

export interface MongoWebhookStoreOptions {
  readonly url: string
  /** Name of the database; else the one in the connection string, else `catalog`. */
  readonly database?: string | undefined
  readonly patience?: Patience | undefined
  readonly sealer: Pick<Sealer, 'seal'>
}

interface WebhookDocument {
  readonly _id: string
  readonly name: string
  /** JSON text: it holds names that begin with a dollar sign. */
  readonly webhook: string
  readonly generation: number
  /** JSON text. */
  readonly progress: string
  /** The process that delivers it, and until when. */
  readonly holder?: string
  readonly heldUntil?: Date
}

interface LetterDocument {
  readonly _id: { readonly webhook: string; readonly position: string }
  readonly letter: string
}

/** Positions as texts that sort as they do. */
const positionText = (position: bigint): string => String(position).padStart(20, '0')

const storedIn = ({ webhook, generation, progress }: WebhookDocument, sealer: Pick<Sealer, 'seal'>): StoredWebhook => ({
  webhook: readWebhook(webhook, sealer),
  generation,
  progress: readProgress(progress),
})

const letterOf = ({ _id, letter }: LetterDocument): DeadLetter => ({
  ...(JSON.parse(letter) as Omit<DeadLetter, 'position'>),
  position: BigInt(_id.position),
})

const writing = async (work: () => Promise<boolean>): Promise<WriteOutcome> => {
  try {
    return (await work()) ? 'written' : 'missing'
  } catch (error) {
    if (isDuplicate(error)) return 'taken'
    throw error
  }
}

/** Letters of a webhook are a range of the `_id` index. */
const rangeOf = (webhook: string, after: bigint | undefined) => ({
  _id: { $gt: { webhook, position: after === undefined ? '' : positionText(after) }, $lte: { webhook, position: '~' } },
})

type LetterCalls = 'addDeadLetter' | 'removeDeadLetter' | 'deadLetters' | 'countDeadLetters'

/** A {@link WebhookStore} in MongoDB, for any number of processes. @throws StoreUnavailable, UnsupportedServer */
export const openMongoWebhookStore = async (options: MongoWebhookStoreOptions): Promise<WebhookStore> => {
  const client = await connect(options.url, options.patience ?? {})
  const database = client.db(options.database ?? databaseIn(options.url))
  const webhooks: Webhooks = database.collection('webhooks')
  const letters: Letters = database.collection('webhook_dead_letters')
  await reaching(() => webhooks.createIndex({ name: 1 }, { unique: true }))
  return { ...webhookCalls(webhooks, letters, options.sealer), ...letterCalls(letters), close: () => client.close() }
}

type Webhooks = Collection<WebhookDocument>
type Letters = Collection<LetterDocument>

/** The members of a document that hold a webhook. */
const contentOf = (webhook: Webhook) => ({ name: webhook.name, webhook: JSON.stringify(webhook) })

const webhookCalls = (
  webhooks: Webhooks,
  letters: Letters,
  sealer: Pick<Sealer, 'seal'>,
): Omit<WebhookStore, LetterCalls | 'close'> => ({
  list: () =>
    reaching(async () =>
      (await webhooks.find().sort({ name: 1 }).toArray()).map((document) => storedIn(document, sealer)),
    ),
  get: (id) =>
    reaching(async () => {
      const document = await webhooks.findOne({ _id: id })
      return document === null ? undefined : storedIn(document, sealer)
    }),
  create: (webhook, progress) =>
    reaching(() =>
      writing(async () => {
        const content = { ...contentOf(webhook), generation: 1, progress: progressText(progress) }
        await webhooks.insertOne({ _id: webhook.id, ...content })
        return true
      }),
    ),
  update: (webhook, progress, generation) =>
    reaching(() =>
      writing(async () => {
        const filter = { _id: webhook.id, ...(generation !== undefined && { generation }) }
        const content = { ...contentOf(webhook), ...(progress && { progress: progressText(progress) }) }
        return (await webhooks.updateOne(filter, { $set: content, $inc: { generation: 1 } })).matchedCount > 0
      }),
    ),
  delete: (id) =>
    reaching(async () => {
      const { deletedCount } = await webhooks.deleteOne({ _id: id })
      await letters.deleteMany(rangeOf(id, undefined))
      return deletedCount > 0
    }),
  saveProgress: (id, { generation, holder }, progress) =>
    reaching(async () => {
      const change = { $set: { progress: progressText(progress) } }
      return (await webhooks.updateOne({ _id: id, generation, holder }, change)).matchedCount > 0
    }),
  lease: (id, holder, milliseconds) =>
    reaching(async () => {
      const now = new Date()
      const free = [{ holder }, { heldUntil: { $exists: false } }, { heldUntil: { $lt: now } }]
      const change = { $set: { holder, heldUntil: new Date(now.getTime() + milliseconds) } }
      return (await webhooks.updateOne({ _id: id, $or: free }, change)).matchedCount > 0
    }),
})

const letterCalls = (letters: Letters): Pick<WebhookStore, LetterCalls> => ({
  addDeadLetter: (id, { position, ...letter }, keep) =>
    reaching(async () => {
      const _id = { webhook: id, position: positionText(position) }
      await letters.replaceOne({ _id }, { letter: JSON.stringify(letter) }, { upsert: true })
      const [oldest] = await letters.find(rangeOf(id, undefined)).sort({ _id: -1 }).skip(keep).limit(1).toArray()
      if (oldest !== undefined)
        await letters.deleteMany({ _id: { $gte: { webhook: id, position: '' }, $lte: oldest._id } })
    }),
  removeDeadLetter: (id, position) =>
    reaching(async () => {
      await letters.deleteOne({ _id: { webhook: id, position: positionText(position) } })
    }),
  deadLetters: (id, after, limit) =>
    reaching(async () =>
      (await letters.find(rangeOf(id, after)).sort({ _id: 1 }).limit(limit).toArray()).map(letterOf),
    ),
  countDeadLetters: (id) => reaching(() => letters.countDocuments(rangeOf(id, undefined))),
})
