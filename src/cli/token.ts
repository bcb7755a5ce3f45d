import { signToken } from '../api/auth/authenticate.ts'
import { readConfig } from '../composition/config.ts'
import { files } from '../composition/engines.ts'
import { createDataFolder, readOrCreateSecret } from '../stores/sqlite/dataFolder.ts'
import type { CliCommand } from './commands.ts'

/** Prints a token of the embedded secret. */
export const token: CliCommand = {
  summary: 'Print a token: --user NAME [--role ROLE,…] [--days N]',
  usage: '--user NAME [--role ROLE[,ROLE…]] [--days 30]',
  options: { user: { type: 'string' }, role: { type: 'string' }, days: { type: 'string' } },
  run: async ({ user, role, days }) => {
    if (typeof user !== 'string' || user === '') throw new Error('--user NAME is required.')
    const config = readConfig(process.env)
    const count = Number(days ?? 30)
    if (!(count > 0 && count <= 3650)) throw new Error('--days must be a number from 1 to 3650.')
    const secret = config.jwt.secret ?? readOrCreateSecret(createDataFolder(config.dataDir), files.jwtSecret)
    const roles = typeof role === 'string' ? role.split(',').map((name) => name.trim()) : []
    const { issuer, audience, rolesClaim } = config.jwt
    process.stdout.write(`${signToken(secret, { user, roles, ttl: count * 86_400, issuer, audience, rolesClaim })}\n`)
    return 0
  },
}
