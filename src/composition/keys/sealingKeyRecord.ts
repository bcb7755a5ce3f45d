import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { createDataFolder, readOrCreate, readSecret } from '../../stores/sqlite/dataFolder.ts'
import type { Config } from '../settings/config.ts'
import { files } from '../settings/fixedNames.ts'

const purpose = 'metadata catalog: id of the sealing key'

/** Identifies a key and tells nothing of it. */
const idOf = (secret: string): string => Buffer.from(hkdfSync('sha256', secret, '', purpose, 16)).toString('hex')

const fileOf = ({ dataDir }: Config): string => join(dataDir, files.sealingKeyId)

/** The key in the data folder, if any. */
const keyIn = ({ dataDir }: Config): string | undefined => readSecret(join(dataDir, files.sealingKey))

const isOther = (config: Config, key: string | undefined): boolean => {
  const known = readSecret(fileOf(config))
  return known !== undefined && (key === undefined || known !== idOf(key))
}

/** Whether the key that sealed the secrets of the log is not the one in the data folder. */
export const isSealedElsewhere = (config: Config): boolean => isOther(config, keyIn(config))

/** What it means, for people, where another key than the present one sealed: a lost key must not lock the catalog out. */
export const sealingWarning = (config: Config): string | undefined => {
  const key = config.secretKey ?? keyIn(config)
  if (key === undefined || !isOther(config, key)) return undefined
  const file = fileOf(config)
  return (
    `The secrets of this log, such as those of webhooks, were sealed by another key than the present one, as ${file} ` +
    'says: they cannot be opened, and tokens of programs are refused. Set CATALOG_SECRET_KEY to the former key, or put ' +
    `the former ${files.sealingKey} back. If it is lost, remove ${file}, and enter the secrets again.`
  )
}

/** Records the present key in the data folder, unless one is recorded. */
export const recordSealingKey = (config: Config, key: string): void => {
  readOrCreate(createDataFolder(config.dataDir), files.sealingKeyId, () => idOf(key))
}
