import type { RequestListener } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { drain, makeServer } from '../api/http/server.ts'
import type { Config } from './config.ts'
import { followKeyPair, readKeyPair } from './tls.ts'

/** The place where the service is met. */
export interface Listening {
  /** Does nothing when it has begun. */
  begin(): Promise<void>
  /** Without a slash at the end; once it has begun. */
  url(): string
  /** Takes nothing more and finishes what runs. */
  close(): Promise<void>
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
        server.once('error', reject)
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
