import { readFileSync } from 'node:fs'
import { z } from 'zod'

const flag = z.stringbool({ truthy: ['true'], falsy: ['false'] })
const whole = z.coerce.number().int()

/** Supported parameters of connection strings; others are ignored. */
const parameters = z.object({
  tls: flag.default(true),
  tlsverifycert: flag.default(true),
  tlscafile: z.string().optional(),
  usercertfile: z.string().optional(),
  userkeyfile: z.string().optional(),
  connectionname: z.string().default('metadata-catalog'),
  maxdiscoverattempts: whole.default(10),
  /** Milliseconds. */
  discoveryinterval: whole.default(100),
  /** Seconds. */
  gossiptimeout: whole.default(5),
  /** Milliseconds of silence before a ping, and timeout of its answer; -1 disables it. */
  keepaliveinterval: whole.min(-1).default(10_000),
  keepalivetimeout: whole.min(-1).default(5000),
})

export interface ServerAddress extends Omit<z.infer<typeof parameters>, 'tlscafile' | 'usercertfile' | 'userkeyfile'> {
  /** `host:port` of one node, or of the hosts that are asked for the nodes of a cluster. */
  readonly hosts: readonly [string, ...string[]]
  /** Whether the hosts are asked for the nodes of a cluster. */
  readonly discover: boolean
  /** Value of the `authorization` header. */
  readonly basic: string | undefined
  readonly certificates: { readonly ca: Buffer | null; readonly key: Buffer | null; readonly cert: Buffer | null }
}

const pattern = /^(?:esdb|kurrentdb)(\+discover)?:\/\/(?:([^:@/?]+):([^@/?]*)@)?([^/?@]+)\/*(?:\?(.*))?$/i
const hostPattern = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i

const fileAt = (path: string | undefined): Buffer | null => (path === undefined ? null : readFileSync(path))

/**
 * Reads `esdb://…`, `esdb+discover://…`, or the same with `kurrentdb`, with several hosts too.
 * @throws an error that does not repeat the string, which may hold a password; one that names a file that is not there
 */
export const parseConnectionString = (connectionString: string): ServerAddress => {
  const [whole, discover, user, password = '', hosts = '', query = ''] = pattern.exec(connectionString.trim()) ?? []
  const names = hosts.split(',').filter((host) => host !== '')
  const given = [...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value.trim()])
  if (given.some(([name, value]) => name === 'nodepreference' && value?.toLowerCase() !== 'leader'))
    throw new Error(
      'The address of the event store (CATALOG_EVENTSTORE_URL) has another nodePreference than leader: remove it.',
    )
  const { data } = parameters.safeParse(Object.fromEntries(given))
  const [first, ...others] = names.map((host) => (/:\d+$/.test(host) ? host : `${host}:2113`))
  if (whole === undefined || !data || first === undefined || !names.every((host) => hostPattern.test(host)))
    throw new Error(
      'The address of the event store (CATALOG_EVENTSTORE_URL) is not a connection string that its client can read.',
    )
  const { tlscafile, usercertfile, userkeyfile, ...rest } = data
  const login = user === undefined ? undefined : `${decodeURIComponent(user)}:${decodeURIComponent(password)}`
  return {
    ...rest,
    hosts: [first, ...others],
    discover: discover !== undefined || others.length > 0,
    basic: login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
    certificates: { ca: fileAt(tlscafile), key: fileAt(userkeyfile), cert: fileAt(usercertfile) },
  }
}
