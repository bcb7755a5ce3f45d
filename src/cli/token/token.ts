import { signToken } from '../../api/auth/authenticate.ts'
import { makePolicies } from '../../api/auth/policies.ts'
import type { Config } from '../../composition/settings/config.ts'
import { readPolicies } from '../../composition/readPolicies.ts'
import { localAdminName } from '../../composition/signIn.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import { CallError, clientsFor, secretOf, type ApiClient } from '../client/apiClient.ts'
import { print, UsageError, type CliCommand } from '../command/command.ts'
import { readSettings } from '../command/settings.ts'
import { objectsOf, type JsonObject } from '../../shared/json.ts'
import { limits } from '../../shared/limits.ts'

/** What can be asked for, and the options of each. */
const ways: Readonly<Record<string, readonly string[]>> = {
  user: ['role', 'days'],
  name: ['role', 'days', 'url', 'token'],
  revoke: ['url', 'token'],
  list: ['url', 'token'],
}

/** @throws UsageError unless one thing is asked for, with its own options */
const mustAskOne = (given: Readonly<Record<string, string | boolean | undefined>>): void => {
  const [way = '', ...others] = Object.keys(ways).filter((name) => given[name] !== undefined)
  if (others.length > 0 || way === '' || given[way] === '')
    throw new UsageError('--user NAME is required, or one of --name NAME, --list, --revoke NAME.')
  const idle = Object.keys(given).find((name) => name !== way && ways[way]?.includes(name) !== true)
  if (idle !== undefined) throw new UsageError(`--${idle} means nothing with --${way}.`)
}

/** Prints a token that the service of these settings accepts, or asks a running service about those with names. */
export const token: CliCommand = {
  usage: `--user NAME [--role ROLE[,ROLE…]] [--days 30]
       catalog token --name NAME --role ROLE[,ROLE…] [--days 365]
       catalog token --list
       catalog token --revoke NAME

--name is for tokens of programs. The running service creates, lists and revokes them:
name the service and your token with [--url http://127.0.0.1:8585] [--token TOKEN].`,
  texts: 'user role days name revoke url token'.split(' '),
  flags: ['list'],
  run: async ({ texts, flags }) => {
    mustAskOne({ ...texts, ...flags })
    const { user, name, revoke } = texts
    const days = Number(texts['days'] ?? (name === undefined ? 30 : 365))
    const most = limits.tokenDays.value
    if (!Number.isInteger(days) || days < 1 || days > most)
      throw new UsageError(`--days must be a whole number from 1 to ${most}.`)
    const roles = texts['role']?.split(',').map((role) => role.trim()) ?? []
    // A user's token is not stored anywhere: it is valid until it expires.
    if (user !== undefined) {
      const config = readSettings(process.env, 'tokens')
      await mustBeKnown(config, roles)
      const { issuer, audience, rolesClaim } = config.jwt
      return print(signToken(secretOf(config), { user, roles, ttl: days * 86_400, issuer, audience, rolesClaim }))
    }
    if (name !== undefined && roles.length === 0)
      throw new UsageError('--role ROLE is required: it says what the program may do.')
    const client = clientsFor(texts, localAdminName())()
    if (name !== undefined) return print(await create(client, { name, roles, days }))
    if (revoke === undefined) return print(await listNamed(client))
    await client.delete(`tokens/${encodeURIComponent(revoke)}`)
    return print(`The token of ${revoke} is revoked.`)
  },
}

/** @throws UsageError for what the service finds wrong with the options */
const create = async (client: ApiClient, options: JsonObject): Promise<string> => {
  const { token: created } = await client.post('tokens', options).catch((error: unknown) => {
    throw error instanceof CallError && error.status === 400 ? new UsageError(error.message) : error
  })
  return String(created)
}

const mustBeKnown = async (config: Config, roles: readonly string[]): Promise<void> => {
  const known = makePolicies(kinds, (await readPolicies(config)).roles).roles
  const unknown = roles.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new UsageError(
    `${unknown.join(', ')}: no such role. There are ${known.join(', ')}; CATALOG_POLICIES_FILE names a file with more.`,
  )
}

const columns = ['name', 'roles', 'expiresAt', 'createdAt', 'createdBy'] as const
const heads = ['NAME', 'ROLES', 'EXPIRES', 'CREATED', 'BY']

const listNamed = async (client: ApiClient): Promise<string | string[]> => {
  const { data } = await client.get('tokens')
  const rows = objectsOf(data).map((token) =>
    columns.map((column) => String(token[column]).replace(/:\d\d\.\d{3}Z$/, 'Z')),
  )
  if (rows.length === 0) return 'No program has a token. Create one with `token --name NAME --role ROLE`.'
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line)
}
