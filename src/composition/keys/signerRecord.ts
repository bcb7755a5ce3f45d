import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditKeys } from '../../api/deps.ts'
import type { EventStore } from '../../events/eventStore.ts'
import { streamName } from '../../events/events.ts'
import { principalKind } from '../../kinds/registry/kinds.ts'
import { buildFqn, entityId } from '../../kinds/names.ts'
import { createDataFolder, readSecret, replaceSecret } from '../../stores/sqlite/dataFolder.ts'
import { openCheckpoint, notesIn } from '../../transparency/checkpoint.ts'
import { NoteError, readVerifierKey, type VerifierKey } from '../../transparency/note.ts'
import type { Config } from '../settings/config.ts'
import { files } from '../settings/fixedNames.ts'
import { systemUser } from '../../shared/entityName.ts'
import { auditKeyFileOf, existingAuditKeys } from './auditKeys.ts'

/** The newest signed note of a file; `undefined` if there is none, or no such file. */
const readNewestNote = (path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) throw new Error(`${path} in CATALOG_AUDIT_WITNESS is not a file.`)
  return notesIn(readFileSync(path, 'utf8')).at(-1)
}

type Places = Pick<Config, 'auditKeyFile' | 'auditWitness' | 'dataDir'>

/** A record of a key that signed checkpoints of the log. */
interface Memory {
  /** Its location, for people. */
  readonly where: string
  /** Absent if it is only known to be none of the present keys. */
  readonly key?: VerifierKey
}

const fileOf = ({ dataDir }: Places): string => join(dataDir, files.auditPublicKey)

const inFolder = (config: Places): Memory[] => {
  const text = readSecret(fileOf(config))
  return text === undefined ? [] : [{ where: fileOf(config), key: readVerifierKey(text) }]
}

const inLog = async (log: Pick<EventStore, 'readStream'>): Promise<Memory[]> => {
  const found: Memory[] = []
  const stream = streamName(principalKind, entityId(principalKind, buildFqn([systemUser])))
  for await (const event of log.readStream(stream))
    if (event.type === 'KeyChanged')
      found.push({ where: `the log at position ${event.position}`, key: readVerifierKey(event.data.key) })
  return found
}

/** Files of witnesses whose newest checkpoint was signed by none of the keys. */
const atWitnesses = ({ auditWitness }: Places, keys: readonly VerifierKey[]): Memory[] => {
  const found: Memory[] = []
  for (const target of auditWitness.targets) {
    const newest = typeof target === 'string' ? readNewestNote(target) : undefined
    try {
      if (newest !== undefined) openCheckpoint(newest, keys)
    } catch (error) {
      if (!(error instanceof NoteError)) throw error
      found.push({ where: `the newest checkpoint of the witness ${String(target)}` })
    }
  }
  return found
}

const short = ({ name, id }: VerifierKey): string => `${name}+${id}`

const textOf = (file: string, { signer }: AuditKeys, { where, key }: Memory): string => {
  const former = key === undefined ? 'another key' : `the key ${short(key)}`
  const line = key === undefined ? 'its public key' : `its public key ${key.text}`
  return (
    `Checkpoints of this log were signed by ${former} before, as ${where} says, and ${file} has the key ` +
    `${short(signer)}, ` +
    'which that one did not sign as its successor: whoever kept the former key cannot verify what is signed now. ' +
    `Put the former file back. If it is lost, append ${line} to ${file} as a line of its own, and tell those who ` +
    'verify the ' +
    'new key yourself. A key is changed with: catalog audit rotate'
  )
}

/** Records of an unknown key that has signed for this log: the key file was replaced. */
export const signerWarnings = async (
  config: Places,
  keys: AuditKeys,
  log: Pick<EventStore, 'readStream'>,
): Promise<string[]> => {
  const known = new Set(keys.keys.map(({ text }) => text))
  const memories = [...inFolder(config), ...(await inLog(log)), ...atWitnesses(config, keys.keys)]
  const foreign = memories.filter(({ key }) => key === undefined || !known.has(key.text))
  return foreign.map((memory) => textOf(auditKeyFileOf(config), keys, memory))
}

/** The same for read-only commands: without a key none was replaced. @throws ConfigError */
export const readSignerWarnings = async (config: Places, log: Pick<EventStore, 'readStream'>): Promise<string[]> =>
  existsSync(auditKeyFileOf(config)) ? signerWarnings(config, existingAuditKeys(config), log) : []

/** Records the signing key in the data folder. */
export const recordSigner = (config: Places, { signer }: AuditKeys): void => {
  createDataFolder(config.dataDir)
  if (readSecret(fileOf(config)) !== signer.text) replaceSecret(fileOf(config), signer.text)
}
