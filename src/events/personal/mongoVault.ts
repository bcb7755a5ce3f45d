import { randomBytes, randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import { guardAll } from '../../stores/errors.ts'
import { connect, withStoreErrors, type DatabaseOptions } from '../../stores/mongo/connection.ts'
import type { VaultKey, SubjectKey, Vault } from './vault.ts'

interface KeyDocument {
  readonly _id: string
  readonly subject: string
  readonly key: Buffer
  readonly retired: boolean
}

/** A destroyed key keeps only its id. */
const nothing = Buffer.alloc(0)
const isThere = { $ne: nothing }

const toDocument = ({ id, ...key }: VaultKey): KeyDocument => ({ _id: id, ...key })

const findOrMake = async (keys: Collection<KeyDocument>, subject: string): Promise<SubjectKey> => {
  const found = await keys.findOne({ subject, retired: false })
  if (found !== null) return { id: found._id, key: found.key }
  const made = { id: randomUUID(), subject, key: randomBytes(32), retired: false }
  await keys.insertOne(toDocument(made))
  return made
}

async function* allIn(keys: Collection<KeyDocument>, only: 'retired' | undefined): AsyncGenerator<VaultKey> {
  const cursor = keys.find({ key: isThere, ...(only === 'retired' && { retired: true }) })
  const next = () => withStoreErrors(() => cursor.next())
  try {
    for (let found = await next(); found !== null; found = await next()) {
      const { _id, ...key } = found
      yield { id: _id, ...key }
    }
  } finally {
    await cursor.close().catch(() => undefined)
  }
}

/** A {@link Vault} in MongoDB, for any number of processes. @throws StoreUnavailable, UnsupportedServer */
export const openMongoVault = async (options: DatabaseOptions): Promise<Vault> => {
  const name = 'personal_keys'
  const { client, db } = await connect(options, (database) => database.collection(name).createIndex({ subject: 1 }))
  const keys: Collection<KeyDocument> = db.collection(name)
  const pendingKeys = new Map<string, Promise<SubjectKey>>()
  const calls: Omit<Vault, 'all'> = {
    // Two processes may each create one: both are kept and retired together.
    current: (subject) => {
      const key = pendingKeys.get(subject) ?? findOrMake(keys, subject).finally(() => pendingKeys.delete(subject))
      pendingKeys.set(subject, key)
      return key
    },
    keys: async (ids) => {
      const found = await keys.find({ _id: { $in: [...ids] } }).toArray()
      return new Map(found.map(({ _id, key }) => [_id, key]))
    },
    retire: async (subject) => {
      await pendingKeys.get(subject)?.catch(() => undefined)
      await keys.updateMany({ subject }, { $set: { retired: true } })
      pendingKeys.delete(subject)
      return (await keys.find({ subject, key: isThere }).toArray()).map(({ _id }) => _id)
    },
    destroy: async (subject, ids) => {
      const destroyed = { subject, key: nothing, retired: true }
      for (const _id of ids) await keys.updateOne({ _id }, { $set: destroyed }, { upsert: true })
    },
    add: async (added) => {
      for (const key of added) {
        const { _id, retired, ...rest } = toDocument(key)
        await keys.updateOne({ _id }, { $setOnInsert: rest, $max: { retired } }, { upsert: true })
      }
    },
    close: () => client.close(),
  }
  return { ...guardAll(calls, withStoreErrors), all: (only) => allIn(keys, only) }
}
