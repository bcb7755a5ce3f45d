import type { Config } from '../composition/config.ts'

/** Where a service with these settings is reached from its own machine, without a slash at the end. */
export const localUrl = ({ host, port, network }: Config): string => {
  const scheme = network.tls === undefined ? 'http' : 'https'
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
