import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import { createDataFolder, readOrCreate, readSecret } from '../../stores/sqlite/dataFolder.ts'
import type { Config } from '../settings/config.ts'
import { files } from '../settings/fixedNames.ts'
import type { ReadModels } from '../../projections/readModels/readModels.ts'

const purpose = 'metadata catalog: id of the sealing key'

/** Identifies a key and tells nothing of it. */
const idOf = (secret: string): string => Buffer.from(hkdfSync('sha256', secret, '', purpose, 16)).toString('hex')

const fileOf = ({ dataDir }: Config): string => join(dataDir, files.sealingKeyId)

/** The key in the data folder, if any. */
const keyIn = ({ dataDir }: Config): string | undefined => readSecret(join(dataDir, files.sealingKey))

/** Whether the key that sealed the secrets of the log is not the one in the data folder. */
export const isSealedElsewhere = (config: Config): boolean => {
  const [known, key] = [readSecret(fileOf(config)), keyIn(config)]
  return known !== undefined && (key === undefined || known !== idOf(key))
}

interface KeyRecord {
  /** For people. */
  readonly place: string
  read(): Promise<string | undefined>
  /** @returns the id that is recorded: an earlier one stays */
  claim(id: string): Promise<string>
}

type Models = Pick<ReadModels, 'sealingKey'>

/** What all processes share comes first. */
const recordsOf = (config: Config, { sealingKey }: Models): KeyRecord[] => {
  const shared = sealingKey && {
    place: 'the document sealingKey of the collection identity in MongoDB',
    read: sealingKey.read,
    claim: (id: string) => sealingKey.claim(id, false),
  }
  const inFolder = {
    place: fileOf(config),
    read: async () => readSecret(fileOf(config)),
    claim: async (id: string) => readOrCreate(createDataFolder(config.dataDir), files.sealingKeyId, () => id),
  }
  return [...(shared ? [shared] : []), inFolder]
}

/** What it means, for people, where another key than the present one sealed: a lost key must not lock the catalog out. */
export const sealingWarning = async (config: Config, readModels: Models): Promise<string | undefined> => {
  const key = config.secretKey ?? keyIn(config)
  if (key === undefined) return undefined
  const places: string[] = []
  for (const { place, read } of recordsOf(config, readModels)) {
    const known = await read()
    if (known !== undefined && known !== idOf(key)) places.push(place)
  }
  if (places.length === 0) return undefined
  const all = places.join(' and ')
  return (
    'The secrets of this log, such as those of webhooks, were sealed by another key than the present one, as ' +
    `${all} ${places.length > 1 ? 'say' : 'says'}: they cannot be opened, and tokens of programs are refused. ` +
    `Set CATALOG_SECRET_KEY to the former key, or put the former ${files.sealingKey} back. If it is lost, remove ${all}, and enter the secrets again.`
  )
}

/** Records the present key wherever none is recorded, unless another one is. @returns the {@link sealingWarning} */
export const recordSealingKey = async (
  config: Config,
  readModels: Models,
  key: string,
): Promise<string | undefined> => {
  const id = idOf(key)
  for (const { claim } of recordsOf(config, readModels)) if ((await claim(id)) !== id) break
  return sealingWarning(config, readModels)
}
