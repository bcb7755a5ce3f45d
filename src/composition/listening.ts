import type { RequestListener } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { drain, makeServer } from '../api/http/server.ts'
import { ConfigError, type Config } from './settings/config.ts'
import { followKeyPair, readKeyPair } from './tls.ts'

export interface Listening {
  /** Does nothing when it has begun. */
  begin(): Promise<void>
  /** Without a slash at the end; once it has begun. */
  url(): string
  /** Takes nothing more and finishes what runs. */
  close(): Promise<void>
}

/** What to do about an address that cannot be listened on. */
const whyNot = ({ host, port }: Config, error: NodeJS.ErrnoException): Error => {
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE:
      `CATALOG_PORT is ${port}, and something else listens there. Stop that, or set CATALOG_PORT to another port; ` +
      '0 is any free one.',
    EACCES: `CATALOG_PORT is ${port}, which this user may not listen on. Set CATALOG_PORT to 1024 or more.`,
    EADDRNOTAVAIL:
      `CATALOG_HOST is ${host}, which is no address of this machine. 127.0.0.1 is reached from here alone, ` +
      '0.0.0.0 from everywhere.',
    ENOTFOUND:
      `CATALOG_HOST is ${host}, and no such name is known. 127.0.0.1 is reached from here alone, 0.0.0.0 from ` +
      'everywhere.',
  }
  const found = advice[error.code ?? '']
  return found === undefined ? error : new ConfigError([found])
}

/** Prepares to listen as configured. @throws Error when the TLS files cannot be used */
export const makeListening = async (config: Config, handler: RequestListener, logger: Logger): Promise<Listening> => {
  const { host, port, network } = config
  const { tls, maxConnections } = network
  const server = makeServer(handler, { tls: tls && (await readKeyPair(tls)), maxConnections })
  const unfollow = tls && server instanceof SecureServer ? followKeyPair(server, tls, logger) : undefined
  return {
    begin: async () => {
      if (server.listening) return
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) => reject(whyNot(config, error)))
        server.listen(port, host, resolve)
      })
    },
    url: () => {
      const address = server.address() as AddressInfo
      const scheme = tls === undefined ? 'http' : 'https'
      return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
    },
    close: async () => {
      unfollow?.()
      await drain(server)
    },
  }
}
