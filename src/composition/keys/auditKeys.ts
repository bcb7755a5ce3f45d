import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDataFolder, readOrCreate } from '../../stores/sqlite/dataFolder.ts'
import type { AuditKeys } from '../../api/audit/auditRoutes.ts'
import { BadNote, makeSignerKey, readSignerKey, readVerifierKey } from '../../transparency/note.ts'
import { ConfigError, type Config } from '../config.ts'
import { files } from '../engines.ts'

/** What a log is called when nobody says: by its public address, else by chance. */
const defaultName = ({ baseUrl }: Pick<Config, 'baseUrl'>): string =>
  baseUrl === undefined ? `metadata-catalog/${randomBytes(6).toString('hex')}` : baseUrl.replace(/^https?:\/\//, '')

/**
 * Reads keys: a private one in the first line, and in each further line a public one that signed before it.
 * @throws BadNote
 */
export const readAuditKeys = (text: string): AuditKeys => {
  const [first = '', ...former] = text.split('\n').filter((line) => line.trim() !== '')
  const signer = readSignerKey(first)
  return { signer, keys: [readVerifierKey(signer.text), ...former.map(readVerifierKey)] }
}

/** The keys of the file that is configured, else of one that the data folder keeps. @throws ConfigError */
export const auditKeysFor = (config: Pick<Config, 'auditKeyFile' | 'baseUrl' | 'dataDir'>): AuditKeys => {
  const { auditKeyFile } = config
  try {
    return readAuditKeys(
      auditKeyFile === undefined
        ? readOrCreate(createDataFolder(config.dataDir), files.auditKey, () => makeSignerKey(defaultName(config)))
        : readFileSync(auditKeyFile, 'utf8'),
    )
  } catch (error) {
    const unreadable = (error as NodeJS.ErrnoException).code !== undefined && auditKeyFile !== undefined
    if (!unreadable && !(error instanceof BadNote)) throw error
    const name = auditKeyFile === undefined ? `${config.dataDir}/${files.auditKey}` : 'CATALOG_AUDIT_KEY_FILE'
    throw new ConfigError([`${name} cannot be used: ${(error as Error).message}`])
  }
}

/** The keys that are there, for somebody who only reads: none are made. @throws Error, BadNote */
export const existingAuditKeys = ({ auditKeyFile, dataDir }: Pick<Config, 'auditKeyFile' | 'dataDir'>): AuditKeys =>
  readAuditKeys(readFileSync(auditKeyFile ?? join(dataDir, files.auditKey), 'utf8'))
