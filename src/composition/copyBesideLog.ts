import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { finishForgetting } from '../commands/requests/forget.ts'
import type { EventStore } from '../events/eventStore.ts'
import { decryptingLog, makePersonalAudit } from '../events/personal/sealing.ts'
import { findInCopy } from '../events/transfer/copyLog.ts'
import { personalByKind } from '../kinds/registry/kinds.ts'
import { readOrCreate, readSecret } from '../stores/sqlite/dataFolder.ts'
import { copyWebhooks } from '../subscriptions/webhooks/copyWebhooks.ts'
import { openReadModels, openVault, openWebhookStore, publicPart, secretFor, vaultLocation } from './engines.ts'
import { assertOwnLog } from './logIdentity.ts'
import { makeSecretCodec } from './secretCodec.ts'
import type { Config } from './settings/config.ts'
import { files, keyFiles } from './settings/fixedNames.ts'

interface CopiedLogs {
  readonly from: Config
  readonly to: Config
  readonly source: EventStore
  readonly target: EventStore
}

/** Location of what a catalog keeps beside its log, for people. */
const besideLog = ({ mongodbUrl, dataDir }: Config): string =>
  mongodbUrl === undefined ? resolve(dataDir) : publicPart(mongodbUrl)

/** Checks that what is kept beside a log belongs to it, or to none. @throws LogMismatch */
export const assertBelongs = async (config: Config, log: EventStore): Promise<void> => {
  if (config.mongodbUrl === undefined) return assertOwnLog(config, { log, readModels: {} })
  const readModels = await openReadModels(config, { readOnly: true })
  try {
    await assertOwnLog(config, { log, readModels })
  } finally {
    await readModels.close()
  }
}

/** @throws Error if what is beside both logs would be in one place */
export const assertApart = (from: Config, to: Config): void => {
  if (besideLog(from) !== besideLog(to)) return
  throw new Error(
    `Both logs would keep their webhooks, read marks and keys in ${besideLog(to)}, and their positions differ: set ` +
      'CATALOG_MONGODB_URL, or CATALOG_DATA_DIR to another folder.',
  )
}

/** Without keys that the log reports as destroyed: these are destroyed in the target. */
const copyPersonalKeys = async ({ from, to, target: log }: CopiedLogs): Promise<string> => {
  const [source, target] = [openVault(from, { readOnly: true }), openVault(to, { readOnly: false })]
  try {
    const keys = await Array.fromAsync(source.all())
    // What is destroyed there is not added.
    await finishForgetting(target, log.readAll())
    if (keys.length > 0) await target.add(keys)
    return `${keys.length} keys of personal values copied from ${vaultLocation(from)} to ${vaultLocation(to)}.`
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

/** How many keys of values in the log are not beside the source, though no event says that they were destroyed. */
const countLost = async ({ from, target }: CopiedLogs): Promise<number> => {
  const [vault, audit] = [openVault(from, { readOnly: true }), makePersonalAudit()]
  try {
    const events = decryptingLog(target, { vault, personal: personalByKind, observer: audit.observer }).readAll()
    for await (const _ of events);
    return audit.lost().length
  } finally {
    await vault.close()
  }
}

/** The key is needed only for an endpoint that an earlier version did not encrypt. */
const storeOf = (config: Config, readOnly: boolean) =>
  openWebhookStore(config, { seal: (plain) => makeSecretCodec(secretFor(config)).seal(plain) }, { readOnly })

/** A folder without the file was never served, or its service keeps these in MongoDB. */
const copyWebhookStore = async ({ from, to, source, target }: CopiedLogs, lacksKeys: boolean): Promise<string[]> => {
  if (from.mongodbUrl === undefined && !existsSync(join(from.dataDir, files.webhooks)))
    return [`NOT copied, since ${besideLog(from)} has no ${files.webhooks}: webhooks, notifications, read marks.`]
  const store = await storeOf(from, true)
  try {
    if (lacksKeys && (await store.list()).length === 0) return []
    const copy = await storeOf(to, false)
    const find = (positions: Iterable<bigint>) => findInCopy(source, target, positions)
    const { webhooks, deadLetters, readMarks } = await copyWebhooks(store, copy, find).finally(copy.close)
    return [
      `${webhooks} webhooks and notifications with ${deadLetters} dead letters copied to ${besideLog(to)}.`,
      `${readMarks} read marks copied to ${besideLog(to)}.`,
    ]
  } finally {
    await store.close()
  }
}

/** Keys in files belong to data folders; elsewhere the settings have them. */
const copyKeyFiles = ({ from, to }: CopiedLogs): string[] => {
  if (from.mongodbUrl !== undefined || to.mongodbUrl !== undefined) return []
  const copied: string[] = []
  const others: string[] = []
  for (const name of keyFiles) {
    const text = readSecret(join(from.dataDir, name))
    if (text !== undefined) (readOrCreate(to.dataDir, name, () => text) === text ? copied : others).push(name)
  }
  return [
    ...(copied.length > 0 ? [`${copied.join(', ')} copied to ${besideLog(to)}.`] : []),
    ...(others.length > 0 ? [`NOT copied, since ${besideLog(to)} has others: ${others.join(', ')}.`] : []),
  ]
}

/** Copies what is kept beside a log, and tells each part in a line. @throws Error if keys that the log needs are missing */
export async function* copyBesideLog(logs: CopiedLogs): AsyncGenerator<string> {
  yield copyPersonalKeys(logs)
  const lost = await countLost(logs)
  yield* await copyWebhookStore(logs, lost > 0)
  yield* copyKeyFiles(logs)
  if (lost > 0)
    throw new Error(
      `${lost} keys of personal values that the log needs are not in ${vaultLocation(logs.from)}. If the service of ` +
        '--from keeps them elsewhere, name that place in CATALOG_MONGODB_URL or CATALOG_DATA_DIR, and run this again.',
    )
}
