import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDataFolder, readOrCreate } from '../../stores/sqlite/dataFolder.ts'
import type { AuditKeys } from '../../api/deps.ts'
import { makeSignerKey, signerText, readSignerKey, readVerifierKey } from '../../transparency/note.ts'
import { openSuccession } from '../../transparency/succession.ts'
import { isAbsent, reasonOf } from '../../stores/fileProblems.ts'
import { MissingStore } from '../../stores/sqlite/openReadOnly.ts'
import { ConfigError, type Config } from '../settings/config.ts'
import { files } from '../settings/fixedNames.ts'

/** Default name of a log: its public address, else a random name. */
const defaultName = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  baseUrl === undefined ? `metadata-catalog/${randomBytes(6).toString('hex')}` : baseUrl.replace(/^https?:\/\//, '')

/** Prefix of a line with a note of succession in base64. */
const successionPrefix = 'SUCCESSION+'

/** Parses a private key in the first line, then public keys and notes of succession. @throws NoteError */
export const readAuditKeys = (text: string): Omit<AuditKeys, 'lastSignedFile' | 'cosignedFile'> => {
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const [first = '', ...former] = lines.filter((line) => !line.startsWith(successionPrefix))
  const signer = readSignerKey(first)
  const keys = [readVerifierKey(signer.text), ...former.map(readVerifierKey)]
  const successions = lines
    .filter((line) => line.startsWith(successionPrefix))
    .map((line) => Buffer.from(line.slice(successionPrefix.length), 'base64').toString())
  for (const note of successions) openSuccession(note, keys)
  return { signer, keys, successions }
}

/** The inverse of {@link readAuditKeys}. */
export const auditKeysText = ({
  signer,
  keys,
  successions,
}: Omit<AuditKeys, 'lastSignedFile' | 'cosignedFile'>): string =>
  [
    signerText(signer),
    ...keys.filter(({ text }) => text !== signer.text).map(({ text }) => text),
    ...successions.map((note) => `${successionPrefix}${Buffer.from(note).toString('base64')}`),
  ].join('\n')

export const auditKeyFileOf = ({ auditKeyFile, dataDir }: Pick<Config, 'auditKeyFile' | 'dataDir'>): string =>
  auditKeyFile ?? join(dataDir, files.auditKey)

/** The existing keys. @throws ConfigError, MissingStore */
export const existingAuditKeys = (config: Pick<Config, 'auditKeyFile' | 'dataDir'>): AuditKeys => {
  const { auditKeyFile, dataDir } = config
  const file = auditKeyFileOf(config)
  try {
    return {
      ...readAuditKeys(readFileSync(file, 'utf8')),
      lastSignedFile: join(dataDir, files.auditLastSigned),
      cosignedFile: join(dataDir, files.auditCosigned),
    }
  } catch (error) {
    if (isAbsent(error) && auditKeyFile === undefined) throw new MissingStore(file)
    const how = auditKeyFile === undefined ? 'the folder of CATALOG_DATA_DIR has' : 'CATALOG_AUDIT_KEY_FILE names'
    const advice = isAbsent(error)
      ? ' Put the key file of the log there, such as the audit.key of its data folder.'
      : ''
    throw new ConfigError([`${how} ${file}, which cannot be used: ${reasonOf(error)}.${advice}`])
  }
}

/** The keys in the configured file, else in the data folder, where they are created if missing. @throws ConfigError */
export const auditKeysFor = (config: Pick<Config, 'auditKeyFile' | 'baseUrl' | 'dataDir'>): AuditKeys => {
  const folder = createDataFolder(config.dataDir)
  if (config.auditKeyFile === undefined) readOrCreate(folder, files.auditKey, () => makeSignerKey(defaultName(config)))
  return existingAuditKeys(config)
}
