import { join } from 'node:path'
import { signToken } from '../../api/auth/authenticate.ts'
import { makePolicies } from '../../api/auth/policies.ts'
import type { Config } from '../../composition/settings/config.ts'
import { files } from '../../composition/settings/fixedNames.ts'
import { readPolicies } from '../../composition/readPolicies.ts'
import { kinds } from '../../kinds/registry/kinds.ts'
import { readSecret } from '../../stores/sqlite/dataFolder.ts'
import { asText, UsageError, type CliCommand } from '../command.ts'
import { readSettings } from '../settings.ts'
import { listNamed, makeNamed, revokeNamed, type Asking } from './namedTokens.ts'

interface Asked {
  readonly config: Config
  readonly roles: string[]
  readonly days: number
}

const print = (text: string): number => {
  process.stdout.write(`${text}\n`)
  return 0
}

/** A token that no service knows of: it holds until it expires. */
const unnamed = ({ config, roles, days }: Asked, user: string): string => {
  const { issuer, audience, rolesClaim } = config.jwt
  return signToken(secretOf(config), { user, roles, ttl: days * 86_400, issuer, audience, rolesClaim })
}

const texts = (options: Record<string, string | boolean | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, asText(value)]))

const wanted = ({ role, days }: Record<string, string | boolean | undefined>, fallback: number): Asked => {
  const count = Number(days ?? fallback)
  if (!(count > 0 && count <= 3650)) throw new UsageError('--days must be a number from 1 to 3650.')
  const roles =
    asText(role)
      ?.split(',')
      .map((name) => name.trim()) ?? []
  return { config: readSettings(process.env, 'tokens'), roles, days: count }
}

/** Prints a token that the service of these settings accepts, or asks a running service about those with names. */
export const token: CliCommand = {
  usage: `--user NAME [--role ROLE[,ROLE…]] [--days 30]
       catalog token --name NAME --role ROLE[,ROLE…] [--days 365]
       catalog token --list
       catalog token --revoke NAME

A token with --name is for a program. The running service makes it, lists it and revokes it:
[--url http://127.0.0.1:8585] [--token TOKEN] say which service, and who asks.`,
  options: {
    user: { type: 'string' },
    role: { type: 'string' },
    days: { type: 'string' },
    name: { type: 'string' },
    list: { type: 'boolean' },
    revoke: { type: 'string' },
    url: { type: 'string' },
    token: { type: 'string' },
  },
  run: async ({ list, url, token: given, ...options }) => {
    const { user, name, revoke: revoked } = texts(options)
    const ways = [user, name, revoked, list === true ? 'list' : undefined].filter((way) => way !== undefined)
    if (ways.length !== 1 || ways[0] === '')
      throw new UsageError('--user NAME is required, or one of --name NAME, --list, --revoke NAME.')
    const asked = wanted(options, name === undefined ? 30 : 365)
    const { config, roles, days } = asked
    if (user !== undefined) {
      await mustBeKnown(config, roles)
      return print(unnamed(asked, user))
    }
    const asking: Asking = {
      config,
      url: asText(url),
      token: asText(given),
      secret: () => secretOf(config),
    }
    if (name !== undefined) {
      if (roles.length === 0) throw new UsageError('--role ROLE is required: what the program may do.')
      return print(await makeNamed(asking, name, roles, days))
    }
    if (revoked === undefined) return print(await listNamed(asking))
    await revokeNamed(asking, revoked)
    return print(`The token of ${revoked} is revoked.`)
  },
}

const mustBeKnown = async (config: Config, roles: readonly string[]): Promise<void> => {
  const known = makePolicies(kinds, await readPolicies(config)).roles
  const unknown = roles.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new UsageError(
    `${unknown.join(', ')}: no such role. There are ${known.join(', ')}; CATALOG_POLICIES_FILE names a file with more.`,
  )
}

/** The configured secret, or the one that the first start of the service has put into its folder. */
const secretOf = ({ dataDir, jwt }: Config): string => {
  const secret = jwt.secret ?? readSecret(join(dataDir, files.jwtSecret))
  const others = [jwt.publicKeyFile && 'CATALOG_JWT_PUBLIC_KEY_FILE', jwt.jwksUrl && 'CATALOG_JWKS_URL'].filter(Boolean)
  if (others.length > 0 && jwt.secret === undefined)
    throw new Error(
      `The service takes tokens that others sign (${others.join(', ')}): get one there, or set CATALOG_JWT_SECRET ` +
        'beside it.',
    )
  if (secret !== undefined) return secret
  throw new Error(
    `There is no key for tokens in ${dataDir}. Start the service first, or name its folder in CATALOG_DATA_DIR or ` +
      'its key in CATALOG_JWT_SECRET.',
  )
}
