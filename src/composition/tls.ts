import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { reasonOf } from '../stores/fileProblems.ts'
import { ConfigError } from './settings/config.ts'
import type { NetworkConfig } from './settings/networkConfig.ts'

type Files = NonNullable<NetworkConfig['tls']>

export interface KeyPair {
  readonly cert: Buffer
  readonly key: Buffer
}

const readNamed = (variable: string, file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw new ConfigError([`${variable} names ${file}, which cannot be used: ${reasonOf(error)}.`])
  })

/** Reads certificate and key. @throws Error when they cannot be read, are none, or do not belong together */
export const readKeyPair = async ({ certFile, keyFile }: Files): Promise<KeyPair> => {
  const [cert, key] = await Promise.all([
    readNamed('CATALOG_TLS_CERT_FILE', certFile),
    readNamed('CATALOG_TLS_KEY_FILE', keyFile),
  ])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const names = `CATALOG_TLS_CERT_FILE (${certFile}) and CATALOG_TLS_KEY_FILE (${keyFile})`
    throw new ConfigError([`${names} must be a certificate and its key in PEM: ${reasonOf(error)}.`])
  }
  return { cert, key }
}

/**
 * Gives a server the new certificate whenever the files change; the old one stays while the two do not belong together.
 * @param interval milliseconds between two looks
 * @returns stops watching
 */
export const followKeyPair = (server: Server, files: Files, logger: Logger, interval = 2000): (() => void) => {
  const reload = (): void => {
    readKeyPair(files).then(
      (pair) => {
        server.setSecureContext(pair)
        logger.info('the TLS certificate was read again')
      },
      (error: unknown) => logger.warn({ err: error }, 'the TLS certificate cannot be used: the old one stays'),
    )
  }
  const names = [files.certFile, files.keyFile]
  for (const name of names) watchFile(name, { interval, persistent: false }, reload)
  return () => {
    for (const name of names) unwatchFile(name, reload)
  }
}
