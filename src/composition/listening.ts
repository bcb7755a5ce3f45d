import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { Server as SecureServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { drain, makeServer } from '../api/http/server.ts'
import { ConfigError, type Config } from './settings/config.ts'
import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { reasonOf } from '../stores/fileProblems.ts'

type Files = NonNullable<Config['network']['tls']>

const readNamed = (variable: string, file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw new ConfigError([`${variable} names ${file}, which cannot be used: ${reasonOf(error)}.`])
  })

/** Reads certificate and key. @throws Error when they are unreadable, invalid, or do not match */
const readKeyPair = async ({ certFile, keyFile }: Files) => {
  const [cert, key] = await Promise.all([
    readNamed('CATALOG_TLS_CERT_FILE', certFile),
    readNamed('CATALOG_TLS_KEY_FILE', keyFile),
  ])
  try {
    createSecureContext({ cert, key })
    // A context takes a certificate and a key of different types, and then nobody can connect.
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key is that of another certificate')
  } catch (error) {
    const names = `CATALOG_TLS_CERT_FILE (${certFile}) and CATALOG_TLS_KEY_FILE (${keyFile})`
    throw new ConfigError([`${names} must be a certificate and its key in PEM: ${reasonOf(error)}.`])
  }
  return { cert, key }
}

/**
 * Gives a server the new certificate whenever the files change; the old one stays until both files match.
 * @returns function to stop watching
 */
const followKeyPair = (server: Server, files: Files, logger: Logger): (() => void) => {
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
  for (const name of names) watchFile(name, { interval: 2000, persistent: false }, reload)
  return () => {
    for (const name of names) unwatchFile(name, reload)
  }
}

const listenError = ({ host, port }: Config, error: NodeJS.ErrnoException): Error => {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE:
      `CATALOG_PORT is ${port}, and something else listens there. Stop that, or set CATALOG_PORT to another port; ` +
      '0 is any free one.',
    EACCES: `CATALOG_PORT is ${port}, which this user may not listen on. Set CATALOG_PORT to 1024 or more.`,
    EADDRNOTAVAIL:
      `CATALOG_HOST is ${host}, which is not an address of this machine. 127.0.0.1 is reached from here alone, ` +
      '0.0.0.0 from everywhere.',
    ENOTFOUND:
      `CATALOG_HOST is ${host}, and no such name is known. 127.0.0.1 is reached from here alone, 0.0.0.0 from ` +
      'everywhere.',
  }
  const found = advice[error.code ?? '']
  return found === undefined ? error : new ConfigError([found])
}

/** As many connections as configured, or as the files that this process may open leave beside 150 of its own. */
const connectionsFor = ({ maxConnections }: Config['network'], logger: Logger): number => {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const files = Number(userLimits?.open_files?.soft)
  const connections = Math.max(1, Math.min(maxConnections, (files || Infinity) - 150))
  if (connections < maxConnections)
    logger.warn({ files, connections }, 'CATALOG_MAX_CONNECTIONS is lowered: this process may not open enough files')
  return connections
}

/**
 * Prepares to listen as configured.
 * @param onRefused called for each connection beyond the limit
 * @throws Error when the TLS files are unusable
 */
export const makeListener = async (
  config: Config,
  handler: RequestListener,
  logger: Logger,
  onRefused: () => void = () => {},
) => {
  const { host, port, network } = config
  const { tls } = network
  const maxConnections = connectionsFor(network, logger)
  const server = makeServer(handler, { tls: tls && (await readKeyPair(tls)), maxConnections, onRefused })
  const unfollow = tls && server instanceof SecureServer ? followKeyPair(server, tls, logger) : undefined
  return {
    /** Does nothing if it has started. */
    begin: async (): Promise<void> => {
      if (server.listening) return
      const begun = Promise.withResolvers<void>()
      server.on('error', (error) => {
        if (server.listening) logger.error({ err: error }, 'the server has a problem with its connections')
        else begun.reject(listenError(config, error))
      })
      server.listen(port, host, begun.resolve)
      await begun.promise
    },
    /** Without a trailing slash; once it has started. */
    url: (): string => {
      const address = server.address() as AddressInfo
      const scheme = tls === undefined ? 'http' : 'https'
      return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
    },
    /** Stops accepting requests and finishes running ones. @returns the number of those that took too long and were cut */
    close: async (): Promise<number> => {
      unfollow?.()
      const cut = await drain(server)
      if (cut > 0) logger.warn({ cut }, 'requests were cut: they took too long for a service that stops')
      return cut
    },
  }
}

export type Listener = Awaited<ReturnType<typeof makeListener>>
