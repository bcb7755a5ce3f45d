import { join } from 'node:path'
import { signToken } from '../api/auth/authenticate.ts'
import { makePolicies } from '../api/auth/policies.ts'
import { readConfig, type Config } from '../composition/config.ts'
import { files } from '../composition/engines.ts'
import { readPolicies } from '../composition/policies.ts'
import { kinds } from '../kinds/index.ts'
import { readSecret } from '../stores/sqlite/dataFolder.ts'
import { UsageError, type CliCommand } from './command.ts'

/** Prints a token that the service of these settings accepts. */
export const token: CliCommand = {
  summary: 'Print a token: --user NAME [--role ROLE,…] [--days N]',
  usage: '--user NAME [--role ROLE[,ROLE…]] [--days 30]',
  options: { user: { type: 'string' }, role: { type: 'string' }, days: { type: 'string' } },
  run: async ({ user, role, days }) => {
    if (typeof user !== 'string' || user === '') throw new UsageError('--user NAME is required.')
    const count = Number(days ?? 30)
    if (!(count > 0 && count <= 3650)) throw new UsageError('--days must be a number from 1 to 3650.')
    const config = readConfig(process.env)
    const roles = typeof role === 'string' ? role.split(',').map((name) => name.trim()) : []
    await mustBeKnown(config, roles)
    const { issuer, audience, rolesClaim } = config.jwt
    const secret = config.jwt.secret ?? keptSecret(config)
    process.stdout.write(`${signToken(secret, { user, roles, ttl: count * 86_400, issuer, audience, rolesClaim })}\n`)
    return 0
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

/** The secret that the first start of the service has put into its folder. */
const keptSecret = ({ dataDir }: Config): string => {
  const secret = readSecret(join(dataDir, files.jwtSecret))
  if (secret !== undefined) return secret
  throw new Error(
    `There is no key for tokens in ${dataDir}. Start the service first, or name its folder in CATALOG_DATA_DIR or its key in CATALOG_JWT_SECRET.`,
  )
}
