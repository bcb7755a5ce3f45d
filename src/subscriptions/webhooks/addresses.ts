import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { CatalogError } from '../../shared/errors/namedError.ts'

/** The endpoint has a forbidden address: private, loopback, link-local, multicast or reserved. */
export class ForbiddenTarget extends CatalogError {
  override readonly name = 'ForbiddenTarget'
  /** The message leaves the address out: otherwise callers could resolve names of this network with it. */
  constructor(host: string) {
    super(`${host} is at no public address; webhooks go to those only.`)
  }
}

/** Parses address ranges in CIDR notation, separated by blanks. */
const rangesIn = (text: string): BlockList => {
  const list = new BlockList()
  for (const [, net = '', bits] of text.matchAll(/(?<!\S)([^\s/]+)\/(\d+)/g))
    list.addSubnet(net, Number(bits), isIP(net) === 4 ? 'ipv4' : 'ipv6')
  return list
}

/** IPv4 ranges that are not global (IANA special-purpose registry). */
const special4 = rangesIn(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`)

const global6 = rangesIn('2000::/3')

/** Tunnelled, translated and reserved parts of the global IPv6 unicast range. */
const special6 = rangesIn('2001::/23 2001:db8::/32 2002::/16 3fff::/20')

/**
 * Whether an address is globally reachable unicast. IPv4-mapped IPv6 addresses are not: resolvers return plain IPv4.
 */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address)
  if (family === 4) return !special4.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/** The host of a URL; an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

export type Resolve = (
  host: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export const systemResolve: Resolve = (host, callback) => systemLookup(host, { all: true }, callback)

/**
 * A `lookup` for connections that fails if any address of the name is forbidden. The checked addresses are the ones
 * used, so a name that resolves differently the next time gains nothing.
 */
export const guardedLookup =
  (resolve: Resolve = systemResolve): LookupFunction =>
  (host, options, callback) => {
    resolve(host, (error, addresses) => {
      const forbidden = error === null ? addresses.find(({ address }) => !isPublicAddress(address)) : undefined
      const first = addresses?.[0]
      if (error !== null || first === undefined) callback(error ?? new Error(`${host} has no address.`), '', 0)
      else if (forbidden !== undefined) callback(new ForbiddenTarget(host), '', 0)
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

/** Checks a host before anything is sent; a name that does not resolve in time passes. @throws ForbiddenTarget */
export const mustBePublic = async (host: string, resolve: Resolve, milliseconds = 2000): Promise<void> => {
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new ForbiddenTarget(host)
  if (isIP(host) !== 0) return
  await new Promise<void>((done, refuse) => {
    const timer = setTimeout(done, milliseconds)
    guardedLookup(resolve)(host, {}, (error) => {
      clearTimeout(timer)
      if (error instanceof ForbiddenTarget) refuse(error)
      else done()
    })
  })
}
