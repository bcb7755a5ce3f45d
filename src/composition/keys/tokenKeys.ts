import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { jwksSource, publicKeySource, secretSource, type KeySource } from '../../api/auth/keys.ts'
import { reasonOf } from '../../stores/fileProblems.ts'
import { createDataFolder, readOrCreateSecret } from '../../stores/sqlite/dataFolder.ts'
import { ConfigError, type Config } from '../settings/config.ts'
import { files } from '../settings/fixedNames.ts'

const publicKeyIn = async (file: string): Promise<KeySource> => {
  try {
    return publicKeySource(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ConfigError([`CATALOG_JWT_PUBLIC_KEY_FILE names ${file}, which cannot be used: ${reasonOf(error)}.`])
  }
}

/**
 * The configured sources of the keys of tokens, else a secret in the data folder, which is created if missing.
 * @param onTurn called when the keys at the URL can no longer be read, or again
 * @throws ConfigError
 */
export const tokenKeysFor = async (
  { dataDir, jwt: { secret, publicKeyFile, jwksUrl } }: Config,
  logger: Logger,
  onTurn: (isFailing: boolean) => void,
): Promise<KeySource[]> => {
  const turned = (failure: unknown): void => {
    onTurn(failure !== undefined)
    if (failure === undefined) logger.info('the keys at CATALOG_JWKS_URL can be read again')
    else
      logger.warn(
        { err: failure },
        'the keys at CATALOG_JWKS_URL cannot be read: those that are known serve ten minutes',
      )
  }
  const configured = [
    ...(secret === undefined ? [] : [secretSource(secret)]),
    ...(publicKeyFile === undefined ? [] : [await publicKeyIn(publicKeyFile)]),
    ...(jwksUrl === undefined ? [] : [jwksSource(jwksUrl, turned)]),
  ]
  if (configured.length > 0) return configured
  return [secretSource(readOrCreateSecret(createDataFolder(dataDir), files.jwtSecret))]
}
